import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Kind, KubernetesObject } from '../../../../apis/core/v1alpha1/kind.ts';
import { malformationOf, refuseMalformed, wellFormed } from '../../../../apis/core/v1alpha1/well-formed.ts';
import { FancySQLInstanceKind } from '../../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';

const metadata = { name: 'orders' };
const lastTransitionTime = '2026-01-01T00:00:00Z';
const ready = { type: 'Ready', status: 'True', reason: 'Available', lastTransitionTime };

interface Row {
  readonly kind?: Kind;
  readonly given: object;
  /** Absent: as given. */
  readonly mended?: object;
  readonly malformation?: string;
}

const rows: Readonly<Record<string, Row>> = {
  'a value of the type stays as it is': {
    given: { spec: { classRef: { name: 'small' }, classSelector: { matchLabels: { size: 'small' } } } },
  },
  'so do values that its definition does not know, or forbids': {
    kind: FavouriteDBInstanceKind,
    given: {
      spec: { forProvider: { fancinessLevel: 100_000, more: [] }, reclaimPolicy: 'Recycle', unknown: 7 },
    },
  },
  'a number in place of a text, or a text in place of a number, stays: who reads it can tell': {
    kind: FavouriteDBInstanceKind,
    given: { spec: { forProvider: { fancinessLevel: '3', version: 5.7 } } },
  },
  'a condition that lacks its reason stays': {
    given: { spec: {}, status: { conditions: [{ type: 'Ready', status: 'True' }] } },
  },
  'a text in place of a reference': {
    given: { spec: { classRef: 'small', resourceRef: { name: 'db' } } },
    mended: { spec: { resourceRef: { name: 'db' } } },
    malformation: 'spec.classRef: expected object, received string',
  },
  'a reference in place of a name': {
    given: { spec: { classRef: { name: { first: 'small' } } } },
    mended: { spec: { classRef: {} } },
    malformation: 'spec.classRef.name: expected string, received object',
  },
  'a list in place of a spec, which is there all the same': {
    given: { spec: ['small'] },
    mended: { spec: {} },
    malformation: 'spec: expected object, received array',
  },
  'a text in place of a list that would have kept us from acting': {
    kind: FavouriteDBInstanceKind,
    given: { spec: { forProvider: {}, managementPolicies: 'Observe' } },
    mended: { spec: { forProvider: {} } },
    malformation: 'spec.managementPolicies: expected array, received string',
  },
  'elements of a list, and the others stay': {
    given: {
      spec: { classSelector: { matchExpressions: [7, { key: 'a', operator: 'Exists' }, null, 'b'] } },
    },
    mended: { spec: { classSelector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } } },
    malformation: [
      'spec.classSelector.matchExpressions.0: expected object, received number',
      'spec.classSelector.matchExpressions.2: expected object, received null',
      'spec.classSelector.matchExpressions.3: expected object, received string',
    ].join('; '),
  },
  'no spec is an empty one': { given: {}, mended: { spec: {} } },
  'nor is there anything malformed about what is missing further down': {
    kind: FavouriteDBInstanceClassKind,
    given: { specTemplate: {} },
    mended: { specTemplate: { forProvider: {} } },
  },
  'null is nothing': {
    given: { spec: { classRef: null, classSelector: { matchLabels: null } }, status: null },
    mended: { spec: { classSelector: {} } },
  },
  'a status is our own: what is malformed of it is left out, and that is all': {
    given: { spec: {}, status: { bindingPhase: 'Bound', conditions: [7, ready], consideredKinds: 'all' } },
    mended: { spec: {}, status: { bindingPhase: 'Bound', conditions: [ready] } },
  },
  'a status that is none at all': { given: { spec: {}, status: 'Bound' }, mended: { spec: {} } },
};

describe('an object in the shape of its type', () => {
  for (const [name, { kind = FancySQLInstanceKind, given, mended, malformation }] of Object.entries(rows)) {
    test(name, () => {
      const object = { apiVersion: 'x/v1', kind: kind.kind, metadata, ...given } as KubernetesObject;
      const copy = structuredClone(object);
      const found = wellFormed(kind, object);
      assert.deepEqual(found, { apiVersion: 'x/v1', kind: kind.kind, metadata, ...(mended ?? given) });
      assert.equal(found === object, mended === undefined, 'the same one if there is nothing to mend');
      assert.equal(malformationOf(found), malformation);
      assert.equal(wellFormed(kind, found), found, 'and what is mended is left alone');
      assert.deepEqual(object, copy);
    });
  }

  test('is not asked of kinds that others define', () => {
    const kind: Kind = { group: 'x', version: 'v1', kind: 'X', plural: 'xs', scope: 'Cluster' };
    const object = { apiVersion: 'x/v1', kind: 'X', metadata, spec: 7 };
    assert.equal(wellFormed(kind, object), object);
    assert.equal(malformationOf(object), undefined);
  });

  test('the use of a malformed object throws an error that says it is malformed', () => {
    const given = { apiVersion: 'x/v1', kind: 'FancySQLInstance', metadata, spec: { classRef: 7 } };
    const object = wellFormed(FancySQLInstanceKind, given as unknown as KubernetesObject);
    const message = 'it is malformed: spec.classRef: expected object, received number';
    assert.throws(() => refuseMalformed(object, 'it'), { message });
    refuseMalformed(structuredClone(object), 'it');
  });
});
