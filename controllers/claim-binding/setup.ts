import pick from 'lodash/pick.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition, incompleteTemplate } from '../../apis/core/v1alpha1/condition.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { ObjectReference } from '../../apis/core/v1alpha1/reference.ts';
import {
  controllerOf,
  controllerUid,
  isControlledBy,
  referenceIsOfKind,
  referenceTo,
} from '../../apis/core/v1alpha1/reference.ts';
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
import { claimNamespaces, isServed } from '../claim/claim-namespaces.ts';
import { ownedResources } from '../claim/owned-resources.ts';
import { previousResources } from '../claim/previous-resources.ts';
import type { ClaimKind, ReadyStack } from '../claim-service.ts';
import { controllerNames, eventSources } from '../claim-service.ts';
import { wasNeverFound } from '../external-identity.ts';
import {
  claimKeyOf,
  claimsOfClass,
  claimsOfManaged,
  claimsOfSecret,
  connectionSecrets,
  indexClaims,
  managedNaming,
  managedWithClaimUid,
  publisherOf,
  secretsOfClaim,
} from '../indexes.ts';
import { aboutClaim } from '../log-changes.ts';
import type { NamedSecret } from '../named-secret-changes.ts';
import { namedSecretChanges } from '../named-secret-changes.ts';
import { stackReadyTrigger } from '../stack-ready.ts';
import { isAtRest } from './at-rest.ts';
import type { StoredConnection } from './context.ts';
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
  const classStores = services.all.map((service) => env.resource(service.class).store);
  const managedResources = services.all.map(({ managed }) => env.resource(managed));
  const managedStores = managedResources.map(({ store }) => store);
  const secrets = connectionSecrets(env);
  const namespaces = claimNamespaces(env);
  const ownedBy = ownedResources(env, services.all);
  indexClaims(claims.store);

  const resourcesOfKind = (reference: ObjectReference | undefined): Resource<Managed> | undefined =>
    managedResources.find((each) => referenceIsOfKind(reference, each.kind));
  function resourcesOf(managed: Managed): Resource<Managed> {
    const found = resourcesOfKind(managed);
    if (found === undefined) throw new Error(`no service of ${kind.kind} has the kind ${managed.kind}`);
    return found;
  }
  const namedBy = ({ spec: { claimRef } }: Managed): readonly Request[] => {
    const key = referenceIsOfKind(claimRef, kind) ? claimKeyOf(claimRef) : undefined;
    return key === undefined ? [] : [key];
  };
  const isThere = (key: Request): boolean => claims.get(key) !== undefined;
  const claimsOf = (object: Managed): readonly Request[] => [
    ...namedBy(object).filter(isThere),
    ...claimsOfManaged(claims.store, referenceTo(object)).map(({ metadata }) => objectKey(metadata)),
  ];
  /** The claim that a managed resource names, if that claim does not exist and this process serves its namespace. */
  const lostClaimOf = (object: Managed): readonly Request[] =>
    wasDeleted(object) ? [] : namedBy(object).filter((key) => !isThere(key) && isServed(env, key));
  /** The claims of the resource that owns this Secret. None if the resource has no phase: a new phase triggers them. */
  const claimsOfSource = (secret: Secret): readonly Request[] => {
    const resource = publisherOf(secret, ...managedResources);
    return resource?.status?.bindingPhase === undefined ? [] : claimsOf(resource);
  };
  /** One run deletes a claim's Secrets and then ends the claim. So the end of a Secret needs no other run. */
  const isEnding = (key: Request): boolean => {
    const claim = claims.get(key);
    return claim === undefined || wasDeleted(claim);
  };
  const claimOfTarget = (secret: Secret): readonly Request[] => {
    const controller = controllerOf(secret);
    if (!referenceIsOfKind(controller, kind)) return [];
    return [{ namespace: secret.metadata.namespace ?? '', name: controller?.name ?? '' }];
  };
  /** The claim that controls this Secret but names another Secret now. The claim's next run deletes this Secret. */
  const claimOfUnwanted = (secret: Secret): readonly Request[] =>
    claimOfTarget(secret).filter((key) => {
      const claim = claims.get(key);
      return claim !== undefined && claim.spec.writeConnectionSecretToRef?.name !== secret.metadata.name;
    });
  /** The claims that name a Secret of another owner as theirs. Their own Secrets wake them by the triggers above. */
  const claimsOfForeign = (secret: Secret): readonly Claim[] =>
    claimsOfSecret(claims.store, secret).filter((claim) => !isControlledBy(secret, claim));
  const isNotReady = (key: Request) =>
    getCondition(claims.get(key)?.status?.conditions, 'Ready').status === 'False';
  const lacksEntry = (key: Request) =>
    getCondition(claims.get(key)?.status?.conditions, 'Synced').reason === incompleteTemplate;
  const isUnbound = (key: Request) => claims.get(key)?.status?.bindingPhase !== 'Bound';
  /** Scheduling and defaulting handle a claim that needs a class. This controller reports one that is malformed. */
  const needsClass = (claim: Claim) =>
    !wasDeleted(claim) && namesNoKind(claim, ownedBy(claim)) && malformationOf(claim) === undefined;

  const wokenBy = triggersIn(env);
  const triggers: readonly Trigger[] = [
    wokenBy(claims.store)
      .when(
        exists,
        is((claim) => !needsClass(claim)),
      )
      .writtenByOthers()
      .itself('the claim changed'),
    wokenBy(claims.store)
      .when(disappears)
      .through(
        ({ metadata }) =>
          managedStores.flatMap((store) => [
            ...managedNaming(store, objectKey(metadata)).flatMap(lostClaimOf),
            // guard: otherwise a resource whose claimRef has the UID of a deleted claim is never released
            ...managedWithClaimUid(store, metadata.uid).flatMap(lostClaimOf),
          ]),
        'the claim was deleted, and a managed resource names it',
      ),
    wokenBy(...managedStores)
      .when(anyOf(appears, disappears, isChangedForClaims))
      .writtenByOthers()
      .throughBoth(claimsOf, 'its managed resource changed'),
    wokenBy(...managedStores)
      .when(exists)
      .through(lostClaimOf, 'a managed resource names it, and it does not exist'),
    wokenBy(...classStores)
      .sharedByMany()
      .through((object) => claimsOfClass(claims.store, referenceTo(object)), 'its class changed'),
    wokenBy(secrets.store)
      .when(
        anyOf(
          disappears,
          changed(controllerUid, propagationSource, ({ immutable }: Secret) => immutable),
        ),
      )
      .throughPrevious(
        (secret) => claimOfTarget(secret).filter((key) => !isEnding(key)),
        'its secret was deleted or made immutable, or has another owner or source',
      ),
    // Secret propagation undoes an edit of the copy of another Secret.
    wokenBy(secrets.store)
      .when(changed(contentWithoutSource))
      .writtenByOthers()
      .through(
        (secret) => claimOfTarget(secret).filter((key) => !isEnding(key)),
        'its secret, a copy from a secret store, was edited',
      ),
    wokenBy(secrets.store)
      .when(appears)
      .through(claimOfUnwanted, 'a secret appeared that it no longer names'),
    wokenBy(secrets.store)
      .when(anyOf(appears, changed(controllerUid, propagationAnnotations)))
      .throughBoth(claimsOfSource, 'the owner or the consent of the secret of its managed resource changed'),
    // The controller in secret-propagation/ updates the Secrets of Bound claims. So this trigger leaves these claims out,
    // unless they are not ready or their Secret lacks an entry.
    wokenBy(secrets.store)
      .when(unchanged(controllerUid, propagationAnnotations))
      .through(
        (secret) =>
          claimsOfSource(secret).filter((key) => isUnbound(key) || isNotReady(key) || lacksEntry(key)),
        'the secret of its managed resource, which it waits for, changed',
      ),
    wokenBy(secrets.store)
      .when(
        anyOf(
          appears,
          disappears,
          changed(controllerUid, ({ data }: Secret) => data),
        ),
      )
      .throughBoth(claimsOfForeign, 'a secret of another owner with the name of its secret changed'),
    // Each watch begins with the Secret as it is, so it must not reset the back-off of reads that fail.
    triggerBy(
      'the secret of another owner that has the name of its secret changed',
      namedSecretChanges(env, claims.store, blockingSecretOf, mostWatched),
      'shared change',
    ),
    namespaces.trigger((claim) => isUnbound(objectKey(claim.metadata)) && !needsClass(claim), {
      claims: claims.store,
      offered: [...classStores, ...managedStores],
    }),
    stackReadyTrigger(services, claimsWaitingFor),
  ];

  /** The claims that the services of a stack bind or that no service binds, and those that its resources lost. */
  function claimsWaitingFor(stack: ReadyStack): readonly Request[] {
    const others = services.ready().filter((service) => !stack.services.includes(service));
    const hasOtherService = (claim: Claim) => serviceOf(others, claim, ownedBy(claim)) !== undefined;
    const waiting = those(claims.store.all(), (claim) => !hasOtherService(claim) && !needsClass(claim));
    return [
      ...waiting.map(({ metadata }) => objectKey(metadata)),
      ...stack.services.flatMap(({ managed }) => foundFor(env.resource(managed).store.all(), lostClaimOf)),
    ];
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
    triggers,
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
