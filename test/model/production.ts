/**
 * The decisions of the product as controllers of the model. Objects of the model are expanded to the objects that the
 * decisions read, and the objects that they want are compared with these: what differs is the call.
 */

import memoize from 'lodash/memoize.js';
import type { Claim as RealClaim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import { available, reconcileSuccess } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind as RealKind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed, ManagedStatus } from '../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType, finalizerNames, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { ObjectReference } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import {
  decodeDetails,
  encodeDetails,
  propagatesFrom,
  secretKeyOf,
} from '../../apis/core/v1alpha1/secret.ts';
import { decideBinding, resourceOf } from '../../controllers/core/claim-binding/decide.ts';
import { decideOrphan } from '../../controllers/core/claim-binding/decide-orphan.ts';
import type { BindingCall, ReadFirst } from '../../controllers/core/claim-binding/decision.ts';
import { isCall } from '../../controllers/core/claim-binding/decision.ts';
import {
  consentTo,
  withClaimRef,
  withoutClaimRef,
  withPhase,
} from '../../controllers/core/claim-binding/desired.ts';
import { secretFacts } from '../../controllers/core/claim-binding/observe-secrets.ts';
import type { ClaimService } from '../../controllers/core/claim-service.ts';
import type { CredentialNote, KeptCredential, SecretDetails } from '../../controllers/core/credential.ts';
import {
  claimText,
  credentialAnnotation,
  encodeNote,
  generatedPassword,
  hmacOf,
  keptIn,
} from '../../controllers/core/credential.ts';
import { withManagedStatus } from '../../controllers/core/managed/recording/status.ts';
import type { CredentialDecision } from '../../controllers/core/managed/run/decide-credential.ts';
import { decideCredential } from '../../controllers/core/managed/run/decide-credential.ts';
import { decideFirst } from '../../controllers/core/managed/run/decide-first.ts';
import { decideObserved } from '../../controllers/core/managed/run/decide-observed.ts';
import type { Decision as ManagedDecision } from '../../controllers/core/managed/run/decision.ts';
import type { Facts } from '../../controllers/core/managed/run/facts.ts';
import { factsOf } from '../../controllers/core/managed/run/facts.ts';
import { decidePropagation } from '../../controllers/core/secret-propagation/decide.ts';
import type { Act, ClaimWaits, Controllers, Decision, Run, View } from './decision.ts';
import { create, external, patch, remove, wait } from './decision.ts';
import type { Claim, ClaimSecret, Key, Policy, Resource, ResourceSecret } from './objects.ts';
import {
  claimKey,
  claimSecretKey,
  generated,
  provisionedName,
  resourceKey,
  resourceSecretKey,
  resourceWith,
} from './objects.ts';

export const production: Controllers = { bindClaim, propagateSecret, reconcileManaged, releaseOrphan };

const apiVersion = 'model/v1';
const namespace = 'team';
const secretsNamespace = 'infra';
const deletionTimestamp = '2026-01-02T03:04:05Z';
const now = new Date(deletionTimestamp);
const noteKey = 'a2V5';
const managedKind: RealKind<Managed> = {
  group: 'model',
  version: 'v1',
  kind: 'Server',
  plural: 'servers',
  scope: 'Cluster',
};
/** The decisions only check that there is one. */
const service: ClaimService = {
  claim: { group: 'model', version: 'v1', kind: 'Database', plural: 'databases', scope: 'Namespaced' },
  class: { group: 'model', version: 'v1', kind: 'ServerClass', plural: 'serverclasses', scope: 'Cluster' },
  managed: managedKind,
  configure: () => ({ forProvider: {} }),
};
const secretDetails: SecretDetails = {
  credential: {
    ...generatedPassword,
    rotationOf: ({ spec }) => (spec.forProvider as { readonly rotation?: string }).rotation,
  },
};

// ── Objects of the model as real objects ─────────────────────────────────────────────────────────────────────────

const smallClass = { apiVersion, kind: 'ServerClass', name: 'small' };

const claimReference = (name: string, uid: string): ObjectReference => ({
  apiVersion,
  kind: 'Database',
  namespace,
  name,
  ...(uid !== '' && { uid }),
});

const realClaim = (
  name: string,
  { resourceRef, ...claim }: Claim,
  policy: Policy | undefined,
): RealClaim => ({
  apiVersion,
  kind: 'Database',
  metadata: {
    namespace,
    name,
    uid: claim.uid,
    ...(claim.finalizer && { finalizers: [finalizerNames.claim] }),
    ...(claim.deleting && { deletionTimestamp }),
  },
  spec: {
    ...(policy && { classRef: smallClass }),
    ...(resourceRef !== '' && { resourceRef: { apiVersion, kind: managedKind.kind, name: resourceRef } }),
    writeConnectionSecretToRef: { name },
  },
  ...(claim.bound && { status: { bindingPhase: 'Bound' as const } }),
});

const hmac = memoize(
  (password: string, uid: string) => hmacOf(password, { key: noteKey }, uid),
  (...of) => of.join(' '),
);

const realResource = (resource: Resource): Managed => {
  const { name, claimRef, phase, boundUID, applied, rotation } = resource;
  const status: ManagedStatus = {
    ...(phase !== '' && { bindingPhase: phase }),
    ...(boundUID !== '' && { boundUID }),
    ...(applied !== '' && { credential: { hmac: hmac(applied, resource.uid), pending: false } }),
  };
  return {
    apiVersion,
    kind: managedKind.kind,
    metadata: {
      name,
      uid: resource.uid,
      ...(resource.finalizer && { finalizers: [finalizerNames.managed] }),
      ...(resource.deleting && { deletionTimestamp }),
    },
    spec: {
      forProvider: rotation === 0 ? {} : { rotation: String(rotation) },
      deletionPolicy: 'Delete',
      reclaimPolicy: resource.policy,
      ...(claimRef && { claimRef: claimReference(claimRef.claim, claimRef.uid) }),
      ...(resource.provisioned && { classRef: smallClass }),
      writeConnectionSecretToRef: { namespace: secretsNamespace, name },
    },
    status,
  };
};

const controller = (kind: string, name: string, uid: string) => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});

/** The Secret of a resource. It consents to be copied to the Secrets of all claims: the model has no consent. */
const realResourceSecret = (name: string, secret: ResourceSecret, claim: RealClaim): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    namespace: secretsNamespace,
    name,
    ownerReferences: [controller(managedKind.kind, name, secret.owner)],
    annotations: { ...consentTo(claim), [credentialAnnotation]: encodeNote(noteOf(secret)) },
  },
  type: connectionSecretType,
  data: encodeDetails({ password: secret.password }),
});

const noteOf = (secret: ResourceSecret): CredentialNote => ({
  key: noteKey,
  ...(secret.for !== '' && { for: claimText(claimReference(secret.for, '')) }),
  ...(secret.rotation !== 0 && { rotation: String(secret.rotation) }),
});

/** A Secret without the UID of a claim was created by hand. */
function realClaimSecret(name: string, secret: ClaimSecret, source: Secret | undefined): Secret {
  const isOfClaim = /^u\d+$/.test(secret.owner);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      namespace,
      name,
      ...(isOfClaim && { ownerReferences: [controller('Database', name, secret.owner)] }),
      annotations: source ? propagatesFrom(secretKeyOf(source)) : {},
    },
    type: isOfClaim ? connectionSecretType : 'Opaque',
    data: encodeDetails({ password: secret.password }),
  };
}

// ── Real objects as objects of the model ─────────────────────────────────────────────────────────────────────────

/** The fields of a resource of the model that an object that a decision wants has. */
function fieldsOf(managed: Managed, { applied }: Resource): Partial<Resource> {
  const { metadata, spec, status } = managed;
  const { claimRef } = spec;
  return {
    finalizer: metadata.finalizers?.includes(finalizerNames.managed) === true,
    claimRef: claimRef ? { claim: claimRef.name ?? '', uid: claimRef.uid ?? '' } : null,
    phase: (status?.bindingPhase ?? '') as Resource['phase'],
    boundUID: status?.boundUID ?? '',
    applied: status?.credential === undefined ? '' : applied,
  };
}

/** The patch that makes a resource what a decision wants. */
function changeOf(resource: Resource, desired: Managed, over: Partial<Resource> = {}): Partial<Resource> {
  const wanted = { ...fieldsOf(desired, resource), ...over };
  const isChanged = (key: string): boolean =>
    JSON.stringify(wanted[key as keyof Resource]) !== JSON.stringify(resource[key as keyof Resource]);
  return Object.fromEntries(Object.entries(wanted).filter(([key]) => isChanged(key)));
}

const passwordIn = (secret: Secret): string => decodeDetails(secret).password ?? '';

// ── Claim binding ────────────────────────────────────────────────────────────────────────────────────────────────

function bindClaim(see: View, name: string): Act | ClaimWaits {
  const claim = see.claim(name);
  if (claim === undefined) return wait('ClaimGone');
  const policy = see.policyOfClass(name);
  const real = realClaim(name, claim, policy);
  const all = see.resources();
  const owned = all
    .filter(({ claimRef }) => claimRef?.uid === claim.uid)
    .toSorted((a, b) => Number(b.phase === 'Bound') - Number(a.phase === 'Bound'))
    .map(realResource);
  const seen = see.resource(claim.resourceRef);
  const named = seen && realResource(seen);
  const managed = resourceOf(owned, named);
  const secret = managed && see.resourceSecret(managed.metadata.name);
  const isControlled = managed !== undefined && secret !== undefined && secret.owner === managed.metadata.uid;
  const source = isControlled ? realResourceSecret(managed.metadata.name, secret, real) : undefined;
  const copy = see.claimSecret(name);
  const target = copy && realClaimSecret(name, copy, source);
  const isProvisioning =
    managed === undefined &&
    policy !== undefined &&
    (claim.resourceRef === '' || claim.resourceRef === provisionedName(claim));
  const decision = decideBinding({
    claim: real,
    services: [service],
    service,
    owned,
    created: owned.filter(({ metadata }) => metadata.name === provisionedName(claim)),
    named,
    managed,
    ...(isProvisioning && { provisioning: provisioningOf(name, claim, policy) }),
    secrets: secretFacts({
      claim: real,
      managed,
      secretDetails,
      source,
      kept: source && keptIn(source),
      target,
      isTargetStored: true,
      controlled: target && copy?.owner === claim.uid ? [target] : [],
    }),
  });
  if (isCall(decision)) return callOf(see, name, claim, decision);
  if (decision.name === 'KeepBound' && !claim.bound) {
    return patch('ReportBound', claimKey(name), { bound: true });
  }
  return wait(decision.name as ClaimWaits['name']);
}

/** The values that the claim would get from its class. */
function provisioningOf(name: string, claim: Claim, policy: Policy) {
  const resourceRef = claim.resourceRef || provisionedName(claim);
  const recorded = { ...claim, finalizer: true, resourceRef };
  const managed = realResource(freshResource(name, recorded, policy));
  const { uid: _assigned, ...metadata } = managed.metadata;
  const resourceClass = { kind: 'ServerClass', metadata: { name: 'small' } } as Class;
  return {
    resourceClass,
    plan: { claim: realClaim(name, recorded, policy), managed: { ...managed, metadata } },
  };
}

const freshResource = (name: string, { resourceRef, uid }: Claim, policy: Policy): Resource =>
  resourceWith({
    name: resourceRef,
    uid: generated,
    finalizer: true,
    policy,
    provisioned: true,
    claimRef: { claim: name, uid },
  });

function callOf(see: View, name: string, claim: Claim, decision: BindingCall): Act {
  const real = realClaim(name, claim, see.policyOfClass(name));
  const readFirst = keysOf(name, claim, decision.readFirst);
  const change = (managed: Managed, desired: Managed, versioned = true): Act => {
    const resource = see.resource(managed.metadata.name)!;
    const changes = changeOf(resource, desired);
    return patch(decision.name, resourceKey(resource.name), changes, { readFirst, versioned });
  };
  switch (decision.name) {
    case 'RecordName':
      return patch('RecordName', claimKey(name), {
        finalizer: true,
        resourceRef: claim.resourceRef || decision.managed?.metadata.name || provisionedName(claim),
      });
    case 'Create': {
      const policy = see.policyOfClass(name) ?? 'Retain';
      return create('Create', resourceKey(claim.resourceRef), freshResource(name, claim, policy), {
        readFirst,
      });
    }
    case 'SetClaimRef':
    case 'CorrectClaimRef':
      return change(decision.managed, withClaimRef(decision.managed, real));
    case 'CorrectResource': // the claims of the model have no parameters
      return change(decision.managed, decision.desired);
    case 'RemoveClaimRef':
      return change(decision.managed, withoutClaimRef(decision.managed));
    case 'Bind':
      return change(decision.managed, withPhase(decision.managed, 'Bound'));
    case 'Release':
      return change(decision.managed, withPhase(decision.managed, 'Released'));
    case 'DeleteResource': {
      const { name: resource, uid = '' } = decision.managed.metadata;
      return remove('DeleteResource', resourceKey(resource), uid, { readFirst });
    }
    case 'CopySecret': {
      const { current, desired } = decision.write;
      const copy = { owner: claim.uid, password: passwordIn(desired) };
      return current === undefined
        ? create('CopySecret', claimSecretKey(name), copy)
        : patch('CopySecret', claimSecretKey(name), copy);
    }
    case 'DeleteSecret':
      return remove('DeleteSecret', claimSecretKey(name), claim.uid);
    case 'RemoveFinalizer':
      return patch('RemoveFinalizer', claimKey(name), { finalizer: false }, { readFirst });
  }
}

/** A namespace is not part of the model. */
function keysOf(name: string, claim: Claim, readFirst: readonly ReadFirst[] = []): readonly Key[] {
  return readFirst.flatMap((each): readonly Key[] => {
    if (each === 'claim') return [claimKey(name)];
    if (each === 'claimSecret') return [claimSecretKey(name)];
    return each === 'namedResource' ? [resourceKey(claim.resourceRef)] : [];
  });
}

// ── Secret propagation ───────────────────────────────────────────────────────────────────────────────────────────

function propagateSecret(see: View, name: string): Decision {
  const claim = see.claim(name);
  const copy = see.claimSecret(name);
  if (claim === undefined || copy === undefined) return wait('NothingToCopyTo');
  const real = realClaim(name, claim, see.policyOfClass(name));
  for (const resource of see.resources()) {
    const secret = see.resourceSecret(resource.name);
    const source = secret && realResourceSecret(resource.name, secret, real);
    const decision = decidePropagation({
      isServed: true,
      secretDetails,
      target: realClaimSecret(name, copy, source),
      source,
      claim: real,
      managed: realResource(resource),
    });
    if (decision.name !== 'CopySecret') continue;
    return patch('CopySecret', claimSecretKey(name), { password: passwordIn(decision.desired) });
  }
  return wait('InSync');
}

// ── Managed resource ─────────────────────────────────────────────────────────────────────────────────────────────

function reconcileManaged(see: View, name: string, run: Run): Decision {
  const resource = see.resource(name);
  if (resource === undefined) return wait('ResourceGone');
  const managed = realResource(resource);
  const secret = see.resourceSecret(name);
  if (decideFirst({ managed })?.name === 'ResourceGone') return wait('ResourceGone');
  if (wasDeleted(managed)) return removeResource(resource, secret, observedDecision(managed, run, undefined));
  // A run writes its status before the next one begins.
  if (run.applied !== undefined && resource.applied !== run.applied && resource.finalizer) {
    return recordStatus(resource, managed, run.applied);
  }
  const kept = secret && keptOf(resource, secret);
  const decision = decideCredential({ managed, kept, secretDetails });
  if (decision !== undefined) return keepCredential(resource, decision);
  return secret ? applyCredential(resource, managed, secret, run) : wait('UpToDate');
}

type Kept = KeptCredential & { readonly isOwned: boolean };

const keptOf = ({ uid }: Resource, secret: ResourceSecret): Kept => ({
  details: { password: secret.password },
  note: noteOf(secret),
  isOwned: secret.owner === uid,
});

const kindFacts: Facts['kind'] = {
  identity: { isAssigned: false, marks: { immutable: [], identity: [] } },
  secretDetails,
  creationGraceMs: 0,
  confirmAbsenceMs: 0,
  holdsData: false,
  isObserveOnly: false,
  uncreatable: () => undefined,
};

/** The decision of the product after it has observed whether the external resource exists. */
function observedDecision(managed: Managed, { exists }: Run, kept: Kept | undefined): ManagedDecision {
  const entry = kept && { ...kept, write: async () => entry!, confirm: async () => undefined };
  return decideObserved({
    ...factsOf(kindFacts, managed),
    place: entry ? { entry } : {},
    seen: { observation: { exists, isUpToDate: true, ready: available() }, at: now, absentForMs: 0 },
  });
}

function removeResource(
  resource: Resource,
  secret: ResourceSecret | undefined,
  decision: ManagedDecision,
): Decision {
  const { name, uid } = resource;
  if (decision.name === 'DeleteExternal') {
    return external('DeleteExternal', resource, { readFirst: [resourceKey(name), resourceSecretKey(name)] });
  }
  if (secret?.owner === uid) return remove('DeleteSecret', resourceSecretKey(name), uid);
  return patch('RemoveFinalizer', resourceKey(name), { finalizer: false });
}

function keepCredential(resource: Resource, decision: CredentialDecision): Decision {
  const { name, uid } = resource;
  switch (decision.act) {
    case 'report':
      return wait(decision.name);
    case 'update':
    case 'updateStatus':
      return patch(decision.name, resourceKey(name), changeOf(resource, decision.desired));
    case 'annotate':
      return patch(decision.name, resourceSecretKey(name), { owner: uid, ...noteFields(decision.note) });
    case 'generate': {
      const written: ResourceSecret = { owner: uid, password: generated, ...noteFields(decision.note) };
      const readFirst = [resourceKey(name)];
      return decision.name === 'GenerateCredential'
        ? create(decision.name, resourceSecretKey(name), written, { readFirst })
        : patch(decision.name, resourceSecretKey(name), written, { readFirst });
    }
  }
}

const noteFields = ({ for: claim = '', rotation = '0' }: Omit<CredentialNote, 'key'>) => ({
  for: claim.split('/')[1] ?? '',
  rotation: Number(rotation),
});

function applyCredential(resource: Resource, managed: Managed, secret: ResourceSecret, run: Run): Decision {
  const { name, applied } = resource;
  const { password } = secret;
  const isDue = applied !== password;
  const decision = observedDecision(managed, run, keptOf(resource, secret));
  if (isDue && secret.refused) return wait('RefusedCredentials');
  const readFirst = [resourceKey(name), resourceSecretKey(name)];
  switch (decision.name) {
    case 'Recreate':
    case 'CreateExternal':
      if (applied !== '') return patch('ClearRecord', resourceKey(name), { applied: '' });
      return external('CreateExternal', resource, { password, readFirst });
    case 'Update':
      return external('SetPassword', resource, { password, readFirst });
    default:
      return recordStatus(resource, managed);
  }
}

/** The status at the end of a run. `applied`: the password that the run has set. */
function recordStatus(resource: Resource, managed: Managed, applied?: string): Decision {
  const facts = {
    synced: reconcileSuccess(),
    ready: available(),
    isCredentialInForce: true,
    ...(applied !== undefined && { credential: { hmac: hmac(applied, resource.uid), pending: false } }),
  };
  const desired = withManagedStatus(managed, facts, now);
  const change = changeOf(resource, desired, applied === undefined ? {} : { applied });
  if (Object.keys(change).length === 0) return wait('UpToDate');
  const isRecord = applied !== undefined;
  return patch(isRecord ? 'RecordApplied' : 'BecomeUnbound', resourceKey(resource.name), change, {
    ...(isRecord && { endsRun: true }),
  });
}

// ── Orphans ──────────────────────────────────────────────────────────────────────────────────────────────────────

function releaseOrphan(see: View, name: string): Decision {
  const resource = see.resource(name);
  if (resource?.claimRef == null || resource.claimRef.uid === '') return wait('NotBound');
  const { claim: claimName, uid } = resource.claimRef;
  const claim = see.claim(claimName);
  const copy = see.claimSecret(claimName);
  const managed = realResource(resource);
  const decision = decideOrphan({
    managed,
    claim: claim && realClaim(claimName, claim, see.policyOfClass(claimName)),
    secrets: copy?.owner === uid ? [realClaimSecret(claimName, copy, undefined)] : [],
  });
  const readFirst = [claimKey(claimName)];
  switch (decision.name) {
    case 'DeleteSecret':
      return remove('DeleteSecret', claimSecretKey(claimName), uid, { readFirst });
    case 'Release': {
      const precautions = { readFirst };
      const changes = changeOf(resource, withPhase(managed, 'Released'));
      return patch('Release', resourceKey(name), changes, precautions);
    }
    case 'DeleteResource':
      return remove('DeleteResource', resourceKey(name), resource.uid, { readFirst });
    default:
      return wait('NotBound');
  }
}
