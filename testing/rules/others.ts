import isEmpty from 'lodash/isEmpty.js';
import isString from 'lodash/isString.js';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import type { Bench } from '../bench.ts';
import { outcomeOf } from '../outcome.ts';
import { expect, needed, Skipped } from '../verdict.ts';
import { deletion } from './calls.ts';
import type { Rule } from './rule.ts';

const { signal } = new AbortController();
const fix =
  'check the owner before each change and each deletion, as `checkOwnership` does: by a tag, a label or a comment';

/** An external resource of another owner, and our managed resource with its name. */
async function meet(bench: Bench): Promise<readonly unknown[]> {
  needed(bench.world.foreign, 'world.foreign');
  const made = await bench.settled(Promise.resolve(bench.world.foreign?.('foreign')), 'world.foreign');
  await bench.passTime(bench.longMs); // until its state no longer changes
  const before = await bench.externals();
  expect(
    before.length > 0,
    '`externals` does not show the external resource of `world.foreign`',
    'fix the world of the test',
  );
  const name = bench.isNameAssigned && isString(made) ? made : 'foreign';
  bench.put('foreign', undefined, { [annotationKeys.externalName]: name });
  return before;
}

const leavesAlone: Rule = {
  name: 'an external resource of another owner is reported, and neither taken over nor changed',
  async check(bench) {
    const before = await meet(bench);
    await bench.passes('foreign', 6);
    await bench.expectUnchanged(
      before,
      'a resource with the name of an external resource of another owner',
      fix,
    );
    const { status, message } = bench.condition('foreign', 'Synced');
    expect(
      status === 'False' && message !== '',
      `a resource with the name of an external resource of another owner is not reported: Synced is ${status}`,
      'throw an Error in observe that names the owner',
    );
    const managed = bench.existing('foreign');
    const client = await bench.client(managed);
    const credential = bench.newCredential(managed);
    await outcomeOf(bench.settled(client.update(managed, credential, signal), 'update'));
    await bench.expectUnchanged(before, 'update of an external resource that has another owner now', fix);
    if (bench.isNameAssigned) return;
    await outcomeOf(bench.settled(client.create(managed, credential, signal), 'create'));
    await bench.expectUnchanged(
      before,
      'create with the name of an external resource that has another owner now',
      fix,
    );
  },
};

const deletesOwn: Rule = {
  name: 'a deletion ends and keeps an external resource of another owner',
  async check(bench) {
    const before = await meet(bench);
    await bench.passes('foreign', 3);
    const managed = bench.leaving(bench.existing('foreign'));
    const client = await bench.client(managed);
    await outcomeOf(bench.settled(deletion(client, managed), 'delete'));
    await bench.passTime(bench.longMs); // until a deletion would have ended
    await bench.expectUnchanged(before, 'delete of an external resource that has another owner now', fix);
    bench.remove('foreign');
    await bench.until(
      'foreign',
      () => bench.object('foreign') === undefined,
      'the deletion of a resource with the name of an external resource of another owner did not end',
      'return `exists: false` during the deletion: the external resource is not ours',
    );
    await bench.passTime(bench.longMs);
    await bench.expectUnchanged(
      before,
      'the deletion of a resource with the name of an external resource of another owner',
      fix,
    );
  },
};

const publishesNothing: Rule = {
  name: 'no connection details are published of an external resource of another owner that is only observed',
  async check(bench) {
    const { managed, known } = await bench.ready();
    if (isEmpty(known)) throw new Skipped('the kind has no connection details');
    const { [annotationKeys.externalName]: name = 'first' } = managed.metadata.annotations ?? {};
    const before = await bench.externals();
    bench.put('observer', managed.spec.forProvider, { [annotationKeys.externalName]: name });
    bench.respecify('observer', { managementPolicies: ['Observe'] });
    await bench.passes('observer', 6);
    const keys = Object.keys(bench.published('observer'));
    expect(
      keys.length === 0,
      `a resource that only observes an external resource of another owner publishes ${keys.join(', ')}`,
      'return `isOfAnother: true` in observe if the external resource has another owner, as `ownedByAnother` does',
    );
    const { status, message } = bench.condition('observer', 'Synced');
    expect(
      status === 'False' && message !== '',
      `the details of an external resource of another owner are withheld, but this is not reported: Synced is ${status}`,
      'return `isOfAnother: true` in observe, or throw an Error that names the owner',
    );
    await bench.expectUnchanged(before, 'a resource that only observes', 'change nothing under `Observe`');
  },
};

export const others: readonly Rule[] = [leavesAlone, deletesOwn, publishesNothing];
