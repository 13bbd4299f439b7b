import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ManagedSpec } from '../../apis/core/v1alpha1/managed.ts';
import { releaseOf, withoutRelease } from '../../controllers/retention.ts';
import { claimRef, classRef, managed, now } from './objects.ts';

const spec: ManagedSpec = {
  claimRef: claimRef(),
  classRef: classRef('small'),
  reclaimPolicy: 'Delete',
  retainFor: '7d',
};
const { classRef: _class, ...byHand } = spec;
const status = { bindingPhase: 'Bound' } as const;
const release = { now, namespaceUid: 'namespace-uid' };
const dated = (deleteAt: string) => ({
  releasedFrom: 'claim-uid',
  releasedNamespace: 'namespace-uid',
  deleteAt,
});

describe('the release of a resource', () => {
  const cases: Readonly<Record<string, readonly [ManagedSpec, object]>> = {
    'has a date in days': [spec, dated('2026-01-09T03:04:05Z')],
    'has a date in hours': [{ ...spec, retainFor: '36h' }, dated('2026-01-03T15:04:05Z')],
    'has a date in minutes': [{ ...spec, retainFor: '90m' }, dated('2026-01-02T04:34:05Z')],
    'has no date with the policy Retain': [{ ...spec, reclaimPolicy: 'Retain' }, {}],
    'has no date if it was created by hand': [byHand, {}],
    'has no date without a claim': [{ ...spec, claimRef: {} }, {}],
    'has no date, and is no deletion, with a value that an old definition admits': [
      { ...spec, retainFor: '1w' },
      { releasedFrom: 'claim-uid', releasedNamespace: 'namespace-uid' },
    ],
  };
  for (const [rule, [given, want]] of Object.entries(cases))
    test(rule, () => assert.deepEqual(releaseOf(managed(given, { status }), release), want));

  test('has no date if its external resource never was there', () => {
    assert.deepEqual(releaseOf(managed(spec), release), {});
  });

  test('does not name a namespace that is not known', () => {
    assert.equal('releasedNamespace' in releaseOf(managed(spec, { status }), { now }), false);
  });

  test('is removed from a status as a whole', () => {
    assert.deepEqual(withoutRelease({ bindingPhase: 'Bound', ...dated('') }), { bindingPhase: 'Bound' });
  });
});
