import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, nameOf, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { Observation } from '../managed/connecting/external-client.ts';
import { isObserver } from '../management-policies.ts';

/** The words about an external resource that a user renamed. */
export interface Renaming {
  /** With the way to name it back, for example `role "a" was renamed to "b"; …`. */
  readonly sentence: string;
  /** The data that stays with it if a second one is created, for example `role "b" keeps its objects`. */
  readonly beside: string;
}

/** Whether the external resource may have another name: not one that was never there, or that is only observed. */
export function mayBeRenamed(managed: Managed): boolean {
  const { metadata, status } = managed;
  // With `adopt-identity`, too: the record of the loss tells that an administrator replaces a renamed one.
  const record = status?.externalIdentity ?? metadata.annotations?.[annotationKeys.externalIdentity];
  return !isObserver(managed) && record !== undefined;
}

/**
 * For the observation of an absent external resource: whether a user renamed it. `find` looks for it by an id that does
 * not change; it is only called if the resource may be renamed.
 */
export async function renamedTo(
  managed: Managed,
  find: () => Promise<string | undefined>,
  say: (now: string) => Renaming,
): Promise<Pick<Observation, 'renamed' | 'newName'>> {
  if (wasDeleted(managed)) return {};
  const now = await elsewhere(managed, find);
  if (now === undefined) return {};
  const { sentence, beside } = say(now);
  return { renamed: `${sentence}. Or, ${advice.createEmpty(managed, beside)}`, newName: now };
}

/**
 * For the observation of an external resource whose name another resource has now. `whose`: the sentence about that one.
 * The message tells how to use the own one under its new name. Undefined if a user renamed none.
 */
export async function takenAfterRename(
  managed: Managed,
  find: () => Promise<string | undefined>,
  { whose, own }: { readonly whose: string; readonly own: string },
): Promise<Observation<never> | undefined> {
  const now = await elsewhere(managed, find);
  if (now === undefined) return undefined;
  const taken = `${whose}, and the ${own} of this resource was renamed to "${now}"; ${advice.useNewName(managed, now)}`;
  return { exists: false, isUpToDate: false, taken, renamed: taken, newName: now };
}

/** The name of the external resource, if it is not that of the managed resource. */
async function elsewhere(
  managed: Managed,
  find: () => Promise<string | undefined>,
): Promise<string | undefined> {
  if (!mayBeRenamed(managed)) return undefined;
  const now = await find();
  // It has its own name again if it was named back between two requests.
  return now === nameOf(managed) ? undefined : now;
}
