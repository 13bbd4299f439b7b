/** The objects of the model as the objects that the decisions of the product read, and the way back. */

import get from 'lodash/get.js';
import memoize from 'lodash/memoize.js';
import pick from 'lodash/pick.js';
import type { Claim as RealClaim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Kind as RealKind } from '../../apis/core/v1alpha1/kind.ts';
import type {
  ExternalOperation,
  Managed,
  ManagedStatus,
  ManagementAction,
} from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, connectionSecretType, finalizerNames } from '../../apis/core/v1alpha1/meta.ts';
import type { ObjectReference } from '../../apis/core/v1alpha1/reference.ts';
import type { ConnectionDetails, Secret } from '../../apis/core/v1alpha1/secret.ts';
import {
  decodeDetails,
  encodeDetails,
  propagatesFrom,
  secretKeyOf,
} from '../../apis/core/v1alpha1/secret.ts';
import { timestamp } from '../../apis/core/v1alpha1/timestamp.ts';
import { consentTo } from '../../controllers/claim-binding/desired.ts';
import type { ClaimService } from '../../controllers/claim-service.ts';
import type { CredentialNote, SecretDetails } from '../../controllers/credential.ts';
import {
  claimText,
  credentialAnnotation,
  encodeNote,
  generatedPassword,
  hmacOf,
  unknownClaim,
} from '../../controllers/credential.ts';
import { decodeIdentity, encodeIdentity } from '../../controllers/external-identity.ts';
import type { Claim, ClaimSecret, Policy, Resource, ResourceSecret, Restriction } from './objects.ts';
import type { Obstacle } from './scenario.ts';

const apiVersion = 'model/v1';
const namespace = 'team';
const secretsNamespace = 'infra';
const deletionTimestamp = '2026-01-02T03:04:05Z';
export const now = new Date(deletionTimestamp);
const managedKind: RealKind<Managed> = {
  group: 'model',
  version: 'v1',
  kind: 'Server',
  plural: 'servers',
  scope: 'Cluster',
};
export const service: ClaimService = {
  claim: { group: 'model', version: 'v1', kind: 'Database', plural: 'databases', scope: 'Namespaced' },
  class: { group: 'model', version: 'v1', kind: 'ServerClass', plural: 'serverclasses', scope: 'Cluster' },
  managed: managedKind,
  configure: ({ spec }) => ({ forProvider: pick(spec, 'parameter') }),
  whyIncompatible: ({ spec }, offered) =>
    [undefined, get(spec, 'parameter')].includes(get(offered, 'parameter'))
      ? undefined
      : 'has another parameter',
};
export const smallServerClass: Class = {
  apiVersion,
  kind: 'ServerClass',
  metadata: { name: 'small' },
  specTemplate: {},
};
export const secretDetails: SecretDetails = {
  credential: {
    ...generatedPassword,
    rotationOf: ({ spec }) => (spec.forProvider as { readonly rotation?: string }).rotation,
  },
};

// ── Objects of the model as real objects ─────────────────────────────────────────────────────────────────────────

const smallClass = { apiVersion, kind: 'ServerClass', name: 'small' };

/** Crossplane leaves no name in the `claimRef` of a resource that it released. */
const claimReference = (name: string, uid: string): ObjectReference => ({
  ...(name !== '' && { apiVersion, kind: 'Database', namespace, name }),
  ...(uid !== '' && { uid }),
});

/** The API server accepts no capital letters in the name of a Secret. */
const claimSecretName = (claim: string): string => claim.toLowerCase();

export const realClaim = (
  name: string,
  { resourceRef, parameter, ...claim }: Claim,
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
    ...(claim.startsEmpty && { annotations: { [annotationKeys.startEmpty]: 'true' } }),
  },
  spec: {
    ...(policy && { classRef: smallClass }),
    ...(resourceRef !== '' && { resourceRef: { apiVersion, kind: managedKind.kind, name: resourceRef } }),
    ...(!claim.wantsNoSecret && { writeConnectionSecretToRef: { name: claimSecretName(name) } }),
    ...(parameter !== undefined && { parameter }),
    ...(claim.isProtected && { deletionProtection: true }),
  } as RealClaim['spec'],
  ...(claim.bound && { status: { bindingPhase: 'Bound' as const } }),
});

const hmac = memoize(
  (password: string, uid: string, key: string) => hmacOf(password, { key }, uid),
  (...of) => of.join(' '),
);

const noteKey = (key = 0): string => Buffer.from(`key ${key}`).toString('base64');

function credentialRecord({ applied, uid }: Resource) {
  const [password = '', key = '0'] = applied.split('#');
  return { hmac: hmac(password, uid, noteKey(Number(key))), pending: false };
}

const operationOf = (type: ExternalOperation['type']): ExternalOperation => ({
  type,
  name: 'operation',
  startedAt: deletionTimestamp,
});

const policiesOf: Readonly<Record<Restriction, readonly ManagementAction[]>> = {
  noUpdate: ['Observe', 'Create', 'Delete'],
  noChange: ['Observe', 'Delete'],
  onlyObserve: ['Observe'],
};

export const realResource = (resource: Resource, obstacle?: Obstacle): Managed => {
  const { name, uid, claimRef, phase, boundUID, applied, restriction, operation, generation } = resource;
  const status: ManagedStatus = {
    ...(phase !== '' && { bindingPhase: phase }),
    ...(boundUID !== '' && { boundUID }),
    ...(resource.releasedFrom !== undefined && { releasedFrom: resource.releasedFrom }),
    ...(resource.releasedNamespace !== undefined && { releasedNamespace: resource.releasedNamespace }),
    ...(resource.deleteAt !== undefined && { deleteAt: timestamp(timeOf(resource.deleteAt)) }),
    ...(applied !== '' && { credential: credentialRecord(resource) }),
    ...(operation && { operation: operationOf(operation) }),
    ...(resource.found !== undefined && { externalIdentity: identityWith(resource, resource.found) }),
  };
  const { spec, metadata } = obstructed(resource, obstacle);
  return {
    apiVersion,
    kind: managedKind.kind,
    metadata: {
      name,
      uid,
      creationTimestamp: deletionTimestamp,
      ...(resource.finalizer && { finalizers: [finalizerNames.managed] }),
      ...(resource.deleting && { deletionTimestamp }),
      ...(generation !== undefined && { generation }),
      ...metadata,
      annotations: { ...recordsOf(resource), ...metadata?.annotations },
    },
    spec: {
      forProvider: forProviderOf(resource),
      deletionPolicy: 'Delete',
      reclaimPolicy: resource.policy,
      ...(restriction && { managementPolicies: policiesOf[restriction] }),
      ...(resource.retention && { retainFor: '1d', giveBack: resource.retention }),
      ...(resource.reportsLoss && { onLoss: 'Report' as const }),
      ...(claimRef && { claimRef: claimReference(claimRef.claim, claimRef.uid) }),
      ...(resource.provisioned && { classRef: smallClass }),
      writeConnectionSecretToRef: { namespace: secretsNamespace, name },
      ...spec,
    },
    status,
  };
};

const dayMs = 86_400_000;

/** A time of the clock as a date. */
export const timeOf = (clock: number): Date => new Date(now.getTime() + clock * dayMs);
const clockAt = (date: string): number => (Date.parse(date) - now.getTime()) / dayMs;

const forProviderOf = ({ rotation, parameter }: Resource) => ({
  ...(rotation !== 0 && { rotation: String(rotation) }),
  ...(parameter !== undefined && { parameter }),
});

const identityWith = ({ name }: Resource, parameter: number): string =>
  encodeIdentity({ name, fields: { parameter } });

const parameterIn = (identity: string | undefined) =>
  decodeIdentity(identity)?.fields.parameter as number | undefined;

/** The annotations of a resource whose database has a parameter. */
const recordsOf = (resource: Resource): Readonly<Record<string, string>> => {
  const { parameter, mark = '', announced, isGivenBackTo } = resource;
  return {
    ...(isGivenBackTo !== undefined && { [annotationKeys.giveBack]: isGivenBackTo }),
    ...(parameter !== undefined && { [annotationKeys.claimParameters]: JSON.stringify({ parameter }) }),
    ...(mark !== '' && { [annotationKeys.externalCreation]: mark }),
    ...(announced !== undefined && { [annotationKeys.externalIdentity]: identityWith(resource, announced) }),
  };
};

/** The part of an obstacle that lies in the managed resource itself. */
function obstructed(
  { name, claimRef, isIdentityEdited }: Resource,
  obstacle: Obstacle | undefined,
): { readonly metadata?: Partial<Managed['metadata']>; readonly spec?: Partial<Managed['spec']> } {
  const annotated = (key: string, value: string) => ({ metadata: { annotations: { [key]: value } } });
  const recorded = { name: isIdentityEdited ? 'former' : name, system: 'A', fields: {} };
  if (isIdentityEdited) {
    const annotations = {
      [annotationKeys.externalName]: name,
      [annotationKeys.externalIdentity]: encodeIdentity(recorded),
    };
    return { metadata: { annotations } };
  }
  switch (obstacle) {
    case 'Paused':
      return annotated(annotationKeys.paused, 'true');
    case 'PoliciesInvalid':
      return { spec: { managementPolicies: ['Create'] } };
    case 'HiddenExternal':
    case 'OtherSystem':
      return annotated(annotationKeys.externalIdentity, encodeIdentity(recorded));
    case 'CreationIncomplete':
      return annotated(annotationKeys.externalCreatePending, deletionTimestamp);
    case 'ControlledByOther':
      return { metadata: { ownerReferences: [controller('Composite', 'other', 'u0')] } };
    case 'ClaimRefIncomplete':
      return claimRef === null ? {} : { spec: { claimRef: { namespace, name: claimRef.claim } } };
    default:
      return {};
  }
}

const controller = (kind: string, name: string, uid: string) => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});

/** The Secret of a resource. It consents to be copied to the Secrets of all claims: the model has no consent. */
export function realResourceSecret(name: string, secret: ResourceSecret, claim: RealClaim): Secret {
  const note = noteOf(secret);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      namespace: secretsNamespace,
      name,
      ownerReferences: [controller(managedKind.kind, name, secret.owner)],
      annotations: { ...consentTo(claim), ...(note && { [credentialAnnotation]: encodeNote(note) }) },
    },
    type: connectionSecretType,
    data: encodeDetails(detailsOf(secret)),
  };
}

/** A Secret without a password has no credential. */
export const detailsOf = ({ password }: ClaimSecret | ResourceSecret): ConnectionDetails =>
  password === '' ? {} : { password };

export function noteOf(secret: ResourceSecret): CredentialNote | undefined {
  if (secret.isUnnoted) return undefined;
  const { for: claim, rotation, isGiven, key } = secret;
  return {
    key: noteKey(key),
    ...(claim !== '' && { for: claim === unknownClaim ? claim : claimText(claimReference(claim, '')) }),
    ...(rotation !== 0 && { rotation: String(rotation) }),
    ...(isGiven && { given: isGiven }),
  };
}

/** A Secret without the UID of a claim was created by hand. */
export function realClaimSecret(name: string, secret: ClaimSecret, source: Secret | undefined): Secret {
  const isOfClaim = /^u\d+$/.test(secret.owner);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      namespace,
      name: claimSecretName(name),
      ...(isOfClaim && { ownerReferences: [controller('Database', name, secret.owner)] }),
      annotations: source ? propagatesFrom(secretKeyOf(source)) : {},
    },
    type: isOfClaim ? connectionSecretType : 'Opaque',
    data: encodeDetails(isOfClaim ? detailsOf(secret) : { other: 'of a person' }),
  };
}

// ── Real objects as objects of the model ─────────────────────────────────────────────────────────────────────────

/** The fields of a resource of the model that an object that a decision wants has. */
function fieldsOf(managed: Managed, { applied, operation, parameter }: Resource): Partial<Resource> {
  const { metadata, spec, status } = managed;
  const { claimRef } = spec;
  const wanted = (spec.forProvider as { readonly parameter?: number }).parameter;
  return {
    finalizer: metadata.finalizers?.includes(finalizerNames.managed) === true,
    claimRef: claimRef ? { claim: claimRef.name ?? '', uid: claimRef.uid ?? '' } : null,
    phase: (status?.bindingPhase ?? '') as Resource['phase'],
    boundUID: status?.boundUID ?? '',
    releasedFrom: status?.releasedFrom,
    releasedNamespace: status?.releasedNamespace,
    deleteAt: status?.deleteAt === undefined ? undefined : clockAt(status.deleteAt),
    isGivenBackTo: metadata.annotations?.[annotationKeys.giveBack],
    applied: status?.credential === undefined ? '' : applied,
    ...(parameter !== undefined &&
      wanted !== undefined && { parameter: wanted, found: parameterIn(status?.externalIdentity) }),
    ...(operation !== undefined && { operation: status?.operation?.type as Resource['operation'] }),
  };
}

/** The patch that makes a resource what a decision wants. */
export function changeOf(
  resource: Resource,
  desired: Managed,
  over: Partial<Resource> = {},
): Partial<Resource> {
  const wanted = { ...fieldsOf(desired, resource), ...over };
  const isChanged = (key: string): boolean =>
    JSON.stringify(wanted[key as keyof Resource]) !== JSON.stringify(resource[key as keyof Resource]);
  return Object.fromEntries(Object.entries(wanted).filter(([key]) => isChanged(key)));
}

export const passwordIn = (secret: Secret): string => decodeDetails(secret).password ?? '';
