import pick from 'lodash/pick.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { ObjectReference } from '../../apis/core/v1alpha1/reference.ts';
import { controllerUid, referenceIsOfKind, referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { propagationAnnotations, propagationSource } from '../../apis/core/v1alpha1/secret.ts';
import { malformationOf } from '../../apis/core/v1alpha1/well-formed.ts';
import type { Resource } from '../../runtime/cache/resource.ts';
import type { ControllerSpec } from '../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { Request } from '../../runtime/controller/reconcile.ts';
import type { Predicate, Trigger } from '../../runtime/controller/triggers.ts';
import {
  anyOf,
  appears,
  becomes,
  changed,
  disappears,
  exists,
  foundFor,
  is,
  those,
  triggerBy,
  triggersIn,
  unchanged,
} from '../../runtime/controller/triggers.ts';
import type { Stage } from '../../runtime/controller/urgency.ts';
import { claimNamespaces } from '../claim/claim-namespaces.ts';
import { ownedResources } from '../claim/owned-resources.ts';
import { previousResources } from '../claim/previous-resources.ts';
import type { ClaimKind, ReadyStack } from '../claim-service.ts';
import { controllerNames, eventSources } from '../claim-service.ts';
import { wasNeverFound } from '../external-identity.ts';
import {
  claimsOfClass,
  connectionSecrets,
  indexClaims,
  managedNaming,
  managedWithClaimUid,
  secretsOfClaim,
} from '../indexes.ts';
import { aboutClaim } from '../log-changes.ts';
import type { NamedSecret } from '../named-secret-changes.ts';
import { namedSecretChanges } from '../named-secret-changes.ts';
import { stackReadyTrigger } from '../stack-ready.ts';
import { isAtRest } from './at-rest.ts';
import { claimFinders } from './claim-finders.ts';
import type { BindingContext, StoredConnection } from './context.ts';
import { secretKeyOfClaim } from './observe-secrets.ts';
import { claimBinding } from './reconciler.ts';
import { namesNoKind, serviceOf } from './service-of.ts';

/**
 * The progress of a claim, which determines its priority in the queue. A claim that is being deleted is `begun`,
 * because it may have a resource. A claim whose resource has no phase is `waiting`: a run would change nothing.
 */
export function stageOfClaim(claim: Claim | undefined, managed: Managed | undefined): Stage {
  if (claim === undefined || wasDeleted(claim)) return 'begun';
  if (claim.status?.bindingPhase === 'Bound') return 'settled';
  if (claim.spec.resourceRef === undefined) return 'new';
  return managed !== undefined && managed.status?.bindingPhase === undefined ? 'waiting' : 'begun';
}

/** Whether a field changed that the binding controller reads. It does not read finalizers, for example. */
const isChangedForClaims: Predicate<Managed> = anyOf(
  changed(
    ({ spec }: Managed) => spec,
    ({ status }) => status,
    ({ metadata }) => metadata.deletionTimestamp,
    ({ metadata }) => metadata.ownerReferences,
    ({ metadata }) => metadata.annotations?.[annotationKeys.externalLost],
    ({ metadata }) => metadata.annotations?.[annotationKeys.giveBack],
    externalName,
  ),
  // The creation has failed, maybe with the same status as before. The resource can get edited parameters now.
  becomes(wasNeverFound),
);

/** How many Secrets are watched at once. Any team can make claims that wait for a Secret; their runs are also retried. */
const mostWatched = 100;

/** The Secret of another owner that blocks a claim. It is watched only while the claim reports it. */
export function blockingSecretOf(claim: Claim): NamedSecret | undefined {
  const isBlocked = getCondition(claim.status?.conditions, 'Ready').reason === 'SecretConflict';
  const key = isBlocked && !wasDeleted(claim) ? secretKeyOfClaim(claim) : undefined;
  return key && { ...key, isChangedAtFirst: 'always' };
}

/** The content of a Secret that is no copy of another one. A claim's Secret may be a copy of an entry in a secret store. */
const contentWithoutSource = (secret: Secret): unknown =>
  propagationSource(secret) === undefined && [secret.data, pick(secret.metadata, ['labels', 'annotations'])];

/**
 * Binds the claims of one kind to managed resources. `storedConnection`: reads the credential of a resource that publishes
 * only to a secret store. It is absent if no secret store is enabled.
 */
export function claimBindingController(
  env: Environment,
  claimKind: ClaimKind,
  storedConnection?: StoredConnection,
): ControllerSpec {
  const { claim: kind, services } = claimKind;
  const claims = env.resource(kind);
  const managedResources = services.all.map(({ managed }) => env.resource(managed));
  const secrets = connectionSecrets(env);
  const namespaces = claimNamespaces(env);
  const ownedBy = ownedResources(env, services.all);
  const resourcesOfKind = (reference: ObjectReference | undefined): Resource<Managed> | undefined =>
    managedResources.find((each) => referenceIsOfKind(reference, each.kind));
  function resourcesOf(managed: Managed): Resource<Managed> {
    const found = resourcesOfKind(managed);
    if (found === undefined) throw new Error(`no service of ${kind.kind} has the kind ${managed.kind}`);
    return found;
  }
  const resourceNamedBy = ({ spec: { resourceRef } }: Claim): Managed | undefined =>
    resourcesOfKind(resourceRef)?.get({ name: resourceRef?.name ?? '' });

  return {
    name: controllerNames.binding(kind),
    sort: 'claim binding',
    objects: claims.store,
    about: (request) => aboutClaim(claims.get(request)),
    stageOf(request) {
      const claim = claims.get(request);
      return stageOfClaim(claim, claim && resourceNamedBy(claim));
    },
    restMsOf(request) {
      const claim = claims.get(request);
      if (claim === undefined) return undefined;
      const controlled = secretsOfClaim(secrets.store, claim.metadata);
      const isResting = isAtRest({ claim, managed: resourceNamedBy(claim), controlled });
      return isResting ? env.random() * env.pollIntervalMs : undefined;
    },
    triggers: bindingTriggers(env, claimKind, { namespaces, ownedBy }),
    reconcile: claimBinding({
      ...claimKind,
      env: { ...env, events: env.events.from(eventSources.binding(kind)) },
      claims,
      secrets,
      namespaces,
      ownedBy,
      previousResources: previousResources(env, services.all),
      resourcesOf,
      storedConnection,
    }),
  };
}

function bindingTriggers(
  env: Environment,
  claimKind: ClaimKind,
  { namespaces, ownedBy }: Pick<BindingContext, 'namespaces' | 'ownedBy'>,
): readonly Trigger[] {
  const { claim: kind, services } = claimKind;
  const claims = env.resource(kind).store;
  const classStores = services.all.map((service) => env.resource(service.class).store);
  const managedStores = services.all.map(({ managed }) => env.resource(managed).store);
  const secrets = connectionSecrets(env).store;
  indexClaims(claims);
  const find = claimFinders(env, claimKind);
  /** Scheduling and defaulting handle a claim that needs a class. This controller reports one that is malformed. */
  const needsClass = (claim: Claim) =>
    !wasDeleted(claim) && namesNoKind(claim, ownedBy(claim)) && malformationOf(claim) === undefined;
  /** The claims that the services of a stack bind or that no service binds, and those that its resources lost. */
  function waitingFor(stack: ReadyStack): readonly Request[] {
    const others = services.ready().filter((service) => !stack.services.includes(service));
    const hasOtherService = (claim: Claim) => serviceOf(others, claim, ownedBy(claim)) !== undefined;
    const waiting = those(claims.all(), (claim) => !hasOtherService(claim) && !needsClass(claim));
    return [
      ...waiting.map(({ metadata }) => objectKey(metadata)),
      ...stack.services.flatMap(({ managed }) =>
        foundFor(env.resource(managed).store.all(), find.lostClaims),
      ),
    ];
  }
  const wokenBy = triggersIn(env);
  return [
    wokenBy(claims)
      .when(
        exists,
        is((claim) => !needsClass(claim)),
      )
      .writtenByOthers()
      .itself('the claim changed'),
    wokenBy(claims)
      .when(disappears)
      .through(
        ({ metadata }) =>
          managedStores.flatMap((store) => [
            ...managedNaming(store, objectKey(metadata)).flatMap(find.lostClaims),
            // guard: otherwise a resource whose claimRef has the UID of a deleted claim is never released
            ...managedWithClaimUid(store, metadata.uid).flatMap(find.lostClaims),
          ]),
        'the claim was deleted, and a managed resource names it',
      ),
    wokenBy(...managedStores)
      .when(anyOf(appears, disappears, isChangedForClaims))
      .writtenByOthers()
      .throughBoth(find.resourceClaims, 'its managed resource changed'),
    wokenBy(...managedStores)
      .when(exists)
      .through(find.lostClaims, 'a managed resource names it, and it does not exist'),
    wokenBy(...classStores)
      .sharedByMany()
      .through((object) => claimsOfClass(claims, referenceTo(object)), 'its class changed'),
    wokenBy(secrets)
      .when(
        anyOf(
          disappears,
          changed(controllerUid, propagationSource, ({ immutable }: Secret) => immutable),
        ),
      )
      .throughPrevious(
        find.targetClaims,
        'its secret was deleted or made immutable, or has another owner or source',
      ),
    // Secret propagation undoes an edit of the copy of another Secret.
    wokenBy(secrets)
      .when(changed(contentWithoutSource))
      .writtenByOthers()
      .through(find.targetClaims, 'its secret, a copy from a secret store, was edited'),
    wokenBy(secrets).when(appears).through(find.unwantedClaims, 'a secret appeared that it no longer names'),
    wokenBy(secrets)
      .when(anyOf(appears, changed(controllerUid, propagationAnnotations)))
      .throughBoth(
        find.sourceClaims,
        'the owner or the consent of the secret of its managed resource changed',
      ),
    wokenBy(secrets)
      .when(unchanged(controllerUid, propagationAnnotations))
      .through(find.waitingClaims, 'the secret of its managed resource, which it waits for, changed'),
    wokenBy(secrets)
      .when(
        anyOf(
          appears,
          disappears,
          changed(controllerUid, ({ data }: Secret) => data),
        ),
      )
      .throughBoth(find.foreignClaims, 'a secret of another owner with the name of its secret changed'),
    // Each watch begins with the Secret as it is, so it must not reset the back-off of reads that fail.
    triggerBy(
      'the secret of another owner that has the name of its secret changed',
      namedSecretChanges(env, claims, blockingSecretOf, mostWatched),
      'shared change',
    ),
    namespaces.trigger((claim) => claim.status?.bindingPhase !== 'Bound' && !needsClass(claim), {
      claims,
      offered: [...classStores, ...managedStores],
    }),
    stackReadyTrigger(services, waitingFor),
  ];
}
