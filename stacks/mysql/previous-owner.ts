import type { DesiredCredential, Managed } from '../../package/stack.ts';
import { clientAdvice, counted, ExternalError, nameOf, ownerIdOf } from '../../package/stack.ts';
import { runsAs } from './client/definitions.ts';
import { quotedName } from './client/text.ts';
import type { Users } from './client/user.ts';

/** The policy for open sessions. */
type SessionPolicy = 'WaitForSessions' | 'TerminateSessions' | undefined;

/**
 * Whether a claim took the resource and is not Bound yet: open sessions of its user are those of the previous owner. A
 * resource that was created for the claim has none.
 */
const isHandedOver = ({ spec, status }: Managed): boolean =>
  spec.claimRef?.uid !== undefined && status?.bindingPhase !== 'Bound';

/**
 * Whether the claim must wait for sessions of the previous owner, for its events, or for what it defined in other databases.
 * Its credential then counts as not applied: a changed password ends none of these, so the previous owner would read what
 * the next one writes.
 */
export async function waitsForPreviousOwner(
  users: Pick<Users, 'countSessions' | 'definedBy'>,
  managed: Managed,
  credential: DesiredCredential | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (!isHandedOver(managed) || credential?.isApplied !== false) return false;
  const name = nameOf(managed);
  if ((await users.countSessions(name, { signal })) > 0) return true;
  return (await users.definedBy(name, { except: name, isHandedOver: true, signal })).length > 0;
}

/**
 * Ends the sessions of the previous owner, after the password was changed. Throws an Error while it may not end them, or
 * while something in other databases, or an event in its own, runs with the rights of the user.
 */
export async function endPreviousOwner(
  users: Pick<Users, 'countSessions' | 'endSessions' | 'definedBy'>,
  managed: Managed,
  { onDelete, signal }: { readonly onDelete: SessionPolicy; readonly signal: AbortSignal },
): Promise<void> {
  if (!isHandedOver(managed)) return;
  const name = nameOf(managed);
  const sessions = await users.countSessions(name, { signal });
  const mayEnd = onDelete === 'TerminateSessions';
  if (sessions > 0 && !mayEnd) {
    const what = `user ${quotedName(name)} has ${counted(sessions, 'open session')} of its previous owner`;
    throw new ExternalError(`${what}; waiting for them to end; ${clientAdvice.terminateSessions}`, {
      errorClass: 'NotReady',
    });
  }
  if (sessions > 0) await users.endSessions(name, { ownerId: ownerIdOf(managed), signal });
  const defined = await users.definedBy(name, { except: name, isHandedOver: true, signal });
  // guard: otherwise a view or an event of the previous owner reads the data of the next one, or sets its password
  if (defined.length > 0) throw runsAs(name, defined, { isNameNew: false });
}
