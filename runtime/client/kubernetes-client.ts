import type { Observable } from 'rxjs';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { ServerVersion } from './server-version.ts';

/** Limits a list or watch to some objects of a kind. */
export interface Selection {
  /** Absent: all namespaces. Ignored for cluster-scoped kinds. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends Selection {
  /** Objects per page. */
  readonly limit?: number;
  readonly continueToken?: string;
  readonly resourceVersion?: string;
}

export interface ListPage<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  readonly continueToken?: string;
}

export interface WatchOptions extends Selection {
  readonly resourceVersion: string;
  /** The server ends the watch after this long. */
  readonly timeoutSeconds: number;
  /** Called once the server has accepted the watch, before the first event. */
  readonly onOpen?: () => void;
}

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

/**
 * All requests of the process to the API server. Objects are plain JSON. Every method throws `ApiError`. It is passed in
 * everywhere, so that tests can use a simulated cluster.
 */
export interface KubernetesClient {
  serverVersion(signal?: AbortSignal): Promise<ServerVersion>;
  /**
   * Whether the API server names the kind in its discovery lists. A 404 is not enough to answer no, because a proxy may have
   * sent it.
   */
  serves(kind: Kind, signal?: AbortSignal): Promise<boolean>;
  get<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey, signal?: AbortSignal): Promise<T>;
  list<T extends KubernetesObject>(
    kind: Kind<T>,
    options: ListOptions,
    signal?: AbortSignal,
  ): Promise<ListPage<T>>;
  /**
   * One watch connection, with bookmarks. Completes when the server ends it. Errors with ApiError, also for an ERROR event.
   * Unsubscribing closes the connection.
   */
  watch<T extends KubernetesObject>(kind: Kind<T>, options: WatchOptions): Observable<WatchEvent<T>>;
  create<T extends KubernetesObject>(kind: Kind<T>, object: T, signal?: AbortSignal): Promise<T>;
  /**
   * JSON merge patch. `patch.metadata.resourceVersion`, if given, is a precondition (409 Conflict if the object changed).
   * `subresource` limits the write to the status.
   */
  patch<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    patch: object,
    options?: { readonly subresource?: 'status' },
    signal?: AbortSignal,
  ): Promise<T>;
  /** Server-side apply of exactly these fields, forced, as `fieldManager`. */
  apply<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    fields: object,
    options: { readonly fieldManager: string },
    signal?: AbortSignal,
  ): Promise<T>;
  /** Replaces the whole object (PUT); `metadata.resourceVersion` is the precondition. */
  replace<T extends KubernetesObject>(kind: Kind<T>, object: T, signal?: AbortSignal): Promise<T>;
  /**
   * Deletes the object with this uid (and resourceVersion, if given). Returns it if its finalizers hold it; undefined: it is
   * gone, or the API server does not tell.
   */
  delete<T extends KubernetesObject>(
    kind: Kind<T>,
    key: ObjectKey,
    preconditions: { readonly uid?: string; readonly resourceVersion?: string },
    signal?: AbortSignal,
  ): Promise<T | undefined>;
}
