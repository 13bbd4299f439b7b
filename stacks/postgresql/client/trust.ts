import { escapeIdentifier } from 'pg';
import { advice } from '../advice.ts';
import { PostgresqlError } from './error.ts';
import type { HolderOf } from './mark.ts';
import { markIn, markOf } from './mark.ts';
import type { Session } from './session.ts';

/** Whom a call may mean by the name of a role, besides the roles of administrators. */
export interface Trust {
  readonly holderOf: HolderOf;
  /** The resources that the caller names by reference, or the caller itself. */
  readonly ownerIds?: readonly string[];
}

/**
 * Why a role must not be used by its name alone: a tenant may have chosen the name, and has the password of the role.
 * `holder`: the resource of the role. Undefined: no such resource is known.
 */
export interface Distrust {
  readonly role: string;
  readonly holder: string | undefined;
}

/** The marks of roles by name. Undefined: the role has none. A role that does not exist is absent. */
export async function roleMarks(
  session: Session,
  names: readonly string[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const rows = await session.query<{ name: string; comment: string | null }>(
    `SELECT rolname AS name, shobj_description(oid, 'pg_authid') AS comment FROM pg_roles WHERE rolname = ANY ($1)`,
    [names],
  );
  return new Map(rows.map(({ name, comment }) => [name, markIn(comment)]));
}

/**
 * Undefined if the role may be used. A role without a mark may: no tenant can create a role or remove its mark. So may
 * the role of an administrator's resource.
 */
export function distrustOf(
  role: string,
  mark: string | undefined,
  { holderOf, ownerIds = [] }: Trust,
): Distrust | undefined {
  if (mark === undefined || ownerIds.some((ownerId) => markOf(ownerId) === mark)) return undefined;
  const holder = holderOf(mark, role);
  return holder?.isClaims === false ? undefined : { role, holder: holder?.what };
}

/** Throws PostgresqlError `Invalid` that names the role, and the statement that ends it where no resource is known. */
export function refuseRole(what: string, { role, holder }: Distrust, remedy: string): never {
  const name = escapeIdentifier(role);
  const reset = `ALTER ROLE ${name} PASSWORD NULL; COMMENT ON ROLE ${name} IS NULL`;
  const todo = holder === undefined ? advice.forgetUsers(reset) : remedy;
  const whose = holder === undefined ? 'a resource that is not known here' : holder;
  throw new PostgresqlError(`${what} is not used: role ${name} is the role of ${whose}; ${todo}`, {
    code: 'Invalid',
  });
}
