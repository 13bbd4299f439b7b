import type { DesiredCredential, Managed } from '../../package/stack.ts';
import { clientAdvice, ExternalError, nameOf, ownerIdOf } from '../../package/stack.ts';
import { quotedName } from './client/text.ts';
import type { Users } from './client/user.ts';
import { counted } from './counted.ts';

/** The policy for open sessions. */
type SessionPolicy = 'WaitForSessions' | 'TerminateSessions' | undefined;

/**
 * Whether a claim took the resource and is not Bound yet: open sessions of its user are those of the previous owner. A
 * resource that was created for the claim has none.
 */
const isHandedOver = ({ spec, status }: Managed): boolean =>
  spec.claimRef?.uid !== undefined && status?.bindingPhase !== 'Bound';

/**
 * Whether the claim must wait for sessions of the previous owner. Its credential then counts as not applied: a changed
 * password ends no session, so the previous owner would read what the next one writes.
 */
export const waitsForPreviousOwner = async (
  users: Pick<Users, 'countSessions'>,
  managed: Managed,
  credential: DesiredCredential | undefined,
  signal: AbortSignal,
): Promise<boolean> =>
  isHandedOver(managed) &&
  credential?.isApplied === false &&
  (await users.countSessions(nameOf(managed), { signal })) > 0;

/** Ends the sessions of the previous owner, after the password was changed. Throws an Error while it may not end them. */
export async function endPreviousOwner(
  users: Pick<Users, 'countSessions' | 'endSessions'>,
  managed: Managed,
  { onDelete, signal }: { readonly onDelete: SessionPolicy; readonly signal: AbortSignal },
): Promise<void> {
  if (!isHandedOver(managed)) return;
  const name = nameOf(managed);
  const sessions = await users.countSessions(name, { signal });
  if (sessions === 0) return;
  if (onDelete === 'TerminateSessions') {
    await users.endSessions(name, { ownerId: ownerIdOf(managed), signal });
    return;
  }
  const what = `user ${quotedName(name)} has ${counted(sessions, 'open session')} of its previous owner`;
  throw new ExternalError(`${what}; waiting for them to end; ${clientAdvice.terminateSessions}`, {
    errorClass: 'NotReady',
  });
}
