import type { Adoption, Managed, ServerCredentials } from '../../package/stack.ts';
import {
  checkNameBy,
  checkNotAdministrator,
  isNameFixed,
  isObserver,
  markLost,
  nameOf,
  ownerIdOf,
  wasOurs,
} from '../../package/stack.ts';
import { advice } from './advice.ts';
import type { Kind, Marked } from './client/mark.ts';
import { checkOurs, isOfAnother, isOwnedBy, markStatement } from './client/mark.ts';
import { checkNewName, checkOwnName } from './client/name.ts';
import { quotedName } from './client/text.ts';

export const isOurs = (managed: Managed, found: Marked | undefined): boolean =>
  found !== undefined && isOwnedBy(found, ownerIdOf(managed));

/** Whether the mark names another resource. Then the database or user is never changed, dropped or given to this resource. */
export const isOfOther = (managed: Managed, found: Marked | undefined): found is Marked =>
  found !== undefined && isOfAnother(found, ownerIdOf(managed));

/** For an observation: whether the mark names another owner, so that the controller publishes no details. */
export const ownedByAnother = (
  managed: Managed,
  found: Marked,
): { readonly isOfAnother: true } | undefined =>
  isOfOther(managed, found) ? { isOfAnother: true } : undefined;

/** The error about a database or user that was ours and has no mark, with the statement that gives it back. */
const lostMark = (managed: Managed, { kind, name }: Marked): Error =>
  markLost(managed, {
    kind,
    name: quotedName(name),
    statement: markStatement(kind, name, ownerIdOf(managed)),
    ...(kind === 'database' && { freeIt: advice.moveTables }), // MariaDB cannot rename a database
  });

/**
 * Throws an Error unless the database or user carries the managed resource's mark, or the managed resource may only
 * observe. The message explains how to adopt it and the consequences, but not for a resource that was provisioned for a
 * claim: its team chose the external name, and an administrator who runs the statement would give that team a database of
 * another one. An administrator who sets `claimRef` of another resource has decided that.
 */
export function checkMayManage(managed: Managed, found: Marked, adoption: Adoption = {}): void {
  if (isObserver(managed) || isOurs(managed, found)) return;
  // guard: otherwise a mark that was lost counts as the mark of another resource, and its remedy as another name
  if (wasOurs(managed) && found.mark === undefined) throw lostMark(managed, found);
  const isFixed = isNameFixed(managed);
  checkOurs(found, ownerIdOf(managed), { ...(!isFixed && { adoption }), isNameFixed: isFixed });
}

/** Throws an Error if the server would not accept the name as it is, or owns it. The message has the fix. */
export const checkExternalName = (managed: Managed, kind: Kind): void =>
  checkNameBy(managed, (name) => checkOwnName(kind, name));

/** The same for new names, which have stricter rules. */
export const checkNewExternalName = (managed: Managed, kind: Kind): void =>
  checkNameBy(managed, (name) => checkNewName(kind, name));

/** Throws an Error if it is the user that the provider logs in as. */
export const checkNotTheAdministrator = (
  managed: Managed,
  { username }: Pick<ServerCredentials, 'username'>,
): void => checkNotAdministrator(managed, { kind: 'user', name: quotedName(username), username });

/** Whether the server accepts the name; if not, nothing of that name can exist. */
export function hasUsableName(managed: Managed, kind: Kind): boolean {
  try {
    checkOwnName(kind, nameOf(managed));
    return true;
  } catch {
    return false;
  }
}
