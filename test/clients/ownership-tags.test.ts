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
  const rows: Record<string, { owner: Owner; want: object }> = {
    'kind and name': { owner: cool, want: base },
    'class and ProviderConfig': { owner: small, want: full },
    'a legacy Provider': {
      owner: { ...cool, provider: { kind: 'Provider', name: 'favourite' } },
      want: { ...base, 'crossplane-provider': 'favourite' },
    },
  };
  for (const [name, { owner, want }] of Object.entries(rows)) {
    test(name, () => assert.deepEqual(ownerTags(owner), want));
  }
});

describe('the labels of an owner, where tags are no free text', () => {
  const rows: Record<string, { owner: Owner; want: object }> = {
    'dots become what no name has': {
      owner: { ...small, name: 'orders.v2' },
      want: {
        'crossplane-kind': 'favouritedbinstance_database_fcp_crossplane_io',
        'crossplane-name': 'orders_v2',
        'crossplane-class': 'small',
        'crossplane-providerconfig': 'eu',
      },
    },
    'a value that is too long is shortened, and stays unique': {
      owner: { kind, name: `${'a'.repeat(70)}-x` },
      want: {
        'crossplane-kind': 'favouritedbinstance_database_fcp_crossplane_io',
        'crossplane-name': `${'a'.repeat(54)}-5381850d`,
      },
    },
  };
  for (const [name, { owner, want }] of Object.entries(rows)) {
    test(name, () => {
      const labels = ownerTags(labelled(owner));
      assert.deepEqual(labels, want);
      assert.equal(ownershipOf(labels, labelled(owner)), 'ours');
      for (const value of Object.values(labels)) assert.match(value, /^[a-z0-9_-]{1,63}$/);
    });
  }

  test('two long names that begin alike are two', () => {
    const [one, other] = ['x', 'y'].map((end) => labelled({ kind, name: `${'a'.repeat(70)}-${end}` }));
    assert.equal(ownershipOf(ownerTags(one!), other!), 'foreign');
  });
});

describe('only the tags of kind and name decide who owns a resource', () => {
  const rows: Record<string, { tags: Readonly<Record<string, string>>; want: string }> = {
    'no tag at all': { tags: {}, want: 'nobody' },
    'tags that name no owner': { tags: { team: 'shop' }, want: 'nobody' },
    'only class and provider': { tags: { 'crossplane-class': 'small' }, want: 'nobody' },
    'kind and name': { tags: base, want: 'ours' },
    'another class and provider': {
      tags: { ...full, 'crossplane-class': 'large', 'crossplane-providerconfig': 'us' },
      want: 'ours',
    },
    'another name': { tags: { ...full, 'crossplane-name': 'hot' }, want: 'foreign' },
    'another kind': { tags: { ...full, 'crossplane-kind': 'network' }, want: 'foreign' },
    'no name': { tags: { 'crossplane-kind': kind }, want: 'foreign' },
  };
  for (const [name, { tags, want }] of Object.entries(rows)) {
    test(name, () => assert.equal(ownershipOf(tags, small), want));
  }
});

describe('when tags are written', () => {
  const others = { team: 'shop', stage: 'live' };
  const rows: Record<
    string,
    { tags: Readonly<Record<string, string>>; isChanging?: boolean; want: object | undefined }
  > = {
    'all are there: not': { tags: { ...others, ...full }, want: undefined },
    'all are there, and something else changes: not': { tags: full, isChanging: true, want: undefined },
    'none is there: all, and those of others are kept': { tags: others, want: { ...others, ...full } },
    'class and provider are missing, as in what an earlier version made': { tags: base, want: full },
    'the name of an earlier managed resource': { tags: { ...full, 'crossplane-name': 'hot' }, want: full },
    'another provider alone is no reason': {
      tags: { ...full, 'crossplane-providerconfig': 'us' },
      want: undefined,
    },
    'another provider goes with another change': {
      tags: { ...full, 'crossplane-providerconfig': 'us' },
      isChanging: true,
      want: full,
    },
    'the Provider of before goes when the ProviderConfig comes': {
      tags: { ...base, 'crossplane-class': 'small', 'crossplane-provider': 'favourite' },
      want: full,
    },
  };
  for (const [name, { tags, isChanging = false, want }] of Object.entries(rows)) {
    test(name, () => {
      const written = retagged(tags, small, isChanging);
      assert.deepEqual(written, want);
      if (written !== undefined) {
        assert.equal(retagged(written, small, true), undefined, 'once written, they are as they should be');
      }
    });
  }
});
