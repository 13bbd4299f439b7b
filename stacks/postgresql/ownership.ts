import { escapeIdentifier } from 'pg';
import type { Managed } from '../../package/stack.ts';
import {
  clientAdvice,
  ExternalError,
  isNameFixed,
  isObserver,
  ownerIdOf,
  ownershipByMark,
  wasDeleted,
  wasOurs,
} from '../../package/stack.ts';
import { advice } from './advice.ts';
import type { Adoption, Marked } from './client/mark.ts';
import {
  checkOurs,
  hasMarkOf,
  isMarkOutdated,
  isOfAnother,
  isOwnedBy,
  markIn,
  markOf,
  markStatement,
} from './client/mark.ts';
import { checkNewName, checkOwnName } from './client/name.ts';

const markedKind = (kind: 'database' | 'role') => ({
  kind,
  quoted: escapeIdentifier,
  checkOwnName: (name: string) => checkOwnName(kind, name),
  checkNewName: (name: string) => checkNewName(kind, name),
  markOf,
  markIn: ({ comment }: Marked) => markIn(comment),
  markStatement: (name: string, ownerId: string) => markStatement(kind, name, ownerId),
});

/** A tenant cannot write the comment of a role, so it proves the ownership. */
export const roleOwnership = ownershipByMark(markedKind('role'));

const { checkExternalName, checkNewExternalName, hasUsableName, checkMarked, markLost } = ownershipByMark(
  markedKind('database'),
);
const isOurs = (managed: Managed, found: Marked | undefined): boolean =>
  found !== undefined && isOwnedBy(found, ownerIdOf(managed));

/** The owner of a database may write its comment: the mark of the owner counts before that of the comment. */
export const databaseOwnership = {
  checkExternalName,
  checkNewExternalName,
  hasUsableName,
  checkMarked,
  isOurs,
  isOfOther: <T extends Marked>(managed: Managed, found: T | undefined): found is T =>
    found !== undefined && isOfAnother(found, ownerIdOf(managed)),
  ownedByAnother: (managed: Managed, found: Marked): { readonly isOfAnother: true } | undefined =>
    !isOurs(managed, found) && (markIn(found.comment) ?? found.ownerMark) !== undefined
      ? { isOfAnother: true }
      : undefined,
  /** As for a role, and throws an Error if an administrator gave the database to another role. */
  checkMayManage(managed: Managed, found: Marked, adoption: Adoption = {}): void {
    if (isObserver(managed) || isOurs(managed, found)) return;
    // guard: otherwise a mark that was lost counts as the mark of another resource, and its remedy as another name
    const isUnmarked = found.distrustedOwner === undefined && markIn(found.comment) === undefined;
    if (wasOurs(managed) && isUnmarked) throw markLost(managed, found.name);
    if (isReassigned(managed, found, adoption)) throw reassigned(managed, found, adoption.owner);
    const isFixed = isNameFixed(managed);
    checkOurs('database', found, ownerIdOf(managed), { ...(!isFixed && { adoption }), isNameFixed: isFixed });
  },
};

/** The difference if a database or role that we own lacks the current mark. */
export const markDifference = (managed: Managed, found: Marked): readonly string[] =>
  isMarkOutdated(found, ownerIdOf(managed)) ? ['mark'] : [];

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
