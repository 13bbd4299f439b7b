import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { sourceOf, tracedIn } from './traced-objects.ts';

const claimOf = (namespace: string, name: string, spec: object = {}): KubernetesObject =>
  ({
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'FancySQLInstance',
    metadata: { namespace, name, uid: name, generation: 1 },
    spec,
    status: { observedGeneration: 1 },
  }) as KubernetesObject;
const namespaces = ['default', 'team-blog', 'team-shop'].map(
  (name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }) as KubernetesObject,
);
const claims = [claimOf('team-shop', 'cart'), claimOf('team-shop', 'orders'), claimOf('team-blog', 'posts')];

describe('of a name that nothing has', () => {
  const rows: Readonly<Record<string, readonly [name: string, hints: readonly string[]]>> = {
    'that is in another namespace: which': [
      'default/cart',
      ['There is one in namespace team-shop: -n team-shop'],
    ],
    'with letters that changed places: what is meant': ['team-shop/crat', ['Did you mean cart?']],
    'in a namespace that does not exist: that, and both': [
      'team-shoop/cart',
      [
        'There is no namespace team-shoop. Did you mean team-shop?',
        'There is one in namespace team-shop: -n team-shop',
      ],
    ],
    'misspelt, and in another namespace: the whole name': [
      'default/ordesr',
      ['Did you mean team-shop/orders?'],
    ],
    'that is like nothing: nothing': ['team-shop/zzz', []],
  };
  for (const [what, [name, hints]] of Object.entries(rows)) {
    test(what, async () => {
      const trace = await tracedIn([...namespaces, ...claims], ['fsql', name]);
      assert.deepEqual([trace.verdict, trace.hints], ['absent', hints]);
    });
  }

  test('who may see one namespace only is told what is in that', async () => {
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

test('what a claim names in vain has its near names in the advice', async () => {
  const resourceRef = {
    apiVersion: 'database.fcp.crossplane.io/v1alpha3',
    kind: 'FavouriteDBInstance',
    name: 'legacy-order',
  };
  const theirs = { namespace: 'team-pay', name: 'ledger', kind: 'FancySQLInstance' };
  const objects = [
    claimOf('team-shop', 'archive', { resourceRef }),
    managed('legacy-orders', {}),
    managed('legacy-order-1', { claimRef: theirs }), // which is another claim's, and not told of
  ];
  const { fault } = await tracedIn(objects, ['fsql', 'team-shop/archive']);
  assert.deepEqual(
    [fault?.name, fault?.advice],
    [
      'missing resource',
      'Did you mean legacy-orders? Make another claim, for another resource, and delete this one, which has nothing. Or create what this one names. FILE stands for a file of yours, with the manifest of FavouriteDBInstance legacy-order:',
    ],
  );
});

test('and so has a provider', async () => {
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
      'Did you mean favourite? FILE stands for a file of yours, with the manifest of ProviderConfig favourit:',
    ],
  );
});
