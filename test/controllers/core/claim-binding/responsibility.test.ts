import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../../../apis/core/v1alpha1/claim.ts';
import { notReady } from '../../../../apis/core/v1alpha1/condition.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { responsibilityFor } from '../../../../controllers/core/claim-binding/responsibility.ts';
import type { ClaimService } from '../../../../controllers/core/claim-service.ts';

const service = {
  managed: FavouriteDBInstanceKind,
  class: FavouriteDBInstanceClassKind,
} as unknown as ClaimService;
const ours = {
  apiVersion: 'database.fcp.crossplane.io/v1alpha3',
  kind: 'FavouriteDBInstanceClass',
  name: 'a',
};
const theirs = {
  ...ours,
  apiVersion: 'database.ocp.crossplane.io/v1alpha1',
  kind: 'AmbivalentDBInstanceClass',
};

const claimOf = (classRef: object, more: { readonly metadata?: object; readonly status?: object } = {}) =>
  ({
    ...{ apiVersion: 'database.crossplane.io/v1alpha1', kind: 'FancySQLInstance', spec: { classRef } },
    ...(more.status && { status: more.status }),
    metadata: {
      ...{ namespace: 'team', name: 'db', uid: 'uid-1', generation: 1 },
      ...{ creationTimestamp: '2026-01-02T03:04:05Z', ...more.metadata },
    },
  }) as Claim;

/** A controller wrote the claim last: its write has no time. */
const written = { metadata: { generation: 2 } };
const reported = (reason: 'UnknownKind' | 'Binding') => ({
  conditions: [
    { ...notReady(reason, ''), lastTransitionTime: '2026-01-02T03:04:06Z', observedGeneration: 2 },
  ],
});

describe('a controller reports a claim for which no process works', () => {
  const rows: Readonly<Record<string, readonly [claim: Claim, responsibility: string]>> = {
    'a class of its own kind is its work': [claimOf(ours), 'this'],
    'a class of another kind is reported two seconds after the claim was made': [
      claimOf(theirs),
      'UnknownKind at 2026-01-02T03:04:07.000Z',
    ],
    'a claim that another controller wrote last is left to it': [claimOf(theirs, written), 'others'],
    'a claim whose Ready another process wrote is left to it': [
      claimOf(theirs, { ...written, status: reported('Binding') }),
      'others',
    ],
    'its own report stays after a controller wrote the claim': [
      claimOf(theirs, { ...written, status: reported('UnknownKind') }),
      'UnknownKind at once',
    ],
  };
  for (const [rule, [claim, wanted]] of Object.entries(rows)) {
    test(rule, () => {
      const found = responsibilityFor({ service, peers: [service], claim, owned: [] });
      const isAtOnce = typeof found === 'object' && Number.isNaN(found.notBeforeMs);
      const at = typeof found === 'object' && !isAtOnce && new Date(found.notBeforeMs).toISOString();
      const shown = at === false ? 'UnknownKind at once' : `UnknownKind at ${at}`;
      assert.equal(typeof found === 'object' ? shown : found, wanted);
    });
  }
});
