import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { controllerReference } from '../../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../../apis/core/v1alpha1/secret.ts';
import {
  allowsPropagationTo,
  controlOf,
  decodeDetails,
  encodeDetails,
  propagatesFrom,
  propagationSource,
  propagationTargets,
} from '../../../../apis/core/v1alpha1/secret.ts';
import type { PropagationInput } from '../../../../controllers/core/secret-propagation/decide.ts';
import {
  decidePropagation,
  propagationDecisions,
} from '../../../../controllers/core/secret-propagation/decide.ts';
import { assertEveryDecision } from '../every-decision.ts';
import {
  claim,
  claimKind,
  claimRef,
  deletionTimestamp,
  managed,
  managedKind,
  otherManagedKind,
  resourceRef,
} from '../objects.ts';

const boundClaim = claim({ resourceRef: resourceRef('db'), writeConnectionSecretToRef: { name: 'conn' } });
const boundManaged = managed({
  claimRef: claimRef(),
  writeConnectionSecretToRef: { namespace: 'system', name: 'src' },
});

const secret = (over: Partial<Secret> & { metadata: Secret['metadata'] }): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'connection.crossplane.io/v1alpha1',
  ...over,
});
const source = secret({
  metadata: {
    namespace: 'system',
    name: 'src',
    ownerReferences: [controllerReference(boundManaged)],
    annotations: allowsPropagationTo({ namespace: 'team', name: 'conn' }),
  },
  data: encodeDetails({ password: 'new', endpoint: 'host' }),
});
const target = secret({
  metadata: {
    namespace: 'team',
    name: 'conn',
    ownerReferences: [controllerReference(boundClaim)],
    annotations: propagatesFrom({ namespace: 'system', name: 'src' }),
  },
  data: encodeDetails({ password: 'old', extra: 'edited in' }),
});
const all: PropagationInput = { kind: managedKind, target, source, claim: boundClaim, managed: boundManaged };
const without = (object: Secret, ...keys: (keyof Secret['metadata'])[]): Secret => ({
  ...object,
  metadata: Object.fromEntries(
    Object.entries(object.metadata).filter(([key]) => !keys.includes(key as keyof Secret['metadata'])),
  ) as Secret['metadata'] & object,
});

const consentingTo = (to: { readonly namespace: string; readonly name: string }): Secret => ({
  ...source,
  metadata: { ...source.metadata, annotations: allowsPropagationTo(to) },
});

const edited = (uid: string, bindingPhase: 'Bound' | 'Unbound'): Partial<PropagationInput> => ({
  claim: claim({ ...boundClaim.spec, resourceRef: resourceRef('another') }),
  managed: managed({ ...boundManaged.spec, claimRef: claimRef({ uid }) }, { status: { bindingPhase } }),
});

/** The target with its source's data, and nothing else changed. */
const renewed = ({ target: before, source: from }: PropagationInput) => ({ ...before, data: from?.data });

describe('secret propagation decides', () => {
  const rows: Record<
    string,
    { input: Partial<PropagationInput>; name: string; act: string; message?: string }
  > = {
    'CopySecret: a bound claim whose resourceRef was edited keeps its secret up to date': {
      input: edited('claim-uid', 'Bound'),
      name: 'CopySecret',
      act: 'update',
    },
    'NotBound: a claim that names another resource is not the former claim of its name': {
      input: edited('former-uid', 'Bound'),
      name: 'NotBound',
      act: 'refuse',
      message: 'FancySQLInstance orders and FavouriteDBInstance db are not bound to each other',
    },
    "NotBound: a resource that a former claim of this name had: binding refuses it, and its secret stays the former's":
      {
        input: {
          managed: managed(
            { ...boundManaged.spec, claimRef: claimRef({ uid: 'former-uid' }) },
            { status: { bindingPhase: 'Bound' } },
          ),
        },
        name: 'NotBound',
        act: 'refuse',
        message: 'FancySQLInstance orders and FavouriteDBInstance db are not bound to each other',
      },
    'NotBound: a claim that names another resource and is not bound yet': {
      input: edited('claim-uid', 'Unbound'),
      name: 'NotBound',
      act: 'refuse',
      message: 'FancySQLInstance orders and FavouriteDBInstance db are not bound to each other',
    },
    'NothingToCopyTo: ToNotFound': { input: { target: undefined }, name: 'NothingToCopyTo', act: 'nothing' },
    'NothingToCopyTo: a target being deleted': {
      input: { target: { ...target, metadata: { ...target.metadata, deletionTimestamp } } },
      name: 'NothingToCopyTo',
      act: 'nothing',
    },
    'NoSource: a secret that names no source is no target': {
      input: { target: without(target, 'annotations') },
      name: 'NoSource',
      act: 'nothing',
    },
    'SourceMissing: FromNotFound: its creation wakes the target': {
      input: { source: undefined },
      name: 'SourceMissing',
      act: 'nothing',
    },
    'NoConsent: PropagationNotAllowedError: the source must consent': {
      input: { source: without(source, 'annotations') },
      name: 'NoConsent',
      act: 'refuse',
      message: 'the propagating connection secret system/src does not allow propagation to team/conn',
    },
    'NoConsent: consent to a target of that name elsewhere is not consent': {
      input: { source: consentingTo({ namespace: 'rivals', name: 'conn' }) },
      name: 'NoConsent',
      act: 'refuse',
      message: 'the propagating connection secret system/src does not allow propagation to team/conn',
    },
    'NoConsent: nor is consent to another target of that namespace': {
      input: { source: consentingTo({ namespace: 'team', name: 'other' }) },
      name: 'NoConsent',
      act: 'refuse',
      message: 'the propagating connection secret system/src does not allow propagation to team/conn',
    },
    'NotBound: a claim that names a resource of that name, but of another kind': {
      input: { claim: claim({ ...boundClaim.spec, resourceRef: resourceRef('db', otherManagedKind) }) },
      name: 'NotBound',
      act: 'refuse',
      message: 'FancySQLInstance orders and FavouriteDBInstance db are not bound to each other',
    },
    'OtherKind: a source nobody controls': {
      input: { source: without(source, 'ownerReferences') },
      name: 'OtherKind',
      act: 'nothing',
    },
    "OtherKind: another kind's source is its own controller's business": {
      input: { kind: otherManagedKind },
      name: 'OtherKind',
      act: 'nothing',
    },
    'OtherKind: a target of a claim of another kind that the managed kind satisfies as well': {
      input: { claim: undefined, besides: [claimKind] },
      name: 'OtherKind',
      act: 'nothing',
    },
    'SourceNotControlled: a managed resource that is gone': {
      input: { managed: undefined },
      name: 'SourceNotControlled',
      act: 'refuse',
      message: 'connection secret system/src is not controlled by a managed resource that exists',
    },
    'SourceNotControlled: a source that a former managed resource of that name controlled': {
      input: { managed: { ...boundManaged, metadata: { ...boundManaged.metadata, uid: 'another-uid' } } },
      name: 'SourceNotControlled',
      act: 'refuse',
      message: 'connection secret system/src is not controlled by FavouriteDBInstance db as it is there now',
    },
    "TargetNotControlled: a target that is another claim's": {
      input: { claim: claim({ resourceRef: resourceRef('db') }, { name: 'other', uid: 'other-uid' }) },
      name: 'TargetNotControlled',
      act: 'refuse',
      message: 'secret team/conn is not controlled by FancySQLInstance other as it is there now',
    },
    'TargetNotControlled: a target whose claim is gone': {
      input: { claim: undefined },
      name: 'TargetNotControlled',
      act: 'refuse',
      message: 'secret team/conn is not controlled by a claim that exists',
    },
    'NotBound: a claim bound to something else': {
      input: { claim: claim({ resourceRef: resourceRef('other-db') }) },
      name: 'NotBound',
      act: 'refuse',
      message: 'FancySQLInstance orders and FavouriteDBInstance db are not bound to each other',
    },
    'NotBound: a managed resource bound to another claim': {
      input: {
        managed: managed({ ...boundManaged.spec, claimRef: claimRef({ namespace: 'rivals' }) }),
      },
      name: 'NotBound',
      act: 'refuse',
      message: 'FancySQLInstance orders and FavouriteDBInstance db are not bound to each other',
    },
    'TargetImmutable: an immutable copy that is to change': {
      input: { target: { ...target, immutable: true } },
      name: 'TargetImmutable',
      act: 'refuse',
      message:
        'secret team/conn is immutable, and is no copy of its source any more; delete it, and it is made again',
    },
    'InSync: an immutable copy that is as it should be': {
      input: { target: { ...target, immutable: true, data: source.data ?? {} } },
      name: 'InSync',
      act: 'nothing',
    },
    'CopySecret: SuccessfulSingle': { input: {}, name: 'CopySecret', act: 'update' },
    'InSync: the same data is not written again': {
      input: { target: { ...target, data: source.data ?? {} } },
      name: 'InSync',
      act: 'nothing',
    },
  };
  test('every decision has a case', () => assertEveryDecision(propagationDecisions, rows));
  for (const [name, wanted] of Object.entries(rows)) {
    test(name, () => {
      const input = { ...all, ...wanted.input };
      const { name: decided, act, message } = wanted;
      const rest = { ...(message && { message }), ...(act === 'update' && { desired: renewed(input) }) };
      assert.deepEqual(decidePropagation(input), { name: decided, act, ...rest });
    });
  }
  test("H10, CopySecret: the target gets exactly the source's data, and keeps its type (H11)", () => {
    const decision = decidePropagation({ ...all, target: { ...target, type: 'Opaque' } });
    assert.ok(decision.act === 'update');
    assert.deepEqual(decodeDetails(decision.desired), { password: 'new', endpoint: 'host' });
    assert.equal(decision.desired.type, 'Opaque');
  });
});

describe('propagation annotations', () => {
  test('namespaces and names that run together the same do not collide', () => {
    const [a] = Object.keys(allowsPropagationTo({ namespace: 'ab', name: 'c' }));
    const [b] = Object.keys(allowsPropagationTo({ namespace: 'a', name: 'bc' }));
    assert.notEqual(a, b);
  });
  test('a source may have several targets, whatever their keys; malformed ones do not count', () => {
    const annotations = {
      'to.propagate.crossplane.io/x': 'a/b',
      'to.propagate.crossplane.io/any-suffix': 'c/d',
      'to.propagate.crossplane.io/broken': 'c/d/e',
      'to.propagate.crossplane.io/empty': '/d',
      other: 'e/f',
    };
    const targets = propagationTargets(secret({ metadata: { name: 's', annotations } }));
    assert.deepEqual(targets, [
      { namespace: 'a', name: 'b' },
      { namespace: 'c', name: 'd' },
    ]);
  });
  test('a target names its source in full or not at all', () => {
    const half = { 'from.propagate.crossplane.io/namespace': 'a' };
    assert.equal(propagationSource(secret({ metadata: { name: 's', annotations: half } })), undefined);
    assert.deepEqual(propagationSource(target), { namespace: 'system', name: 'src' });
  });
});

describe('control of a connection secret', () => {
  const owned = (over: object) =>
    secret({ metadata: { name: 's', ownerReferences: [{ ...controllerReference(boundManaged), ...over }] } });
  const rows: Record<string, { secret: Secret; want: 'controlled' | 'adoptable' | RegExp }> = {
    ControlledBySuppliedUID: { secret: owned({}), want: 'controlled' },
    'Adoptable: a connection secret nobody controls': {
      secret: secret({ metadata: { name: 's' } }),
      want: 'adoptable',
    },
    'Adoptable: the same owner before a restore, with another UID': {
      secret: owned({ uid: 'before' }),
      want: 'adoptable',
    },
    ControlledBySomeoneElse: {
      secret: owned({ name: 'other', uid: 'other' }),
      want: /controlled by FavouriteDBInstance other/,
    },
    UncontrolledOpaqueSecret: {
      secret: secret({ metadata: { name: 's' }, type: 'Opaque' }),
      want: /refusing to modify uncontrolled secret of type "Opaque"/,
    },
  };
  for (const [name, { secret: existing, want }] of Object.entries(rows)) {
    test(name, () => {
      const control = controlOf(existing, boundManaged);
      if (want instanceof RegExp) assert.match(typeof control === 'object' ? control.refusal : control, want);
      else assert.equal(control, want);
    });
  }
});
