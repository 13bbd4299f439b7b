/**
 * `node registered-tests.ts FILE...` prints, as JSON, the titles of the tests that each file registers, with
 * the suites that contain them. The files run, but their tests do not: a replacement of `node:test` writes
 * down the titles. Skipped tests do not count.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

type Arguments = readonly unknown[];

const titles: Record<string, string[][]> = {};
/** The file that is read, and the suites around what is registered next. */
const around = new AsyncLocalStorage<readonly [file: string, ...suites: string[]]>();

const titleIn = (given: Arguments): string => given.find((each) => typeof each === 'string') ?? '';
const bodyIn = (given: Arguments) => given.find((each) => typeof each === 'function');
const isSkipped = (given: Arguments): boolean =>
  given.some((each) => {
    const { skip, todo } = (each ?? {}) as { readonly skip?: unknown; readonly todo?: unknown };
    return Boolean(skip ?? todo);
  });

const test = async (...given: Arguments): Promise<void> => {
  const [file = '', ...suites] = around.getStore() ?? [];
  if (!isSkipped(given)) titles[file]?.push([...suites, titleIn(given)]);
};
/** The bodies of suites that wait for something before they register the rest. */
const unfinished: Promise<void>[] = [];
const describe = async (...given: Arguments): Promise<void> => {
  const [file = '', ...suites] = around.getStore() ?? [];
  if (isSkipped(given)) return;
  unfinished.push(around.run([file, ...suites, titleIn(given)], async () => bodyIn(given)?.()));
};
const nothing = async (): Promise<void> => {};
const omitted = { skip: nothing, todo: nothing };
const recorder = {
  test: Object.assign(test, omitted),
  describe: Object.assign(describe, omitted),
  before: nothing,
  after: nothing,
  beforeEach: nothing,
  afterEach: nothing,
};
Object.assign(globalThis, { recorder });

const recorderUrl = 'recorder:test';
const source = `export * from 'node:test';
  const { test, describe, before, after, beforeEach, afterEach } = globalThis.recorder;
  export { test, test as it, describe, describe as suite, before, after, beforeEach, afterEach, test as default };`;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'node:test' && context.parentURL !== recorderUrl
      ? { url: recorderUrl, shortCircuit: true }
      : next(specifier, context),
  load: (url, context, next) =>
    url === recorderUrl ? { format: 'module', source, shortCircuit: true } : next(url, context),
});

for (const file of process.argv.slice(2)) {
  titles[file] = [];
  await around.run([file], () => import(pathToFileURL(resolve(file)).href));
  while (unfinished.length > 0) await Promise.all(unfinished.splice(0));
}
process.stdout.write(JSON.stringify(titles), () => process.exit(0));
