import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { GraphNode } from '../../dashboard/page/wire.ts';
import { addressIn, ageOf, fragmentOf, isAt, kindWords } from '../../dashboard/page/words.ts';

const node = (given: Partial<GraphNode>): GraphNode => ({
  id: 'i',
  sort: 'claim',
  name: 'orders',
  health: 'ok',
  to: [],
  kind: 'FancySQLInstance',
  resource: 'fancysqlinstances.database.crossplane.io',
  ...given,
});
const orders = node({ namespace: 'shop' });
const smallClass = { kind: 'SmallClass', resource: 'smallclasses.example.org', name: 'small' };
const small = node({ sort: 'class', ...smallClass });

describe('the address of an object', () => {
  const addresses: readonly (readonly [fragment: string, found: readonly GraphNode[]])[] = [
    ['#fancysqlinstances.database.crossplane.io/shop/orders', [orders]],
    ['#fancysqlinstances/shop/orders', [orders]],
    ['#FancySQLInstance/shop/orders', [orders]],
    ['#smallclasses.example.org/small', [small]],
    ['#fancysqlinstances.database.crossplane.io/blog/orders', []],
    ['#fancysqlinstances.database.crossplane.io/orders', []],
    ['#list', []],
    ['#a/b/c/d', []],
    ['', []],
  ];
  for (const [fragment, found] of addresses) {
    test(`${fragment || 'no fragment'} opens ${found.map(({ name }) => name).join() || 'nothing'}`, () => {
      const address = addressIn(fragment);
      const opened = [orders, small].filter((each) => address !== undefined && isAt(address, each));
      assert.deepEqual(opened, found);
    });
  }
  test('the fragment of an object has kind, group, namespace and name', () =>
    assert.deepEqual([orders, small].map(fragmentOf), [
      '#fancysqlinstances.database.crossplane.io/shop/orders',
      '#smallclasses.example.org/small',
    ]));
});

test('an age has one unit, and an object of the future has no age', () => {
  const now = Date.parse('2026-01-10T00:00:00Z');
  const ages = ['2026-01-10T00:00:09Z', '2026-01-09T23:59:15Z', '2026-01-09T23:01:00Z'];
  const older = ['2026-01-09T01:00:00Z', '2026-01-01T00:00:00Z'];
  const shown = [...ages, ...older].map((at) => ageOf(at, now));
  assert.deepEqual(shown, ['0s', '45s', '59m', '23h', '9d']);
});

test('a provider shows its API group, because every stack has a ProviderConfig named default', () => {
  const provider = { sort: 'provider', kind: 'ProviderConfig', name: 'default' } as const;
  const words = kindWords(node({ ...provider, resource: 'providerconfigs.fcp.crossplane.io' }));
  assert.equal(words, 'fcp.crossplane.io · ProviderConfig');
  assert.equal(kindWords(orders), 'FancySQLInstance');
});
