import isEqual from 'lodash/isEqual.js';
import type { Observable } from 'rxjs';
import { objectKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { controllerOf, referenceIsOfKind, referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { propagationAnnotations, propagationSource } from '../../../apis/core/v1alpha1/secret.ts';
import type { Change } from '../../../runtime/cache/store.ts';
import type { ControllerSpec } from '../../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Request } from '../../../runtime/controller/reconcile.ts';
import { claimResource } from '../claim/assign-class.ts';
import { holdings } from '../claim/holdings.ts';
import type { ClaimService } from '../claim-service.ts';
import { controllerNames, eventSources } from '../claim-service.ts';
import {
  claimKeyOf,
  claimsOfClass,
  claimsOfManaged,
  connectionSecrets,
  indexClaims,
  managedNaming,
} from '../indexes.ts';
import { requestsFor, requestsOn } from '../trigger.ts';
import { isConcerned } from './decide.ts';
import { claimBinding } from './reconciler.ts';

/** A target that secret propagation no longer looks after: it is gone, or another controls it, or it names another source. */
const isLost = (change: Change<Secret>): boolean =>
  change.type === 'deleted' ||
  (change.type === 'modified' &&
    (controllerOf(change.object)?.uid !== controllerOf(change.previous)?.uid ||
      !isEqual(propagationSource(change.object), propagationSource(change.previous))));

/** A source whose data alone changed: secret propagation hands that over to the claims that are bound. */
const isDataOnly = (change: Change<Secret>): boolean =>
  change.type === 'modified' &&
  controllerOf(change.previous)?.uid === controllerOf(change.object)?.uid &&
  isEqual(propagationAnnotations(change.previous), propagationAnnotations(change.object));

/** Binds claims of one kind to managed resources of one kind; `peers` are all services of the claim kind. */
export function claimBindingController(
  env: Environment,
  service: ClaimService,
  peers: readonly ClaimService[],
): ControllerSpec {
  const claims = claimResource(env, service.claim);
  const classes = env.resource(service.class);
  const managed = env.resource(service.managed);
  const secrets = connectionSecrets(env);
  const heldBy = holdings(env, peers);
  indexClaims(claims.store);
  const isReporter = peers[0] === service; // it also answers for kinds nobody knows

  /** Claims that managed resources name, and those that name the first. */
  const claimsOf = (...[now, ...before]: readonly [Managed, ...Managed[]]): Request[] => {
    const named = [now, ...before].flatMap(({ spec: { claimRef } }) => {
      const key = referenceIsOfKind(claimRef, service.claim) ? claimKeyOf(claimRef) : undefined;
      return key === undefined ? [] : [key];
    });
    return [...named, ...requestsFor(claimsOfManaged(claims.store, referenceTo(now)))].filter(
      (request) => claims.get(request) !== undefined,
    );
  };

  /** The claim that a managed resource names though it is not there, if we would see it. */
  const lostClaimOf = ({ metadata, spec: { claimRef } }: Managed): Request[] => {
    const key = referenceIsOfKind(claimRef, service.claim) ? claimKeyOf(claimRef) : undefined;
    const isWatched = env.claimNamespace === undefined || key?.namespace === env.claimNamespace;
    const isLost = metadata.deletionTimestamp === undefined && isWatched;
    return key !== undefined && isLost && claims.get(key) === undefined ? [key] : [];
  };

  const triggers: readonly Observable<Request>[] = [
    requestsOn(env, claims.store, ({ type, object }) => {
      const request = objectKey(object.metadata);
      if (type === 'deleted') return managedNaming(managed.store, request).flatMap(lostClaimOf);
      return isReporter || isConcerned(service, object, heldBy(object)) ? [request] : [];
    }),
    requestsOn(env, managed.store, (change) => {
      const { type, object } = change;
      if (type === 'deleted') return claimsOf(object);
      const woken = type === 'modified' ? claimsOf(object, change.previous) : claimsOf(object);
      return [...woken, ...lostClaimOf(object)];
    }),
    requestsOn(env, classes.store, ({ object }) =>
      requestsFor(claimsOfClass(claims.store, referenceTo(object))),
    ),
    // A claim's secret that vanished or was disowned is made anew; one that it waited for is handed over at once.
    requestsOn(env, secrets.store, (change) => {
      const target = change.type === 'modified' ? change.previous : change.object;
      const owner = controllerOf(target);
      if (owner !== undefined && referenceIsOfKind(owner, service.claim) && isLost(change)) {
        return [{ namespace: target.metadata.namespace ?? '', name: owner.name }];
      }
      const source = controllerOf(change.object);
      if (change.type === 'deleted' || !referenceIsOfKind(source, service.managed)) return [];
      const resource = managed.get({ name: source?.name ?? '' });
      const woken = resource === undefined ? [] : claimsOf(resource);
      return isDataOnly(change)
        ? woken.filter((request) => claims.get(request)?.status?.bindingPhase !== 'Bound')
        : woken;
    }),
  ];

  return {
    name: controllerNames.binding(service),
    objects: claims.store,
    triggers,
    reconcile: claimBinding({
      env: { ...env, events: env.events.from(eventSources.binding(service)) },
      service,
      peers,
      claims,
      classes,
      managed,
      secrets,
      heldBy,
    }),
  };
}
