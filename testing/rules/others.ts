import isString from 'lodash/isString.js';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import type { Bench } from '../bench.ts';
import { outcomeOf } from '../outcome.ts';
import { expect, needed } from '../verdict.ts';
import { deletion } from './calls.ts';
import type { Rule } from './rule.ts';

const { signal } = new AbortController();
const mend =
  'ask whose it is before each change and each deletion, as `whoseIs` does: by a tag, a label, a comment';

/** Somebody else's thing, and a managed resource of ours that names it. */
async function meet(bench: Bench): Promise<readonly unknown[]> {
  needed(bench.world.foreign, 'world.foreign');
  const made = await bench.settled(Promise.resolve(bench.world.foreign?.('foreign')), 'world.foreign');
  await bench.passTime(bench.longMs); // until it is as it stays
  const before = await bench.things();
  expect(before.length > 0, '`world.foreign` made nothing that `things` shows', 'mend the world of the test');
  bench.put('foreign', undefined, { [annotationKeys.externalName]: isString(made) ? made : 'foreign' });
  return before;
}

const leavesAlone: Rule = {
  name: 'what belongs to somebody else is told, and neither taken nor changed',
  async check(bench) {
    const before = await meet(bench);
    await bench.passes('foreign', 6);
    await bench.expectUnchanged(before, "a resource that names somebody else's thing", mend);
    const { status, message } = bench.condition('foreign', 'Synced');
    expect(
      status === 'False' && message !== '',
      `a resource that names somebody else's thing is told nowhere: Synced is ${status}`,
      'throw in observe an Error that says whose it is',
    );
    const managed = bench.existing('foreign');
    const client = await bench.client(managed);
    const credential = bench.newCredential(managed);
    await outcomeOf(bench.settled(client.update(managed, credential, signal), 'update'));
    await bench.expectUnchanged(before, 'update, of what is somebody else’s by now,', mend);
    if (bench.isNameAssigned) return;
    await outcomeOf(bench.settled(client.create(managed, credential, signal), 'create'));
    await bench.expectUnchanged(before, 'create, where somebody else has made one by now,', mend);
  },
};

const deletesOwn: Rule = {
  name: 'deletion leaves what belongs to somebody else, and is done',
  async check(bench) {
    const before = await meet(bench);
    await bench.passes('foreign', 3);
    const managed = bench.leaving(bench.existing('foreign'));
    const client = await bench.client(managed);
    await outcomeOf(bench.settled(deletion(client, managed), 'delete'));
    await bench.passTime(bench.longMs); // a deletion takes its time
    await bench.expectUnchanged(before, 'delete, of what is somebody else’s by now,', mend);
    bench.remove('foreign');
    await bench.until(
      'foreign',
      () => bench.object('foreign') === undefined,
      "a resource that names somebody else's thing was deleted, and did not go",
      'answer `exists: false` while it is being deleted: nothing of ours is there',
    );
    await bench.passTime(bench.longMs);
    await bench.expectUnchanged(before, "the deletion of a resource that names somebody else's thing", mend);
  },
};

export const others: readonly Rule[] = [leavesAlone, deletesOwn];
