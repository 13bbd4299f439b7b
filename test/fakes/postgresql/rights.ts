import type { Acl, AclKind } from './acl.ts';
import { defaultAcl, everybody } from './acl.ts';
import type { DatabaseRow, SchemaRow } from './catalog.ts';
import type { Transaction } from './transaction.ts';

export const isSuperuser = (tx: Transaction, role: string): boolean =>
  tx.get('roles', role)?.superuser === true;

/** A role with those whose privileges it has by inheritance. */
function rolesOf(tx: Transaction, role: string): ReadonlySet<string> {
  const found = new Set([role]);
  for (const name of found) {
    for (const membership of tx.all('memberships')) {
      if (membership.member === name && membership.inherits) found.add(membership.role);
    }
  }
  return found;
}

export const hasPrivilegesOf = (tx: Transaction, user: string, role: string): boolean =>
  isSuperuser(tx, user) || rolesOf(tx, user).has(role);

/** A database or schema, as far as its privileges go. */
export interface Guarded {
  readonly owner: string;
  readonly acl: Acl;
}

const guarded =
  (kind: AclKind) =>
  ({ owner, acl }: DatabaseRow | SchemaRow): Guarded => ({ owner, acl: acl ?? defaultAcl(kind, owner) });
export const guardedDatabase = guarded('database');
export const guardedSchema = guarded('schema');

/** As `has_database_privilege`; everybody if no user is named. */
export function isAllowed(tx: Transaction, { acl }: Guarded, user: string, privilege: string): boolean {
  if (user !== everybody && isSuperuser(tx, user)) return true;
  const names = user === everybody ? new Set<string>() : rolesOf(tx, user);
  return acl.some(
    (each) => each.privilege === privilege && (each.grantee === everybody || names.has(each.grantee)),
  );
}

/** Throws for anybody who is no superuser: what lesser administrators may do is not known here. */
export function checkSuperuser(tx: Transaction, user: string): void {
  if (!isSuperuser(tx, user)) {
    throw new Error(`the PostgreSQL in memory does not know what role "${user}" may do beside its own`);
  }
}
