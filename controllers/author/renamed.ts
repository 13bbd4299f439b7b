import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, nameOf, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { isObserver } from '../management-policies.ts';

/** The words about an external resource that a user renamed. */
export interface Renaming {
  /** With the way to name it back, for example `role "a" was renamed to "b"; …`. */
  readonly sentence: string;
  /** The data that stays with it if a second one is created, for example `role "b" keeps its objects`. */
  readonly beside: string;
}

/**
 * For the observation of an absent external resource: whether a user renamed it. `find` looks for it by a mark or an id that
 * does not change; it is not called for a resource that was never there, that is only observed, or that is being deleted.
 */
export async function renamedTo(
  managed: Managed,
  find: () => Promise<string | undefined>,
  say: (now: string) => Renaming,
): Promise<{ readonly renamed?: string }> {
  const { metadata, status } = managed;
  // With `adopt-identity`, too: the record of the loss tells that an administrator replaces a renamed one.
  const record = status?.externalIdentity ?? metadata.annotations?.[annotationKeys.externalIdentity];
  if (isObserver(managed) || wasDeleted(managed) || record === undefined) return {};
  const now = await find();
  // It has its own name again if it was named back between two requests.
  if (now === undefined || now === nameOf(managed)) return {};
  const { sentence, beside } = say(now);
  return { renamed: `${sentence}. Or, ${advice.createEmpty(managed, beside)}` };
}
