import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import mapValues from 'lodash/mapValues.js';
import { controllerReference } from '../../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../../apis/core/v1alpha1/secret.ts';
import { allowsPropagationTo, encodeDetails, propagatesFrom } from '../../../../apis/core/v1alpha1/secret.ts';
import {
  credentialAnnotation,
  encodeNote,
  generatedPassword,
  hmacOf,
} from '../../../../controllers/core/credential.ts';
import type {
  PropagationDecision,
  PropagationFacts,
} from '../../../../controllers/core/secret-propagation/decide.ts';
import {
  decidePropagation,
  propagationDecisions,
} from '../../../../controllers/core/secret-propagation/decide.ts';
import { claim, claimKind, claimRef, deletionTimestamp, managed, managedKind, secretOf } from '../objects.ts';

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
  kind: managedKind,
  secretDetails: { credential: generatedPassword },
  target,
  source,
  claim: owner,
  managed: bound,
};
const withStatus = (status: typeof bound.status) => ({
  managed: { ...bound, status: { ...bound.status, ...status } },
});

const notBound: PropagationDecision = {
  name: 'NotBound',
  message: 'FavouriteDBInstance db is not bound to FancySQLInstance orders',
};

const cases: Record<string, { given: Partial<PropagationFacts>; want: PropagationDecision }> = {
  'a Secret that was deleted gets nothing': {
    given: { target: undefined },
    want: { name: 'NothingToCopyTo' },
  },
  'a Secret that is being deleted gets nothing': {
    given: { target: { ...target, metadata: { ...target.metadata, deletionTimestamp } } },
    want: { name: 'NothingToCopyTo' },
  },
  'a Secret that names no source gets nothing': {
    given: { target: without(target, 'annotations') },
    want: { name: 'NothingToCopyTo' },
  },
  'a Secret waits for its source': { given: { source: undefined }, want: { name: 'SourceMissing' } },
  'a source of another kind of resource is left to another controller': {
    given: { source: without(source, 'ownerReferences') },
    want: { name: 'OtherKind' },
  },
  'the Secret of a claim of another kind is left to another controller': {
    given: { besides: [claimKind] },
    want: { name: 'OtherKind' },
  },
  ...mapValues(
    {
      'a source that consents to no copy of this name is not copied': { namespace: 'team', name: 'other' },
      'a source that consents to a copy in another namespace is not copied': {
        namespace: 'rival',
        name: 'conn',
      },
    },
    (consent) => ({
      given: {
        source: {
          ...source,
          metadata: { ...source.metadata, annotations: allowsPropagationTo(consent) },
        },
      },
      want: {
        name: 'NoConsent' as const,
        message: 'connection secret system/src does not consent to be copied to team/conn',
      },
    }),
  ),
  'a source whose resource does not exist is not copied': {
    given: { managed: undefined },
    want: {
      name: 'SourceNotControlled',
      message: 'connection secret system/src is not controlled by a managed resource that exists',
    },
  },
  'a source of a previous resource of the same name is not copied': {
    given: { managed: managed(bound.spec, { uid: 'new-uid' }) },
    want: {
      name: 'SourceNotControlled',
      message: 'connection secret system/src is not controlled by FavouriteDBInstance db',
    },
  },
  'a Secret whose claim does not exist gets nothing': {
    given: { claim: undefined },
    want: {
      name: 'TargetNotControlled',
      message: 'secret team/conn is not controlled by a claim that exists',
    },
  },
  'a Secret of a previous claim of the same name gets nothing': {
    given: { claim: claim({}, { uid: 'new-uid' }) },
    want: {
      name: 'TargetNotControlled',
      message: 'secret team/conn is not controlled by FancySQLInstance orders',
    },
  },
  'a resource that is Unbound shares nothing': {
    given: withStatus({ bindingPhase: 'Unbound' }),
    want: notBound,
  },
  'a Released resource shares nothing': {
    given: withStatus({ bindingPhase: 'Released' }),
    want: notBound,
  },
  'no Event for the Secret of a deleted claim, which is about to be deleted, too': {
    given: {
      ...withStatus({ bindingPhase: 'Released' }),
      claim: claim({}, { deletionTimestamp }),
    },
    want: { name: 'NotBound' },
  },
  'a resource of another claim shares nothing': {
    given: { managed: { ...bound, spec: { claimRef: claimRef({ uid: 'another' }) } } },
    want: notBound,
  },
  'a password that the external system does not have yet is not copied': {
    given: withStatus({
      credential: { hmac: hmacOf('old', { key: 'a2V5' }, 'managed-uid'), pending: false },
    }),
    want: { name: 'CredentialNotApplied' },
  },
  'a password that the external system does not use yet is not copied': {
    given: withStatus({ credential: { ...credential, pending: true } }),
    want: { name: 'CredentialNotApplied' },
  },
  'the password of another claim is not copied': {
    given: {
      source: {
        ...source,
        metadata: {
          ...source.metadata,
          annotations: {
            ...source.metadata.annotations,
            [credentialAnnotation]: encodeNote({ key: 'a2V5', for: 'FancySQLInstance team/rival' }),
          },
        },
      },
    },
    want: { name: 'CredentialNotApplied' },
  },
  'an immutable Secret cannot get other data': {
    given: { target: { ...target, immutable: true } },
    want: {
      name: 'TargetImmutable',
      message:
        'secret team/conn is immutable and differs from its source; delete it, and it is created again',
    },
  },
  'a Secret with the data of its source stays as it is': {
    given: { target: { ...target, data: source.data ?? {} } },
    want: { name: 'InSync' },
  },
  'a Secret gets the data of its source, and not the note': {
    given: {},
    want: { name: 'CopySecret', desired: { ...target, data: source.data ?? {} } },
  },
  'details that are not secret need no record': {
    given: { secretDetails: undefined, ...withStatus({ credential: { hmac: 'x', pending: false } }) },
    want: { name: 'CopySecret', desired: { ...target, data: source.data ?? {} } },
  },
};

describe('Secret propagation decides', () => {
  for (const [rule, { given, want }] of Object.entries(cases)) {
    test(rule, () => assert.deepEqual(decidePropagation({ ...chain, ...given }), want));
  }

  test('every decision has a case', () => {
    const decided = new Set(Object.values(cases).map(({ want }) => want.name));
    assert.deepEqual([...decided].toSorted(), propagationDecisions.toSorted());
  });
});
