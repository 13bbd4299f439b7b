import isEqual from 'lodash/isEqual.js';
import type { PostgreSQLGrant } from '../../../apis/postgresql/v1alpha1/postgresql-grant.ts';
import type { GrantObservation, GrantSpec, GrantTarget } from '../../../clients/postgresql/grant-spec.ts';

/** Who is granted something on what, as a grant's status records it. */
export type Granted = NonNullable<NonNullable<PostgreSQLGrant['status']>['granted']>;

/** What forProvider asks for. Throws an Error that names what is missing. */
export function grantSpec(managed: PostgreSQLGrant): GrantSpec {
  const { privileges, withGrantOption = false } = managed.spec.forProvider;
  const place = grantPlace(managed);
  if (place.on.memberOf === undefined && privileges === undefined) {
    throw new Error('spec.forProvider.privileges are needed on a database or schema');
  }
  return { ...place, withGrantOption, ...(privileges === undefined ? {} : { privileges }) };
}

/** Who is granted something on what. Throws an Error that names what is missing. */
export function grantPlace({ spec }: PostgreSQLGrant): Pick<GrantSpec, 'role' | 'on'> {
  const { role, database, schema, memberOf } = spec.forProvider;
  if (role === undefined) throw new Error('spec.forProvider.role is needed, or roleRef or roleSelector');
  const on = targetIn({ database, schema, memberOf });
  if (on === undefined) {
    throw new Error(
      'spec.forProvider needs either memberOf or database, by name, reference or selector, and a schema only with a database',
    );
  }
  return { role, on };
}

/** In the order in which they are written down. A membership is none of them. */
const grantable = ['CONNECT', 'CREATE', 'TEMPORARY', 'USAGE'] as const;

/** What is held, as forProvider would ask for it. */
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

/** What the status says is granted; undefined if nothing, or nothing that makes sense. */
export function recordedGrant({ status }: PostgreSQLGrant): Pick<GrantSpec, 'role' | 'on'> | undefined {
  if (status?.granted === undefined) return undefined;
  const { role, database, schema, memberOf } = status.granted;
  const on = targetIn({ database, schema, memberOf });
  return on && { role, on };
}

/** What was granted before to another role or on another target, and is to be revoked. */
export function formerGrant(managed: PostgreSQLGrant): Pick<GrantSpec, 'role' | 'on'> | undefined {
  const recorded = recordedGrant(managed);
  if (recorded === undefined) return undefined;
  return isEqual(grantedBy(recorded), grantedBy(grantSpec(managed))) ? undefined : recorded;
}

/** Who is to be granted something on what; undefined while that is not complete. */
export function askedGrant({ spec }: PostgreSQLGrant): Pick<GrantSpec, 'role' | 'on'> | undefined {
  const { role, database, schema, memberOf } = spec.forProvider;
  const on = targetIn({ database, schema, memberOf });
  return role === undefined || on === undefined ? undefined : { role, on };
}
