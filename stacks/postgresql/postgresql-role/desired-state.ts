import type { GeneratedCredential, Observation, ReadyFacts } from '../../../package/stack.ts';
import {
  available,
  generatedPassword,
  isObserver,
  refusesPassword,
  unavailable,
} from '../../../package/stack.ts';
import type { RoleObservation, RoleSpec } from '../client/role.ts';
import { roleDrift } from '../client/role.ts';
import { limitFix } from '../closed-by-spec.ts';
import type { PostgreSQLRole } from '../kinds/v1alpha1/postgresql-role.ts';
import { markDifference } from '../ownership.ts';

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

/** The password of a role that may log in. */
export const roleCredential: GeneratedCredential<PostgreSQLRole> = {
  ...generatedPassword,
  isWanted: ({ spec }) => spec.forProvider.login === true,
  rotationOf: ({ spec }) => spec.forProvider.passwordRotation,
};

/** The observation of a role that exists. */
export function observationOf(
  managed: PostgreSQLRole,
  role: RoleObservation,
  isLockedOut: boolean,
): Observation<PostgreSQLRole> {
  if (isObserver(managed)) {
    const { login, createDb, createRole, inherit, replication, bypassRls, connectionLimit } = role;
    const privileges = { createDb, createRole, inherit, replication, bypassRls };
    const lateInitialized = { login, privileges, connectionLimit };
    return { exists: true, isUpToDate: true, ready: available(), lateInitialized };
  }
  const drift = roleDrift(role, roleSpec(managed));
  const differing = [...drift, ...markDifference(managed, role)];
  // No field asks for a superuser or for the end of a password.
  const fields = drift.filter((attribute) => !['superuser', 'validUntil'].includes(attribute)).map(fieldOf);
  return {
    exists: true,
    isUpToDate: differing.length === 0,
    ready: readyOf(managed, role, isLockedOut),
    ...(differing.length === 0 ? {} : { difference: differing.join(', ') }),
    ...(fields.length === 0 ? {} : { differing: fields }),
  };
}

const pathOf: Readonly<Record<string, string>> = {
  login: 'login',
  connectionLimit: 'connectionLimit',
  configuration: 'configurationParameters',
};

/** The path of an attribute in the spec. */
const fieldOf = (attribute: string): string =>
  `spec.forProvider.${pathOf[attribute] ?? `privileges.${attribute}`}`;

function readyOf({ spec }: PostgreSQLRole, role: RoleObservation, isLockedOut: boolean): ReadyFacts {
  if (spec.forProvider.login && !role.login) return unavailable('the role may not log in');
  if (spec.forProvider.login && role.connectionLimit === 0)
    return unavailable(`the role may not connect: its connection limit is 0${limitFix(spec.forProvider)}`);
  return isLockedOut ? refusesPassword('role') : available();
}
