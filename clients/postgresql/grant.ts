import { escapeIdentifier } from 'pg';
import { PostgresqlError } from './error.ts';
import type { GrantObservation, GrantSpec, GrantTarget } from './grant-spec.ts';
import { grantDrift, wantedPrivileges } from './grant-spec.ts';
import { withRightsOf } from './membership.ts';
import { checkName } from './name.ts';
import type { Session, UseSession } from './session.ts';

interface Call {
  readonly signal?: AbortSignal;
}

/**
 * Privileges of one server. They carry no mark. A grant is the target, the role, and the privileges from the target's
 * owner; privileges from other roles are ignored. The owner of a target always has all privileges on it.
 */
export interface Grants {
  /** Undefined if the role or the target does not exist. */
  observe(spec: Pick<GrantSpec, 'role' | 'on'>, options?: Call): Promise<GrantObservation | undefined>;
  /** Whether the role owns the target; then nothing is ever granted or revoked. */
  isOwner(spec: Pick<GrantSpec, 'role' | 'on'>, options?: Call): Promise<boolean>;
  /**
   * Grants missing privileges. With `revokeExtra` (default true) it also revokes privileges that are not in the spec.
   * Throws `NotFound` (retryable) if the role or target does not exist.
   */
  apply(spec: GrantSpec, options?: Call & { readonly revokeExtra?: boolean }): Promise<void>;
  /**
   * Revokes all privileges of the role on the target, and those that the role passed on. No error if there are none.
   */
  revoke(spec: Pick<GrantSpec, 'role' | 'on'>, options?: Call): Promise<void>;
}

export function grants(withSession: UseSession): Grants {
  /** Runs `body` in the target's database, with the target's state. Undefined if the target or role does not exist. */
  const at = async <T>(
    { role, on }: Pick<GrantSpec, 'role' | 'on'>,
    signal: AbortSignal | undefined,
    body: (session: Session, state: TargetState) => Promise<T>,
  ): Promise<T | undefined> => {
    check(role, on);
    try {
      return await withSession(on.schema === undefined ? undefined : on.database, signal, async (session) => {
        const state = await read(session, role, on);
        return state && (await body(session, state));
      });
    } catch (error) {
      // A database that was dropped refuses the session itself.
      if (on.schema !== undefined && error instanceof PostgresqlError && error.code === 'NotFound') {
        return undefined;
      }
      throw error;
    }
  };

  return {
    observe: (spec, { signal } = {}) => at(spec, signal, async (_, state) => state.held),

    isOwner: async (spec, { signal } = {}) =>
      (await at(spec, signal, async (_, { isOwner }) => isOwner)) ?? false,

    async apply(spec, { revokeExtra = true, signal } = {}) {
      wantedPrivileges(spec); // throws before anything is asked
      const isDone = await at(spec, signal, async (session, state) => {
        const { missing, extra, overgranted } = grantDrift(state.held, spec);
        const statements = state.isOwner
          ? []
          : [
              ...(revokeExtra ? revokeStatements(spec, extra, state, '') : []),
              ...(revokeExtra ? revokeStatements(spec, overgranted, state, 'OPTION') : []),
              ...grantStatements(spec, missing),
            ];
        await run(session, state, statements);
        return true;
      });
      if (isDone) return;
      const target = describe(spec.on).replace(/^(DATABASE|SCHEMA)/, (word) => word.toLowerCase());
      const message = `role ${escapeIdentifier(spec.role)} or ${target} does not exist`;
      throw new PostgresqlError(message, { code: 'NotFound', isRetryable: true });
    },

    async revoke(spec, { signal } = {}) {
      await at(spec, signal, async (session, state) => {
        if (state.isOwner) return;
        await run(session, state, revokeStatements(spec, [...state.held.keys()], state, ''));
      });
    },
  };
}

interface TargetState {
  readonly held: GrantObservation;
  /** The role owns the target. */
  readonly isOwner: boolean;
  /** The role whose rights allow the grant. */
  readonly grantors: readonly string[];
  /** Memberships only: the roles that granted it. Each must revoke it itself. */
  readonly givers: readonly string[];
  readonly serverVersion: number;
}

async function read(session: Session, role: string, on: GrantTarget): Promise<TargetState | undefined> {
  if (on.memberOf !== undefined) return readMembership(session, role, on.memberOf);
  const source =
    on.schema === undefined
      ? `SELECT datdba AS owner, coalesce(datacl, acldefault('d', datdba)) AS acl
         FROM pg_database WHERE datname = $2`
      : `SELECT nspowner AS owner, coalesce(nspacl, acldefault('n', nspowner)) AS acl
         FROM pg_namespace WHERE nspname = $2`;
  const rows = await session.query<{
    privilege: string | null;
    isGrantable: boolean | null;
    owner: string;
    databaseOwner: string;
    isOwner: boolean;
  }>(
    `SELECT a.privilege_type AS privilege, a.is_grantable AS "isGrantable",
            pg_get_userbyid(t.owner) AS owner, t.owner = r.oid AS "isOwner",
            (SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()) AS "databaseOwner"
     FROM (${source}) t JOIN pg_roles r ON r.rolname = $1
     LEFT JOIN LATERAL aclexplode(t.acl) a ON a.grantee = r.oid AND a.grantor = t.owner`,
    [role, on.schema ?? on.database],
  );
  const [first] = rows;
  if (first === undefined) return undefined;
  const held = new Map(
    rows.flatMap(({ privilege, isGrantable }) =>
      privilege === null ? [] : [[privilege, { isGrantable: isGrantable === true }] as const],
    ),
  );
  // Schema public belongs to pg_database_owner, and no role can become a member of it.
  const grantor = first.owner === 'pg_database_owner' ? first.databaseOwner : first.owner;
  return {
    held,
    isOwner: first.isOwner,
    grantors: [grantor],
    givers: [],
    serverVersion: session.serverVersion,
  };
}

async function readMembership(
  session: Session,
  role: string,
  memberOf: string,
): Promise<TargetState | undefined> {
  const rows = await session.query<{ giver: string | null; isGrantable: boolean | null }>(
    `SELECT pg_get_userbyid(m.grantor) AS giver, m.admin_option AS "isGrantable"
     FROM pg_roles r JOIN pg_roles p ON p.rolname = $2
     LEFT JOIN pg_auth_members m ON m.member = r.oid AND m.roleid = p.oid
     WHERE r.rolname = $1`,
    [role, memberOf],
  );
  if (rows.length === 0) return undefined;
  const given = rows.filter(({ giver }) => giver !== null);
  const isGrantable = given.some((row) => row.isGrantable === true);
  return {
    held: new Map(given.length === 0 ? [] : [['MEMBER', { isGrantable }]]),
    isOwner: false,
    grantors: [],
    givers: given.map(({ giver }) => giver!),
    serverVersion: session.serverVersion,
  };
}

async function run(session: Session, state: TargetState, statements: readonly string[]): Promise<void> {
  if (statements.length === 0) return;
  await session.transaction(() =>
    withRightsOf(session, state.grantors, async () => {
      for (const statement of statements) await session.query(statement);
    }),
  );
}

function grantStatements(spec: GrantSpec, privileges: readonly string[]): readonly string[] {
  if (privileges.length === 0) return [];
  const role = escapeIdentifier(spec.role);
  if (spec.on.memberOf !== undefined) {
    const option = spec.withGrantOption ? ' WITH ADMIN OPTION' : '';
    return [`GRANT ${escapeIdentifier(spec.on.memberOf)} TO ${role}${option}`];
  }
  const option = spec.withGrantOption ? ' WITH GRANT OPTION' : '';
  return [`GRANT ${privileges.join(', ')} ON ${describe(spec.on)} TO ${role}${option}`];
}

/** CASCADE also revokes the privileges that the role passed on. */
function revokeStatements(
  spec: Pick<GrantSpec, 'role' | 'on'>,
  privileges: readonly string[],
  state: TargetState,
  what: '' | 'OPTION',
): readonly string[] {
  if (privileges.length === 0) return [];
  const from = escapeIdentifier(spec.role);
  if (spec.on.memberOf !== undefined) {
    const option = what === '' ? '' : 'ADMIN OPTION FOR ';
    const memberOf = escapeIdentifier(spec.on.memberOf);
    // Before PostgreSQL 16 there is one membership, for any number of grantors.
    const givers = state.serverVersion >= 16 ? state.givers : [undefined];
    return givers.map((giver) => {
      const by = giver === undefined ? '' : ` GRANTED BY ${escapeIdentifier(giver)}`;
      return `REVOKE ${option}${memberOf} FROM ${from}${by} CASCADE`;
    });
  }
  const option = what === '' ? '' : 'GRANT OPTION FOR ';
  return [`REVOKE ${option}${privileges.join(', ')} ON ${describe(spec.on)} FROM ${from} CASCADE`];
}

/** As SQL and for messages: `database "x"`, `schema "y"`, `role "z"`. */
function describe(on: GrantTarget): string {
  if (on.memberOf !== undefined) return `role ${escapeIdentifier(on.memberOf)}`;
  return on.schema === undefined
    ? `DATABASE ${escapeIdentifier(on.database)}`
    : `SCHEMA ${escapeIdentifier(on.schema)}`;
}

function check(role: string, on: GrantTarget): void {
  checkName('role', role);
  if (on.memberOf !== undefined) checkName('role', on.memberOf);
  else checkName('database', on.database);
  if (on.schema !== undefined) checkName('schema', on.schema);
}
