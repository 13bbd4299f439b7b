import uniq from 'lodash/uniq.js';
import { escapeIdentifier } from 'pg';
import { clientAdvice } from '../../../package/stack.ts';
import { advice } from '../advice.ts';
import { readDatabase } from './database-read.ts';
import { PostgresqlError } from './error.ts';
import type { DistrustedParty, GrantObservation, GrantParty, GrantSpec, GrantTarget } from './grant-spec.ts';
import { grantDrift, wantedPrivileges } from './grant-spec.ts';
import type { HolderOf } from './mark.ts';
import { withRightsOf } from './membership.ts';
import { checkNameIn } from './name.ts';
import type { Session, UseSession } from './session.ts';
import { distrustOf, refuseRole, roleMarks } from './trust.ts';

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
  /**
   * The first role or database of the grant that its name alone must not mean. Undefined: there is none, or the role or
   * the target does not exist.
   */
  distrusted(spec: GrantSpec, options?: Call): Promise<DistrustedParty | undefined>;
  /** Whether the role owns the target; then nothing is ever granted or revoked. */
  isOwner(spec: Pick<GrantSpec, 'role' | 'on'>, options?: Call): Promise<boolean>;
  /**
   * Grants missing privileges. With `revokeExtra` (default true) it also revokes privileges that are not in the spec.
   * Throws `NotFound` (retryable) if the role or target does not exist, and `Invalid` if a party is distrusted.
   */
  apply(spec: GrantSpec, options?: Call & { readonly revokeExtra?: boolean }): Promise<void>;
  /**
   * Revokes all privileges of the role on the target, and those that the role passed on. No error if there are none.
   */
  revoke(spec: Pick<GrantSpec, 'role' | 'on'>, options?: Call): Promise<void>;
}

export function grants(withSession: UseSession, holderOf: HolderOf): Grants {
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

    distrusted: (spec, { signal } = {}) =>
      at(spec, signal, (session, { schemaOwner }) =>
        distrustedParty(session, spec, { holderOf, schemaOwner }),
      ),

    isOwner: async (spec, { signal } = {}) =>
      (await at(spec, signal, async (_, { isOwner }) => isOwner)) ?? false,

    async apply(spec, { revokeExtra = true, signal } = {}) {
      wantedPrivileges(spec); // throws before anything is asked
      const isDone = await at(spec, signal, async (session, state) => {
        const { schemaOwner } = state;
        const party = await distrustedParty(session, spec, { holderOf, schemaOwner });
        // guard: otherwise a tenant gets what the administrator grants to a name
        if (party !== undefined) refuseParty(party);
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
      const absent = await withSession(undefined, signal, (session) => absentParties(session, spec));
      throw new PostgresqlError(absenceOf(absent, spec.on), { code: 'NotFound', isRetryable: true });
    },

    async revoke(spec, { signal } = {}) {
      await at(spec, signal, async (session, state) => {
        if (state.isOwner) return;
        await run(session, state, revokeStatements(spec, [...state.held.keys()], state, ''));
      });
    },
  };
}

/** A role or database of a grant, by its field. */
interface NamedParty {
  readonly field: Exclude<GrantParty, 'schema'>;
  readonly name: string;
}

/** The roles and the database of a grant that do not exist. */
async function absentParties(
  session: Session,
  { role, on }: Pick<GrantSpec, 'role' | 'on'>,
): Promise<readonly NamedParty[]> {
  const { memberOf, database } = on;
  const roles: readonly NamedParty[] = [
    { field: 'role', name: role },
    ...(memberOf === undefined ? [] : [{ field: 'memberOf', name: memberOf } as const]),
  ];
  const marks = await roleMarks(
    session,
    roles.map(({ name }) => name),
  );
  const absent = roles.filter(({ name }) => !marks.has(name));
  if (database === undefined) return absent;
  const found = await session.query('SELECT FROM pg_database WHERE datname = $1', [database]);
  return found.length > 0 ? absent : [...absent, { field: 'database', name: database }];
}

/** The message about parties that do not exist. If there are none, the schema does not exist. */
function absenceOf(absent: readonly NamedParty[], on: GrantTarget): string {
  if (absent.length === 0 && on.schema !== undefined) {
    const [schema, database] = [on.schema, on.database].map(escapeIdentifier);
    const todo = advice.createSchema('spec.forProvider.schema', database ?? '', `CREATE SCHEMA ${schema}`);
    return `schema ${schema} does not exist; ${todo}`;
  }
  const kindOf = ({ field }: NamedParty) => (field === 'database' ? 'database' : 'role');
  const names = absent.map((party) => `${kindOf(party)} ${escapeIdentifier(party.name)}`);
  const kinds = uniq(
    absent.map((party) => (kindOf(party) === 'role' ? 'PostgreSQLRole' : 'PostgreSQLDatabase')),
  );
  const fields = absent.map(({ field }) => `spec.forProvider.${field}`);
  const verb = absent.length === 1 ? 'does' : 'do';
  return `${names.join(' and ')} ${verb} not exist; ${advice.createMissing(kinds, fields)}`;
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
  /** The role that owns the schema, if the target is one. */
  readonly schemaOwner?: string | undefined;
}

/** See Grants.distrusted. */
async function distrustedParty(
  session: Session,
  { role, on, resources = {} }: GrantSpec,
  { holderOf, schemaOwner }: { readonly holderOf: HolderOf; readonly schemaOwner: string | undefined },
): Promise<DistrustedParty | undefined> {
  const trust = (...parties: readonly GrantParty[]) => ({
    holderOf,
    ownerIds: parties.flatMap((party) => resources[party] ?? []),
  });
  const { memberOf, database } = on;
  const marks = await roleMarks(
    session,
    [role, memberOf, schemaOwner].filter((name) => name !== undefined),
  );
  const roleDistrust = distrustOf(role, marks.get(role), trust('role'));
  if (roleDistrust !== undefined) return { ...roleDistrust, party: 'role', name: role };
  if (memberOf !== undefined) {
    const groupDistrust = distrustOf(memberOf, marks.get(memberOf), trust('memberOf'));
    return groupDistrust && { ...groupDistrust, party: 'memberOf', name: memberOf };
  }
  const found = await readDatabase(session, database, holderOf);
  if (found?.distrustedOwner !== undefined) {
    const ownerDistrust = distrustOf(found.distrustedOwner, found.ownerMark, trust('database'));
    if (ownerDistrust !== undefined) return { ...ownerDistrust, party: 'database', name: database };
  }
  if (schemaOwner === undefined || on.schema === undefined) return undefined;
  const schemaDistrust = distrustOf(schemaOwner, marks.get(schemaOwner), trust('database', 'role'));
  return schemaDistrust && { ...schemaDistrust, party: 'schema', name: on.schema };
}

/** Throws PostgresqlError `Invalid` for a party of {@link Grants.distrusted}. */
function refuseParty({ party, name, ...distrust }: DistrustedParty): never {
  const field = `spec.forProvider.${party}`;
  const remedies: Readonly<Record<GrantParty, string>> = {
    role: clientAdvice.nameByReference('spec.forProvider.roleDatabaseRef'),
    memberOf: clientAdvice.nameByReference('spec.forProvider.memberOfDatabaseRef'),
    database: clientAdvice.nameByReference('spec.forProvider.databaseRef'),
    schema: clientAdvice.change(['spec.forProvider.schema']),
  };
  refuseRole(`${field} ${escapeIdentifier(name)}`, distrust, remedies[party]);
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
    schemaOwner: on.schema === undefined ? undefined : first.owner,
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
  checkNameIn('role', 'role', role);
  if (on.memberOf !== undefined) checkNameIn('memberOf', 'role', on.memberOf);
  else checkNameIn('database', 'database', on.database);
  if (on.schema !== undefined) checkNameIn('schema', 'schema', on.schema);
}
