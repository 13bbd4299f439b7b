import type { Observable } from 'rxjs';
import { mergeMap } from 'rxjs';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { apiVersionOf } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { controllerOf, referenceIsOfKind, referenceTo } from '../../../apis/core/v1alpha1/reference.ts';
import type { ControllerSpec } from '../../../runtime/controller-spec.ts';
import type { Environment } from '../../../runtime/environment.ts';
import type { Request } from '../../../runtime/reconcile.ts';
import { requestFor } from '../../../runtime/reconcile.ts';
import type { Change } from '../../../runtime/store.ts';
import { claimResource } from '../assign-class.ts';
import { claimsOfClass, claimsOfManaged, connectionSecrets, indexClaims } from '../indexes.ts';
import type { ClaimService } from '../managed-service.ts';
import { controllerNames } from '../managed-service.ts';
import { isConcerned } from './decide.ts';
import { claimBinding } from './reconciler.ts';

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
  indexClaims(claims.store);
  const isReporter = peers[0] === service; // it also answers for kinds nobody knows

  /** Claims that a managed resource names, now or before, and those that name it. */
  const claimsOf = (change: Change<Managed>): Request[] => {
    const before = change.type === 'modified' ? [change.previous] : [];
    const named = [change.object, ...before].flatMap(({ spec }) => {
      const { claimRef } = spec;
      if (!claimRef?.name || !referenceIsOfKind(claimRef, service.claim)) return [];
      return [
        requestFor({ ...(claimRef.namespace ? { namespace: claimRef.namespace } : {}), name: claimRef.name }),
      ];
    });
    const naming = claimsOfManaged(claims.store, referenceTo(change.object));
    return [...named, ...naming.map(({ metadata }) => requestFor(metadata))].filter(
      (request) => claims.get(request) !== undefined,
    );
  };

  const triggers: readonly Observable<Request>[] = [
    claims.store.changes$.pipe(
      mergeMap(({ type, object }) =>
        type !== 'deleted' && (isReporter || isConcerned(service, object))
          ? [requestFor(object.metadata)]
          : [],
      ),
    ),
    managed.store.changes$.pipe(mergeMap(claimsOf)),
    classes.store.changes$.pipe(
      mergeMap(({ object }) =>
        claimsOfClass(claims.store, referenceTo(object)).map((claim) => requestFor(claim.metadata)),
      ),
    ),
    // A claim's secret that vanished is made anew, and one that it waited for is handed over at once.
    secrets.store.changes$.pipe(
      mergeMap(({ type, object }): readonly Request[] => {
        const owner = controllerOf(object);
        if (owner === undefined) return [];
        if (
          type === 'deleted' &&
          owner.kind === service.claim.kind &&
          owner.apiVersion === apiVersionOf(service.claim)
        ) {
          return [{ namespace: object.metadata.namespace ?? '', name: owner.name }];
        }
        if (type === 'deleted' || owner.kind !== service.managed.kind) return [];
        const waiting: readonly Claim[] = claimsOfManaged(claims.store, owner);
        return waiting.map(({ metadata }) => requestFor(metadata));
      }),
    ),
  ];

  return {
    name: controllerNames.binding(service),
    triggers,
    reconcile: claimBinding({ env, service, peers, claims, classes, managed, secrets }),
  };
}
