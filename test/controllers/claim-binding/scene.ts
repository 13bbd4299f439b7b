import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { controllerReference } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import {
  decodeDetails,
  encodeDetails,
  propagationAnnotations,
  SecretKind,
} from '../../../apis/core/v1alpha1/secret.ts';
import type { StoredConnection } from '../../../controllers/claim-binding/context.ts';
import { claimBindingController } from '../../../controllers/claim-binding/setup.ts';
import type { ClaimService } from '../../../controllers/claim-service.ts';
import {
  claimText,
  credentialAnnotation,
  decodeNote,
  encodeNote,
  generatedPassword,
  hmacOf,
} from '../../../controllers/credential.ts';
import { secretPropagation } from '../../../controllers/secret-propagation/setup.ts';
import { FakeCluster } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import {
  claimKind,
  claimKindOf,
  classKind,
  managedKind,
  resourceClass,
  secretOf,
  service,
  servicesOf,
} from '../objects.ts';

export const orders = { namespace: 'team', name: 'orders' };
export const copyKey = { namespace: 'team', name: 'conn' };
export const sourceKey = { namespace: 'system', name: 'src' };
export const conn = { writeConnectionSecretToRef: { name: 'conn' } };
export const src = { writeConnectionSecretToRef: sourceKey };
export const finalizers = ['finalizer.resourceclaim.crossplane.io'];

/** A service whose resources have a generated password. */
export const withPassword: ClaimService = { ...service, secretDetails: { credential: generatedPassword } };

export interface World {
  readonly claims?: readonly Claim[];
  readonly managed?: readonly Managed[];
  readonly secrets?: readonly Secret[];
  readonly service?: ClaimService;
  /** More services of the claim kind. Default: none. */
  readonly otherServices?: readonly ClaimService[];
  readonly storedConnection?: StoredConnection;
}

/** A cluster with the controllers of claims, and a fake of the managed resource controller. */
export function sceneOf({ claims = [], managed = [], secrets = [], ...given }: World) {
  const { service: ours = withPassword, otherServices = [], storedConnection } = given;
  const services = [ours, ...otherServices];
  const cluster = new FakeCluster();
  const specTemplate = { writeConnectionSecretsToNamespace: 'system', reclaimPolicy: 'Delete' } as const;
  cluster.put(classKind, resourceClass('small', {}, { specTemplate }));
  for (const each of claims) cluster.put(claimKind, each);
  for (const each of managed) cluster.put(managedKind, each);
  for (const each of secrets) cluster.put(SecretKind, each);
  const start = () =>
    new FakeProcess(cluster, (env) => [
      claimBindingController(env, claimKindOf(...services), storedConnection),
      secretPropagation(env, servicesOf(...services)),
    ]);
  const claimAt = (key = orders) => cluster.get(claimKind, key);
  const ready = (key = orders) => getCondition(claimAt(key)?.status?.conditions, 'Ready');
  const copied = (key = copyKey) => decodeDetails(cluster.get(SecretKind, key));
  return { cluster, start, process: start(), claimAt, ready, copied };
}

/** The resource's Secret as its controller writes it. */
export const sourceOf = (resource: Managed, password: string, claim = ''): Secret =>
  secretOf(
    {
      ...(resource.spec.writeConnectionSecretToRef ?? sourceKey),
      ownerReferences: [controllerReference(resource)],
      annotations: {
        ...propagationAnnotations(resource),
        [credentialAnnotation]: encodeNote({ key: 'a2V5', ...(claim && { for: claim }) }),
      },
    },
    { type: 'connection.crossplane.io/v1alpha1', data: encodeDetails({ password }) },
  );

/** The record of a password that the external system has. */
export const recordOf = (password: string, uid = 'managed-uid') =>
  ({ hmac: hmacOf(password, { key: 'a2V5' }, uid), pending: false }) as const;

/**
 * The steps of the managed resource controller. It writes a credential for the owner, applies it and reports
 * the resource as ready. It empties a status from a backup. It makes a resource available when an
 * administrator removes its claimRef.
 */
export function serveManaged(cluster: FakeCluster): void {
  for (const resource of cluster.all(managedKind)) serveOne(cluster, resource);
}

let passwords = 0;

function serveOne(cluster: FakeCluster, resource: Managed): void {
  const { metadata, spec, status } = resource;
  const key = spec.writeConnectionSecretToRef;
  if (key === undefined || metadata.deletionTimestamp !== undefined) return;
  const set = (next: Managed['status']) =>
    cluster.edit(managedKind, { name: metadata.name }, (now: Managed) => ({ ...now, status: next ?? {} }));
  if (status?.boundUID !== undefined && status.boundUID !== metadata.uid) set({});
  if (status?.bindingPhase === 'Released' && spec.claimRef?.uid === undefined) {
    const { boundUID: _former, ...rest } = status;
    set({ ...rest, bindingPhase: 'Unbound' });
  }
  const now = cluster.get(managedKind, { name: metadata.name });
  if (now === undefined) return;
  const isReleased = now.status?.bindingPhase === 'Released';
  const owner = spec.claimRef === undefined || isReleased ? undefined : claimText(spec.claimRef);
  const found = cluster.get(SecretKind, key);
  const note = decodeNote(found?.metadata.annotations?.[credentialAnnotation]);
  const isAnothers = note?.for !== undefined && owner !== undefined && note.for !== owner;
  if (found === undefined || isAnothers) {
    passwords += 1;
    cluster.put(SecretKind, sourceOf(now, `password-${passwords}`, owner));
  } else if (note?.for === undefined && owner !== undefined) {
    const { [credentialAnnotation]: written } = sourceOf(now, '', owner).metadata.annotations ?? {};
    const annotations = { ...found.metadata.annotations, [credentialAnnotation]: written ?? '' };
    cluster.put(SecretKind, { ...found, metadata: { ...found.metadata, annotations } });
  }
  const { password = '' } = decodeDetails(cluster.get(SecretKind, key));
  const credential = recordOf(password, now.metadata.uid);
  const isCurrent = now.status?.credential?.hmac === credential.hmac;
  if (isCurrent && now.status?.bindingPhase !== undefined) return;
  const conditions = [
    { type: 'Ready', status: 'True', reason: 'Available', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ] as const;
  set({ ...now.status, credential, conditions, bindingPhase: now.status?.bindingPhase ?? 'Unbound' });
}

/** Runs both sides until nothing changes. */
export async function settled(process: FakeProcess, cluster: FakeCluster): Promise<void> {
  for (let round = 0; round < 6 && !process.hasCrashed; round += 1) {
    await process.settle();
    serveManaged(cluster);
  }
}
