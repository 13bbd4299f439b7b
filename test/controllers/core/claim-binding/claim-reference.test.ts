import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { provisionedNames } from '../../../../controllers/core/claim/provisioned-name.ts';
import { isMeantFor } from '../../../../controllers/core/claim-binding/claim-reference.ts';
import { claim, claimRef, managed } from '../objects.ts';

const edited = claimRef({ name: 'typo', uid: 'nobody' });
const [ownName = ''] = provisionedNames(claim());

describe('a managed resource is meant for a claim, whatever somebody has made of its claimRef', () => {
  const rows: Readonly<Record<string, { readonly managed: Managed; readonly want: boolean }>> = {
    'if it was made for it': { managed: managed({ claimRef: edited }, { name: ownName }), want: true },
    'if it was taken by it': {
      managed: managed(
        { claimRef: edited },
        { annotations: { 'crossplane.io/reserved-for': 'claim-uid/managed-uid' } },
      ),
      want: true,
    },
    'if it names its UID, as after a restore': {
      managed: managed({ claimRef: claimRef({ name: 'typo' }) }),
      want: true,
    },
    'not if another claim took it': {
      managed: managed(
        { claimRef: edited },
        { annotations: { 'crossplane.io/reserved-for': 'another/managed-uid' } },
      ),
      want: false,
    },
    'not if it only has its name': {
      managed: managed({ claimRef: claimRef({ uid: 'another' }) }),
      want: false,
    },
    'not if it names nobody': { managed: managed({}), want: false },
  };
  for (const [name, { managed: resource, want }] of Object.entries(rows)) {
    test(name, () => assert.equal(isMeantFor(resource, claim()), want));
  }
});
