import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ClaimSpec } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { namesNoKind, serviceOf } from '../../../controllers/claim-binding/service-of.ts';
import type { ClaimService } from '../../../controllers/claim-service.ts';
import {
  claim,
  classRef,
  managed,
  otherClassKind,
  otherManagedKind,
  otherService,
  resourceRef,
  service,
} from '../objects.ts';

const otherOwned: Managed = {
  ...managed(),
  kind: otherManagedKind.kind,
  apiVersion: 'database.ocp.crossplane.io/v1alpha1',
};

describe('the service that binds a claim', () => {
  type Row = readonly [spec: ClaimSpec, owned: readonly Managed[], wanted: ClaimService | undefined];
  const ours = { classRef: classRef('small'), resourceRef: resourceRef('db') };
  const rows: Readonly<Record<string, Row>> = {
    'is that of its class': [{ classRef: classRef('small', otherClassKind) }, [], otherService],
    'is that of the resource that it names, whatever its class is': [
      { ...ours, classRef: classRef('small', otherClassKind) },
      [],
      service,
    ],
    'is that of the resource that it owns, whatever it names': [ours, [otherOwned], otherService],
    'is none if no service has the kind of its class': [
      { classRef: { apiVersion: 'example.org/v1', kind: 'Strange', name: 'small' } },
      [],
      undefined,
    ],
    'is none if its class has another version': [
      { classRef: { ...classRef('small'), apiVersion: 'database.fcp.crossplane.io/v1' } },
      [],
      undefined,
    ],
    'is none if no service has the kind of the resource that it owns': [
      ours,
      [{ ...otherOwned, kind: 'Strange' }],
      undefined,
    ],
    'is none as long as it names nothing': [{ classSelector: {} }, [], undefined],
  };
  for (const [rule, [spec, owned, wanted]] of Object.entries(rows)) {
    test(rule, () => assert.equal(serviceOf([otherService, service], claim(spec), owned), wanted));
  }
});

test('a claim names no kind while it has neither a resource nor a complete reference', () => {
  const specs: readonly ClaimSpec[] = [
    {},
    { classSelector: {} },
    { classRef: { name: 'small' } },
    { classRef: classRef('small') },
    { resourceRef: { name: 'db' } },
  ];
  assert.deepEqual(
    specs.map((spec) => namesNoKind(claim(spec), [])),
    [true, true, true, false, false],
  );
  assert.equal(namesNoKind(claim(), [managed()]), false);
});
