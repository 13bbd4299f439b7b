import compact from 'lodash/compact.js';
import uniq from 'lodash/uniq.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { objectKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import {
  controllerOf,
  controllerUid,
  isControlledBy,
  referenceIsOfKind,
  referenceTo,
} from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import {
  propagationAnnotations,
  propagationSource,
  propagationTargets,
} from '../../../apis/core/v1alpha1/secret.ts';
import type { ControllerSpec } from '../../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Request } from '../../../runtime/controller/reconcile.ts';
import type { Trigger } from '../../../runtime/controller/triggers.ts';
import {
  anyOf,
  appears,
  changed,
  goes,
  is,
  stays,
  triggersIn,
  unchanged,
} from '../../../runtime/controller/triggers.ts';
import { claimNamespaces } from '../claim/claim-namespaces.ts';
import { holdings } from '../claim/holdings.ts';
import { isServed } from '../claim/is-served.ts';
import { provisionedNames } from '../claim/provisioned-name.ts';
import type { ClaimService, Peers } from '../claim-service.ts';
import { controllerNames, eventSources } from '../claim-service.ts';
import {
  claimKeyOf,
  claimsOfClass,
  claimsOfManaged,
  connectionSecrets,
  indexClaims,
  managedNaming,
  managedWithClaimUid,
  publisherOf,
  secretsOfClaim,
} from '../indexes.ts';
import { aboutClaim } from '../story.ts';
import { isMeantFor } from './claim-reference.ts';
import { isConcerned } from './decide.ts';
import { claimBinding } from './reconciler.ts';
import { stageOfClaim } from './stage.ts';

/** Binds claims of one kind to managed resources of one kind; `peers` are the services of the claim kind. */
export function claimBindingController(
  env: Environment,
  service: ClaimService,
  peers: Peers,
): ControllerSpec {
  const claims = env.resource(service.claim);
  const classes = env.resource(service.class);
  const managedResources = env.resource(service.managed);
  const secrets = connectionSecrets(env);
  const namespaces = claimNamespaces(env);
  const heldBy = holdings(env, peers.all);
  indexClaims(claims.store);
  const isReporter = () => peers.working()[0] === service; // it also answers for kinds nobody knows

  /** The claim that a managed resource names. */
  const namedBy = ({ spec: { claimRef } }: Managed): readonly Request[] => {
    const key = referenceIsOfKind(claimRef, service.claim) ? claimKeyOf(claimRef) : undefined;
    return key === undefined ? [] : [key];
  };
  const isThere = (key: Request): boolean => claims.get(key) !== undefined;
  /** The claims that a managed resource names, and those that name it. */
  const claimsOf = (object: Managed): readonly Request[] => [
    ...namedBy(object).filter(isThere),
    ...claimsOfManaged(claims.store, referenceTo(object)).map(({ metadata }) => objectKey(metadata)),
  ];
  /** The claim that a managed resource names though it is not there, if we would see it. */
  const lostClaimOf = (object: Managed): readonly Request[] =>
    wasDeleted(object) ? [] : namedBy(object).filter((key) => !isThere(key) && isServed(env, key));
  /** Where somebody has edited the claimRef of what a claim had: whose it is said to be, there or not, and who waits for it. */
  const misdirected = (claim: Claim): readonly Request[] =>
    compact(
      uniq([claim.spec.resourceRef?.name, ...provisionedNames(claim)]).map((name = '') =>
        managedResources.get({ name }),
      ),
    )
      // What a claim names may be anybody's, whom it is not to wake.
      .filter((resource) => !wasDeleted(resource) && isMeantFor(resource, claim))
      .flatMap((resource) => [
        ...namedBy(resource).filter((key) => isServed(env, key)),
        ...claimsOfManaged(claims.store, referenceTo(resource)).map(({ metadata }) => objectKey(metadata)),
      ]);
  const claimsOfSource = (secret: Secret): readonly Request[] => {
    const resource = publisherOf(secret, managedResources);
    return resource === undefined ? [] : claimsOf(resource);
  };
  /**
   * The claims of what is published to a secret no more: leave for them may be given there late, by a request that was under
   * way or by another process. Their copy has to be of its namespace, since what a secret says of others may be anybody's.
   */
  const claimsOfFormerSource = (secret: Secret): readonly Request[] => {
    const resource = managedResources.get({ name: controllerOf(secret)?.name ?? '' });
    if (resource === undefined || !isControlledBy(secret, resource)) return [];
    const isOfIts = (copy: Secret): boolean =>
      propagationSource(copy)?.namespace === secret.metadata.namespace;
    return claimsOf(resource).filter((key) => {
      const claim = claims.get(key);
      const hasLeave = propagationTargets(secret).some(({ namespace }) => namespace === key.namespace);
      return claim !== undefined && hasLeave && secretsOfClaim(secrets.store, claim.metadata).some(isOfIts);
    });
  };
  /** The claim that controls a secret. */
  const claimOfTarget = (secret: Secret): readonly Request[] => {
    const controller = controllerOf(secret);
    if (!referenceIsOfKind(controller, service.claim)) return [];
    return [{ namespace: secret.metadata.namespace ?? '', name: controller?.name ?? '' }];
  };
  /** The claim that controls a secret and names another, or none: a request for it may be carried out late. */
  const claimOfUnwanted = (secret: Secret): readonly Request[] =>
    claimOfTarget(secret).filter((key) => {
      const claim = claims.get(key);
      return claim !== undefined && claim.spec.writeConnectionSecretToRef?.name !== secret.metadata.name;
    });
  const isUnbound = (key: Request) => claims.get(key)?.status?.bindingPhase !== 'Bound';

  const wokenBy = triggersIn(env);
  const triggers: readonly Trigger[] = [
    wokenBy(claims.store)
      .when(
        stays,
        is((claim) => isReporter() || isConcerned(service, claim, heldBy(claim))),
      )
      .itself('the claim changed'),
    wokenBy(claims.store)
      .when(goes)
      .through(
        (claim) => [
          ...managedNaming(managedResources.store, objectKey(claim.metadata)).flatMap(lostClaimOf),
          // By its UID it had what names another claim, which somebody wrote there, and which is not there.
          ...managedWithClaimUid(managedResources.store, claim.metadata.uid).flatMap(lostClaimOf),
          ...misdirected(claim),
        ],
        'the claim is gone, and a managed resource names it',
      ),
    wokenBy(managedResources.store).throughBoth(claimsOf, 'its managed resource changed'),
    wokenBy(managedResources.store)
      .when(stays)
      .through(lostClaimOf, 'a managed resource names it, and it is not there'),
    wokenBy(classes.store)
      .sharedByMany()
      .through((object) => claimsOfClass(claims.store, referenceTo(object)), 'its class changed'),
    wokenBy(secrets.store)
      .when(anyOf(goes, changed(controllerUid, propagationSource)))
      .throughFormer(claimOfTarget, 'it lost its secret'),
    wokenBy(secrets.store)
      .when(appears)
      .through(claimOfUnwanted, 'a secret has come that it wants no longer'),
    wokenBy(secrets.store)
      .when(anyOf(appears, changed(controllerUid, propagationAnnotations)))
      .throughBoth(
        (secret) => [...claimsOfSource(secret), ...claimsOfFormerSource(secret)],
        'the secret of its managed resource changed hands',
      ),
    // Secret propagation hands data over to the claims that are bound.
    wokenBy(secrets.store)
      .when(unchanged(controllerUid, propagationAnnotations))
      .through(
        (secret) => claimsOfSource(secret).filter(isUnbound),
        'the secret of its managed resource, which it waits for, changed',
      ),
    namespaces.trigger(
      (claim) => isUnbound(objectKey(claim.metadata)) && isConcerned(service, claim, heldBy(claim)),
      {
        claims: claims.store,
        offered: [classes.store, managedResources.store],
      },
    ),
  ];

  return {
    name: controllerNames.binding(service),
    objects: claims.store,
    about: (request) => aboutClaim(claims.get(request)),
    stageOf(request) {
      const claim = claims.get(request);
      const { name } = claim?.spec.resourceRef ?? {};
      return stageOfClaim(claim, name === undefined ? undefined : managedResources.get({ name }));
    },
    triggers,
    reconcile: claimBinding({
      env: { ...env, events: env.events.from(eventSources.binding(service)) },
      service,
      peers,
      claims,
      classes,
      managedResources,
      secrets,
      namespaces,
      heldBy,
    }),
  };
}
