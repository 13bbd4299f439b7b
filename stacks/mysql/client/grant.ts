import type { HolderOf } from '../../../package/stack.ts';
import { clientAdvice } from '../../../package/stack.ts';
import { MysqlError } from './error.ts';
import { markOf, readMarks } from './mark.ts';
import { checkNameIn, checkOwnName } from './name.ts';
import { wantedPrivileges } from './privilege.ts';
import { readSchema } from './schema.ts';
import { storedName } from './server-facts.ts';
import type { Session, UseSession } from './session.ts';
import { account, contentsOf, pattern, quotedName } from './text.ts';
import { readUser } from './user-read.ts';

/** A user and the database on which it has privileges. */
export interface GrantTarget {
  readonly user: string;
  readonly database: string;
}

export interface GrantSpec extends GrantTarget {
  /** Absent, or with `ALL`: all that a database can have. */
  readonly privileges?: readonly string[];
  /** The resources, by owner id, from which the names were resolved. */
  readonly resources?: Partial<Readonly<Record<GrantParty, string>>>;
}

/** The privileges of a user on one database, without those of patterns for several databases. */
export interface GrantObservation {
  /** Sorted. With `GRANT OPTION` if it may pass them on. */
  readonly privileges: readonly string[];
  /** The same, of a grant that names the database without escapes. It is for other databases, too. */
  readonly unescaped: readonly string[];
}

/** The changes that `apply` would make. */
export interface GrantDrift {
  readonly missing: readonly string[];
  readonly extra: readonly string[];
  /** A grant must be replaced, which is for other databases, too. */
  readonly isUnescaped: boolean;
}

export function grantDrift(
  { privileges, unescaped }: GrantObservation,
  spec: Pick<GrantSpec, 'privileges'>,
): GrantDrift {
  const wanted = wantedPrivileges(spec.privileges);
  return {
    missing: wanted.filter((name) => !privileges.includes(name)),
    extra: privileges.filter((name) => !wanted.includes(name)),
    isUnescaped: unescaped.length > 0,
  };
}

/** The name of a drift, for a condition; empty: there is none. */
export const driftNames = ({ missing, extra, isUnescaped }: GrantDrift): readonly string[] => [
  ...missing,
  ...extra,
  ...(isUnescaped ? ['wildcards'] : []),
];

type GrantParty = 'user' | 'database';

/** A name in a grant that means the user or database of a claim, or of a resource that is not known. */
interface DistrustedParty {
  readonly party: GrantParty;
  readonly name: string;
  /** The resource. Undefined: it is not known. */
  readonly holder: string | undefined;
}

interface Call {
  readonly signal?: AbortSignal;
}

/** Privileges of one server. They carry no mark. */
export interface Grants {
  /** Undefined if the user or the database does not exist. */
  observe(target: GrantTarget, options?: Call): Promise<GrantObservation | undefined>;
  /** The first name that a name alone must not mean. Undefined: there is none. */
  distrusted(spec: GrantSpec, options?: Call): Promise<DistrustedParty | undefined>;
  /**
   * Grants what is missing, and revokes what is extra or for other databases, too. Throws `NotFound` (retryable),
   * `Invalid` for a distrusted party.
   */
  apply(spec: GrantSpec, options?: Call): Promise<void>;
  /** Revokes all privileges of the user on the database. No error if there are none. */
  revoke(target: GrantTarget, options?: Call): Promise<void>;
}

export function grants(withSession: UseSession, holderOf: HolderOf): Grants {
  return {
    async observe(target, { signal } = {}) {
      check(target);
      return withSession(signal, async (session) => {
        const absent = await absentParties(session, target);
        return absent.length > 0 ? undefined : readGrant(session, target);
      });
    },

    async distrusted(spec, { signal } = {}) {
      checkSpec(spec);
      return withSession(signal, (session) => distrustedParty(session, spec, holderOf));
    },

    async apply(spec, { signal } = {}) {
      checkSpec(spec);
      wantedPrivileges(spec.privileges); // throws before anything is asked
      await withSession(signal, async (session) => {
        const absent = await absentParties(session, spec);
        if (absent.length > 0) throw absenceOf(absent);
        const party = await distrustedParty(session, spec, holderOf);
        // guard: otherwise a tenant gets what the administrator grants to a name
        if (party !== undefined) throw refusalOf(party);
        await applyGrant(session, spec, await readGrant(session, spec));
      });
    },

    async revoke(target, { signal } = {}) {
      check(target);
      await withSession(signal, async (session) => {
        const found = await readGrant(session, target);
        await applyGrant(session, { ...target, wanted: [] }, found);
      });
    },
  };
}

function check({ user, database }: GrantTarget): void {
  checkNameIn('user', 'user', user);
  checkNameIn('database', 'database', database);
}

/** Also refuses the databases of the server and of this product: their tables have all passwords, and the marks. */
function checkSpec(spec: GrantSpec): void {
  check(spec);
  // guard: otherwise the user of a grant reads the passwords of all users, or takes the database of another team
  checkNameIn('database', 'database', spec.database, checkOwnName);
}

interface Party {
  readonly party: GrantParty;
  readonly name: string;
}

async function absentParties(session: Session, { user, database }: GrantTarget): Promise<readonly Party[]> {
  const [account, schema] = [await readUser(session, user), await readSchema(session, database)];
  return [
    ...(account === undefined ? [{ party: 'user', name: user } as const] : []),
    ...(schema === undefined ? [{ party: 'database', name: database } as const] : []),
  ];
}

function absenceOf(absent: readonly Party[]): MysqlError {
  const names = absent.map(({ party, name }) => `${party} ${quotedName(name)}`);
  const fields = absent.map(({ party }) => `spec.forProvider.${party}`);
  const verb = absent.length === 1 ? 'does' : 'do';
  return new MysqlError(`${names.join(' and ')} ${verb} not exist; ${clientAdvice.change(fields)}`, {
    code: 'NotFound',
  });
}

/** See {@link Grants.distrusted}. A user or database without a mark is an administrator's. */
async function distrustedParty(
  session: Session,
  { user, database, resources = {} }: GrantSpec,
  holderOf: HolderOf,
): Promise<DistrustedParty | undefined> {
  for (const [party, name] of [
    ['user', user],
    ['database', database],
  ] as const) {
    const mark = (await readMarks(session, name))[party];
    const resource = resources[party];
    if (mark === undefined || (resource !== undefined && markOf(resource) === mark)) continue;
    const holder = holderOf(mark, name);
    if (holder?.isClaims !== false) return { party, name, holder: holder?.what };
  }
  return undefined;
}

function refusalOf({ party, name, holder }: DistrustedParty): MysqlError {
  const field = `spec.forProvider.${party}`;
  const whose = holder ?? 'a resource that is not known here';
  // Only a reference to a MySQLDatabase leads to the user of a claim.
  const todo = clientAdvice.nameByReference(party === 'user' ? `${field}DatabaseRef` : `${field}Ref`);
  return new MysqlError(`${field} ${quotedName(name)} is not used: it is the ${party} of ${whose}; ${todo}`, {
    code: 'Invalid',
  });
}

/** The columns of `mysql.db` with a privilege, and its name in a statement. Later versions have more of them. */
function privilegesIn(row: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(row)
    .filter(([column, value]) => column.endsWith('_priv') && value === 'Y')
    .map(([column]) => privilegeOf(column))
    .toSorted();
}

function privilegeOf(column: string): string {
  const name = column.replace(/_priv$/, '');
  const others: Readonly<Record<string, string>> = {
    Create_tmp_table: 'CREATE TEMPORARY TABLES',
    Grant: 'GRANT OPTION',
  };
  return others[name] ?? name.replaceAll('_', ' ').toUpperCase();
}

export async function readGrant(
  session: Session,
  { user, database }: GrantTarget,
): Promise<GrantObservation> {
  const name = storedName(session.facts, database);
  const rows = await session.query<Record<string, string>>(
    `SELECT * FROM mysql.db WHERE User = ? AND Host = '%' AND Db IN (?, ?)`,
    [user, pattern(name), name],
  );
  const of = (text: string) => rows.filter(({ Db }) => Db === text).flatMap(privilegesIn);
  return { privileges: of(pattern(name)), unescaped: pattern(name) === name ? [] : of(name) };
}

/** Brings a grant to the wanted privileges. Missing privileges are granted first, so that no session is interrupted. */
export async function applyGrant(
  session: Session,
  {
    user,
    database,
    privileges,
    wanted = wantedPrivileges(privileges),
  }: GrantTarget & { readonly privileges?: readonly string[]; readonly wanted?: readonly string[] },
  found: GrantObservation,
): Promise<void> {
  const missing = wanted.filter((name) => !found.privileges.includes(name));
  const extra = found.privileges.filter((name) => !wanted.includes(name));
  const who = account(user);
  if (missing.length > 0)
    await session.run(`GRANT ${missing.join(', ')} ON ${contentsOf(database)} TO ${who}`);
  if (extra.length > 0)
    await session.run(`REVOKE ${extra.join(', ')} ON ${contentsOf(database)} FROM ${who}`);
  // guard: otherwise a name with `_` opens the databases of others
  if (found.unescaped.length > 0)
    await session.run(`REVOKE ${found.unescaped.join(', ')} ON ${quotedName(database)}.* FROM ${who}`);
}
