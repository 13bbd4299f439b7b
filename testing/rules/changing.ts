import isEqual from 'lodash/isEqual.js';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import type { Bench } from '../bench.ts';
import { expect, needed, Skipped } from '../verdict.ts';
import { expectRest } from './creating.ts';
import type { Rule } from './rule.ts';

const converges: Rule = {
  name: 'each allowed change is applied once, and then nothing is called',
  async check(bench) {
    const changes = needed(bench.conformance.changes, 'changes');
    await bench.ready();
    for (const change of changes) {
      const what = `the change to ${JSON.stringify(change)}`;
      const before = await bench.externals();
      bench.edit('first', change);
      await bench.pass('first');
      await bench.until(
        'first',
        () => bench.isReady('first'),
        `the resource did not become Ready and Synced after ${what}`,
        'change in update the fields that differ in observe',
      );
      await expectRest(bench, `after ${what} the resource`);
      const after = await bench.externals();
      expect(
        !isEqual(before, after),
        `${what} does not show in the external system`,
        'compare the field in observe, and change it in update',
      );
      expect(
        after.length === before.length,
        `after ${what} there are ${after.length} external resources instead of ${before.length}`,
        'change the existing external resource; a change that needs a new external resource belongs to `refusedChanges`',
      );
    }
  },
};

/** Throws Broken unless an edit is reported and leaves the external system unchanged. */
async function expectRefusal(bench: Bench, what: string, edit: () => void): Promise<void> {
  const before = await bench.externals();
  edit();
  await bench.passes('first', 8);
  const after = await bench.externals();
  expect(
    after.length === before.length,
    `after ${what} there are ${after.length} external resources instead of ${before.length}`,
    'mark the field `immutable` in the schema, so that the external resource keeps its identity',
  );
  await bench.expectUnchanged(before, what, 'change nothing after an edit that cannot be applied');
  const { status, message } = bench.condition('first', 'Synced');
  expect(
    status === 'False' && message !== '',
    `${what} is not reported: Synced is ${status}`,
    'mark the field `immutable` in the schema, or throw an Error in update that names the field that cannot be changed',
  );
}

const tellsRefusals: Rule = {
  name: 'each refused change is reported and creates no second external resource',
  async check(bench) {
    const changes = needed(bench.conformance.refusedChanges, 'refusedChanges');
    await bench.ready();
    await bench.passes('first', 2);
    for (const change of changes) {
      const { spec } = bench.existing('first');
      await expectRefusal(bench, `the change to ${JSON.stringify(change)}`, () =>
        bench.edit('first', change),
      );
      bench.replaceForProvider('first', spec.forProvider ?? {});
      await bench.until(
        'first',
        () => bench.isReady('first'),
        'the resource did not become Synced again after the change was undone',
      );
    }
  },
};

const tellsRenaming: Rule = {
  name: 'an edit of the external name is reported and creates no second external resource',
  async check(bench) {
    await bench.ready();
    await bench.passes('first', 2);
    const annotations = { [annotationKeys.externalName]: 'another-name' };
    await expectRefusal(bench, 'the edit of the external name', () => bench.annotate('first', annotations));
  },
};

/** Throws Broken unless a difference between the first resource and its external resource is reported. */
async function expectDrift(bench: Bench, what: string, fields: readonly string[]): Promise<void> {
  const before = (await bench.externals()).length;
  const isReported = (): boolean => bench.condition('first', 'Synced').status === 'False';
  for (let passes = 0; passes < 20 && (passes < 3 || !isReported()); passes += 1) await bench.pass('first');
  const after = (await bench.externals()).length;
  expect(
    after === before,
    `with ${what} there are ${after} external resources instead of ${before}`,
    'create no second external resource',
  );
  const { status, message } = bench.condition('first', 'Synced');
  expect(
    status === 'False' && fields.some((field) => message.includes(field)),
    `${what} is not reported: Synced is ${status} ${message}`.trim(),
    'compare with `comparison` each field that the system reports, also those marked `immutable`. Return its whole `observation` in observe, or name the field in an Error in update. Send no such field in update',
  );
}

/** The changes of immutable fields that do not identify the external resource. */
function changesOutside({
  conformance: { managed, refusedChanges, foundBy = [] },
}: Bench): readonly object[] {
  const { immutable = [], identity = [] } = managed.marks ?? {};
  const isOutside = (field: string): boolean =>
    immutable.includes(field) && !identity.includes(field) && !foundBy.some((one) => one === field);
  const found = needed(refusedChanges, 'refusedChanges').filter((change) =>
    Object.keys(change).every(isOutside),
  );
  if (found.length === 0) throw new Skipped('`refusedChanges` has no change of a field marked `immutable`');
  return found;
}

const tellsDrift: Rule = {
  name: 'a difference in an immutable field is reported',
  async check(bench) {
    const changes = changesOutside(bench);
    await bench.ready();
    await bench.passes('first', 2);
    for (const change of changes) {
      const { spec } = bench.existing('first');
      const [is, wanted] = [spec.forProvider ?? {}, { ...spec.forProvider, ...change }];
      const [text, fields] = [JSON.stringify(change), Object.keys(change)];
      bench.remember('first', wanted, fields);
      await expectDrift(bench, `a difference from the original ${text}`, fields);
      bench.remember('first', is, fields);
      await bench.until(
        'first',
        () => bench.isReady('first'),
        'the resource did not become Synced again after the difference was gone',
      );
      bench.takeOver('first', wanted);
      await expectDrift(bench, `a difference of a taken-over resource from ${text}`, fields);
      bench.replaceForProvider('first', is);
      await bench.until(
        'first',
        () => bench.isReady('first'),
        'the resource did not become Synced with the actual values',
      );
    }
  },
};

const removesDetails: Rule = {
  name: 'connection details that no longer exist are removed from the Secret',
  async check(bench) {
    const cases = needed(bench.conformance.withoutDetails, 'withoutDetails');
    for (const [index, { change, keys }] of cases.entries()) {
      const name = `case-${index}`;
      await bench.ready(name);
      bench.edit(name, change);
      await bench.pass(name);
      await bench.until(
        name,
        () => bench.isReady(name),
        `the resource did not become Ready after the change to ${JSON.stringify(change)}`,
      );
      await bench.passes(name, 2);
      const left = keys.filter((key) => bench.published(name)[key] !== undefined);
      expect(
        left.length === 0,
        `after the change to ${JSON.stringify(change)}, the connection Secret still has ${left.join(', ')}`,
        'return `null` in observe, every time, for each detail that does not exist',
      );
      bench.remove(name);
      await bench.until(
        name,
        () => bench.object(name) === undefined,
        'the deletion of the resource did not end',
      );
    }
  },
};

export const changing: readonly Rule[] = [
  converges,
  tellsRefusals,
  tellsDrift,
  tellsRenaming,
  removesDetails,
];
