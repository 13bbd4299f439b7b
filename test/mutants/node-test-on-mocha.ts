/**
 * Replaces `node:test` while mutants are tried: mocha runs the same tests again and again in one process,
 * hundreds of times quicker than a process for each file. It has only the parts of `node:test` that these
 * tests use.
 */
import { registerHooks } from 'node:module';

type Body = () => unknown;
type Define = (name: string, body: Body) => unknown;
type Hook = (body: Body) => unknown;

type Hits = Record<string, number>;

/** Mocha's own, and what Stryker keeps for the code it has instrumented. */
const mocha = globalThis as unknown as {
  readonly describe: Define;
  readonly it: (name: string, body: (this: { timeout(ms: number): void }) => unknown) => unknown;
  readonly before: Hook;
  readonly after: Hook;
  readonly beforeEach: Hook;
  readonly afterEach: Hook;
  readonly __stryker__?: {
    readonly activeMutant?: string;
    /** How often each mutant was run, by its id: while the tests were loaded, and by each test. */
    readonly mutantCoverage?: { readonly static: Hits; readonly perTest: Readonly<Record<string, Hits>> };
  };
};

/** A mutant may well keep a test waiting for ever; then it is noticed. Long enough for a busy machine. */
const longestMs = 20_000;

/** Of the test that runs. */
let atEndOfTest: Body[] | undefined;

export const describe: Define = (name, body) =>
  mocha.describe(name, () => {
    body();
  });
export const test: Define = (name, body) =>
  mocha.it(name, async function () {
    if (mocha.__stryker__?.activeMutant !== undefined) this.timeout(longestMs);
    const hooks: Body[] = [];
    atEndOfTest = hooks;
    try {
      await body();
    } finally {
      atEndOfTest = undefined;
      for (const hook of hooks) await hook();
    }
  });
export const before: Hook = (body) => mocha.before(() => body());
/** Inside of a test it is that test's; mocha would run it at the end of every run from then on. */
export const after: Hook = (body) => (atEndOfTest ? atEndOfTest.push(body) : mocha.after(() => body()));
export const beforeEach: Hook = (body) => mocha.beforeEach(() => body());
export const afterEach: Hook = (body) => mocha.afterEach(() => body());

/**
 * A mutant that runs while the tests are loaded would get a process of its own, even if tests run it too and are all
 * that judge it. That is a second for each, and no other result: only what no test runs is left as such.
 */
export const mochaHooks = {
  afterAll() {
    const { static: whileLoading, perTest } = mocha.__stryker__?.mutantCoverage ?? {
      static: {},
      perTest: {},
    };
    for (const hits of Object.values(perTest)) for (const id of Object.keys(hits)) delete whileLoading[id];
  },
};

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'node:test' ? { url: import.meta.url, shortCircuit: true } : next(specifier, context),
});
