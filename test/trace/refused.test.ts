import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { encodeDetails } from '../../apis/core/v1alpha1/secret.ts';
import { condition, failingWith, tracedIn } from './traced-objects.ts';

/** A claim that asks for a version, with the resource that was made for it and is refused. */
const refused = (bindingPhase: 'Unbound' | 'Bound', spec: object): readonly KubernetesObject[] => [
  {
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'FancySQLInstance',
    metadata: { namespace: 'team', name: 'orders', uid: 'claim-uid', generation: 1 },
    spec: {
      ...spec,
      resourceRef: {
        apiVersion: 'database.fcp.crossplane.io/v1alpha3',
        kind: 'FavouriteDBInstance',
        name: 'team-orders',
      },
    },
    status: {
      bindingPhase,
      observedGeneration: 1,
      conditions: [condition('Ready', 'False', 'Creating'), condition('Synced', 'True', 'ReconcileSuccess')],
    },
  } as KubernetesObject,
  {
    apiVersion: 'database.fcp.crossplane.io/v1alpha3',
    kind: 'FavouriteDBInstance',
    metadata: { name: 'team-orders', generation: 1 },
    spec: {
      claimRef: {
        apiVersion: 'database.crossplane.io/v1alpha1',
        kind: 'FancySQLInstance',
        namespace: 'team',
        name: 'orders',
        uid: 'claim-uid',
      },
      providerConfigRef: { name: 'demo' },
      forProvider: { version: '99' },
    },
    status: {
      bindingPhase,
      observedGeneration: 1,
      ...failingWith('create failed: cannot create instance: there is no version "99"', { class: 'Invalid' }),
    },
  } as KubernetesObject,
  {
    apiVersion: 'fcp.crossplane.io/v1alpha3',
    kind: 'ProviderConfig',
    metadata: { name: 'demo' },
    spec: {
      credentials: { source: 'Secret', secretRef: { namespace: 'infra', name: 'cloud', key: 'credentials' } },
    },
  } as KubernetesObject,
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'infra', name: 'cloud' },
    data: encodeDetails({ credentials: '{}' }),
  } as KubernetesObject,
];

describe('a request that the external system refuses', () => {
  const otherwise = 'hange the fields in the managed resource and in its class.';
  const rows: Readonly<Record<string, readonly [objects: readonly KubernetesObject[], advice: string]>> = {
    'with fields of the claim: another claim is needed': [
      refused('Unbound', { version: '99' }),
      `The fields of the claim (spec.version) cannot change: if the external system refuses one of them, create another claim. Otherwise c${otherwise}`,
    ],
    'of a claim without fields of its own': [refused('Unbound', {}), `C${otherwise}`],
    'of a bound claim: its resource may differ from it': [
      refused('Bound', { version: '5.7' }),
      `C${otherwise}`,
    ],
  };
  for (const [name, [objects, advice]] of Object.entries(rows)) {
    test(name, async () => {
      const { fault } = await tracedIn(objects, ['fancysqlinstance', 'team/orders']);
      assert.deepEqual([fault?.name, fault?.advice], ['refused', advice]);
    });
  }
});
