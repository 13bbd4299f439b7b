import partition from 'lodash/partition.js';
import { escapeIdentifier } from 'pg';
import { changing, invalid, referencedOwners } from '../../../package/stack.ts';
import type { GrantObservation, GrantSpec, GrantTarget } from '../client/grant-spec.ts';
import { grantDrift } from '../client/grant-spec.ts';
import type { PostgreSQLGrant } from '../kinds/v1alpha1/postgresql-grant.ts';
import { grantReferences } from './references.ts';

/** The role and the target of a grant, as recorded in its status. */
export type Granted = NonNullable<NonNullable<PostgreSQLGrant['status']>['granted']>;

/** The grant that forProvider asks for. Throws an Error that names missing fields. */
export function grantSpec(managed: PostgreSQLGrant): GrantSpec {
  const { privileges, withGrantOption = false } = managed.spec.forProvider;
  const place = grantPlace(managed);
  if (place.on.memberOf === place.role) {
    throw invalid(
      `role ${escapeIdentifier(place.role)} cannot be a member of itself; change spec.forProvider.role or memberOf`,
      changing('role', 'memberOf'),
    );
  }
  if (place.on.memberOf === undefined && privileges === undefined) {
    throw invalid('spec.forProvider.privileges are needed on a database or schema', changing('privileges'));
  }
  const resources = referencedOwners(managed, grantReferences);
  return { ...place, withGrantOption, resources, ...(privileges === undefined ? {} : { privileges }) };
}

/** The role and the target of a grant. Throws an Error that names missing fields. */
export function grantPlace({ spec }: PostgreSQLGrant): Pick<GrantSpec, 'role' | 'on'> {
  const { role, database, schema, memberOf } = spec.forProvider;
  if (role === undefined) {
    throw invalid('spec.forProvider.role is needed, or roleRef or roleSelector', changing('role'));
  }
  const on = targetIn({ database, schema, memberOf });
  if (on === undefined) {
    throw invalid(
      'spec.forProvider needs either memberOf or database, by name, reference or selector, and a schema only with a database',
      changing('memberOf', 'database'),
    );
  }
  return { role, on };
}

/** In the order of the definition. A membership is no privilege. */
const grantable = ['CONNECT', 'CREATE', 'TEMPORARY', 'USAGE'] as const;

/** The privileges that the role has, in the form of forProvider. */
export function grantParameters(
  held: GrantObservation,
): Pick<PostgreSQLGrant['spec']['forProvider'], 'privileges' | 'withGrantOption'> {
  const withGrantOption = [...held.values()].every(({ isGrantable }) => isGrantable);
  const privileges = grantable.filter((privilege) => held.has(privilege));
  return privileges.length === 0 ? { withGrantOption } : { privileges, withGrantOption };
}

function targetIn({
  database,
  schema,
  memberOf,
}: {
  readonly [P in 'database' | 'schema' | 'memberOf']: string | undefined;
}): GrantTarget | undefined {
  if (memberOf !== undefined)
    return database === undefined && schema === undefined ? { memberOf } : undefined;
  if (database === undefined) return undefined;
  return schema === undefined ? { database } : { database, schema };
}

export function grantedBy({ role, on }: Pick<GrantSpec, 'role' | 'on'>): Granted {
  if (on.memberOf !== undefined) return { role, memberOf: on.memberOf };
  const { database, schema } = on;
  return schema === undefined ? { role, database } : { role, database, schema };
}

/** The grant that the status records; undefined if it records none, or an invalid one. */
export function recordedGrant({ status }: PostgreSQLGrant): Pick<GrantSpec, 'role' | 'on'> | undefined {
  if (status?.granted === undefined) return undefined;
  const { role, database, schema, memberOf } = status.granted;
  const on = targetIn({ database, schema, memberOf });
  return on && { role, on };
}

/** The fields that differ from the privileges that the role has. */
export function differingFields(held: GrantObservation, spec: GrantSpec): readonly string[] {
  const { missing, extra, overgranted } = grantDrift(held, spec);
  const [optionless, absent] = partition(missing, (privilege) => held.has(privilege));
  return [
    ...(absent.length + extra.length > 0 ? ['privileges'] : []),
    ...(optionless.length + overgranted.length > 0 ? ['withGrantOption'] : []),
  ];
}

/** The role and the target of the wanted grant; undefined while a field is missing. */
export function wantedGrant({ spec }: PostgreSQLGrant): Pick<GrantSpec, 'role' | 'on'> | undefined {
  const { role, database, schema, memberOf } = spec.forProvider;
  const on = targetIn({ database, schema, memberOf });
  return role === undefined || on === undefined ? undefined : { role, on };
}
