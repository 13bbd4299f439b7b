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

/** The fields that observe needs. */
const foundBy = ({ conformance: { foundBy: fields, managed } }: Bench): readonly string[] =>
  fields ?? managed.marks?.identity ?? [];

/** The first change of values in `forProvider`, without some fields. */
function changeOfValue(
  { conformance: { changes, forProvider } }: Bench,
  but: readonly string[] = [],
): object {
  const found = needed(changes, 'changes').find((change) =>
    Object.keys(change).every((key) => key in forProvider && !but.includes(key)),
  );
  if (found === undefined) throw new Skipped('`changes` has no change of a value in `forProvider`');
  return found;
}

const revertsDrift: Rule = {
  name: 'a change by others in the external system is reverted',
  async check(bench) {
    const change = changeOfValue(bench);
    const { managed, credential } = await bench.ready();
    await bench.passes('first', 2);
    const before = await bench.externals();
    // Any holder of the credentials can make the change; here the client itself does, for an object that is not stored.
    const client = await bench.client(managed);
    const forProvider = { ...managed.spec.forProvider, ...change };
    const elsewhere = { ...managed, spec: { ...managed.spec, forProvider } };
    const updating = client.update(elsewhere, credential, signal);
    await finished(bench, client, await bench.settled(updating, 'update'));
    await bench.passTime(bench.longMs);
    const what = `an external change to ${JSON.stringify(change)}`;
    expect(
      !isEqual(before, await bench.externals()),
      `${what} does not show in the external system`,
      'change the fields that differ in update',
    );
    await bench.passes('first', 2);
    await bench.until(
      'first',
      () => bench.isReady('first'),
      `the resource did not become Ready and Synced after ${what}`,
    );
    await bench.passTime(bench.longMs);
    await bench.expectUnchanged(
      before,
      what,
      'compare the reported state in observe, not the sent one, and revert the difference in update',
    );
  },
};

const onlyObserves: Rule = {
  name: 'a resource that is only observed needs no parameters and is neither changed nor deleted',
  async check(bench) {
    const { managed } = await bench.ready();
    await bench.passes('first', 2);
    const before = await bench.externals();
    const published = bench.published('first');
    const forProvider = pick(managed.spec.forProvider, foundBy(bench));
    bench.respecify('first', { managementPolicies: ['Observe'], forProvider });
    const calls = bench.process.calls.length;
    await bench.passes('first', 3);
    const what =
      'a resource with managementPolicies ["Observe"] and only the identifying fields in forProvider';
    const { status, message } = bench.condition('first', 'Synced');
    expect(
      status === 'True' && bench.isReady('first'),
      `${what} is not Ready and Synced: ${message || bench.condition('first', 'Ready').message}`,
      'read only fields marked `identity` in observe, or name the identifying fields in `foundBy`',
    );
    expect(
      isEqual(bench.published('first'), published),
      `${what} lost connection details`,
      'return all reported details in observe, independent of the spec',
    );
    bench.remove('first');
    await bench.until(
      'first',
      () => bench.object('first') === undefined,
      `the deletion of ${what} did not end`,
    );
    await bench.passTime(bench.longMs);
    const made = bench.process.calls.slice(calls).filter((call) => call !== 'observe');
    expect(made.length === 0, `${what} led to calls of ${made.join(', ')}`, 'change nothing in observe');
    await bench.expectUnchanged(before, what, 'change nothing in observe');
  },
};

const takesOverObserved: Rule = {
  name: 'a resource that was only observed, and then gets all policies, is taken over',
  async check(bench) {
    const { managed } = await bench.ready();
    const change = changeOfValue(bench, foundBy(bench));
    bench.takeOver('first', pick(managed.spec.forProvider, foundBy(bench)));
    bench.respecify('first', { managementPolicies: ['Observe'] });
    await bench.passes('first', 3);
    const before = await bench.externals();
    const calls = bench.process.calls.length;
    bench.replaceForProvider('first', { ...managed.spec.forProvider, ...change });
    bench.respecify('first', { managementPolicies: ['*'] });
    const what = 'a resource with managementPolicies ["Observe"] and then ["*"]';
    const fix = 'decide in each call by the external system and the spec, and not by what earlier calls did';
    await bench.passes('first', 2);
    await bench.until('first', () => bench.isReady('first'), `${what} did not become Ready and Synced`, fix);
    await expectRest(bench, what);
    const after = await bench.externals();
    const made = bench.process.calls.slice(calls);
    expect(
      after.length === before.length && !made.includes('create'),
      `${what} was created again: there are ${after.length} external resources instead of ${before.length}`,
      fix,
    );
    expect(!isEqual(after, before), `${what} did not get the change to ${JSON.stringify(change)}`, fix);
    bench.remove('first');
    await bench.until(
      'first',
      () => bench.object('first') === undefined,
      `the deletion of ${what} did not end`,
    );
    await bench.passTime(bench.longMs);
    const { length } = await bench.externals();
    expect(length < before.length, `the deletion of ${what} left the external resource`, fix);
  },
};

const takesOverOnce: Rule = {
  name: 'a value that the system chooses is copied to the spec once',
  async check(bench) {
    const late = needed(bench.conformance.late, 'late');
    const what = `a resource created without ${late.join(', ')}`;
    await bench.ready('first', omit(bench.conformance.forProvider, late));
    await expectRest(bench, what);
    const { spec } = bench.existing('first');
    const absent = late.filter((field) => !has(spec.forProvider, field));
    expect(
      absent.length === 0,
      `${what} has no ${absent.join(', no ')} in forProvider`,
      'mark the field `late` and compare it, or return `lateInitialized` in observe',
    );
    await bench.passes('first', 5);
    expect(
      isEqual(bench.existing('first').spec, spec),
      'a value that was copied to the spec is copied again',
      'return the same `lateInitialized` each time, in the form that observe compares',
    );
  },
};

const usesInitProviderOnce: Rule = {
  name: 'a value in initProvider is used at creation only',
  async check(bench) {
    const change = changeOfValue(bench, foundBy(bench));
    const { forProvider } = bench.conformance;
    const [fields, keys] = [forProvider as object, Object.keys(change)];
    bench.put('first', omit(fields, keys));
    bench.respecify('first', { initProvider: pick(fields, keys) });
    const what = `a resource with ${keys.join(', ')} in initProvider`;
    const fix = 'compare only fields of forProvider in observe; create receives both';
    await bench.until('first', () => bench.isReady('first'), `${what} did not become Ready and Synced`, fix);
    await expectRest(bench, what);
    const before = await bench.externals();
    bench.respecify('first', { initProvider: change });
    await bench.passes('first', 3);
    await bench.expectUnchanged(before, `an edit of initProvider to ${JSON.stringify(change)}`, fix);
    const { status, message } = bench.condition('first', 'Synced');
    expect(status === 'True', `an edit of initProvider is reported as an error: ${message}`, fix);
    const isInSpec = !isEmpty(pick(bench.existing('first').spec.forProvider, keys));
    expect(!isInSpec, `${what} got them in forProvider, too`, 'do not copy values of initProvider');
  },
};

export const leavingAlone: readonly Rule[] = [
  revertsDrift,
  onlyObserves,
  takesOverObserved,
  takesOverOnce,
  usesInitProviderOnce,
];
