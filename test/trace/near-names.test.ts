import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { sourceOf, tracedIn } from './traced-objects.ts';

const claimOf = (namespace: string, name: string, spec: object = {}): KubernetesObject =>
  ({
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'FancySQLInstance',
    metadata: {
      namespace,
      name,
      uid: name,
      generation: 1,
      finalizers: ['finalizer.resourceclaim.crossplane.io'],
    },
    spec,
    status: { observedGeneration: 1 },
  }) as KubernetesObject;
const namespaces = ['default', 'team-blog', 'team-shop'].map(
  (name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }) as KubernetesObject,
);
const claims = [claimOf('team-shop', 'cart'), claimOf('team-shop', 'orders'), claimOf('team-blog', 'posts')];

describe('hints for the name of no object', () => {
  const rows: Readonly<Record<string, readonly [name: string, hints: readonly string[]]>> = {
    'in another namespace: the namespace': [
      'default/cart',
      ['There is one in namespace team-shop: -n team-shop'],
    ],
    'with two letters swapped: the similar name': ['team-shop/crat', ['Did you mean cart?']],
    'in a namespace that does not exist: both names': [
      'team-shoop/cart',
      [
        'There is no namespace team-shoop. Did you mean team-shop?',
        'There is one in namespace team-shop: -n team-shop',
      ],
    ],
    'misspelt, and in another namespace: the name with its namespace': [
      'default/ordesr',
      ['Did you mean team-shop/orders?'],
    ],
    'without a similar name: no hint': ['team-shop/zzz', []],
  };
  for (const [what, [name, hints]] of Object.entries(rows)) {
    test(what, async () => {
      const trace = await tracedIn([...namespaces, ...claims], ['fsql', name]);
      assert.deepEqual([trace.verdict, trace.hints], ['absent', hints]);
    });
  }

  test('a user who may read one namespace gets the names of that namespace', async () => {
    const all = sourceOf([...namespaces, ...claims]);
    const source: typeof all = {
      ...all,
      list: async (kind, namespace) =>
        namespace === undefined ? { is: 'withheld' } : all.list(kind, namespace),
    };
    const trace = await tracedIn([], ['fsql', 'team-shop/crat'], source);
    assert.deepEqual(trace.hints, ['Did you mean cart?']);
  });
});

const managed = (name: string, spec: object): KubernetesObject =>
  ({
    apiVersion: 'database.fcp.crossplane.io/v1alpha3',
    kind: 'FavouriteDBInstance',
    metadata: { name, generation: 1 },
    spec: { forProvider: {}, ...spec },
    status: { observedGeneration: 1 },
  }) as KubernetesObject;

describe('for a missing resource the advice has similar names of resources that the claim can have', () => {
  const resourceRef = {
    apiVersion: 'database.fcp.crossplane.io/v1alpha3',
    kind: 'FavouriteDBInstance',
    name: 'legacy-order',
  };
  const claim = claimOf('team-shop', 'archive', { resourceRef });
  const self = { apiVersion: claim.apiVersion, kind: claim.kind, namespace: 'team-shop', name: 'archive' };
  const theirs = { ...self, namespace: 'team-pay', name: 'ledger' };
  const gold = { matchLabels: { tier: 'gold' } };
  const shop = (labels: object): KubernetesObject =>
    ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-shop', labels } }) as KubernetesObject;
  const rows: Readonly<
    Record<
      string,
      readonly [isMeant: boolean, spec: object, given?: object, others?: readonly KubernetesObject[]]
    >
  > = {
    'unclaimed: yes': [true, {}],
    'reserved for this claim: yes': [true, { claimRef: self }],
    'allowed for its namespace: yes': [true, { namespaceSelector: gold }, {}, [shop({ tier: 'gold' })]],
    'allowed for other namespaces: no': [false, { namespaceSelector: gold }, {}, [shop({})]],
    'allowed by labels of a namespace that may not be read: no': [false, { namespaceSelector: gold }],
    'reserved for another claim: no': [false, { claimRef: theirs }],
    'claimed by another claim: no': [false, { claimRef: { ...theirs, uid: 'u' } }],
    'claimed by a previous claim with the same name: no': [false, { claimRef: { ...self, uid: 'former' } }],
    'released by a previous claim: no': [false, {}, { status: { bindingPhase: 'Released' } }],
    'only observed, and available to no namespace: no': [false, { managementPolicies: ['Observe'] }],
    'being deleted: no': [false, {}, { deletionTimestamp: '2026-01-02T03:04:00Z' }],
  };
  for (const [name, [isMeant, spec, given = {}, others = []]] of Object.entries(rows)) {
    test(name, async () => {
      const { status, ...metadata } = given as { readonly status?: object };
      const legacy = managed('legacy-orders', spec);
      const objects = [
        claim,
        {
          ...legacy,
          metadata: { ...legacy.metadata, uid: 'its-uid', ...metadata },
          status: { observedGeneration: 1, ...status },
        } as KubernetesObject,
        ...others,
      ];
      const { fault } = await tracedIn(objects, ['fsql', 'team-shop/archive']);
      const create =
        'Create another claim, for another resource, and delete this claim, which has no resource and no data. Or create the resource that this claim names. Replace FILE by a file of yours, with the manifest of FavouriteDBInstance legacy-order:';
      assert.deepEqual(
        [fault?.name, fault?.advice],
        ['missing resource', isMeant ? `Did you mean legacy-orders? ${create}` : create],
      );
    });
  }
});

test('for a missing provider the advice has similar names', async () => {
  const objects = [
    managed('db', { providerConfigRef: { name: 'favourit' } }),
    {
      apiVersion: 'fcp.crossplane.io/v1alpha3',
      kind: 'ProviderConfig',
      metadata: { name: 'favourite' },
      spec: { credentials: { source: 'None' } },
    } as KubernetesObject,
  ];
  const { fault } = await tracedIn(objects, ['favouritedbinstance', 'db']);
  assert.deepEqual(
    [fault?.name, fault?.advice],
    [
      'missing provider',
      'Did you mean favourite? Replace FILE by a file of yours, with the manifest of ProviderConfig favourit:',
    ],
  );
});
