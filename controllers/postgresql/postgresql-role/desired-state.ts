import type { ReadyFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { available, unavailable } from '../../../apis/core/v1alpha1/condition.ts';
import type { PostgreSQLRole } from '../../../apis/postgresql/v1alpha1/postgresql-role.ts';
import type { RoleObservation, RoleSpec } from '../../../clients/postgresql/role.ts';
import { roleDrift } from '../../../clients/postgresql/role.ts';
import type { Observation } from '../../core/managed/external-client.ts';
import { isObserver, markDifference } from '../ownership.ts';
import type { PasswordNeed } from '../role-password.ts';
import { passwordFault } from '../role-password.ts';

/** The role that forProvider asks for. */
export function roleSpec({ spec }: PostgreSQLRole): RoleSpec {
  const { login = false, privileges = {}, connectionLimit, configurationParameters } = spec.forProvider;
  return {
    login,
    ...privileges,
    ...(connectionLimit === undefined ? {} : { connectionLimit }),
    ...(configurationParameters === undefined
      ? {}
      : {
          configuration: Object.fromEntries(configurationParameters.map(({ name, value }) => [name, value])),
        }),
  };
}

/** What to report about a role that may be observed. */
export function observationOf(
  managed: PostgreSQLRole,
  { role, need }: { readonly role: RoleObservation; readonly need: PasswordNeed | undefined },
): Observation {
  if (isObserver(managed)) {
    const { login, createDb, createRole, inherit, replication, bypassRls, connectionLimit } = role;
    const privileges = { createDb, createRole, inherit, replication, bypassRls };
    const lateInitialized = { login, privileges, connectionLimit };
    return { exists: true, isUpToDate: true, ready: available(), lateInitialized };
  }
  const differing = [
    ...roleDrift(role, roleSpec(managed)),
    ...markDifference(managed, role),
    ...(need === undefined ? [] : ['password']),
  ];
  return {
    exists: true,
    isUpToDate: differing.length === 0,
    ready: readyOf(managed, role, need),
    ...(differing.length === 0 ? {} : { difference: differing.join(', ') }),
  };
}

function readyOf(
  { spec }: PostgreSQLRole,
  role: RoleObservation,
  need: PasswordNeed | undefined,
): ReadyFacts {
  if (spec.forProvider.login && !role.login) return unavailable('the role may not log in');
  const fault = passwordFault(need);
  return fault === undefined ? available() : unavailable(fault);
}
