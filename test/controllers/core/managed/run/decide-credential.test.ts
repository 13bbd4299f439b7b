import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed, ManagedSpec, ManagedStatus } from '../../../../../apis/core/v1alpha1/managed.ts';
import type { CredentialNote, SecretDetails } from '../../../../../controllers/core/credential.ts';
import { generatedPassword, hmacOf } from '../../../../../controllers/core/credential.ts';
import type { CredentialDecision } from '../../../../../controllers/core/managed/run/decide-credential.ts';
import {
  claimOfNewNote,
  credentialDecisions,
  decideCredential,
} from '../../../../../controllers/core/managed/run/decide-credential.ts';
import { finalizers, secretKey } from '../../managed-scene.ts';
import { managed } from '../../objects.ts';

const key = 'a2V5';
const ledger = { apiVersion: 'v1', kind: 'Database', namespace: 'team-a', name: 'ledger', uid: 'claim-1' };
const { uid: _uid, ...ledgerWithoutUid } = ledger;
const forLedger = 'Database team-a/ledger';
const forOther = 'Database team-b/orders';

const credential: SecretDetails = {
  credential: {
    ...generatedPassword,
    rotationOf: ({ spec }) => (spec.forProvider as { readonly rotation?: string } | undefined)?.rotation,
  },
};
const reported: SecretDetails = { reportsSecrets: true };
const recorded = { hmac: hmacOf('secret', { key }, 'uid-db'), pending: false };

interface Case {
  readonly spec?: ManagedSpec;
  readonly status?: ManagedStatus;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly isHandMade?: true;
  /** The content of the Secret; absent: there is no Secret. */
  readonly note?: Partial<CredentialNote> | 'none';
  readonly details?: Readonly<Record<string, string>>;
  readonly isOwned?: false;
  readonly secretDetails?: SecretDetails;
  /** Absent: the run goes on. */
  readonly want?: object;
}

const cases: Readonly<Record<string, Case>> = {
  'a resource that a user created gets its finalizer first': {
    isHandMade: true,
    want: { name: 'AddFinalizer', act: 'update' },
  },
  'a status from a backup does not count for binding and credential': {
    spec: { claimRef: ledger },
    status: { bindingPhase: 'Bound', boundUID: 'another', credential: recorded, observedGeneration: 3 },
    want: { name: 'ResetStatus', act: 'updateStatus', status: { observedGeneration: 3 } },
  },
  'a resource that another version released stays Released': {
    status: { bindingPhase: 'Released' },
    note: 'none',
    want: { name: 'KeepReleased', act: 'update', claimRef: { uid: 'unknown' } },
  },
  'a provisioned resource without claim and status was released by another version': {
    spec: { classRef: { name: 'small' } },
    note: 'none',
    want: { name: 'KeepReleased', act: 'update', claimRef: { uid: 'unknown' } },
  },
  'a Released resource without claimRef is available': {
    status: { bindingPhase: 'Released', boundUID: 'uid-db' },
    note: { for: forLedger },
    want: { name: 'MakeAvailable', act: 'updateStatus', status: { bindingPhase: 'Unbound' } },
  },
  'a Released resource whose claimRef has no UID is available to that claim': {
    spec: { claimRef: ledgerWithoutUid },
    status: { bindingPhase: 'Released', boundUID: 'uid-db' },
    note: { for: forOther },
    want: { name: 'MakeAvailable', act: 'updateStatus', status: { bindingPhase: 'Unbound' } },
  },
  'a resource without a Secret gets a credential for the claim that it is reserved for': {
    spec: { claimRef: ledgerWithoutUid },
    want: { name: 'GenerateCredential', act: 'generate', note: { for: forLedger } },
  },
  'a resource without a claim gets a credential for no claim': {
    spec: { forProvider: { rotation: 'r1' } },
    want: { name: 'GenerateCredential', act: 'generate', note: { rotation: 'r1' } },
  },
  'a Released resource without a Secret gets a credential for no claim': {
    spec: { claimRef: ledger },
    status: { bindingPhase: 'Released', boundUID: 'uid-db' },
    want: { name: 'GenerateCredential', act: 'generate', note: {} },
  },
  'a Secret that lacks the entry gets one': {
    details: { endpoint: 'db.example' },
    note: 'none',
    want: { name: 'GenerateCredential', act: 'generate', note: {} },
  },
  'a resource that is only observed gets no credential': {
    spec: { managementPolicies: ['Observe'] },
  },
  'a resource that names no Secret gets no credential': {
    spec: { writeConnectionSecretToRef: undefined as never },
  },
  'a kind without secret details gets no credential': { secretDetails: {} },
  'a Secret without a note is adopted for the owner of a Bound resource': {
    spec: { claimRef: ledger, forProvider: { rotation: 'r1' } },
    status: { bindingPhase: 'Bound', boundUID: 'uid-db' },
    note: 'none',
    want: { name: 'AdoptSecret', act: 'annotate', note: { for: forLedger, rotation: 'r1' } },
  },
  'a Secret without a note is adopted for the owner if no status came with it': {
    spec: { claimRef: ledger },
    note: 'none',
    want: { name: 'AdoptSecret', act: 'annotate', note: { for: forLedger } },
  },
  'a Secret without a note is adopted for no known claim while a claim takes the resource': {
    spec: { claimRef: ledger },
    status: { bindingPhase: 'Unbound' },
    note: 'none',
    want: { name: 'AdoptSecret', act: 'annotate', note: { for: 'unknown' } },
  },
  'a Secret whose owner is gone is adopted with its note': {
    note: { for: forLedger, rotation: 'r1' },
    isOwned: false,
    want: { name: 'AdoptSecret', act: 'annotate', note: { for: forLedger, rotation: 'r1' } },
  },
  'a requested rotation replaces the credential for the same claim': {
    spec: { claimRef: ledger, forProvider: { rotation: 'r2' } },
    note: { for: forLedger, rotation: 'r1' },
    want: { name: 'RotateCredential', act: 'generate', note: { for: forLedger, rotation: 'r2' } },
  },
  'a Released resource rotates for its previous claim': {
    spec: { claimRef: ledger, forProvider: { rotation: 'r2' } },
    status: { bindingPhase: 'Released', boundUID: 'uid-db' },
    note: { for: forLedger },
    want: { name: 'RotateCredential', act: 'generate', note: { for: forLedger, rotation: 'r2' } },
  },
  'a rotation waits until policies allow Update': {
    spec: { managementPolicies: ['Observe', 'Create'], forProvider: { rotation: 'r2' } },
    note: {},
  },
  'a removed request rotates nothing': {
    note: { rotation: 'r1' },
  },
  'the next claim gets its own credential': {
    spec: { claimRef: ledger },
    status: { bindingPhase: 'Unbound' },
    note: { for: forOther, rotation: 'r1' },
    want: { name: 'ReplaceCredential', act: 'generate', note: { for: forLedger, rotation: 'r1' } },
  },
  'a Released resource keeps the credential of its previous claim': {
    spec: { claimRef: ledger },
    status: { bindingPhase: 'Released', boundUID: 'uid-db' },
    note: { for: forOther },
  },
  'a credential that policies keep from being replaced is not given to the next claim': {
    spec: { claimRef: ledger, managementPolicies: ['Observe', 'Create'] },
    note: { for: forOther },
    want: {
      name: 'CredentialCannotChange',
      act: 'report',
      message:
        'the previous claim knows the credentials, so that Database team-a/ledger cannot have them: spec.managementPolicies do not allow Update; add Update, or set the annotation crossplane.io/reoffer=with-same-credentials',
    },
  },
  'a credential that the external system generates is not given to the next claim': {
    spec: { claimRef: ledger },
    secretDetails: reported,
    note: { for: forOther },
    want: {
      name: 'CredentialCannotChange',
      act: 'report',
      message:
        'the previous claim knows the credentials, so that Database team-a/ledger cannot have them: the external system generates its credentials; have it generate others, then set the annotation crossplane.io/reoffer=with-same-credentials',
    },
  },
  'an administrator gives the next claim the same credential': {
    spec: { claimRef: ledger },
    secretDetails: reported,
    annotations: { 'crossplane.io/reoffer': 'with-same-credentials' },
    note: { for: forOther },
    want: { name: 'NameClaim', act: 'annotate', note: { for: forLedger } },
  },
  'the first claim gets the credential that no claim has used': {
    spec: { claimRef: ledger },
    note: {},
    want: { name: 'NameClaim', act: 'annotate', note: { for: forLedger } },
  },
  'a reservation without UID does not name the claim yet': {
    spec: { claimRef: ledgerWithoutUid },
    note: {},
  },
  'an edited credential clears the record of the previous one': {
    status: { credential: recorded, observedGeneration: 2 },
    details: { password: 'edited' },
    note: {},
    want: { name: 'ClearRecord', act: 'updateStatus', status: { observedGeneration: 2 } },
  },
  'an applied credential stays': {
    spec: { claimRef: ledger },
    status: { bindingPhase: 'Bound', boundUID: 'uid-db', credential: recorded },
    note: { for: forLedger },
  },
};

function decide(given: Case): {
  readonly object: Managed;
  readonly decision: CredentialDecision | undefined;
} {
  const {
    spec,
    status,
    annotations,
    note,
    details = { password: 'secret' },
    secretDetails = credential,
  } = given;
  const object = managed(
    { writeConnectionSecretToRef: secretKey, ...spec },
    {
      uid: 'uid-db',
      ...(given.isHandMade ? {} : { finalizers }),
      ...(annotations && { annotations }),
      ...(status && { status }),
    },
  );
  const kept =
    note === undefined
      ? undefined
      : { details, note: note === 'none' ? undefined : { key, ...note }, isOwned: given.isOwned ?? true };
  return { object, decision: decideCredential({ managed: object, kept, secretDetails }) };
}

/** A written object as what it changes. */
function summary(decision: CredentialDecision | undefined): object | undefined {
  if (decision?.act === 'updateStatus') {
    const { desired, ...rest } = decision;
    return { ...rest, status: desired.status };
  }
  if (decision?.act !== 'update') return decision;
  const { desired, ...rest } = decision;
  return decision.name === 'KeepReleased' ? { ...rest, claimRef: desired.spec.claimRef } : rest;
}

describe('the decision about the credential', () => {
  for (const [rule, given] of Object.entries(cases)) {
    test(rule, () => {
      const { decision } = decide(given);
      assert.deepEqual(summary(decision), given.want);
    });
  }

  test('every decision has a case', () => {
    const taken = new Set(Object.values(cases).flatMap((given) => decide(given).decision?.name ?? []));
    assert.deepEqual([...taken].toSorted(), credentialDecisions.toSorted());
  });

  test('AddFinalizer changes only the finalizer', () => {
    const { object, decision } = decide({ isHandMade: true });
    assert.deepEqual(decision, {
      name: 'AddFinalizer',
      act: 'update',
      desired: { ...object, metadata: { ...object.metadata, finalizers } },
    });
  });
});

describe('a note that is written again, with details that the external system generates', () => {
  const named = (status: ManagedStatus | undefined) =>
    claimOfNewNote({ ...managed({ claimRef: ledger }), ...(status && { status }) }, reported);

  test('names the claim of a resource that was never ready', () => assert.equal(named(undefined), forLedger));
  test('names the claim that the resource is bound to', () =>
    assert.equal(named({ bindingPhase: 'Bound' }), forLedger));
  test('names no known claim if a previous claim may know the details', () =>
    assert.equal(named({ bindingPhase: 'Unbound' }), 'unknown'));
  test('names the claim if this product generates the credential', () =>
    assert.equal(
      claimOfNewNote({ ...managed({ claimRef: ledger }), status: { bindingPhase: 'Unbound' } }, credential),
      forLedger,
    ));
});
