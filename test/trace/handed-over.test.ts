import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { controllerReference } from '../../apis/core/v1alpha1/reference.ts';
import { viewOf } from '../../trace/model/view.ts';
import { condition, findingsOf, tracedIn } from './traced-objects.ts';

const source = { namespace: 'cloud-credentials', name: 'legacy' };
const ofClaim = {
  apiVersion: 'database.crossplane.io/v1alpha1',
  kind: 'FancySQLInstance',
};
const uid = 'uid-of-orders';
const resource = {
  apiVersion: 'database.fcp.crossplane.io/v1alpha3',
  kind: 'FavouriteDBInstance',
  metadata: {
    name: 'legacy',
    uid: 'uid-of-legacy',
    annotations: { 'crossplane.io/reserved-for': `${uid}/uid-of-legacy` },
  },
  spec: {
    providerRef: { name: 'favourite' },
    forProvider: {},
    writeConnectionSecretToRef: source,
    claimRef: { ...ofClaim, namespace: 'team-shop', name: 'orders', uid },
  },
  status: { bindingPhase: 'Unbound' },
} as KubernetesObject;
const claim = {
  ...ofClaim,
  metadata: {
    ...{ namespace: 'team-shop', name: 'orders', uid },
    finalizers: ['finalizer.resourceclaim.crossplane.io'],
    deletionTimestamp: '2026-01-02T03:04:00Z',
  },
  spec: {
    resourceRef: { apiVersion: resource.apiVersion, kind: resource.kind, name: 'legacy' },
    writeConnectionSecretToRef: { name: 'orders-connection' },
  },
} as KubernetesObject;

describe('what a claim that goes leaves, which has no secret any more', () => {
  const rows: Record<string, readonly [mark: string | undefined, decision: string]> = {
    'it was given one: the secret of the resource says so': [uid, 'Release'],
    'a former one was given one': ['uid-of-another', 'RemoveClaimRef'],
    'nobody was given one': [undefined, 'RemoveClaimRef'],
  };
  for (const [name, [mark, decision]] of Object.entries(rows))
    test(name, async () => {
      const secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          ...source,
          ownerReferences: [controllerReference(resource)],
          ...(mark !== undefined && { annotations: { 'crossplane.io/handed-to': mark } }),
        },
        type: 'connection.crossplane.io/v1alpha1',
        data: {},
      } as KubernetesObject;
      const found = await findingsOf([claim, resource, secret], ['fancysqlinstance', 'team-shop/orders']);
      assert.equal(viewOf(found).binding?.name, decision);
    });
});

describe('what a former claim of the name had is not lost by deleting this one', () => {
  const rows: Record<string, readonly [reclaimPolicy: string, warning: string]> = {
    'with which it would be reclaimed, and deleted': [
      'Delete',
      ' Do not delete this claim before that is known: with no claim of its name there, what the former one had is reclaimed, and by its policy deleted, data and all.',
    ],
    'with which it would be released': ['Retain', ''],
  };
  for (const [name, [reclaimPolicy, warning]] of Object.entries(rows))
    test(name, async () => {
      const { deletionTimestamp: _d, finalizers: _f, ...metadata } = claim.metadata;
      const conditions = [condition('Ready', 'False', 'Binding', 'refusing to bind')];
      const anew = {
        ...claim,
        metadata: { ...metadata, uid: 'uid-of-the-next', generation: 1 },
        status: { observedGeneration: 1, bindingPhase: 'Unbound', conditions },
      };
      const { spec } = resource as KubernetesObject & { readonly spec: object };
      const had = {
        ...resource,
        spec: { ...spec, reclaimPolicy },
        status: { bindingPhase: 'Bound', observedGeneration: 1 },
      };
      const { fault } = await tracedIn([anew, had], ['fancysqlinstance', 'team-shop/orders']);
      assert.equal(
        fault?.advice,
        `It may hold the data of that former claim: ask first whose that is.${warning} Then who administers it can offer it to this claim, and to no other:`,
      );
      assert.equal(fault.mend.length, 1);
      assert.match(
        fault.mend[0] ?? '',
        /^kubectl patch favouritedbinstances\S+ legacy .*"crossplane.io\/reoffer":"claim"/,
      );
    });
});
