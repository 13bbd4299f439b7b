import type { Kind, KubernetesObject } from '../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../apis/core/v1alpha1/kind.ts';
import { NamespaceKind } from '../apis/core/v1alpha1/namespace.ts';
import { SecretKind } from '../apis/core/v1alpha1/secret.ts';
import type { Store } from '../runtime/cache/store.ts';
import { apiErrorIn, isNotFound } from '../runtime/client/errors.ts';
import type { KubernetesClient } from '../runtime/client/kubernetes-client.ts';
import { LeaseKind } from '../runtime/process/lease.ts';
import type { Catalogue } from '../trace/catalogue.ts';
import type { Found } from '../trace/model/findings.ts';
import { unsought } from '../trace/model/findings.ts';
import type { Source } from '../trace/read/source.ts';
import type { Memory } from './memory.ts';

export interface StoreSourceOptions {
  readonly catalogue: Catalogue;
  readonly storeOf: (kind: Kind) => Store<KubernetesObject>;
  readonly memory: Pick<Memory, 'eventsOf'>;
  readonly client: Pick<KubernetesClient, 'get'>;
}

/** Namespaces are requested only if an object selects namespaces, or if the subject does not exist. */
const unwatched = new Set([NamespaceKind, LeaseKind].map(kindKey));

/**
 * Reads from the stores of the process. Requests from the API server only the lease, namespaces, and Secrets outside the
 * store of connection Secrets: those of providers, and those that have the name of a connection Secret.
 */
export function storeSource({ catalogue, storeOf, memory, client }: StoreSourceOptions): Source {
  const known = new Set(catalogue.kinds.map(({ kind }) => kindKey(kind)));
  const isWatched = (kind: Kind): boolean =>
    known.has(kindKey(kind)) || kindKey(kind) === kindKey(SecretKind);
  return {
    async get<T extends KubernetesObject>(
      kind: Kind<T>,
      key: Parameters<Source['get']>[1],
    ): Promise<Found<T>> {
      if (unwatched.has(kindKey(kind))) return requested(client.get(kind, key));
      if (!isWatched(kind)) return unsought;
      const value = storeOf(kind).get(key) as unknown as T | undefined;
      if (value !== undefined) return { is: 'there', value };
      return kindKey(kind) === kindKey(SecretKind) ? requested(client.get(kind, key)) : { is: 'absent' };
    },
    async list<T extends KubernetesObject>(kind: Kind<T>): Promise<Found<readonly T[]>> {
      if (!known.has(kindKey(kind))) return unsought;
      return { is: 'there', value: storeOf(kind).all() as unknown as readonly T[] };
    },
    eventsOf: async (object) => ({ is: 'there', value: memory.eventsOf(object) }),
  };
}

/** If the request fails, the object counts as not looked for: the rest of the trace is still useful. */
async function requested<T>(reading: Promise<T>): Promise<Found<T>> {
  try {
    return { is: 'there', value: await reading };
  } catch (error) {
    if (isNotFound(error)) return { is: 'absent' };
    return apiErrorIn(error)?.code === 403 ? { is: 'withheld' } : unsought;
  }
}
