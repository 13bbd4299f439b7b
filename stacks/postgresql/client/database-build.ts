import { escapeIdentifier, escapeLiteral } from 'pg';
import { clientAdvice, counted } from '../../../package/stack.ts';
import { dropUnfinished, sessionsOn } from './database-drop.ts';
import { readDatabase, unfinishedName } from './database-read.ts';
import type { DatabaseObservation, DatabaseSpec } from './database-spec.ts';
import { databaseDrift } from './database-spec.ts';
import { isInUse, PostgresqlError, sqlStateOf } from './error.ts';
import type { HolderOf } from './mark.ts';
import { checkOurs, markStatement } from './mark.ts';
import { withRightsOf } from './membership.ts';
import type { Session } from './session.ts';

/** Creates the database. See Databases for the reason for two steps. */
export async function buildDatabase(
  session: Session,
  name: string,
  spec: DatabaseSpec,
  { ownerId, holderOf }: { readonly ownerId: string; readonly holderOf: HolderOf },
): Promise<void> {
  const unfinished = unfinishedName(ownerId, name);
  // guard: otherwise an interrupted creation blocks the next one
  await dropUnfinished(session, unfinished); // created before a crash, perhaps from another spec
  await copyTemplate(session, unfinished, spec);
  try {
    await session.transaction(() =>
      withRightsOf(session, [spec.owner], async () => {
        for (const statement of finishingStatements(session, unfinished, name, spec, ownerId)) {
          await session.query(statement);
        }
      }),
    );
  } catch (error) {
    // If this also fails, for example without a connection, the next attempt does it.
    await dropUnfinished(session, unfinished).catch(() => {});
    if (sqlStateOf(error) !== '42P04') throw error;
    // Another session created a database of that name during this time.
    const found = await readDatabase(session, name, holderOf);
    if (found) checkOurs('database', found, ownerId);
    else throw error;
  }
}

/** Does not accept connections, so that no session can block its copying. */
const closedTemplate = 'template0';

/**
 * PostgreSQL copies a database only without sessions on it, and blocks our connection for 5 s before it reports them.
 * Therefore sessions are checked first.
 */
async function copyTemplate(session: Session, unfinished: string, spec: DatabaseSpec): Promise<void> {
  const { template = closedTemplate } = spec;
  if (template !== closedTemplate) await checkNobodyIsOn(session, template);
  try {
    await session.query(createStatement(session, unfinished, template, spec));
  } catch (error) {
    if (isInUse(error)) await checkNobodyIsOn(session, template);
    throw refusedValue(error, spec) ?? error;
  }
}

/** The fields whose value the server refuses with this SQLSTATE. */
const refusedFields: Readonly<Record<string, readonly (keyof DatabaseSpec)[]>> = {
  '3D000': ['template'],
  42704: ['encoding'],
  42809: ['lcCollate', 'lcCType'],
};

/** An `Invalid` error that names the fields whose value the server does not know. Undefined for other errors. */
function refusedValue(error: unknown, spec: DatabaseSpec): PostgresqlError | undefined {
  if (!(error instanceof PostgresqlError)) return undefined;
  const { message, code, sqlState = code } = error;
  const fields = (refusedFields[sqlState] ?? [])
    .filter((field) => spec[field] !== undefined)
    .map((field) => `spec.forProvider.${field}`);
  if (fields.length === 0) return undefined;
  return new PostgresqlError(`${message}; ${clientAdvice.change(fields)}`, {
    code: 'Invalid',
    isRetryable: error.isRetryable,
    advice: { kinds: ['ChangeFields'], fields },
  });
}

/** Throws `InUse` (retryable) that names the users with sessions on a template. */
async function checkNobodyIsOn(session: Session, template: string): Promise<void> {
  const sessions = await sessionsOn(session, template);
  if (sessions.length === 0) return;
  const users = [...new Set(sessions.map(({ user }) => escapeIdentifier(user)))].toSorted();
  const message =
    `template database ${escapeIdentifier(template)} has ${counted(sessions.length, 'open session')} ` +
    `(of ${users.join(', ')}), and PostgreSQL copies only databases without sessions; waiting for them to end`;
  throw new PostgresqlError(message, { code: 'InUse', isRetryable: true });
}

function createStatement(
  { serverVersion }: Session,
  unfinished: string,
  template: string,
  spec: DatabaseSpec,
): string {
  // The server's own provider may be ICU, which ignores these locales.
  const isLocaleNamed = (spec.lcCollate ?? spec.lcCType) !== undefined;
  const clauses = [
    'ALLOW_CONNECTIONS false',
    `TEMPLATE ${escapeIdentifier(template)}`,
    spec.encoding !== undefined && `ENCODING ${escapeLiteral(spec.encoding)}`,
    isLocaleNamed && serverVersion >= 15 && 'LOCALE_PROVIDER libc',
    spec.lcCollate !== undefined && `LC_COLLATE ${escapeLiteral(spec.lcCollate)}`,
    spec.lcCType !== undefined && `LC_CTYPE ${escapeLiteral(spec.lcCType)}`,
  ];
  return `CREATE DATABASE ${escapeIdentifier(unfinished)} WITH ${clauses.filter(Boolean).join(' ')}`;
}

function finishingStatements(
  session: Session,
  unfinished: string,
  name: string,
  spec: DatabaseSpec,
  ownerId: string,
): readonly string[] {
  const old = escapeIdentifier(unfinished);
  const database = escapeIdentifier(name);
  return [
    `REVOKE CONNECT ON DATABASE ${old} FROM PUBLIC`,
    markStatement('database', unfinished, ownerId),
    `ALTER DATABASE ${old} ALLOW_CONNECTIONS ${spec.allowConnections ?? true}`,
    ...(spec.connectionLimit === undefined ? [] : [limitStatement(old, spec.connectionLimit)]),
    `ALTER DATABASE ${old} RENAME TO ${database}`,
    ...(spec.owner === undefined
      ? []
      : [`ALTER DATABASE ${database} OWNER TO ${escapeIdentifier(spec.owner)}`]),
    ...admitAdmin(session, database),
  ];
}

/**
 * Without the rights of PUBLIC, an administrator who is no superuser needs a grant to connect. It comes after the
 * change of owner, because grants to an owner pass to the next owner.
 */
const admitAdmin = (session: Session, database: string): readonly string[] =>
  session.admin.isSuperuser
    ? []
    : [`GRANT CONNECT ON DATABASE ${database} TO ${escapeIdentifier(session.admin.name)}`];

const limitStatement = (database: string, limit: number): string =>
  `ALTER DATABASE ${database} CONNECTION LIMIT ${limit}`;

/** The statements that bring a database to its spec. They need the rights of its current and its next owner. */
export function repairs(session: Session, found: DatabaseObservation, spec: DatabaseSpec): readonly string[] {
  const database = escapeIdentifier(found.name);
  const { changed } = databaseDrift(found, spec);
  const repair: Readonly<Record<string, () => string>> = {
    isOpenToPublic: () => `REVOKE CONNECT ON DATABASE ${database} FROM PUBLIC`,
    connectionLimit: () => limitStatement(database, spec.connectionLimit!),
    allowConnections: () => `ALTER DATABASE ${database} ALLOW_CONNECTIONS ${spec.allowConnections ?? true}`,
    owner: () => `ALTER DATABASE ${database} OWNER TO ${escapeIdentifier(spec.owner!)}`,
    isOpenToOwner: () =>
      `GRANT ALL ON DATABASE ${database} TO ${escapeIdentifier(spec.owner ?? found.owner)}`,
  };
  const statements = changed.flatMap((field) => repair[field]?.() ?? []);
  const mustAdmit = statements.length > 0 || changed.includes('isOpenToAdmin');
  return mustAdmit ? [...statements, ...admitAdmin(session, database)] : [];
}
