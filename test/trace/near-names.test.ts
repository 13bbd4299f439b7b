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
