import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import { NetworkKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';
import { CountedWrites } from './counted-writes.ts';
import type { Call } from './invariant.ts';

const api = (body: object, by = 'p1'): Call => ({
  by,
  system: 'api',
  verb: 'update',
  target: 'Network a',
  isWrite: true,
  isChange: true,
  isRefused: false,
  sentAtMs: 0,
  about: { kind: NetworkKind, key: { name: 'a' }, body },
});
const mark = (key: string, more: object = {}, by?: string): Call =>
  api({ metadata: { resourceVersion: '7', annotations: { [key]: 'now', ...more } } }, by);
const post = (isRefused: boolean, by = 'p1'): Call => ({
  ...api({}, by),
  system: 'favourite',
  verb: 'POST',
  target: '/v1/networks',
  isRefused,
});

const { externalCreatePending: pending, externalCreateFailed: failed } = annotationKeys;
const identity = { [annotationKeys.externalIdentity]: '{}' };

describe('the writes that keep a world from being at rest', () => {
  const cases: Readonly<Record<string, readonly [calls: readonly Call[], count: number]>> = {
    'not the marks of a creation that is refused': [[mark(pending), post(true), mark(failed)], 0],
    'nor those of the next one': [
      [mark(pending), post(true), mark(failed), mark(pending), post(true), mark(failed)],
      0,
    ],
    'those of one that fails otherwise': [[mark(pending), mark(failed)], 2],
    'those of one that another process was refused': [[mark(pending), post(true, 'p2'), mark(failed)], 2],
    'and of one that another process says has failed': [
      [mark(pending), post(true), mark(failed, {}, 'p2')],
      2,
    ],
    'those of one that succeeds, and the creation': [
      [mark(pending), post(false), mark(annotationKeys.externalCreateSucceeded)],
      3,
    ],
    'a mark that is written again and again': [[mark(pending), mark(pending), mark(pending)], 2],
    'writes together with a mark': [[mark(pending, identity), post(true), mark(failed)], 2],
    'writes between the marks': [[mark(pending), post(true), api({ spec: {} }), mark(failed)], 3],
    'any other write': [[api({ status: {} })], 1],
  };
  for (const [name, [calls, count]] of Object.entries(cases)) {
    test(name, () => {
      const writes = new CountedWrites();
      for (const call of calls) writes.note(call, !call.isRefused);
      assert.equal(writes.count, count);
    });
  }

  test('nothing that has no effect', () => {
    const writes = new CountedWrites();
    writes.note(api({ spec: {} }), false);
    assert.equal(writes.count, 0);
  });
});
