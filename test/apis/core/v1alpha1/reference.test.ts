import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject, OwnerReference } from '../../../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf, kindKey } from '../../../../apis/core/v1alpha1/kind.ts';
import type { ObjectReference } from '../../../../apis/core/v1alpha1/reference.ts';
import {
  controllerOf,
  controllerReference,
  describeReference,
  haveSameController,
  isControlledBy,
  referenceIsOfKind,
  referencesEqual,
  referenceTo,
} from '../../../../apis/core/v1alpha1/reference.ts';

const object: KubernetesObject = {
  apiVersion: 'g.io/v1',
  kind: 'Thing',
  metadata: { namespace: 'ns', name: 'n', uid: 'u' },
};
const owned = (...ownerReferences: readonly OwnerReference[]): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, ownerReferences },
});
const owner = (uid: string, controller?: boolean): OwnerReference => ({
  apiVersion: 'g.io/v1',
  kind: 'Owner',
  name: uid,
  uid,
  ...(controller === undefined ? {} : { controller }),
});

describe('references', () => {
  test('a reference has apiVersion, kind, namespace, name and UID', () => {
    const want = { apiVersion: 'g.io/v1', kind: 'Thing', namespace: 'ns', name: 'n', uid: 'u' };
    assert.deepEqual(referenceTo(object), want);
  });
  test('a reference has no empty namespace or UID', () => {
    const bare = { ...object, metadata: { name: 'n' } };
    assert.deepEqual(referenceTo(bare), { apiVersion: 'g.io/v1', kind: 'Thing', name: 'n' });
  });
  test('a reference to a controller has its UID, and blocks its deletion', () => {
    const want = { apiVersion: 'g.io/v1', kind: 'Thing', name: 'n', uid: 'u' };
    assert.deepEqual(controllerReference(object), { ...want, controller: true, blockOwnerDeletion: true });
  });

  const base = referenceTo(object);
  type Reference = ObjectReference | undefined;
  const equality: Record<string, readonly [a: Reference, b: Reference, areEqual: boolean]> = {
    BothNil: [undefined, undefined, true],
    OneIsNil: [base, undefined, false],
    MismatchedAPIVersion: [base, { ...base, apiVersion: 'g.io/v2' }, false],
    MismatchedKind: [base, { ...base, kind: 'Other' }, false],
    MismatchedNamespace: [base, { ...base, namespace: 'other' }, false],
    MismatchedName: [base, { ...base, name: 'other' }, false],
    'Match: whatever the UID': [base, { ...base, uid: 'restored' }, true],
    'Match: absent equals empty': [{ name: 'n' }, { name: 'n', namespace: '' }, true],
  };
  for (const [name, [a, b, want]] of Object.entries(equality)) {
    test(name, () => assert.deepEqual([referencesEqual(a, b), referencesEqual(b, a)], [want, want]));
  }

  const kind = { group: 'g.io', version: 'v1', kind: 'Thing' };
  const kinds: Record<string, readonly [ObjectReference | undefined, boolean]> = {
    'HasClassReferenceKind, HasManagedResourceReferenceKind nil': [undefined, false],
    'wrong kind': [{ ...base, kind: 'Other' }, false],
    'wrong group': [{ ...base, apiVersion: 'h.io/v1' }, false],
    'wrong version': [{ ...base, apiVersion: 'g.io/v2' }, false],
    correct: [base, true],
  };
  for (const [name, [reference, want]] of Object.entries(kinds)) {
    test(name, () => assert.equal(referenceIsOfKind(reference, kind), want));
  }

  test('a description has kind, namespace and name', () => {
    assert.equal(describeReference(base), 'Thing ns/n');
    assert.equal(describeReference({ kind: 'Thing', name: 'n' }), 'Thing n');
    assert.equal(describeReference({}), 'object (unnamed)');
  });
});

describe('controllers', () => {
  test('an owner that does not control is not the controller', () => {
    assert.equal(controllerOf(owned(owner('a'), owner('b', false))), undefined);
    assert.equal(controllerOf(owned(owner('a'), owner('b', true)))?.uid, 'b');
  });
  const same: Record<string, readonly [KubernetesObject, KubernetesObject, boolean]> = {
    SameController: [owned(owner('a', true)), owned(owner('b'), owner('a', true)), true],
    AHasNoController: [object, owned(owner('a', true)), false],
    BHasNoController: [owned(owner('a', true)), object, false],
    'neither has one': [object, object, false],
    ControllersDiffer: [owned(owner('a', true)), owned(owner('b', true)), false],
  };
  for (const [name, [a, b, want]] of Object.entries(same)) {
    test(`two objects have the same controller, or not: ${name}`, () =>
      assert.equal(haveSameController(a, b), want));
  }
  test('control is by UID, and an object without one controls nothing', () => {
    const named = (uid?: string): KubernetesObject => ({
      ...object,
      metadata: uid === undefined ? { name: 'a' } : { name: 'a', uid },
    });
    assert.ok(isControlledBy(owned(owner('a', true)), named('a')));
    assert.equal(isControlledBy(owned(owner('a', true)), named('b')), false);
    assert.equal(isControlledBy(object, named()), false);
  });
  const controlledByKind: Record<string, readonly [KubernetesObject, boolean]> = {
    NoController: [object, false],
    WrongAPIVersion: [owned({ ...owner('a', true), apiVersion: 'h.io/v1' }), false],
    WrongKind: [owned({ ...owner('a', true), kind: 'Other' }), false],
    Match: [owned(owner('a', true)), true],
  };
  for (const [name, [subject, want]] of Object.entries(controlledByKind)) {
    test(`an object is controlled by a kind, or not: ${name}`, () => {
      const ownerKind = { group: 'g.io', version: 'v1', kind: 'Owner' };
      assert.equal(referenceIsOfKind(controllerOf(subject), ownerKind), want);
    });
  }
});

describe('kinds', () => {
  test('the core group has no group in its apiVersion', () => {
    assert.equal(apiVersionOf({ group: '', version: 'v1' }), 'v1');
    assert.equal(apiVersionOf({ group: 'g.io', version: 'v1' }), 'g.io/v1');
  });
  test('keys tell versions and groups apart', () => {
    const of = (group: string, version: string) => kindKey({ group, version, plural: 'things' });
    assert.equal(new Set([of('a', 'v1'), of('a', 'v2'), of('b', 'v1'), of('', 'v1')]).size, 4);
  });
});
