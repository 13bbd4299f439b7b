import pick from 'lodash/pick.js';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import { controllerReference, referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { propagatesFrom, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import type { FancySQLInstance } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import type { FavouriteDBInstance } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { credentialsNamespace } from '../cluster/fancysql-fixture.ts';
import { createClaim, deleteClaims, loaders, numbered, whenBound } from './claims.ts';
import { inTurns } from './in-turns.ts';
import { startMeter } from './meter.ts';
import type { Scene } from './scene.ts';
import { classRef, namespace } from './scene.ts';

/** The objects of a bound claim, as the stack writes them. */
export interface BoundClaim {
  readonly claim: FancySQLInstance;
  readonly managed: FavouriteDBInstance;
  readonly source: Secret;
}

/** The time of the fewest writes. */
export interface MinimalWrites {
  readonly bindSeconds: number;
  readonly deleteSeconds: number;
  /** CPU of the API server while claims were bound, in seconds. */
  readonly apiServerSeconds: number;
  /** The same while they were deleted. */
  readonly apiServerDeletingSeconds: number;
  /** Share of the machine that others used, from 0 to 1: while claims were bound, and deleted. */
  readonly othersBinding: number;
  readonly othersDeleting: number;
}

/** Has the running stack bind one claim, keeps what came of it, and deletes it. */
export async function sampleClaim(scene: Scene): Promise<BoundClaim> {
  const name = 'sample';
  const bound = whenBound(scene, [name]);
  await createClaim(scene, name, { classRef });
  await bound;
  const { client } = scene;
  const claim = await client.get(FancySQLInstanceKind, { namespace, name });
  const managed = await client.get(FavouriteDBInstanceKind, { name: claim.spec.resourceRef?.name ?? '' });
  const source = await client.get(SecretKind, managed.spec.writeConnectionSecretToRef ?? { name });
  await deleteClaims(scene);
  return { claim, managed, source };
}

/**
 * Makes claims look bound by hand, and then go, with the fewest writes that can do it: eight for each claim, its
 * creation included, and six for its deletion. The writes carry what the stack wrote for the sample. Nothing is read,
 * decided or watched on the way, and the client is not ours. The stack must not be running.
 */
export async function minimalWrites(scene: Scene, sample: BoundClaim, count: number): Promise<MinimalWrites> {
  const names = numbered('loaded', count);
  const claimUids = new Map<string, string>();

  const binding = await startMeter(scene);
  const bindSeconds = await timed(count, async (index) => {
    const name = names[index]!;
    const claim = await bindByHand(scene, sample, name);
    claimUids.set(name, claim.metadata.uid ?? '');
  });
  const bound = binding();
  const deleting = await startMeter(scene);
  const deleteSeconds = await timed(count, (index) => {
    const name = names[index]!;
    return deleteByHand(scene, name, claimUids.get(name)!);
  });
  const deleted = deleting();
  return {
    bindSeconds,
    deleteSeconds,
    apiServerSeconds: bound.apiServerSeconds,
    apiServerDeletingSeconds: deleted.apiServerSeconds,
    othersBinding: bound.others,
    othersDeleting: deleted.others,
  };
}

/** The seconds that all loaders need for the work. */
async function timed(count: number, work: (index: number) => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await inTurns(count, loaders, work);
  return (performance.now() - startedAtMs) / 1000;
}

async function bindByHand({ bare }: Scene, sample: BoundClaim, name: string): Promise<FancySQLInstance> {
  const { resourceRef, ...spec } = sample.claim.spec;
  const key = { namespace, name };
  const claim = await bare.create(FancySQLInstanceKind, {
    ...pick(sample.claim, ['apiVersion', 'kind']),
    metadata: key,
    spec: { ...spec, writeConnectionSecretToRef: { name } },
  });
  const { finalizers } = sample.claim.metadata;
  const metadata = { finalizers, annotations: { [annotationKeys.externalName]: name } };
  await bare.patch(FancySQLInstanceKind, key, {
    metadata,
    spec: { resourceRef: { ...resourceRef, name } },
  });
  const sourceKey = { namespace: credentialsNamespace, name: claim.metadata.uid ?? '' };
  const managed = await bare.create(FavouriteDBInstanceKind, {
    ...pick(sample.managed, ['apiVersion', 'kind']),
    metadata: { name, ...pick(sample.managed.metadata, ['annotations', 'finalizers']) },
    spec: { ...sample.managed.spec, claimRef: referenceTo(claim), writeConnectionSecretToRef: sourceKey },
  });
  const { type, data } = sample.source;
  const secret = { apiVersion: 'v1', kind: 'Secret', ...(type && { type }), ...(data && { data }) };
  const { annotations = {} } = sample.source.metadata;
  await bare.create(SecretKind, {
    ...secret,
    metadata: { ...sourceKey, annotations, ownerReferences: [controllerReference(managed)] },
  });
  const status = { subresource: 'status' } as const;
  const unbound = { status: { ...sample.managed.status, bindingPhase: 'Unbound' } };
  await bare.patch(FavouriteDBInstanceKind, { name }, unbound, status);
  const ownerReferences = [controllerReference(claim)];
  await bare.create(SecretKind, {
    ...secret,
    metadata: { ...key, annotations: propagatesFrom(sourceKey), ownerReferences },
  });
  await bare.patch(FavouriteDBInstanceKind, { name }, { status: { bindingPhase: 'Bound' } }, status);
  return bare.patch(FancySQLInstanceKind, key, { status: sample.claim.status }, status);
}

async function deleteByHand({ bare }: Scene, name: string, claimUid: string): Promise<void> {
  const key = { namespace, name };
  const released = { metadata: { finalizers: null } };
  await bare.delete(FancySQLInstanceKind, key);
  await bare.delete(FavouriteDBInstanceKind, { name });
  await bare.delete(SecretKind, { namespace: credentialsNamespace, name: claimUid });
  await bare.patch(FavouriteDBInstanceKind, { name }, released);
  await bare.delete(SecretKind, key);
  await bare.patch(FancySQLInstanceKind, key, released);
}
