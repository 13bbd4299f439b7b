import type { Bench } from '../bench.ts';
import { messageOf, outcomeOf } from '../outcome.ts';
import { expect, needed, Skipped } from '../verdict.ts';
import { finished, observe } from './calls.ts';
import type { Rule } from './rule.ts';

const { signal } = new AbortController();

/** Whether the controller reports that the outcome of a creation is not known. */
const isUncertain = (message: string): boolean => message.includes('cannot determine creation result');

const becomesAvailable: Rule = {
  name: 'a created resource becomes available and is one external resource',
  async check(bench) {
    const { managed, credential } = await bench.ready();
    const { exists, ready } = await observe(bench, managed, credential);
    expect(
      exists,
      'the resource is Ready, but observe reports that it does not exist',
      'look the external resource up by its external name',
    );
    expect(
      ready?.status === 'True',
      'the resource is Ready, but observe does not report it as ready',
      'return `ready: available()`',
    );
    const { length } = await bench.externals();
    expect(
      length === 1,
      `one resource was created, but there are ${length} external resources`,
      'create one external resource for each resource',
    );
  },
};

const tellsDetails: Rule = {
  name: 'all declared connection details are published',
  async check(bench) {
    const { managed: kind, details = Object.keys(kind.connectionDetails ?? {}) } = bench.conformance;
    if (details.length === 0) throw new Skipped('the kind has no connection details');
    const { known } = await bench.ready();
    const missing = details.filter((key) => !known[key]);
    expect(
      missing.length === 0,
      `the connection Secret has no ${missing.join(', no ')}`,
      'return `details` in observe, or in create if they are known only then; if some are optional, list the others in `details` of this test',
    );
    const isGood = await bench.world.opens?.(known);
    expect(
      isGood !== false,
      'the connection details do not work',
      'publish the details with which the external resource was created',
    );
  },
};

const isLeftAlone: Rule = {
  name: 'a resource in its desired state is not changed',
  async check(bench) {
    await bench.ready();
    await expectRest(bench, 'a Ready resource without an edit');
  },
};

/** Throws Broken if the resource or its external resource is changed although it is in its desired state. */
export async function expectRest(bench: Bench, what: string): Promise<void> {
  await bench.passes('first', 2); // for late initialisation
  const { process } = bench;
  const [calls, writes] = [process.calls.length, process.writes];
  await bench.passes('first', 5);
  const changes = process.calls.slice(calls).filter((call) => call !== 'observe');
  expect(
    changes.length === 0,
    `${what} is changed repeatedly: ${changes.length} calls of ${[...new Set(changes)].join(', ')} in 5 observations`,
    "compare the actual with the desired state in observe, in the system's own form",
  );
  expect(
    process.writes === writes,
    `${what} is written ${process.writes - writes} times in 5 observations`,
    'leave values that change by themselves out of `status` and `details`',
  );
}

const makesOne: Rule = {
  name: 'two calls of create make one external resource',
  async check(bench) {
    if (bench.isNameAssigned) {
      throw new Skipped(
        'the system assigns names, so the controller does not create again without an administrator',
      );
    }
    const draft = bench.draft('first');
    const client = await bench.client(draft);
    const credential = bench.newCredential(draft);
    const create = async () => {
      await finished(bench, client, await bench.settled(client.create(draft, credential, signal), 'create'));
    };
    await create();
    const again = await outcomeOf(create());
    const { length } = await bench.externals();
    expect(
      length === 1,
      `create was called twice, and there are ${length} external resources`,
      'create under the external name, and treat an existing external resource of the same owner as success',
    );
    expect(
      again.type === 'done',
      `create throws for an existing external resource of the same owner: ${messageOf(again)}`,
      'treat it as success: an attempt whose answer was lost has created it',
    );
  },
};

const isFoundAgain: Rule = {
  name: 'a creation whose answer was lost is found or reported as uncertain, and makes one external resource',
  async check(bench) {
    needed(bench.world.loseAnswer, 'world.loseAnswer');
    bench.world.loseAnswer?.();
    bench.put('first');
    const isReported = () => isUncertain(bench.condition('first', 'Synced').message);
    await bench.until(
      'first',
      () => bench.isReady('first') || isReported(),
      'a creation whose answer was lost was neither found nor reported as uncertain',
      'find the external resource by its external name; if the system assigns names, throw UncertainCreationError',
    );
    await bench.passes('first', 5);
    const { length } = await bench.externals();
    expect(
      length <= 1,
      `the answer of one creation was lost, and there are ${length} external resources`,
      'look for the external resource of the lost attempt; if the system assigns names, throw UncertainCreationError for errors without a clear outcome',
    );
    expect(
      length === 1 || !bench.isReady('first'),
      'the resource is Ready, but the external resource does not exist',
      'look the external resource up by its external name',
    );
  },
};

/** More steps than any creation takes. */
const mostSteps = 40;

const survivesCreation: Rule = {
  name: 'a process that dies during a creation leaves one external resource or reports that it is uncertain',
  async check(bench) {
    for (let steps = 1; steps <= mostSteps; steps += 1) {
      const name = `died-${steps}`;
      const before = (await bench.externals()).length;
      bench.put(name, steps === 1 ? undefined : bench.another(steps));
      bench.process.stepsLeft = steps;
      await bench.until(
        name,
        () => bench.process.hasCrashed || bench.isReady(name),
        'the resource did not become Ready',
      );
      const hasSurvived = !bench.process.hasCrashed;
      bench.restart();
      const isReported = () => isUncertain(bench.condition(name, 'Synced').message);
      const when = `after a process that was killed at step ${steps}`;
      await bench.until(
        name,
        () => bench.isReady(name) || isReported(),
        `${when} the resource did not become Ready`,
        'treat an existing external resource of the same owner as success',
      );
      const made = (await bench.externals()).length - before;
      expect(
        made <= 1,
        `${when} there are ${made} external resources`,
        'find the external resource of the earlier process by its external name',
      );
      await removed(bench, name);
      if (hasSurvived) return;
    }
  },
};

/** Deletes the external resource of a step, if it is known, so that the next step starts again. */
async function removed(bench: Bench, name: string): Promise<void> {
  bench.remove(name);
  for (let i = 0; i < 30 && bench.object(name) !== undefined; i += 1) await bench.pass(name);
}

export const creating: readonly Rule[] = [
  becomesAvailable,
  tellsDetails,
  isLeftAlone,
  makesOne,
  isFoundAgain,
  survivesCreation,
];
