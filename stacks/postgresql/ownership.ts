import { escapeIdentifier } from 'pg';
import type { Managed } from '../../package/stack.ts';
import {
  checkNameBy,
  checkNotAdministrator,
  clientAdvice,
  ExternalError,
  isNameFixed,
  isObserver,
  markLost as lostMark,
  nameOf,
  ownerIdOf,
  wasDeleted,
  wasOurs,
} from '../../package/stack.ts';
import { advice } from './advice.ts';
import type { Credentials } from './client/credentials.ts';
import type { Adoption, Marked } from './client/mark.ts';
import {
  checkOurs,
  hasMarkOf,
  isMarkOutdated,
  isOfAnother,
  isOwnedBy,
  markIn,
  markStatement,
} from './client/mark.ts';
import { checkNewName, checkOwnName } from './client/name.ts';

export const isOurs = (managed: Managed, found: Marked | undefined): boolean =>
  found !== undefined && isOwnedBy(found, ownerIdOf(managed));

/** Whether the mark names another resource. Then the database or role is never changed, dropped or given to this resource. */
export const isOfOther = (managed: Managed, found: Marked | undefined): found is Marked =>
  found !== undefined && isOfAnother(found, ownerIdOf(managed));

/** For an observation: whether the mark names another owner, so that the controller publishes no details. */
export const ownedByAnother = (
  managed: Managed,
  found: Marked,
): { readonly isOfAnother: true } | undefined =>
  !isOurs(managed, found) && (markIn(found.comment) ?? found.ownerMark) !== undefined
    ? { isOfAnother: true }
    : undefined;

/** The difference if a database or role that we own lacks the current mark. */
export const markDifference = (managed: Managed, found: Marked): readonly string[] =>
  isMarkOutdated(found, ownerIdOf(managed)) ? ['mark'] : [];

/**
 * Throws an Error unless the database or role carries the managed resource's mark, or the managed resource may only
 * observe. The message explains how to adopt it and the consequences, but not for a resource that was provisioned for a
 * claim: its team chose the external name, and an administrator who runs the statement would give that team a role of
 * another one. An administrator who sets `claimRef` of another resource has decided that.
 */
export function checkMayManage(
  managed: Managed,
  kind: 'database' | 'role',
  found: Marked,
  adoption: Adoption = {},
): void {
  if (isObserver(managed) || isOurs(managed, found)) return;
  // guard: otherwise a mark that was lost counts as the mark of another resource, and its remedy as another name
  const isUnmarked = found.distrustedOwner === undefined && markIn(found.comment) === undefined;
  if (wasOurs(managed) && isUnmarked) throw markLost(managed, kind, found);
  if (isReassigned(managed, found, adoption)) throw reassigned(managed, found, adoption.owner);
  const isFixed = isNameFixed(managed);
  checkOurs(kind, found, ownerIdOf(managed), { ...(!isFixed && { adoption }), isNameFixed: isFixed });
}

/** The error about a database or role without a mark. While the resource is deleted, only databases wait for their mark. */
export const markLost = (managed: Managed, kind: 'database' | 'role', { name }: Marked): ExternalError =>
  lostMark(managed, {
    kind,
    name: escapeIdentifier(name),
    statement: markStatement(kind, name, ownerIdOf(managed)),
  });

/** Whether a database that we owned belongs to the role of another resource, which its spec does not name. */
const isReassigned = (
  managed: Managed,
  found: Marked,
  adoption: Adoption,
): adoption is Adoption & { readonly owner: string } =>
  wasOurs(managed) &&
  hasMarkOf(found, ownerIdOf(managed)) &&
  adoption.owner !== undefined &&
  adoption.owner !== found.distrustedOwner;

/** The error about such a database, with the statement that gives it its owner again. A claim shows another text. */
function reassigned(managed: Managed, { name, distrustedOwner = '' }: Marked, owner: string): ExternalError {
  const [database, now, back] = [name, distrustedOwner, owner].map(escapeIdentifier);
  const statement = `ALTER DATABASE ${database} OWNER TO ${back}`;
  const todo = wasDeleted(managed)
    ? `${clientAdvice.dropHandedOver(database ?? '', statement)}; ${clientAdvice.keepUnmarked}`
    : advice.giveBack(statement);
  return new ExternalError(
    `database ${database} is owned by role ${now}, which belongs to another resource; ${todo}`,
    { errorClass: 'MarkLost', advice: { kinds: ['HandOver'] }, holder: { by: 'AnotherResource' } },
  );
}

/** Throws an Error if PostgreSQL would not accept the name as it is. The message describes the problem and the fix. */
export const checkExternalName = (managed: Managed, kind: 'database' | 'role'): void =>
  checkNameBy(managed, (name) => checkOwnName(kind, name));

/** The same for new names, which have stricter rules. */
export const checkNewExternalName = (managed: Managed, kind: 'database' | 'role'): void =>
  checkNameBy(managed, (name) => checkNewName(kind, name));

/** Throws an Error if it is the role that the provider logs in as. */
export const checkNotTheAdministrator = (
  managed: Managed,
  { username }: Pick<Credentials, 'username'>,
): void => checkNotAdministrator(managed, { kind: 'role', name: escapeIdentifier(username), username });

/** Whether PostgreSQL accepts the name; if not, nothing of that name can exist. */
export function hasUsableName(managed: Managed, kind: 'database' | 'role'): boolean {
  try {
    checkOwnName(kind, nameOf(managed));
    return true;
  } catch {
    return false;
  }
}
