import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Owner } from '../../clients/ownership-tags.ts';
import { labelled, ownershipOf, ownerTags, retagged } from '../../clients/ownership-tags.ts';

const kind = 'favouritedbinstance.database.fcp.crossplane.io';
const cool: Owner = { kind, name: 'cool' };
const small: Owner = { ...cool, className: 'small', provider: { kind: 'ProviderConfig', name: 'eu' } };
const base = { 'crossplane-kind': kind, 'crossplane-name': 'cool' };
const full = { ...base, 'crossplane-class': 'small', 'crossplane-providerconfig': 'eu' };

describe('the tags of an owner', () => {
  const rows: Record<string, readonly [owner: Owner, want: object]> = {
    'kind and name': [cool, base],
    'class and ProviderConfig': [small, full],
    'a legacy Provider': [
      { ...cool, provider: { kind: 'Provider', name: 'favourite' } },
      { ...base, 'crossplane-provider': 'favourite' },
    ],
  };
  for (const [name, [owner, want]] of Object.entries(rows)) {
    test(name, () => assert.deepEqual(ownerTags(owner), want));
  }
});

describe('the labels of an owner, where tags are no free text', () => {
  const rows: Record<string, readonly [owner: Owner, want: object]> = {
    'dots become what no name has': [
      { ...small, name: 'orders.v2' },
      {
        'crossplane-kind': 'favouritedbinstance_database_fcp_crossplane_io',
        'crossplane-name': 'orders_v2',
        'crossplane-class': 'small',
        'crossplane-providerconfig': 'eu',
      },
    ],
    'a value that is too long is shortened, and stays unique': [
      { kind, name: `${'a'.repeat(70)}-x` },
      {
        'crossplane-kind': 'favouritedbinstance_database_fcp_crossplane_io',
        'crossplane-name': `${'a'.repeat(54)}-5381850d`,
      },
    ],
  };
  for (const [name, [owner, want]] of Object.entries(rows)) {
    test(name, () => {
      const labels = ownerTags(labelled(owner));
      assert.deepEqual(labels, want);
      assert.equal(ownershipOf(labels, labelled(owner)), 'ours');
      for (const value of Object.values(labels)) assert.match(value, /^[a-z0-9_-]{1,63}$/);
    });
  }

  test('two long names that begin alike are two', () => {
    const [one, other] = ['x', 'y'].map((end) => labelled({ kind, name: `${'a'.repeat(70)}-${end}` }));
    assert.equal(ownershipOf(ownerTags(one!), other!), 'others');
  });
});

describe('only the tags of kind and name decide who owns a resource', () => {
  const rows: Record<string, readonly [tags: Readonly<Record<string, string>>, want: string]> = {
    'no tag at all': [{}, 'unowned'],
    'tags that name no owner': [{ team: 'shop' }, 'unowned'],
    'only class and provider': [{ 'crossplane-class': 'small' }, 'unowned'],
    'kind and name': [base, 'ours'],
    'another class and provider': [
      { ...full, 'crossplane-class': 'large', 'crossplane-providerconfig': 'us' },
      'ours',
    ],
    'another name': [{ ...full, 'crossplane-name': 'hot' }, 'others'],
    'another kind': [{ ...full, 'crossplane-kind': 'network' }, 'others'],
    'no name': [{ 'crossplane-kind': kind }, 'others'],
  };
  for (const [name, [tags, want]] of Object.entries(rows)) {
    test(name, () => assert.equal(ownershipOf(tags, small), want));
  }
});

describe('when tags are written', () => {
  const others = { team: 'shop', stage: 'live' };
  type Row = readonly [
    tags: Readonly<Record<string, string>>,
    want: object | undefined,
    isChanging?: boolean,
  ];
  const rows: Record<string, Row> = {
    'all are there: not': [{ ...others, ...full }, undefined],
    'all are there, and something else changes: not': [full, undefined, true],
    'none is there: all, and those of others are kept': [others, { ...others, ...full }],
    'class and provider are missing, as in what an earlier version made': [base, full],
    'the name of an earlier managed resource': [{ ...full, 'crossplane-name': 'hot' }, full],
    'another provider alone is no reason': [{ ...full, 'crossplane-providerconfig': 'us' }, undefined],
    'another provider goes with another change': [{ ...full, 'crossplane-providerconfig': 'us' }, full, true],
    'the Provider of before goes when the ProviderConfig comes': [
      { ...base, 'crossplane-class': 'small', 'crossplane-provider': 'favourite' },
      full,
    ],
  };
  for (const [name, [tags, want, isChanging = false]] of Object.entries(rows)) {
    test(name, () => {
      const written = retagged(tags, small, isChanging);
      assert.deepEqual(written, want);
      if (written !== undefined) {
        assert.equal(retagged(written, small, true), undefined, 'once written, they are as they should be');
      }
    });
  }
});
