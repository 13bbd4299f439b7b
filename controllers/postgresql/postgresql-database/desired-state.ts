import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { available, unavailable } from '../../../apis/core/v1alpha1/condition.ts';
import type { PostgreSQLDatabase } from '../../../apis/postgresql/v1alpha1/postgresql-database.ts';
import type { DatabaseObservation, DatabaseSpec } from '../../../clients/postgresql/database-spec.ts';
import type { RoleObservation, RoleSpec } from '../../../clients/postgresql/role.ts';
import { nameOf } from '../ownership.ts';

/** Who owns a database: a role that was named, or one of its own, of the same name. */
export type Ownership =
  | { readonly type: 'own'; readonly role: string }
  /** Undefined: it was named for the creation only. */
  | { readonly type: 'given'; readonly role: string | undefined };

export function ownershipOf(managed: PostgreSQLDatabase): Ownership {
  const { forProvider, initProvider = {} } = managed.spec;
  const names = (fields: typeof initProvider) =>
    (fields.owner ?? fields.ownerRef ?? fields.ownerSelector) !== undefined;
  return names(forProvider) || names(initProvider)
    ? { type: 'given', role: forProvider.owner }
    : { type: 'own', role: nameOf(managed) };
}

/** A database's own owner role: somebody who may log in, nothing more. */
export const ownRoleSpec: RoleSpec = { login: true };

/** The database that forProvider asks for. */
export function databaseSpec(managed: PostgreSQLDatabase): DatabaseSpec {
  const { encoding, lcCollate, lcCType, template, connectionLimit, allowConnections, extensions } =
    managed.spec.forProvider;
  const { role: owner } = ownershipOf(managed);
  return {
    ...(owner === undefined ? {} : { owner }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(lcCollate === undefined ? {} : { lcCollate }),
    ...(lcCType === undefined ? {} : { lcCType }),
    ...(template === undefined ? {} : { template }),
    ...(connectionLimit === undefined ? {} : { connectionLimit }),
    ...(allowConnections === undefined ? {} : { allowConnections }),
    ...(extensions === undefined ? {} : { extensions }),
  };
}

/** The Ready condition of a database that exists; `role` is its own, where it should have one. */
export function databaseReady(options: {
  readonly database: DatabaseObservation;
  readonly ownership: Ownership;
  readonly role: RoleObservation | undefined;
  readonly passwordFault: string | undefined;
}): ConditionFacts {
  const { database, ownership, role, passwordFault } = options;
  if (!database.allowConnections) return unavailable('the database does not allow connections');
  if (ownership.type === 'given') return available();
  if (role === undefined) return unavailable('the role of the database does not exist');
  if (!role.login) return unavailable('the role of the database may not log in');
  return passwordFault === undefined ? available() : unavailable(passwordFault);
}

/** Throws an Error that names what PostgreSQL cannot change, with what it is and should be. */
export function checkImmutable(
  managed: PostgreSQLDatabase,
  database: DatabaseObservation,
  fields: readonly ('encoding' | 'lcCollate' | 'lcCType')[],
): void {
  if (fields.length === 0) return;
  const changes = fields.map(
    (field) =>
      `spec.forProvider.${field} from "${database[field]}" to "${managed.spec.forProvider[field]}"`,
  );
  throw new Error(
    `cannot change ${changes.join(' and ')}: PostgreSQL sets it at creation only; set it back, or create a new resource`,
  );
}
