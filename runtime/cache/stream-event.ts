/** What a watch stream tells. Objects it has shown and leaves out of a later list have been deleted. */
export type StreamEvent<T> =
  /** A list begins, from its first page; what an unfinished one has shown does not count. */
  | { readonly type: 'restart' }
  /** A page of a list taken at `resourceVersion`. */
  | { readonly type: 'listed'; readonly objects: readonly T[]; readonly resourceVersion: string }
  /** The list is complete: what it did not show and is no newer does not exist. */
  | { readonly type: 'synced'; readonly resourceVersion: string }
  /** An object was created or changed. */
  | { readonly type: 'applied'; readonly object: T }
  /** An object was deleted or left the selection; `object` is its last state. */
  | { readonly type: 'deleted'; readonly object: T };
