import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { shouldUpdate } from '../management-policies.ts';
import { isReoffered } from './status.ts';

/**
 * What a former claim was told must not open what the next one gets: a released resource that is offered again gets new
 * credentials first, where its policies let it. This process remembers that it has, so that an update that takes many
 * runs ends; another process renews them once more. So are those that two processes have set at a time, of which nobody
 * can tell whose the external system has, where what is published could not be made to say so.
 */
export interface Renewals {
  /** Whether what was published so far is to count as lost. */
  isDue(managed: Managed): boolean;
  /** Another process has published other credentials meanwhile, and they do not say that they are in doubt. */
  contested(managed: Managed): void;
  /** Its external resource was updated, and what that returned is published. */
  done(managed: Managed): void;
}

export function createRenewals(): Renewals {
  const renewed = new Set<string | undefined>();
  const contested = new Set<string | undefined>();
  return {
    isDue(managed) {
      const { uid } = managed.metadata;
      if (isReoffered(managed)) return !renewed.has(uid) && shouldUpdate(managed.spec);
      renewed.delete(uid);
      return contested.has(uid) && shouldUpdate(managed.spec);
    },
    contested: ({ metadata }) => void contested.add(metadata.uid),
    done(managed) {
      const { uid } = managed.metadata;
      contested.delete(uid);
      if (isReoffered(managed)) renewed.add(uid);
    },
  };
}
