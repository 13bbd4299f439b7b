import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { NamespaceUid } from '../../../controllers/claim/previous-resources.ts';
import {
  previousAmong,
  returnableFor,
  whyNotGivenBack,
} from '../../../controllers/claim/previous-resources.ts';
import { claim, claimRef, classRef, deletionTimestamp, managed, resourceRef, service } from '../objects.ts';

const releasedFrom = 'previous-uid';
const status = {
  bindingPhase: 'Released',
  boundUID: 'managed-uid',
  releasedFrom,
  releasedNamespace: 'namespace-uid',
  deleteAt: '2026-01-09T00:00:00Z',
} as const;
const spec = {
  claimRef: claimRef({ uid: releasedFrom }),
  classRef: classRef('small'),
  reclaimPolicy: 'Delete',
  retainFor: '7d',
} as const;
const returnable = managed(spec, { status });
const later = managed(spec, { status: { ...status, deleteAt: '2026-01-10T00:00:00Z' }, name: 'later' });
const bound = managed(spec, { status: { bindingPhase: 'Bound', boundUID: 'managed-uid' } });
const orders = claim({ classRef: classRef('small') });

describe('the resources of previous claims', () => {
  const cases: Readonly<
    Record<string, readonly [Parameters<typeof previousAmong>, Partial<ReturnType<typeof previousAmong>>]>
  > = {
    'the latest date comes first': [[orders, [returnable, later]], { returnable: [later, returnable] }],
    'one that is not Released yet is waited for': [[orders, [bound]], { previous: bound }],
    'one that another claim took back is waited for': [
      [orders, [managed({ ...spec, claimRef: claimRef({ uid: 'third-uid' }) }, { status })]],
      { previous: managed({ ...spec, claimRef: claimRef({ uid: 'third-uid' }) }, { status }) },
    ],
    'one without retainFor is not waited for': [
      [orders, [managed({ claimRef: spec.claimRef, classRef: spec.classRef }, { status: bound.status! })]],
      {},
    ],
    'one of a backup is neither': [[orders, [managed(spec, { status, uid: 'restored-uid' })]], {}],
    'one that is being deleted is neither': [[orders, [managed(spec, { status, deletionTimestamp })]], {}],
    'one of a claim of another kind is neither': [
      [orders, [managed({ ...spec, claimRef: { ...spec.claimRef, kind: 'RedisCluster' } }, { status })]],
      {},
    ],
    'the own resource of the claim is neither': [
      [orders, [managed({ ...spec, claimRef: claimRef() }, { status: bound.status! })]],
      {},
    ],
    'a claim that starts empty has none': [
      [claim(orders.spec, { annotations: { [annotationKeys.startEmpty]: 'true' } }), [returnable, bound]],
      {},
    ],
    'a claim with another value of that annotation has them': [
      [claim(orders.spec, { annotations: { [annotationKeys.startEmpty]: 'yes' } }), [returnable]],
      { returnable: [returnable] },
    ],
    'a claim that is being deleted has none': [[claim(orders.spec, { deletionTimestamp }), [returnable]], {}],
  };
  for (const [rule, [given, want]] of Object.entries(cases)) {
    test(rule, () =>
      assert.deepEqual(previousAmong(...given), { returnable: [], previous: undefined, ...want }),
    );
  }

  test('a claim takes the resource back that it names, else the first of the kind of its class', () => {
    const other = {
      ...later,
      kind: 'AmbivalentDBInstance',
      apiVersion: 'database.ocp.crossplane.io/v1alpha1',
    };
    const all = [other, returnable, later];
    assert.equal(returnableFor(service, orders, [], all), returnable);
    assert.equal(returnableFor(service, claim({ resourceRef: resourceRef('later') }), [], all), later);
    assert.equal(returnableFor(service, claim({ resourceRef: resourceRef('gone') }), [], all), undefined);
    assert.equal(returnableFor(service, orders, [bound], all), undefined);
  });
});

describe('a claim takes a kept resource back by itself', () => {
  const same: NamespaceUid = { uid: 'namespace-uid' };
  const annotated = (uid: string): Managed =>
    managed(
      { ...spec, giveBack: 'Administrator' },
      { status, annotations: { [annotationKeys.giveBack]: uid } },
    );
  const { releasedNamespace: _unknown, ...withoutNamespace } = status;
  const cases: Readonly<Record<string, readonly [Managed, NamespaceUid, string | undefined]>> = {
    'in the namespace that it was deleted in': [returnable, same, undefined],
    'not in a namespace that was created again': [
      returnable,
      { uid: 'new-uid' },
      'namespace team was created again since that claim was deleted',
    ],
    'not if the release does not name the namespace': [
      managed(spec, { status: withoutNamespace }),
      same,
      'the previous claim did not end regularly',
    ],
    'not with giveBack Administrator': [
      managed({ ...spec, giveBack: 'Administrator' }, { status }),
      same,
      'only an administrator gives it back',
    ],
    'after an administrator gave it back to this namespace': [annotated('namespace-uid'), same, undefined],
    'not if an administrator gave it back to a previous namespace of this name': [
      annotated('former-uid'),
      same,
      'only an administrator gives it back',
    ],
    'not if the namespace cannot be read': [
      annotated('namespace-uid'),
      { problem: 'forbidden' },
      'whether namespace team is the same is not known: forbidden',
    ],
  };
  for (const [rule, [resource, found, want]] of Object.entries(cases)) {
    test(rule, () => assert.equal(whyNotGivenBack(resource, orders, found), want));
  }
});
