import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { allStacks } from '../../app/stacks.ts';
import { catalogueOf } from '../../trace/catalogue.ts';
import { claimAt, sourceOf, tracedIn } from './traced-objects.ts';

describe('a word that names no kind: the kinds that are most like it', () => {
  const catalogue = catalogueOf(allStacks);
  /** The word, and what was meant first. */
  const words: readonly (readonly [word: string, first: string])[] = [
    ['fancysqlinstnce', 'fancysqlinstances.database.crossplane.io'],
    ['FancySQL', 'fancysqlinstances.database.crossplane.io'],
    ['favouritedb', 'favouritedbinstances.database.fcp.crossplane.io'],
    ['vpc.ec2', 'vpcs.ec2.aws.upbound.io'],
    ['providerconfg', 'providerconfigs.aws.crossplane.io'],
    ['postgresinstance', 'postgresqlinstances.database.crossplane.io'],
  ];
  for (const [word, first] of words) {
    test(word, () => {
      const meant = first.replaceAll('.', '\\.');
      const suggestion = new RegExp(`^"${word}" is not a known kind; did you mean ${meant}( or |\\?$)`);
      assert.throws(() => catalogue.named(word), { name: 'UnknownKind', message: suggestion });
    });
  }

  test('not more than three', () => {
    assert.throws(
      () => catalogue.named('instance-class'),
      ({ message }: Error) => message.split(' or ').length === 3,
    );
  });
});

const namespaces = ['default', 'team-blog', 'team-shop'].map(
  (name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }) as KubernetesObject,
);
const claims = ['team-shop/cart', 'team-shop/orders', 'team-blog/posts'].map((key) =>
  claimAt(key, {}, { finalizers: ['finalizer.resourceclaim.crossplane.io'] }),
);

describe('hints for the name of no object', () => {
  const inShop = 'There is one in namespace team-shop: -n team-shop';
  const rows: Readonly<Record<string, readonly [name: string, hints: readonly string[]]>> = {
    'in another namespace: the namespace': ['default/cart', [inShop]],
    'with two letters swapped: the similar name': ['team-shop/crat', ['Did you mean cart?']],
    'in a namespace that does not exist: both names': [
      'team-shoop/cart',
      ['There is no namespace team-shoop. Did you mean team-shop?', inShop],
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
