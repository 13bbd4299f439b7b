import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObjectMeta } from '../../../../apis/core/v1alpha1/kind.ts';
import type { ManagedSpec } from '../../../../apis/core/v1alpha1/managed.ts';
import type { ReferencePolicy } from '../../../../apis/core/v1alpha1/reference.ts';
import {
  chooseProvider,
  providerKey,
  providerRecord,
} from '../../../../controllers/core/provider/provider-choice.ts';
import { Scene } from '../managed-scene.ts';
import { deletionTimestamp, managed } from '../objects.ts';

const key = 'crossplane.io/resolved-provider';
const named = (policy?: ReferencePolicy): ManagedSpec => ({
  providerConfigRef: { name: 'eu', ...(policy && { policy }) },
});
const optional = named({ resolution: 'Optional' });
const always = named({ resolution: 'Optional', resolve: 'Always' });
const resolved = (to: string): Partial<ObjectMeta> => ({ annotations: { [key]: to } });

describe('which provider a managed resource uses', () => {
  const rows: Record<
    string,
    { spec: ManagedSpec; metadata?: Partial<ObjectMeta>; exist: readonly string[]; want: string | RegExp }
  > = {
    'none named: the default': { spec: {}, exist: [], want: 'ProviderConfig/default' },
    'a legacy Provider': { spec: { providerRef: { name: 'old' } }, exist: [], want: 'Provider/old' },
    'both: the ProviderConfig': {
      spec: { ...named(), providerRef: { name: 'old' } },
      exist: ['Provider/old'],
      want: 'ProviderConfig/eu',
    },
    'Required, by name or by nothing: waited for': {
      spec: named({ resolution: 'Required' }),
      exist: ['ProviderConfig/default'],
      want: 'ProviderConfig/eu',
    },
    'Optional, and there: itself': {
      spec: optional,
      exist: ['ProviderConfig/eu', 'ProviderConfig/default'],
      want: 'ProviderConfig/eu',
    },
    'Optional, and not there: the default': {
      spec: optional,
      exist: ['ProviderConfig/default'],
      want: 'ProviderConfig/default',
    },
    'Optional, and not there: the legacy Provider': {
      spec: { ...optional, providerRef: { name: 'old' } },
      exist: ['Provider/old', 'ProviderConfig/default'],
      want: 'Provider/old',
    },
    'Optional, and neither there: itself is what is missing': {
      spec: optional,
      exist: [],
      want: 'ProviderConfig/eu',
    },
    'IfNotPresent: what something was made with stays': {
      spec: optional,
      metadata: resolved('ProviderConfig/default'),
      exist: ['ProviderConfig/eu', 'ProviderConfig/default'],
      want: 'ProviderConfig/default',
    },
    'IfNotPresent: even while it is gone': {
      spec: optional,
      metadata: resolved('ProviderConfig/eu'),
      exist: ['ProviderConfig/default'],
      want: 'ProviderConfig/eu',
    },
    'IfNotPresent: a legacy Provider that something was made with stays': {
      spec: optional,
      metadata: resolved('Provider/old'),
      exist: ['ProviderConfig/eu', 'Provider/old'],
      want: 'Provider/old',
    },
    'Always, leading where it led before': {
      spec: always,
      metadata: resolved('ProviderConfig/eu'),
      exist: ['ProviderConfig/eu', 'ProviderConfig/default'],
      want: 'ProviderConfig/eu',
    },
    'Always, leading elsewhere by now: an error that says what to do': {
      spec: always,
      metadata: resolved('ProviderConfig/default'),
      exist: ['ProviderConfig/eu', 'ProviderConfig/default'],
      want: /leads to ProviderConfig eu now, but ProviderConfig default was used so far; .*remove the annotation/,
    },
    'Always, while deleting: what it was made with': {
      spec: always,
      metadata: { ...resolved('ProviderConfig/default'), deletionTimestamp },
      exist: ['ProviderConfig/eu'],
      want: 'ProviderConfig/default',
    },
    'Always, only to be observed: follows': {
      spec: { ...always, managementPolicies: ['Observe'] },
      metadata: resolved('ProviderConfig/default'),
      exist: ['ProviderConfig/eu'],
      want: 'ProviderConfig/eu',
    },
    'Required since: the record means nothing': {
      spec: named(),
      metadata: resolved('ProviderConfig/default'),
      exist: ['ProviderConfig/default'],
      want: 'ProviderConfig/eu',
    },
    'a record that makes no sense means nothing': {
      spec: optional,
      metadata: resolved('Secret/x'),
      exist: ['ProviderConfig/default'],
      want: 'ProviderConfig/default',
    },
  };
  for (const [name, { spec, metadata, exist, want }] of Object.entries(rows)) {
    test(name, () => {
      const choose = () =>
        providerKey(
          chooseProvider(managed(spec, metadata), (provider) => exist.includes(providerKey(provider))),
        );
      if (want instanceof RegExp) assert.throws(choose, want);
      else assert.equal(choose(), want);
    });
  }

  test('only what an Optional reference led to is put on record', () => {
    const provider = { kind: 'ProviderConfig', name: 'default' } as const;
    assert.deepEqual(providerRecord(managed(optional), provider), { [key]: 'ProviderConfig/default' });
    assert.deepEqual(providerRecord(managed(named()), provider), {});
    assert.deepEqual(providerRecord(managed(), provider), {});
  });
});

describe('the record of the provider', () => {
  test('is written with the identity before the creation, and costs no write of its own', async () => {
    const scene = new Scene(optional, {}, { providerRecord: () => ({ [key]: 'ProviderConfig/default' }) });
    scene.external.gate = (method) => {
      if (method === 'create') assert.equal(scene.annotations[key], 'ProviderConfig/default');
    };
    await scene.run();
    assert.equal(scene.external.count('create'), 1);
    assert.deepEqual(scene.cluster.writeNames, [
      'update FavouriteDBInstance db',
      'create Secret infra/db-connection',
      'update FavouriteDBInstance db',
      'update Secret infra/db-connection',
      'updateStatus FavouriteDBInstance db',
    ]);
  });

  test('a provider that cannot be used is told, and nothing is asked', async () => {
    const scene = new Scene(
      optional,
      {},
      {
        providerRecord: () => {
          throw new Error('spec.providerConfigRef leads elsewhere');
        },
      },
    );
    await scene.run();
    assert.equal(
      scene.condition('Synced'),
      'False/ReconcileError: connect failed: spec.providerConfigRef leads elsewhere',
    );
    assert.deepEqual(scene.events, ['Warning CannotConnectToProvider']);
    assert.deepEqual(scene.external.calls, []);
  });
});
