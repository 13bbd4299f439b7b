import { escapeIdentifier } from 'pg';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName } from '../../apis/core/v1alpha1/meta.ts';
import type { Credentials } from '../../clients/postgresql/credentials.ts';
import type { Marked } from '../../clients/postgresql/mark.ts';
import { checkOurs, isMarkOutdated, isOwnedBy } from '../../clients/postgresql/mark.ts';
import { checkNewName, checkOwnName } from '../../clients/postgresql/name.ts';
import { messageOf } from '../../runtime/client/errors.ts';
import { shouldCreate, shouldDelete, shouldUpdate } from '../core/management-policies.ts';

/**
 * What marks a database or role as a managed resource's: kind and name, which survive backup and restore; a UID
 * would not.
 */
export const ownerIdOf = ({ apiVersion, kind, metadata }: Managed): string =>
  `${kind}.${apiVersion.split('/')[0]}/${metadata.name}`.toLowerCase();

/** Whether a managed resource may do nothing to what it stands for. */
export const isObserver = ({ spec }: Managed): boolean =>
  !shouldCreate(spec) && !shouldUpdate(spec) && !shouldDelete(spec);

export const isOurs = (managed: Managed, found: Marked | undefined): boolean =>
  found !== undefined && isOwnedBy(found, ownerIdOf(managed));

/** What differs if a thing of ours has not the mark that it should have. */
export const markDifference = (managed: Managed, found: Marked): readonly string[] =>
  isMarkOutdated(found, ownerIdOf(managed)) ? ['mark'] : [];

/**
 * Throws an Error that says whose it is, how to hand it over and what that brings, unless it carries the managed
 * resource's mark, or nothing but looking is allowed, which does no harm.
 */
export function checkMayManage(
  managed: Managed,
  kind: 'database' | 'role',
  found: Marked,
  consequence?: string,
): void {
  if (!isObserver(managed)) checkOurs(kind, found, ownerIdOf(managed), consequence);
}

/** The name on the server; see {@link checkExternalName}. */
export const nameOf = (managed: Managed): string => externalName(managed) ?? managed.metadata.name;

/** Throws an Error that says what is wrong with the name, and what to do, if PostgreSQL would not take it as it is. */
export const checkExternalName = (managed: Managed, kind: 'database' | 'role'): void =>
  checkNameWith(checkOwnName, managed, kind);

/** The same, and for a name that nothing new may have. */
export const checkNewExternalName = (managed: Managed, kind: 'database' | 'role'): void =>
  checkNameWith(checkNewName, managed, kind);

/**
 * Throws an Error if it is the role that the provider logs in as: whoever managed that would change the password that
 * everything else needs. It may be observed.
 */
export function checkNotAdministrator(managed: Managed, { username }: Pick<Credentials, 'username'>): void {
  if (isObserver(managed) || nameOf(managed) !== username) return;
  throw new Error(
    `role ${escapeIdentifier(username)} is the one that the provider logs in as; set another name in the annotation ${annotationKeys.externalName}`,
  );
}

function checkNameWith(check: typeof checkNewName, managed: Managed, kind: 'database' | 'role'): void {
  try {
    check(kind, nameOf(managed));
  } catch (error) {
    throw new Error(`${messageOf(error)}; set another in the annotation ${annotationKeys.externalName}`, {
      cause: error,
    });
  }
}

/** Whether PostgreSQL takes the name; if not, there can be nothing of that name. */
export function hasUsableName(managed: Managed, kind: 'database' | 'role'): boolean {
  try {
    checkOwnName(kind, nameOf(managed));
    return true;
  } catch {
    return false;
  }
}
