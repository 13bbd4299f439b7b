import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Owner } from '../../clients/ownership-tags.ts';
import { ownershipOf, ownerTags, retagged } from '../../clients/ownership-tags.ts';

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

describe('whose a thing is: kind and name alone say', () => {
  const rows: Record<string, { tags: Readonly<Record<string, string>>; want: string }> = {
    'no tag at all': { tags: {}, want: 'nobody' },
    'tags of somebody who does not say whose': { tags: { team: 'shop' }, want: 'nobody' },
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
    'another name, which was handed over': { tags: { ...full, 'crossplane-name': 'hot' }, want: full },
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
