import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { controllerReference } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { allowsPropagationTo, encodeDetails, propagatesFrom } from '../../../apis/core/v1alpha1/secret.ts';
import {
  credentialAnnotation,
  encodeNote,
  generatedPassword,
  hmacOf,
} from '../../../controllers/credential.ts';
import type {
  PropagationDecision,
  PropagationFacts,
} from '../../../controllers/secret-propagation/decide.ts';
import { decidePropagation, propagationDecisions } from '../../../controllers/secret-propagation/decide.ts';
import { claim, claimRef, deletionTimestamp, managed, secretOf } from '../objects.ts';

const owner = claim();
const credential = { hmac: hmacOf('new', { key: 'a2V5' }, 'managed-uid'), pending: false };
const published = { writeConnectionSecretToRef: { namespace: 'system', name: 'src' } };
const bound = managed(
  { ...published, claimRef: claimRef() },
  { status: { bindingPhase: 'Bound', boundUID: 'managed-uid', credential } },
);
const source: Secret = secretOf(
  {
    namespace: 'system',
    name: 'src',
    ownerReferences: [controllerReference(bound)],
    annotations: {
      ...allowsPropagationTo({ namespace: 'team', name: 'conn' }),
      [credentialAnnotation]: encodeNote({ key: 'a2V5', for: 'FancySQLInstance team/orders' }),
    },
  },
  { data: encodeDetails({ password: 'new' }) },
);
const target: Secret = secretOf(
  {
    namespace: 'team',
    name: 'conn',
    ownerReferences: [controllerReference(owner)],
    annotations: propagatesFrom({ namespace: 'system', name: 'src' }),
  },
  { data: encodeDetails({ password: 'old' }) },
);
const without = (secret: Secret, part: 'annotations' | 'ownerReferences'): Secret => {
  const { [part]: _removed, ...metadata } = secret.metadata;
  return { ...secret, metadata: metadata as Secret['metadata'] };
};
const chain: PropagationFacts = {
  isServed: true,
  secretDetails: { credential: generatedPassword },
  target,
  source,
  claim: owner,
  resourceClass: undefined,
  managed: bound,
};
const withStatus = (status: typeof bound.status) => ({
  managed: { ...bound, status: { ...bound.status, ...status } },
});

const notBound: PropagationDecision = {
  name: 'NotBound',
  message: 'FavouriteDBInstance db is not bound to FancySQLInstance orders',
};

const nothing: PropagationDecision = { name: 'NothingToCopyTo' };
const notApplied: PropagationDecision = { name: 'CredentialNotApplied' };
const copies: PropagationDecision = { name: 'CopySecret', desired: { ...target, data: source.data ?? {} } };
const noConsent: PropagationDecision = {
  name: 'NoConsent',
  message: 'connection secret system/src does not consent to be copied to team/conn',
};
const annotated = (annotations: Readonly<Record<string, string>>) => ({
  source: { ...source, metadata: { ...source.metadata, annotations } },
});
const consenting = (to: Parameters<typeof allowsPropagationTo>[0]) => annotated(allowsPropagationTo(to));
const isNot = (name: 'SourceNotControlled' | 'TargetNotControlled', whose: string): PropagationDecision => ({
  name,
  message: `${name === 'SourceNotControlled' ? 'connection secret system/src' : 'secret team/conn'} is not controlled by ${whose}`,
});

function decides(given: Partial<PropagationFacts>, want: PropagationDecision): PropagationDecision {
  assert.deepEqual(decidePropagation({ ...chain, ...given }), want);
  return want;
}

const cases: Readonly<Record<string, () => PropagationDecision>> = {
  'a Secret that was deleted gets nothing': () => decides({ target: undefined }, nothing),
  'a Secret that is being deleted gets nothing': () =>
    decides({ target: { ...target, metadata: { ...target.metadata, deletionTimestamp } } }, nothing),
  'a Secret that names no source gets nothing': () =>
    decides({ target: without(target, 'annotations') }, nothing),
  'a Secret waits for its source': () => decides({ source: undefined }, { name: 'SourceMissing' }),
  'a source of a kind that no ready stack serves is not copied': () =>
    decides({ isServed: false }, { name: 'NotServed' }),
  'a source without a controller is not copied': () =>
    decides(
      { source: without(source, 'ownerReferences') },
      isNot('SourceNotControlled', 'FavouriteDBInstance db'),
    ),
  'a source that consents to no copy of this name is not copied': () =>
    decides(consenting({ namespace: 'team', name: 'other' }), noConsent),
  'a source that consents to a copy in another namespace is not copied': () =>
    decides(consenting({ namespace: 'rival', name: 'conn' }), noConsent),
  'a source whose resource does not exist is not copied': () =>
    decides({ managed: undefined }, isNot('SourceNotControlled', 'a managed resource that exists')),
  'a source of a previous resource of the same name is not copied': () =>
    decides(
      { managed: managed(bound.spec, { uid: 'new-uid' }) },
      isNot('SourceNotControlled', 'FavouriteDBInstance db'),
    ),
  'a Secret whose claim does not exist gets nothing': () =>
    decides({ claim: undefined }, isNot('TargetNotControlled', 'a claim that exists')),
  'no Event for a Secret without a controller, as a restore leaves it': () =>
    decides(
      { claim: undefined, target: without(target, 'ownerReferences') },
      { name: 'TargetNotControlled' },
    ),
  'a Secret of a previous claim of the same name gets nothing': () =>
    decides(
      { claim: claim({}, { uid: 'new-uid' }) },
      isNot('TargetNotControlled', 'FancySQLInstance orders'),
    ),
  'a resource that is Unbound shares nothing': () =>
    decides(withStatus({ bindingPhase: 'Unbound' }), notBound),
  'a Released resource shares nothing': () => decides(withStatus({ bindingPhase: 'Released' }), notBound),
  'no Event for the Secret of a deleted claim, which is about to be deleted, too': () =>
    decides(
      { ...withStatus({ bindingPhase: 'Released' }), claim: claim({}, { deletionTimestamp }) },
      { name: 'NotBound' },
    ),
  'a resource of another claim shares nothing': () =>
    decides({ managed: { ...bound, spec: { claimRef: claimRef({ uid: 'another' }) } } }, notBound),
  'a password that the external system does not have yet is not copied': () =>
    decides(
      withStatus({ credential: { hmac: hmacOf('old', { key: 'a2V5' }, 'managed-uid'), pending: false } }),
      notApplied,
    ),
  'a password that the external system does not use yet is not copied': () =>
    decides(withStatus({ credential: { ...credential, pending: true } }), notApplied),
  'the password of another claim is not copied': () =>
    decides(
      annotated({
        ...source.metadata.annotations,
        [credentialAnnotation]: encodeNote({ key: 'a2V5', for: 'FancySQLInstance team/rival' }),
      }),
      notApplied,
    ),
  'an immutable Secret cannot get other data': () =>
    decides(
      { target: { ...target, immutable: true } },
      {
        name: 'TargetImmutable',
        message:
          'secret team/conn is immutable and differs from its source; once its values are not needed, delete it, and it is created again',
      },
    ),
  'a Secret with the data of its source stays as it is': () =>
    decides({ target: { ...target, data: source.data ?? {} } }, { name: 'InSync' }),
  'a Secret gets the data of its source, and not the note': () => decides({}, copies),
  'details that are not secret need no record': () =>
    decides(
      { secretDetails: undefined, ...withStatus({ credential: { hmac: 'x', pending: false } }) },
      copies,
    ),
};

describe('Secret propagation decides', () => {
  for (const [rule, check] of Object.entries(cases)) test(rule, () => void check());

  test('every decision has a case', () => {
    const decided = new Set(Object.values(cases).map((check) => check().name));
    assert.deepEqual([...decided].toSorted(), propagationDecisions.toSorted());
  });
});
