import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { decodeDetails } from '../../../apis/core/v1alpha1/secret.ts';
import type { PostgreSQLDatabase } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import type { PostgreSQLGrant } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-grant.ts';
import type { PostgreSQLRole } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-role.ts';
import type { InProcessPostgresql } from '../../fakes/in-process-postgresql.ts';
import { allows } from './policies.ts';
import { recordedName } from './recorded-name.ts';

/*
 * The promise of a managed resource of PostgreSQL that is Ready and Synced. It is checked against the
 * server, not against the client's view.
 */

export type Server = Pick<InProcessPostgresql, 'databases' | 'roles' | 'grants' | 'memberships' | 'refusal'>;

const isPromised = ({ status }: Managed): boolean =>
  ['Ready', 'Synced'].every(
    (type) => status?.conditions?.find((each) => each.type === type)?.status === 'True',
  );

const differs = (what: string, is: unknown, wanted: unknown): readonly string[] =>
  wanted === undefined || is === wanted ? [] : [`Synced, and ${what} is ${is} and not ${wanted}`];

/** The differences from the spec of a database. `secret` is the published Secret. */
export function databaseFaults(
  database: PostgreSQLDatabase,
  secret: Secret | undefined,
  server: Server,
): readonly string[] {
  if (!isPromised(database)) return [];
  const name = recordedName(database);
  const found = server.databases().find((each) => each.name === name);
  if (found === undefined) return [`Ready, and there is no database ${name}`];
  if (!allows(database, 'Update')) return [];
  const { forProvider } = database.spec;
  const { encoding, connectionLimit, extensions = [], owner } = forProvider;
  return [
    ...differs('the encoding', found.encoding, encoding),
    ...differs('the limit of connections', found.connectionLimit, connectionLimit),
    ...differs('the owner', found.owner, owner),
    ...extensions.flatMap((each) =>
      found.extensions[each.name] === undefined ? [`Synced, and has no extension ${each.name}`] : [],
    ),
    ...loginFaults(secret, server, name),
  ];
}

/** The differences from the spec of a role. */
export function roleFaults(
  role: PostgreSQLRole,
  secret: Secret | undefined,
  server: Server,
): readonly string[] {
  if (!isPromised(role)) return [];
  const name = recordedName(role);
  const found = server.roles().find((each) => each.name === name);
  if (found === undefined) return [`Ready, and there is no role ${name}`];
  if (!allows(role, 'Update')) return [];
  const { login = false, privileges = {}, connectionLimit } = role.spec.forProvider;
  return [
    ...differs('login', found.login, login),
    ...Object.entries(privileges).flatMap(([privilege, wanted]) =>
      differs(privilege, found[privilege as keyof typeof found], wanted),
    ),
    ...differs('the limit of connections', found.connectionLimit, connectionLimit),
    ...(login ? loginFaults(secret, server, 'postgres') : []),
  ];
}

/** The SQLSTATE with which the login in a secret is refused; undefined if it is not, or there is none. */
function loginRefusal(secret: Secret | undefined, server: Server, database: string): string | undefined {
  const { username, password } = decodeDetails(secret);
  if (username === undefined || password === undefined) return undefined;
  return server.refusal({ user: username, password, database });
}

/** The content of the Secret allows a login; a Secret without a password promises none. */
function loginFaults(secret: Secret | undefined, server: Server, database: string): readonly string[] {
  const refusal = loginRefusal(secret, server, database);
  return refusal === undefined || refusal === '42501' || refusal === '53300'
    ? []
    : [`Synced, and the login in its secret is refused with ${refusal}`];
}

/** The differences from the spec of a grant. */
export function grantFaults({ spec, ...grant }: PostgreSQLGrant, server: Server): readonly string[] {
  if (!isPromised({ ...grant, spec } as Managed)) return [];
  const { roleRef, databaseRef, memberOfRef, schema, privileges = [] } = spec.forProvider;
  // An observed-only resource is found by its references, whose values are not written into it.
  const {
    role = roleRef?.name,
    database = databaseRef?.name,
    memberOf = memberOfRef?.name,
  } = spec.forProvider;
  if (memberOf !== undefined) {
    const isMember = server.memberships().some((each) => each.role === memberOf && each.member === role);
    return isMember ? [] : [`Ready, and ${role} is no member of ${memberOf}`];
  }
  if (role === undefined || database === undefined) return [];
  const on = schema === undefined ? `database "${database}"` : `schema "${schema}" of "${database}"`;
  const given = new Set(
    server
      .grants()
      .filter((each) => each.on === on && each.grantee === role)
      .map(({ privilege }) => privilege),
  );
  const isOwner = server.databases().some((each) => each.name === database && each.owner === role);
  return privileges
    .map((privilege) => (privilege === 'TEMP' ? 'TEMPORARY' : privilege))
    .filter((privilege) => !isOwner && (privilege === 'ALL' ? given.size === 0 : !given.has(privilege)))
    .map((privilege) => `Ready, and ${role} has no ${privilege} on ${on}`);
}
