import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import mapKeys from 'lodash/mapKeys.js';
import type { KubernetesObject, ObjectMeta } from '../../../../apis/core/v1alpha1/kind.ts';
import { connectionSecretType } from '../../../../apis/core/v1alpha1/meta.ts';
import { controllerReference } from '../../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../../apis/core/v1alpha1/secret.ts';
import {
  allowsPropagationTo,
  annotationsWithoutClaims,
  controlOf,
  decodeDetails,
  encodeDetails,
  propagatesFrom,
  propagationAnnotations,
  propagationSource,
  propagationTargets,
  secretEntryProblem,
  secretNameProblem,
  secretNamespaceProblem,
} from '../../../../apis/core/v1alpha1/secret.ts';

const secret = (metadata: Partial<ObjectMeta> = {}, type: string = connectionSecretType): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type,
  metadata: { namespace: 'ns', name: 's', ...metadata },
});
const self: KubernetesObject = {
  apiVersion: 'g.io/v1',
  kind: 'Thing',
  metadata: { name: 'thing', uid: 'thing-uid' },
};
const controlledBy = (over: object = {}) =>
  secret({ ownerReferences: [{ ...controllerReference(self), ...over }] });

describe('connection details', () => {
  test('come back as they were, whatever they hold', () => {
    const details = { password: 'pä$$ wörd\n', empty: '', certificate: '-----BEGIN…\n' };
    assert.deepEqual(decodeDetails({ ...secret(), data: encodeDetails(details) }), details);
  });
  test('none without a secret or data', () => {
    assert.deepEqual([decodeDetails(undefined), decodeDetails(secret())], [{}, {}]);
  });
  test('the type of the Secret is the one of Crossplane v0.7 and later', () =>
    assert.equal(connectionSecretType, 'connection.crossplane.io/v1alpha1'));
});

describe('ConnectionSecretMustBeControllableBy', () => {
  const opaque = /a secret of type "Opaque" exists that these controllers did not write/;
  const owned = { ...controllerReference(self), uid: 'x', controller: false };
  const rows: Record<string, readonly [existing: Secret, want: string | RegExp]> = {
    ControlledBySuppliedUID: [controlledBy(), 'controlled'],
    Adoptable: [secret(), 'adoptable'],
    'Adoptable: owned, but not controlled': [secret({ ownerReferences: [owned] }), 'adoptable'],
    'Adoptable: the same object before a restore': [controlledBy({ uid: 'old' }), 'adoptable'],
    ControlledBySomeoneElse: [
      controlledBy({ name: 'other', uid: 'other' }),
      /belongs to Thing other, not to Thing thing/,
    ],
    'ControlledBySomeoneElse: of the same name, but another kind': [
      controlledBy({ kind: 'Other', uid: 'other' }),
      /belongs to Other thing/,
    ],
    'ControlledBySomeoneElse: of the same name, but another group': [
      controlledBy({ apiVersion: 'h.io/v1', uid: 'other' }),
      /belongs to Thing thing/,
    ],
    UncontrolledOpaqueSecret: [secret({}, 'Opaque'), opaque],
    'UncontrolledOpaqueSecret: no type is Opaque': [
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } },
      opaque,
    ],
  };
  for (const [name, [existing, want]] of Object.entries(rows)) {
    test(name, () => {
      const control = controlOf(existing, self);
      if (typeof want === 'string') assert.equal(control, want);
      else assert.match(typeof control === 'object' ? control.refusal : control, want);
    });
  }
});

describe('consent to propagation', () => {
  const to = { namespace: 'team', name: 'conn' };
  test('AllowPropagation, AllowsPropagationTo: the source names the target', () => {
    const source = secret({ annotations: { ...allowsPropagationTo(to), unrelated: 'a/b' } });
    assert.deepEqual(propagationTargets(source), [to]);
    assert.deepEqual(propagationAnnotations(source), allowsPropagationTo(to));
  });
  test('AllowPropagation, AllowsPropagationFrom: the target names the source', () => {
    assert.deepEqual(propagationSource(secret({ annotations: propagatesFrom(to) })), to);
  });
  const halves: Record<string, Readonly<Record<string, string>>> = {
    ObjectIsNotAnnotated: {},
    'missing namespace': { name: 'n' },
    'missing name': { namespace: 'ns' },
    'empty name': { name: '', namespace: 'ns' },
  };
  for (const [name, fields] of Object.entries(halves)) {
    const annotations = mapKeys(fields, (_value, field) => `from.propagate.crossplane.io/${field}`);
    test(`AllowsPropagationFrom ${name}: nothing`, () =>
      assert.equal(propagationSource(secret({ annotations })), undefined));
  }
  for (const value of ['', '/', 'a', 'a/', '/b', 'a/b/c']) {
    test(`AllowsPropagationTo "${value}": nothing`, () => {
      const annotations = { 'to.propagate.crossplane.io/x': value };
      assert.deepEqual(propagationTargets(secret({ annotations })), []);
    });
  }
  test('without the consent, the annotations of other authors stay, whatever their names', () => {
    const others = { constructor: 'me', toString: 'a/b', 'example.com/team': 'a/b' };
    const source = secret({
      annotations: { ...others, ...allowsPropagationTo({ namespace: 'a', name: 'b' }) },
    });
    assert.deepEqual(annotationsWithoutClaims(source), others);
  });

  test('the key is valid and the same each time', () => {
    const [key = ''] = Object.keys(allowsPropagationTo(to));
    assert.match(key, /^to\.propagate\.crossplane\.io\/[0-9a-f]{8}$/);
    assert.deepEqual(allowsPropagationTo(to), allowsPropagationTo({ ...to }));
  });
  test('H12: keys of names that run together the same differ', () => {
    const keyOf = (namespace: string, name: string) =>
      Object.keys(allowsPropagationTo({ namespace, name }))[0];
    assert.notEqual(keyOf('ab', 'c'), keyOf('a', 'bc'));
  });
});

test('a name that an old definition let be absent is a problem, as an empty one', () => {
  for (const problemOf of [secretNameProblem, secretEntryProblem, secretNamespaceProblem]) {
    assert.match(problemOf(undefined) ?? '', /can have the name ""/);
    assert.equal(problemOf(undefined), problemOf(''));
  }
});
