import memoize from 'lodash/memoize.js';
import type { Observable } from 'rxjs';
import { filter, merge, switchMap, take } from 'rxjs';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Namespace } from '../../apis/core/v1alpha1/namespace.ts';
import { labelsOf, NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import type { Resource } from '../../runtime/cache/resource.ts';
import type { Change, Store } from '../../runtime/cache/store.ts';
import { isForbidden, isNotFound, messageOf } from '../../runtime/client/errors.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { Trigger } from '../../runtime/controller/triggers.ts';
import { anyOf, appears, changed, disappears, those, triggersIn } from '../../runtime/controller/triggers.ts';
import { claimsIn, indexClaims } from '../indexes.ts';
import type { ClaimNamespace } from './may-claim.ts';
import { restrictsNamespaces } from './may-claim.ts';
import type { NamespaceUid } from './previous-resources.ts';

/** Reads the namespaces of claims. Until a class or resource has a `namespaceSelector`, no namespace is read. */
export interface ClaimNamespaces {
  /** Reads the cache, else the API server. Throws an ApiError. If RBAC forbids the read, returns a `problem`. */
  of(name: string, signal: AbortSignal): Promise<ClaimNamespace>;
  /** Like `of`, but always reads from the API server. */
  now(name: string, signal: AbortSignal): Promise<ClaimNamespace>;
  /** Reads the UID from the API server: a namespace that was created again has another one. Throws an ApiError. */
  uidOf(name: string, signal: AbortSignal): Promise<NamespaceUid>;
  /** Triggers the claims for which `isWaiting` is true when their namespace is created, deleted or relabelled. */
  trigger(isWaiting: (claim: Claim) => boolean, from: TriggerSources): Trigger;
}

interface TriggerSources {
  readonly claims: Store<Claim>;
  /** The caches of classes and managed resources, which may have a `namespaceSelector`. */
  readonly offered: readonly Pick<Store<Class | Managed>, 'changes$'>[];
}

/** Creates the reader of namespaces. A process that serves only the claims of some namespaces watches only these. */
export function claimNamespaces(env: Environment): ClaimNamespaces {
  const namespaces = memoize((): Resource<Namespace> => env.resource(NamespaceKind));

  async function now(name: string, signal: AbortSignal): Promise<ClaimNamespace> {
    try {
      const found = await namespaces().fetch({ name }, signal);
      return found === undefined ? { name, problem: 'it does not exist' } : { name, labels: labelsOf(found) };
    } catch (error) {
      if (!isForbidden(error)) throw error;
      return { name, problem: messageOf(error) };
    }
  }

  return {
    now,
    async uidOf(name, signal) {
      try {
        // Not `env.resource`, which would watch all namespaces.
        const { uid = '' } = (await env.client.get(NamespaceKind, { name }, signal)).metadata;
        return { uid };
      } catch (error) {
        if (isNotFound(error)) return { problem: 'it does not exist' };
        if (isForbidden(error)) return { problem: messageOf(error) };
        throw error;
      }
    },
    async of(name, signal) {
      const known = namespaces().get({ name });
      return known === undefined ? await now(name, signal) : { name, labels: labelsOf(known) };
    },
    trigger(isWaiting, { claims, offered }) {
      indexClaims(claims);
      const isNeeded$ = merge(
        ...offered.map(({ changes$ }) => changes$ as Observable<Change<Class | Managed>>),
      ).pipe(
        filter(({ object }) => restrictsNamespaces(object)),
        take(1),
      );
      const changes$ = isNeeded$.pipe(switchMap(() => namespaces().store.changes$));
      return triggersIn(env)<Namespace>({ changes$ })
        .when(anyOf(appears, disappears, changed(labelsOf)))
        .sharedByMany()
        .through(
          ({ metadata }) => those(claimsIn(claims, metadata.name), isWaiting),
          'its namespace was created or deleted, or its labels changed',
        );
    },
  };
}

/** Whether this process serves the namespace of an object. It does not see claims in other namespaces. */
export const isServed = (
  { claimNamespaces: served }: Pick<Environment, 'claimNamespaces'>,
  { namespace = '' }: ObjectKey,
): boolean => served === undefined || served.includes(namespace);
