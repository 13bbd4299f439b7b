import type { Bench } from '../bench.ts';
import { messageOf, outcomeOf } from '../outcome.ts';
import { expect, needed, Skipped } from '../verdict.ts';
import { finished, observe } from './calls.ts';
import type { Rule } from './rule.ts';

const { signal } = new AbortController();

/** How the controller tells that nobody knows what became of a creation. */
const isUncertain = (message: string): boolean => message.includes('cannot determine creation result');

const becomesAvailable: Rule = {
  name: 'what is created becomes available, and is one',
  async check(bench) {
    const { managed, credential } = await bench.ready();
    const { exists, ready } = await observe(bench, managed, credential);
    expect(exists, 'it is Ready, and observe says that it does not exist', 'observe under the external name');
    expect(
      ready?.status === 'True',
      'it is Ready, and observe says that it is not',
      'answer `ready: available()`',
    );
    const { length } = await bench.things();
    expect(length === 1, `one was made, and there are ${length} outside`, 'make one thing for each resource');
  },
};

const tellsDetails: Rule = {
  name: 'the connection details that are promised are published',
  async check(bench) {
    const details = needed(bench.conformance.details, 'details');
    const { known } = await bench.ready();
    const missing = details.filter((key) => !known[key]);
    expect(
      missing.length === 0,
      `the connection secret has no ${missing.join(', no ')}`,
      'answer with `details` in create where they are known only then, else in observe',
    );
    const isGood = await bench.world.opens?.(known);
    expect(
      isGood !== false,
      'the connection details open nothing',
      'publish those that the thing was made with',
    );
  },
};

const isLeftAlone: Rule = {
  name: 'what is as it was asked for is left alone',
  async check(bench) {
    await bench.ready();
    await expectRest(bench, 'what is Ready and was not edited');
  },
};

/** Throws Broken if the resource is changed, or written, although it is as it should be. */
export async function expectRest(bench: Bench, what: string): Promise<void> {
  await bench.passes('first', 2); // what was left to fill in
  const { process } = bench;
  const [calls, writes] = [process.calls.length, process.writes];
  await bench.passes('first', 5);
  const changes = process.calls.slice(calls).filter((call) => call !== 'observe');
  expect(
    changes.length === 0,
    `${what} is changed again and again: ${changes.length} calls of ${[...new Set(changes)].join(', ')} in 5 looks`,
    'compare in observe what the system tells with what was asked for, in the form that the system has for it',
  );
  expect(
    process.writes === writes,
    `${what} is written ${process.writes - writes} times in 5 looks`,
    'leave out of `status` and `details` what changes by itself',
  );
}

const makesOne: Rule = {
  name: 'create twice makes one',
  async check(bench) {
    if (bench.isNameAssigned) {
      throw new Skipped(
        'names are assigned, and the controller does not create again before a human says so',
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
    const { length } = await bench.things();
    expect(
      length === 1,
      `create was called twice, and there are ${length} outside`,
      'create under the external name, and take what is there already and is ours for success',
    );
    expect(
      again.type === 'done',
      `create of what is there already and ours is an error: ${messageOf(again)}`,
      'take it for success: an attempt whose answer was lost has made it',
    );
  },
};

const isFoundAgain: Rule = {
  name: 'a creation whose answer was lost is found again, or told as uncertain, and makes no second',
  async check(bench) {
    needed(bench.world.loseAnswer, 'world.loseAnswer');
    bench.world.loseAnswer?.();
    bench.put('first');
    const isTold = () => isUncertain(bench.condition('first', 'Synced').message);
    await bench.until(
      'first',
      () => bench.isReady('first') || isTold(),
      'a creation whose answer was lost was neither found again nor told as uncertain',
      'find what is there under the external name; where names are assigned, throw UncertainCreationError',
    );
    await bench.passes('first', 5);
    const { length } = await bench.things();
    expect(
      length <= 1,
      `the answer of one creation was lost, and there are ${length} outside`,
      'look for what the lost attempt made; where names are assigned, throw UncertainCreationError for errors that leave it open',
    );
    expect(
      length === 1 || !bench.isReady('first'),
      'it is Ready, and nothing is outside',
      'observe under the external name',
    );
  },
};

/** More than any creation takes. */
const mostSteps = 40;

const survivesCreation: Rule = {
  name: 'a process that dies at any point of a creation leaves one thing, or tells that it is uncertain',
  async check(bench) {
    for (let steps = 1; steps <= mostSteps; steps += 1) {
      const name = `died-${steps}`;
      const before = (await bench.things()).length;
      bench.put(name, steps === 1 ? undefined : bench.another(steps));
      bench.process.stepsLeft = steps;
      await bench.until(
        name,
        () => bench.process.hasCrashed || bench.isReady(name),
        'it did not become Ready',
      );
      const hasSurvived = !bench.process.hasCrashed;
      bench.restart();
      const isTold = () => isUncertain(bench.condition(name, 'Synced').message);
      const when = `after a process that died at its step ${steps}`;
      await bench.until(
        name,
        () => bench.isReady(name) || isTold(),
        `${when} it did not become Ready`,
        'take what is there already and is ours for success',
      );
      const made = (await bench.things()).length - before;
      expect(
        made <= 1,
        `${when} there are ${made} outside`,
        'find under the external name what an earlier process made',
      );
      await removed(bench, name);
      if (hasSurvived) return;
    }
  },
};

/** Takes away what a step made, where that can be told, so that the next begins anew. */
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
