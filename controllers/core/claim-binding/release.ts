import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, wasDeleted, withoutFinalizer } from '../../../apis/core/v1alpha1/meta.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { propagationAnnotations } from '../../../apis/core/v1alpha1/secret.ts';
import { isNotFound } from '../../../runtime/errors.ts';
import type { Resource } from '../../../runtime/resource.ts';
import { secretsControlledBy } from '../indexes.ts';
import { withoutClaim, withPhase } from './bind.ts';
import { classSelectorKey } from './edits.ts';
import { cannotUnbind, failing } from './step.ts';

/** Where a claim that goes has left something. */
export interface ReleaseOptions {
  readonly claims: Resource<Claim>;
  readonly managed: Resource<Managed>;
  readonly secrets: Resource<Secret>;
}

/**
 * Lets go of a managed resource. Delete: it goes; its own controller shows it Released while that lasts. Retain: it
 * is marked Released while it still names the claim, and only then lets go of it, so that a crash in between leaves
 * work that is found again.
 */
export async function release(
  { managed, secrets }: ReleaseOptions,
  claim: Claim,
  resource: Managed,
  reclaim: 'Delete' | 'Retain',
  signal: AbortSignal,
): Promise<void> {
  try {
    if (reclaim === 'Delete') {
      if (wasDeleted(resource)) return;
      await failing('cannot delete managed resource', managed.delete(resource, signal), cannotUnbind);
      return;
    }
    const phased = managed.updateStatus(resource, withPhase(resource, 'Released'), signal);
    const released = await failing('cannot update managed resource status', phased, cannotUnbind);
    const target = `${claim.metadata.namespace}/${claim.spec.writeConnectionSecretToRef?.name}`;
    await withdraw(secrets, resource, target, signal);
    const leave = Object.entries(propagationAnnotations(released));
    const dropped = leave.flatMap(([key, value]) => (value === target ? [key] : []));
    const freed = managed.update(released, withoutClaim(released, [classSelectorKey, ...dropped]), signal);
    await failing('cannot update managed resource', freed, cannotUnbind);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** The source secret no longer allows propagation to the target. */
async function withdraw(
  secrets: Resource<Secret>,
  resource: Managed,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  const key = resource.spec.writeConnectionSecretToRef;
  const source = key === undefined ? undefined : secrets.get(key);
  if (source === undefined) return;
  const kept = Object.entries(source.metadata.annotations ?? {}).filter(
    ([name, value]) => !(value === target && name in propagationAnnotations(source)),
  );
  const withdrawn = { ...source, metadata: { ...source.metadata, annotations: Object.fromEntries(kept) } };
  const update = secrets.update(source, withdrawn, signal);
  await failing('cannot update connection secret', update, cannotUnbind);
}

/** The claim's secret goes with it, also where no garbage collector runs; then the claim may go. */
export async function finalise(
  { claims, secrets }: ReleaseOptions,
  claim: Claim,
  signal: AbortSignal,
): Promise<void> {
  for (const secret of secretsControlledBy(secrets.store, claim.metadata.uid)) {
    await failing('cannot delete connection secret', secrets.delete(secret, signal), cannotUnbind);
  }
  const finalizers = withoutFinalizer(claim, finalizerNames.claim);
  const finalised = { ...claim, metadata: { ...claim.metadata, finalizers } };
  try {
    const update = claims.update(claim, finalised, signal);
    await failing('cannot update resource claim', update, cannotUnbind);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
