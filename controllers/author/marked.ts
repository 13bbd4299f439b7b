import { advice as coreAdvice } from '../../apis/core/v1alpha1/advice.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { nameOf, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { advice as clientAdvice } from '../../clients/advice.ts';
import { ExternalError, invalid } from '../../clients/external-error.ts';
import { messageOf } from '../../runtime/client/errors.ts';
import type { Observation } from '../managed/connecting/external-client.ts';
import { isObserver } from '../management-policies.ts';
import { withNameAdvice } from '../name-advice.ts';

/** Something on a shared server that has a mark instead of the tags of an owner. */
export interface Marked {
  /** The word of the server: `database`, `role`, `user`. */
  readonly kind: string;
  /** As a statement has it, in quotes. */
  readonly name: string;
}

/** Whether it was found with the mark of the managed resource before. */
export const wasOurs = ({ status }: Managed): boolean => status?.externalIdentity !== undefined;

/** Something that was found with the mark before. */
interface LostMark extends Marked {
  /** Writes the mark. */
  readonly statement: string;
  /** How the name is freed if another one took it. Default: that one is renamed. */
  readonly freeIt?: string;
}

/**
 * The error about something without a mark: the mark was removed, or another one has the name. The statement gives it to
 * the resource, and so to its claim. While the resource is deleted, the statement lets it drop the data. Only
 * administrators see it: a claim shows another text.
 */
export function markLost(managed: Managed, { kind, name, statement, freeIt }: LostMark): ExternalError {
  const { claimRef } = managed.spec;
  const before = wasOurs(managed) ? `, but this resource managed a ${kind} of this name` : '';
  const claim = claimRef && ` and ${claimRef.kind} ${claimRef.namespace}/${claimRef.name}`;
  const todo = wasDeleted(managed)
    ? `${clientAdvice.dropHandedOver(name, statement)}; ${clientAdvice.keepUnmarked}`
    : clientAdvice.handOver(kind, `this resource${claim ?? ''}`, statement, freeIt);
  return new ExternalError(`${kind} ${name} has no mark${before}; ${todo}`, {
    errorClass: 'MarkLost',
    advice: { kinds: ['HandOver'] },
  });
}

/**
 * The observation of something that does not exist any more, and whose name another resource has. Nothing gives it the
 * name back. The message names the other resource, for administrators. `own`: the kind of the external resource.
 */
export function observedTaken(
  own: string,
  { kind, name, holder }: Marked & { readonly holder: string | undefined },
): Observation<never> {
  const whose = holder ?? 'a resource that is not known here';
  const message = `${kind} ${name} is of ${whose} now, and the ${own} of this resource does not exist any more; ${coreAdvice.createElsewhere}`;
  return { exists: false, isUpToDate: false, taken: message };
}

/** Throws an Error with the advice about the external name if `check` throws, which names the problem. */
export function checkNameBy(managed: Managed, check: (name: string) => void): void {
  try {
    check(nameOf(managed));
  } catch (error) {
    throw invalid(withNameAdvice(managed, messageOf(error)), { kinds: ['ChooseExternalName'] });
  }
}

/**
 * Throws an Error if it is the account that the provider logs in as. A managed resource for it would change the password
 * that all others need. It may be observed.
 */
export function checkNotAdministrator(
  managed: Managed,
  { kind, name, username }: Marked & { readonly username: string },
): void {
  if (isObserver(managed) || nameOf(managed) !== username) return;
  const problem = `${kind} ${name} is the one that the provider logs in as`;
  throw invalid(withNameAdvice(managed, problem), { kinds: ['ChooseExternalName'] });
}
