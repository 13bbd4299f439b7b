import compact from 'lodash/compact.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition, incompleteTemplate } from '../../apis/core/v1alpha1/condition.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import {
  controllerOf,
  isControlledBy,
  referenceIsOfKind,
  referenceTo,
} from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { Request } from '../../runtime/controller/reconcile.ts';
import { isServed } from '../claim/claim-namespaces.ts';
import type { ClaimKind } from '../claim-service.ts';
import { claimKeyOf, claimsOfManaged, claimsOfSecret, publisherOf } from '../indexes.ts';

/** Finds the claims of one kind that another object concerns. */
export function claimFinders(env: Environment, { claim: kind, services }: ClaimKind) {
  const claims = env.resource(kind);
  const managedResources = services.all.map(({ managed }) => env.resource(managed));
  const isThere = (key: Request): boolean => claims.get(key) !== undefined;
  const namedBy = ({ spec: { claimRef } }: Managed): readonly Request[] => {
    const key = referenceIsOfKind(claimRef, kind) ? claimKeyOf(claimRef) : undefined;
    return key === undefined ? [] : [key];
  };
  const controllersOf = (secret: Secret): readonly Claim[] => {
    const controller = controllerOf(secret);
    if (!referenceIsOfKind(controller, kind)) return [];
    const key = { namespace: secret.metadata.namespace ?? '', name: controller?.name ?? '' };
    return compact([claims.get(key)]);
  };
  /** Whether a run of the claim has an effect that the propagation of its Secret does not have. */
  const needsRun = (key: Request): boolean => {
    const { bindingPhase, conditions } = claims.get(key)?.status ?? {};
    const isNotReady = getCondition(conditions, 'Ready').status === 'False';
    const lacksEntry = getCondition(conditions, 'Synced').reason === incompleteTemplate;
    return bindingPhase !== 'Bound' || isNotReady || lacksEntry;
  };
  /** The claims of a managed resource. */
  const resourceClaims = (object: Managed): readonly Request[] => [
    ...namedBy(object).filter(isThere),
    ...claimsOfManaged(claims.store, referenceTo(object)).map(({ metadata }) => objectKey(metadata)),
  ];
  /** The claims of the resource that owns this Secret. None if the resource has no phase: a new phase triggers them. */
  const sourceClaims = (secret: Secret): readonly Request[] => {
    const resource = publisherOf(secret, ...managedResources);
    return resource?.status?.bindingPhase === undefined ? [] : resourceClaims(resource);
  };
  return {
    resourceClaims,
    sourceClaims,
    /** Without Bound claims, whose Secrets secret-propagation/ updates, unless they are not ready or lack an entry. */
    waitingClaims: (secret: Secret) => sourceClaims(secret).filter(needsRun),
    /** The claim that a managed resource names, if that claim does not exist and this process serves its namespace. */
    lostClaims: (object: Managed): readonly Request[] =>
      wasDeleted(object) ? [] : namedBy(object).filter((key) => !isThere(key) && isServed(env, key)),
    /** The claim that controls this Secret. One run deletes a claim's Secrets and then ends the claim, so none that ends. */
    targetClaims: (secret: Secret): readonly Claim[] =>
      controllersOf(secret).filter((claim) => !wasDeleted(claim)),
    /** The claim that controls this Secret but names another Secret now. The claim's next run deletes this Secret. */
    unwantedClaims: (secret: Secret): readonly Claim[] =>
      controllersOf(secret).filter(
        ({ spec }) => spec.writeConnectionSecretToRef?.name !== secret.metadata.name,
      ),
    /** The claims that name a Secret of another owner as theirs. */
    foreignClaims: (secret: Secret): readonly Claim[] =>
      claimsOfSecret(claims.store, secret).filter((claim) => !isControlledBy(secret, claim)),
  };
}
