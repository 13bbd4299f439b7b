import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDefaultClass } from '../../../../apis/core/v1alpha1/class.ts';
import type { KubernetesObject, ObjectMeta } from '../../../../apis/core/v1alpha1/kind.ts';
import {
  annotationKeys,
  externalName,
  finalizerNames,
  hasFinalizer,
  isPaused,
  wasDeleted,
  withFinalizer,
  withoutFinalizer,
} from '../../../../apis/core/v1alpha1/meta.ts';

const object = (metadata: Partial<ObjectMeta> = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'n', ...metadata },
});
const annotated = (key: string, value: string) => object({ annotations: { [key]: value } });

describe('finalizers', () => {
  const rows: Record<string, { has: readonly string[] | undefined; added: string[]; removed: string[] }> = {
    NoExistingFinalizers: { has: undefined, added: ['f'], removed: [] },
    FinalizerAlreadyExists: { has: ['f'], added: ['f'], removed: [] },
    AnotherFinalizerExists: { has: ['other'], added: ['other', 'f'], removed: ['other'] },
    'it occurs twice: all go (the original panics)': {
      has: ['f', 'other', 'f'],
      added: ['f', 'other', 'f'],
      removed: ['other'],
    },
  };
  for (const [name, { has, added, removed }] of Object.entries(rows)) {
    test(name, () => {
      const subject = object(has === undefined ? {} : { finalizers: has });
      assert.equal(hasFinalizer(subject, 'f'), has?.includes('f') ?? false);
      assert.deepEqual(withFinalizer(subject, 'f').metadata.finalizers, added);
      assert.deepEqual(withoutFinalizer(subject, 'f').metadata.finalizers, removed);
      assert.deepEqual(subject.metadata.finalizers, has);
    });
  }
});

describe('metadata', () => {
  test('WasDeleted', () => {
    assert.equal(wasDeleted(object()), false);
    assert.ok(wasDeleted(object({ deletionTimestamp: '2026-01-01T00:00:00Z' })));
  });
  test('GetExternalName: set, unset, empty', () => {
    assert.equal(externalName(annotated('crossplane.io/external-name', 'x')), 'x');
    assert.equal(externalName(object()), undefined);
    assert.equal(externalName(annotated('crossplane.io/external-name', '')), undefined);
  });
  const exactlyTrue = { true: true, True: false, yes: false, '': false, 'true ': false };
  for (const [value, want] of Object.entries(exactlyTrue)) {
    test(`"${value}" ${want ? 'pauses, and marks a default class' : 'does neither'}`, () => {
      assert.equal(isPaused(annotated('crossplane.io/paused', value)), want);
      assert.equal(isDefaultClass(annotated('resourceclass.crossplane.io/is-default-class', value)), want);
    });
  }
  test('neither without annotations', () => {
    assert.deepEqual([isPaused(object()), isDefaultClass(object())], [false, false]);
  });
  test('names that other software relies on', () => {
    assert.equal(finalizerNames.claim, 'finalizer.resourceclaim.crossplane.io');
    assert.equal(finalizerNames.managed, 'finalizer.managedresource.crossplane.io');
    assert.equal(finalizerNames.inUse, 'in-use.crossplane.io');
    assert.equal(annotationKeys.externalCreatePending, 'crossplane.io/external-create-pending');
    assert.equal(annotationKeys.externalCreateSucceeded, 'crossplane.io/external-create-succeeded');
    assert.equal(annotationKeys.externalCreateFailed, 'crossplane.io/external-create-failed');
  });
});
