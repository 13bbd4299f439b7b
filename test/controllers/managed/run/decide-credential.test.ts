import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ManagedSpec, ManagedStatus } from '../../../../apis/core/v1alpha1/managed.ts';
import type { CredentialNote, SecretDetails } from '../../../../controllers/credential.ts';
import { generatedPassword, hmacOf } from '../../../../controllers/credential.ts';
import {
  claimOfNewNote,
  decideCredential,
  whyCredentialStays,
} from '../../../../controllers/managed/run/decide-credential.ts';
import { credentialDecisions } from '../../../../controllers/managed/run/decision.ts';
import type { Facts } from '../../../../controllers/managed/run/facts.ts';
import { entryOf, factsAbout, kindFacts } from '../../managed-facts.ts';
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

type Name = (typeof credentialDecisions)[number];

interface Given {
  readonly spec?: ManagedSpec;
  readonly status?: ManagedStatus;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly isHandMade?: true;
  /** The content of the Secret; absent: there is no Secret. */
  readonly note?: Partial<CredentialNote> | 'none';
  readonly details?: Readonly<Record<string, string>>;
  readonly isOwned?: false;
  readonly secretDetails?: SecretDetails;
}

const [claimed, reserved] = [{ claimRef: ledger }, { claimRef: ledgerWithoutUid }];
const firstRotation = { for: forLedger, rotation: 'r1' };
const nextRotation = { for: forLedger, rotation: 'r2' };
const rotating = { forProvider: { rotation: 'r2' } };
const released = { bindingPhase: 'Released', boundUID: 'uid-db' } as const;
const bound = { bindingPhase: 'Bound', boundUID: 'uid-db' } as const;
const unbound = { bindingPhase: 'Unbound' } as const;
const keepReleased = { name: 'KeepReleased', act: 'update', claimRef: { uid: 'unknown' } };
const makeAvailable = { name: 'MakeAvailable', act: 'updateStatus', status: unbound };
const generates = (name: Name, note: object) => ({ name, act: 'generate', note });
const annotates = (name: Name, note: object) => ({ name, act: 'annotate', note });

type Decision = ReturnType<typeof decideCredential>;

function decides(want: object | undefined, given: Given): Decision {
  const decision = decideCredential(factsFor(given));
  assert.deepEqual(summary(decision), want);
  return decision;
}

/** The run goes on, and its report says why the claim cannot have the credential. */
function cannotChange(why: string, given: Given): Decision {
  const message = `the previous claim knows the credentials, so that Database team-a/ledger cannot have them: ${why}`;
  assert.equal(whyCredentialStays(factsFor(given)), message);
  return decides(undefined, given);
}

/** Undefined: the run goes on. */
const cases: Readonly<Record<string, () => Decision>> = {
  'a resource that a user created gets its finalizer first': () =>
    decides({ name: 'AddFinalizer', act: 'update' }, { isHandMade: true }),
  'a status from a backup does not count for binding and credential': () =>
    decides(
      { name: 'ResetStatus', act: 'updateStatus', status: { observedGeneration: 3 } },
      {
        spec: claimed,
        status: { bindingPhase: 'Bound', boundUID: 'another', credential: recorded, observedGeneration: 3 },
      },
    ),
  'a resource that another version released stays Released': () =>
    decides(keepReleased, { status: { bindingPhase: 'Released' }, note: 'none' }),
  'a provisioned resource without claim and status was released by another version': () =>
    decides(keepReleased, { spec: { classRef: { name: 'small' } }, note: 'none' }),
  'a resource that another version released stays Released, although it has no Secret': () =>
    decides(keepReleased, { status: { bindingPhase: 'Released' } }),
  'a provisioned resource without claim, status and Secret is new: its claimRef was removed': () =>
    decides(generates('GenerateCredential', {}), { spec: { classRef: { name: 'small' } } }),
  'a provisioned resource without claim and status whose Secret has a note was made available': () =>
    decides(undefined, { spec: { classRef: { name: 'small' } }, note: { for: forLedger } }),
  'a provisioned resource with a phase and without claim is adopted for no known claim': () =>
    decides(annotates('AdoptSecret', { for: 'unknown' }), {
      spec: { classRef: { name: 'small' } },
      status: unbound,
      note: 'none',
    }),
  'a provisioned resource that is reserved for a claim is adopted for no known claim': () =>
    decides(annotates('AdoptSecret', { for: 'unknown' }), {
      spec: { classRef: { name: 'small' }, ...reserved },
      note: 'none',
    }),
  'a status without a phase is not reset': () =>
    decides(undefined, { status: { boundUID: 'another' }, note: {} }),
  'a Released resource without claimRef is available': () =>
    decides(makeAvailable, { status: released, note: { for: forLedger } }),
  'a Released resource whose claimRef has no UID is available to that claim': () =>
    decides(makeAvailable, { spec: reserved, status: released, note: { for: forOther } }),
  'a resource without a Secret gets a credential for the claim that it is reserved for': () =>
    decides(generates('GenerateCredential', { for: forLedger }), { spec: reserved }),
  'a resource without a claim gets a credential for no claim': () =>
    decides(generates('GenerateCredential', { rotation: 'r1' }), {
      spec: { forProvider: { rotation: 'r1' } },
    }),
  'a Released resource without a Secret gets a credential for no claim': () =>
    decides(generates('GenerateCredential', {}), { spec: claimed, status: released }),
  'a Secret that lacks the entry gets one': () =>
    decides(generates('GenerateCredential', {}), { details: { endpoint: 'db.example' }, note: 'none' }),
  'a resource that is only observed gets no credential': () =>
    decides(undefined, { spec: { managementPolicies: ['Observe'] } }),
  'a resource that names no Secret gets no credential': () =>
    decides(undefined, { spec: { writeConnectionSecretToRef: undefined as never } }),
  'a kind without secret details gets no credential': () => decides(undefined, { secretDetails: {} }),
  'a Secret without a note is adopted for the owner of a Bound resource': () =>
    decides(annotates('AdoptSecret', firstRotation), {
      spec: { claimRef: ledger, forProvider: { rotation: 'r1' } },
      status: bound,
      note: 'none',
    }),
  'a Secret without a note is adopted for the owner if no status came with it': () =>
    decides(annotates('AdoptSecret', { for: forLedger }), { spec: claimed, note: 'none' }),
  'a Secret without a note is adopted for no known claim while a claim takes the resource': () =>
    decides(annotates('AdoptSecret', { for: 'unknown' }), { spec: claimed, status: unbound, note: 'none' }),
  'a Secret whose owner is gone is adopted with its note': () =>
    decides(annotates('AdoptSecret', firstRotation), { note: firstRotation, isOwned: false }),
  'a requested rotation replaces the credential for the same claim': () =>
    decides(generates('RotateCredential', nextRotation), {
      spec: { ...claimed, ...rotating },
      note: firstRotation,
    }),
  'a Released resource rotates for its previous claim': () =>
    decides(generates('RotateCredential', nextRotation), {
      spec: { ...claimed, ...rotating },
      status: released,
      note: { for: forLedger },
    }),
  'a rotation waits until policies allow Update': () =>
    decides(undefined, { spec: { managementPolicies: ['Observe', 'Create'], ...rotating }, note: {} }),
  'a rotation that was done is not repeated': () =>
    decides(undefined, { spec: rotating, note: { rotation: 'r2' } }),
  'the Secret of a kind without secret details names no claim': () =>
    decides(undefined, { spec: claimed, note: {}, secretDetails: {} }),
  'the next claim may have the details of a kind without secret details': () =>
    decides(undefined, { spec: claimed, status: unbound, note: { for: forOther }, secretDetails: {} }),
  'a Released resource whose Secret lacks the entry is available': () =>
    decides(makeAvailable, { status: released, details: { endpoint: 'db.example' }, note: 'none' }),
  'a Secret whose details the external system generates is adopted for the owner of a Bound resource': () =>
    decides(annotates('AdoptSecret', { for: forLedger }), {
      spec: claimed,
      status: bound,
      note: 'none',
      secretDetails: reported,
    }),
  'a resource of a user without claim and status was never released': () =>
    decides(annotates('AdoptSecret', { for: 'unknown' }), { note: 'none' }),
  'a Secret without details is not adopted': () =>
    decides(undefined, { details: {}, note: 'none', secretDetails: reported }),
  'a Secret of a kind without secret details is not adopted': () =>
    decides(undefined, { note: 'none', secretDetails: {} }),
  'a removed request rotates nothing': () => decides(undefined, { note: { rotation: 'r1' } }),
  'the next claim gets its own credential': () =>
    decides(generates('ReplaceCredential', firstRotation), {
      spec: claimed,
      status: unbound,
      note: { for: forOther, rotation: 'r1' },
    }),
  'a Released resource keeps the credential of its previous claim': () =>
    decides(undefined, { spec: claimed, status: released, note: { for: forOther } }),
  'a credential that policies keep from being replaced is not given to the next claim': () =>
    cannotChange(
      'spec.managementPolicies do not allow Update; add Update, or if the new team may have the password that the previous team knows, set the annotation crossplane.io/reoffer=with-same-credentials',
      { spec: { ...claimed, managementPolicies: ['Observe', 'Create'] }, note: { for: forOther } },
    ),
  'a credential that the external system generates is not given to the next claim': () =>
    cannotChange(
      'the external system generates its credentials; have it generate others. Then, if the new team may have the password that the previous team knows, set the annotation crossplane.io/reoffer=with-same-credentials',
      { spec: claimed, secretDetails: reported, note: { for: forOther } },
    ),
  'an administrator gives the next claim the same credential': () =>
    decides(annotates('NameClaim', { for: forLedger }), {
      spec: claimed,
      secretDetails: reported,
      annotations: { 'crossplane.io/reoffer': 'with-same-credentials' },
      note: { for: forOther },
    }),
  'the first claim gets the credential that no claim has used': () =>
    decides(annotates('NameClaim', { for: forLedger }), { spec: claimed, note: {} }),
  'a reservation without UID does not name the claim yet': () =>
    decides(undefined, { spec: reserved, note: {} }),
  'a credential whose note was removed is adopted, also if the policies forbid to set it again': () =>
    decides(annotates('AdoptSecret', { for: forLedger }), {
      spec: { ...claimed, managementPolicies: ['Observe'] },
      status: { ...bound, credential: recorded },
      note: 'none',
    }),
  'an edited credential waits for its update': () =>
    decides(undefined, { status: { credential: recorded }, details: { password: 'edited' }, note: {} }),
  'an applied credential stays': () =>
    decides(undefined, {
      spec: claimed,
      status: { ...bound, credential: recorded },
      note: { for: forLedger },
    }),
};

function factsFor(given: Given): Facts {
  const { spec, status, annotations, note, details = { password: 'secret' } } = given;
  const object = managed(
    { writeConnectionSecretToRef: secretKey, ...spec },
    {
      uid: 'uid-db',
      ...(given.isHandMade ? {} : { finalizers }),
      ...(annotations && { annotations }),
      ...(status && { status }),
    },
  );
  const kind = { ...kindFacts, secretDetails: given.secretDetails ?? credential };
  if (note === undefined) return factsAbout(object, { kind });
  const stored = entryOf({ details, note: note === 'none' ? undefined : { key, ...note } });
  return factsAbout(object, { kind, place: { entry: { ...stored, isOwned: given.isOwned ?? true } } });
}

/** A written object as what it changes. */
function summary(decision: Decision): object | undefined {
  if (decision === undefined) return undefined;
  const { name, call } = decision;
  const { act } = call;
  if (act === 'updateStatus') return { name, act, status: call.desired.status };
  if (act !== 'update') return { name, ...call };
  return name === 'KeepReleased' ? { name, act, claimRef: call.desired.spec.claimRef } : { name, act };
}

describe('the decision about the credential', () => {
  for (const [rule, check] of Object.entries(cases)) test(rule, () => void check());

  test('every decision has a case', () => {
    const taken = new Set(Object.values(cases).flatMap((check) => check()?.name ?? []));
    assert.deepEqual([...taken].toSorted(), credentialDecisions.toSorted());
  });

  test('AddFinalizer changes only the finalizer', () => {
    const facts = factsFor({ isHandMade: true });
    const desired = { ...facts.managed, metadata: { ...facts.managed.metadata, finalizers } };
    assert.deepEqual(decideCredential(facts), { name: 'AddFinalizer', call: { act: 'update', desired } });
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
