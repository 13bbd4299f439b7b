/** An event of a watch stream. An object that a complete list does not show was deleted. */
export type StreamEvent<T> =
  /** A list starts with its first page. Pages of an unfinished list before it do not count. */
  | { readonly type: 'restart' }
  /** One page of a list taken at `resourceVersion`. */
  | { readonly type: 'listed'; readonly objects: readonly T[]; readonly resourceVersion: string }
  /** The list is complete. An object that it did not show, and that is not newer than it, does not exist. */
  | { readonly type: 'synced'; readonly resourceVersion: string }
  /** An object was created or changed. */
  | { readonly type: 'applied'; readonly object: T }
  /** An object was deleted or is no longer in the selection; `object` is its last state. */
  | { readonly type: 'deleted'; readonly object: T };
