import isEqual from 'lodash/isEqual.js';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import type { Bench } from '../bench.ts';
import { expect, needed, Skipped } from '../verdict.ts';
import { expectRest } from './creating.ts';
import type { Rule } from './rule.ts';

const converges: Rule = {
  name: 'each change shows outside, and then there is no call more',
  async check(bench) {
    const changes = needed(bench.conformance.changes, 'changes');
    await bench.ready();
    for (const change of changes) {
      const what = `the change to ${JSON.stringify(change)}`;
      const before = await bench.things();
      bench.edit('first', change);
      await bench.pass('first');
      await bench.until(
        'first',
        () => bench.isReady('first'),
        `${what} did not end in Ready and Synced`,
        'change in update what observe finds to differ',
      );
      await expectRest(bench, `after ${what}, it`);
      const after = await bench.things();
      expect(
        !isEqual(before, after),
        `${what} does not show outside`,
        'compare the field in observe, and change it in update',
      );
      expect(
        after.length === before.length,
        `${what} left ${after.length} things where there were ${before.length}`,
        'change what is there; what can only be made anew belongs to `refusedChanges`',
      );
    }
  },
};

/** Throws Broken unless an edit is told, and leaves everything outside as it is. */
async function expectRefusal(bench: Bench, what: string, edit: () => void): Promise<void> {
  const before = await bench.things();
  edit();
  await bench.passes('first', 8);
  const after = await bench.things();
  expect(
    after.length === before.length,
    `${what} left ${after.length} things where there were ${before.length}`,
    'mark the field `immutable` in the schema, so that the thing stays what it was',
  );
  await bench.expectUnchanged(before, what, 'change nothing for an edit that cannot be made');
  const { status, message } = bench.condition('first', 'Synced');
  expect(
    status === 'False' && message !== '',
    `${what} is told nowhere: Synced is ${status}`,
    'mark the field `immutable` in the schema, or throw in update an Error that says what cannot be changed',
  );
}

const tellsRefusals: Rule = {
  name: 'each change that cannot be made is told, and makes nothing new',
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
      await bench.until('first', () => bench.isReady('first'), 'set back, it did not become Synced again');
    }
  },
};

const tellsRenaming: Rule = {
  name: 'an edit of the external name is told, and makes nothing new',
  async check(bench) {
    await bench.ready();
    await bench.passes('first', 2);
    const annotations = { [annotationKeys.externalName]: 'another-name' };
    await expectRefusal(bench, 'the edit of the external name', () => bench.annotate('first', annotations));
  },
};

/** Throws Broken unless it is told that the first one is otherwise outside than it is wanted. */
async function expectDrift(bench: Bench, what: string, fields: readonly string[]): Promise<void> {
  const before = (await bench.things()).length;
  const isTold = (): boolean => bench.condition('first', 'Synced').status === 'False';
  for (let passes = 0; passes < 20 && (passes < 3 || !isTold()); passes += 1) await bench.pass('first');
  const after = (await bench.things()).length;
  expect(after === before, `${what} became ${after} things where there were ${before}`, 'make nothing new');
  const { status, message } = bench.condition('first', 'Synced');
  expect(
    status === 'False' && fields.some((field) => message.includes(field)),
    `${what} is not told: Synced is ${status} ${message}`.trim(),
    'compare by `comparison` each field that the system tells of, also those marked `immutable`, and answer in observe with all of its `observation`, or say in update what cannot be changed',
  );
}

/** Those of the changes that are of fields which cannot be changed, and by which nothing is found. */
function changesOutside({
  conformance: { managed, refusedChanges, foundBy = [] },
}: Bench): readonly object[] {
  const { immutable = [], identity = [] } = managed.marks ?? {};
  const isOutside = (field: string): boolean =>
    immutable.includes(field) && !identity.includes(field) && !foundBy.some((one) => one === field);
  const found = needed(refusedChanges, 'refusedChanges').filter((change) =>
    Object.keys(change).every(isOutside),
  );
  if (found.length === 0) throw new Skipped('no change of `refusedChanges` is of what is marked `immutable`');
  return found;
}

const tellsDrift: Rule = {
  name: 'what is otherwise outside, and cannot be changed, is told',
  async check(bench) {
    const changes = changesOutside(bench);
    await bench.ready();
    await bench.passes('first', 2);
    for (const change of changes) {
      const { spec } = bench.existing('first');
      const [is, wanted] = [spec.forProvider ?? {}, { ...spec.forProvider, ...change }];
      const [said, fields] = [JSON.stringify(change), Object.keys(change)];
      bench.remember('first', wanted, fields);
      await expectDrift(bench, `what was always to be ${said}, and is not,`, fields);
      bench.remember('first', is, fields);
      await bench.until(
        'first',
        () => bench.isReady('first'),
        'once it is as wanted, it is not Synced again',
      );
      bench.takeOver('first', wanted);
      await expectDrift(bench, `what was taken over to be ${said}, and is not,`, fields);
      bench.replaceForProvider('first', is);
      await bench.until('first', () => bench.isReady('first'), 'set to what is there, it is not Synced');
    }
  },
};

const removesDetails: Rule = {
  name: 'connection details that there are no more are removed',
  async check(bench) {
    const cases = needed(bench.conformance.withoutDetails, 'withoutDetails');
    for (const [index, { change, keys }] of cases.entries()) {
      const name = `case-${index}`;
      await bench.ready(name);
      bench.edit(name, change);
      await bench.pass(name);
      await bench.until(name, () => bench.isReady(name), `${JSON.stringify(change)} did not end in Ready`);
      await bench.passes(name, 2);
      const left = keys.filter((key) => bench.published(name)[key] !== undefined);
      expect(
        left.length === 0,
        `after the change to ${JSON.stringify(change)}, the connection secret still has ${left.join(', ')}`,
        'answer in observe with `null` for each detail that there is none of, each time',
      );
      bench.remove(name);
      await bench.until(name, () => bench.object(name) === undefined, 'it was deleted, and did not go');
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
