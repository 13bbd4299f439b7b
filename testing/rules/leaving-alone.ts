import has from 'lodash/has.js';
import isEmpty from 'lodash/isEmpty.js';
import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import type { Bench } from '../bench.ts';
import { expect, needed, Skipped } from '../verdict.ts';
import { finished } from './calls.ts';
import { expectRest } from './creating.ts';
import type { Rule } from './rule.ts';

const { signal } = new AbortController();

/** What observe cannot do without. */
const foundBy = ({ conformance: { foundBy: fields, managed } }: Bench): readonly string[] =>
  fields ?? managed.marks?.identity ?? [];

/** The first of the changes that is of values that `forProvider` has, leaving out some fields. */
function changeOfValue(
  { conformance: { changes, forProvider } }: Bench,
  but: readonly string[] = [],
): object {
  const found = needed(changes, 'changes').find((change) =>
    Object.keys(change).every((key) => key in forProvider && !but.includes(key)),
  );
  if (found === undefined) throw new Skipped('no change of `changes` is of what `forProvider` says');
  return found;
}

const revertsDrift: Rule = {
  name: 'what somebody changes outside is changed back',
  async check(bench) {
    const change = changeOfValue(bench);
    const { managed, credential } = await bench.ready();
    await bench.passes('first', 2);
    const before = await bench.things();
    // Whoever has the credentials may: here, the client itself, of an object that nobody has written.
    const client = await bench.client(managed);
    const forProvider = { ...managed.spec.forProvider, ...change };
    const elsewhere = { ...managed, spec: { ...managed.spec, forProvider } };
    const updating = client.update(elsewhere, credential, signal);
    await finished(bench, client, await bench.settled(updating, 'update'));
    await bench.passTime(bench.longMs);
    const what = `the change to ${JSON.stringify(change)}, made outside,`;
    expect(
      !isEqual(before, await bench.things()),
      `${what} does not show outside`,
      'change in update what differs',
    );
    await bench.passes('first', 2);
    await bench.until('first', () => bench.isReady('first'), `${what} did not end in Ready and Synced`);
    await bench.passTime(bench.longMs);
    await bench.expectUnchanged(
      before,
      what,
      'compare in observe what the system tells, not what was sent to it, and change it back in update',
    );
  },
};

const onlyObserves: Rule = {
  name: 'what is only observed is neither changed nor deleted, and needs to say nothing of itself',
  async check(bench) {
    const { managed } = await bench.ready();
    await bench.passes('first', 2);
    const before = await bench.things();
    const published = bench.published('first');
    const forProvider = pick(managed.spec.forProvider, foundBy(bench));
    bench.respecify('first', { managementPolicies: ['Observe'], forProvider });
    const calls = bench.process.calls.length;
    await bench.passes('first', 3);
    const what =
      'a resource with managementPolicies ["Observe"] and no more in forProvider than it is found by';
    const { status, message } = bench.condition('first', 'Synced');
    expect(
      status === 'True' && bench.isReady('first'),
      `${what} is not Ready and Synced: ${message || bench.condition('first', 'Ready').message}`,
      'ask in observe for no field of forProvider but those marked `identity`; or say in `foundBy` what it is found by',
    );
    expect(
      isEqual(bench.published('first'), published),
      `${what} lost connection details`,
      'answer in observe with all that the system tells, whatever the spec says',
    );
    bench.remove('first');
    await bench.until(
      'first',
      () => bench.object('first') === undefined,
      `${what} was deleted, and did not go`,
    );
    await bench.passTime(bench.longMs);
    const made = bench.process.calls.slice(calls).filter((call) => call !== 'observe');
    expect(made.length === 0, `${what} led to calls of ${made.join(', ')}`, 'leave that to the reconciler');
    await bench.expectUnchanged(before, what, 'change nothing in observe');
  },
};

const takesOverOnce: Rule = {
  name: 'what the system chooses is taken over once, and then there is no call more',
  async check(bench) {
    const late = needed(bench.conformance.late, 'late');
    const what = `what was made without ${late.join(', ')}`;
    await bench.ready('first', omit(bench.conformance.forProvider, late));
    await expectRest(bench, what);
    const { spec } = bench.existing('first');
    const absent = late.filter((field) => !has(spec.forProvider, field));
    expect(
      absent.length === 0,
      `${what} has no ${absent.join(', no ')} in forProvider`,
      'mark the field `late` and compare it, or answer with `lateInitialized` in observe',
    );
    await bench.passes('first', 5);
    expect(
      isEqual(bench.existing('first').spec, spec),
      'what was taken over is taken over anew',
      'answer with the same value of `lateInitialized` each time, in the form that observe compares',
    );
  },
};

const usesInitProviderOnce: Rule = {
  name: 'what is said for the creation only has its effect then, and none later',
  async check(bench) {
    const change = changeOfValue(bench, foundBy(bench));
    const { forProvider } = bench.conformance;
    const [fields, keys] = [forProvider as object, Object.keys(change)];
    bench.put('first', omit(fields, keys));
    bench.respecify('first', { initProvider: pick(fields, keys) });
    const what = `what has ${keys.join(', ')} in initProvider`;
    const mend = 'compare in observe only what forProvider says; create is given both';
    await bench.until('first', () => bench.isReady('first'), `${what} did not become Ready and Synced`, mend);
    await expectRest(bench, what);
    const before = await bench.things();
    bench.respecify('first', { initProvider: change });
    await bench.passes('first', 3);
    await bench.expectUnchanged(before, `an edit of initProvider to ${JSON.stringify(change)}`, mend);
    const { status, message } = bench.condition('first', 'Synced');
    expect(status === 'True', `an edit of initProvider is told as an error: ${message}`, mend);
    const isSaid = !isEmpty(pick(bench.existing('first').spec.forProvider, keys));
    expect(!isSaid, `${what} has it in forProvider, too`, 'take over nothing that initProvider says');
  },
};

export const leavingAlone: readonly Rule[] = [
  revertsDrift,
  onlyObserves,
  takesOverOnce,
  usesInitProviderOnce,
];
