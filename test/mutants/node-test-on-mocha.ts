/**
 * Stands for `node:test` while mutants are tried: mocha runs the same tests again and again in one process, hundreds of
 * times quicker than a process for each file. What of `node:test` the judges use, and no more, is here.
 */
import { registerHooks } from 'node:module';

type Body = () => unknown;
type Define = (name: string, body: Body) => unknown;
type Hook = (body: Body) => unknown;

/** Mocha's own, and what Stryker keeps for the code it has instrumented. */
const mocha = globalThis as unknown as {
  readonly describe: Define;
  readonly it: (name: string, body: (this: { timeout(ms: number): void }) => unknown) => unknown;
  readonly before: Hook;
  readonly after: Hook;
  readonly beforeEach: Hook;
  readonly afterEach: Hook;
  readonly __stryker__?: { readonly activeMutant?: string };
};

/** A mutant may well keep a test waiting for ever; then it is noticed. */
const longestMs = 5_000;

export const describe: Define = (name, body) =>
  mocha.describe(name, () => {
    body();
  });
export const test: Define = (name, body) =>
  mocha.it(name, function () {
    if (mocha.__stryker__?.activeMutant !== undefined) this.timeout(longestMs);
    return body();
  });
export const before: Hook = (body) => mocha.before(() => body());
export const after: Hook = (body) => mocha.after(() => body());
export const beforeEach: Hook = (body) => mocha.beforeEach(() => body());
export const afterEach: Hook = (body) => mocha.afterEach(() => body());

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'node:test' ? { url: import.meta.url, shortCircuit: true } : next(specifier, context),
});
