import isEqual from 'lodash/isEqual.js';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Request } from '../../../runtime/controller/reconcile.ts';

/** The keys of the Secret of each managed resource that its last observation reported. Other entries are of users. */
export interface PublishedKeys {
  note(managed: Managed, keys: readonly string[]): void;
  forget(request: Request): void;
  /** Whether the controllers may write this entry. True also before the first observation in this process. */
  mayPublish(managed: Managed, key: string): boolean;
}

export function createPublishedKeys(): PublishedKeys {
  const known = new Map<string, readonly string[]>();
  return {
    note({ metadata }, keys) {
      const name = objectKeyText(metadata);
      if (!isEqual(known.get(name), keys)) known.set(name, keys);
    },
    forget: (request) => void known.delete(objectKeyText(request)),
    mayPublish: ({ metadata }, key) => known.get(objectKeyText(metadata))?.includes(key) ?? true,
  };
}
