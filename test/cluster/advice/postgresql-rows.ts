import { readFileSync, writeFileSync } from 'node:fs';
import isEqual from 'lodash/isEqual.js';
import { Client, escapeIdentifier } from 'pg';
import { advice as coreAdvice } from '../../../apis/core/v1alpha1/advice.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { PostgreSQLInstanceKind } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import type { advice as clientAdvice } from '../../../clients/advice.ts';
import { resourceId } from '../../../controllers/author/owner-id.ts';
import type { LocalPostgresql } from '../../../local/postgresql.ts';
import { startPostgresql } from '../../../local/postgresql.ts';
import type { advice } from '../../../stacks/postgresql/advice.ts';
import { markOf } from '../../../stacks/postgresql/client/mark.ts';
import {
  PostgreSQLDatabaseClassKind,
  PostgreSQLDatabaseKind,
} from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { PostgreSQLGrantKind } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-grant.ts';
import { PostgreSQLRoleKind } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-role.ts';
import { ProviderConfigKind } from '../../../stacks/postgresql/kinds/v1alpha1/provider.ts';
import { reload, requireStandby } from '../../stacks/postgresql/server/settings.ts';
import { credentialsNamespace } from '../fancysql-fixture.ts';
import { eventually } from '../stack-harness.ts';
import type { Place, Row, RowsFor } from './player.ts';
import { about, asPrinted } from './player.ts';
import { answerTo, checkLogin, checkRefused, uriTo } from './postgresql-login.ts';
import { commandIn } from './printed.ts';

type Entries = Readonly<Record<string, string>>;

/** The server of all rows. Each row has databases and roles of its own. */
type Server = () => LocalPostgresql;

/** Writes the credentials of the row's provider, with these entries instead. */
function credentials(server: Server, at: Place, entries: Entries = {}): Promise<void> {
  const { host, port, superuser, password } = server();
  const right = { endpoint: host, port: String(port), username: superuser, password, sslmode: 'disable' };
  return at.secret(credentialsNamespace, at.named('pg'), { ...right, ...entries });
}

async function provider(server: Server, at: Place, entries: Entries = {}): Promise<void> {
  await credentials(server, at, entries);
  await at.create(ProviderConfigKind, 'pg', { credentials: at.inSecret('pg', 'endpoint') });
}

const providerRow = about(ProviderConfigKind, 'pg');

/** Creates a claim of a class, and waits for the reason of its Ready condition. */
async function claimWith(at: Place, reason: string): Promise<void> {
  await at.makeClass(PostgreSQLDatabaseClassKind, 'pg', spec(at));
  const { kind } = PostgreSQLDatabaseClassKind;
  const classRef = { apiVersion: 'postgresql.crossplane.io/v1alpha1', kind, name: at.named('pg') };
  const writeConnectionSecretToRef = { name: 'db-connection' };
  await at.make(PostgreSQLInstanceKind, at.key, { spec: { classRef, writeConnectionSecretToRef } });
  await eventually(`the claim is ${reason}`, async () => {
    const claim = await at.fixture.cluster.find(PostgreSQLInstanceKind, at.key);
    const ready = claim?.status?.conditions?.find(({ type }) => type === 'Ready');
    if (ready?.reason === reason) return true;
    throw new Error(JSON.stringify(claim?.status));
  });
}

/** A claim of another team on the server of all rows, with its data. */
export async function neighbour(server: Server, at: Place): Promise<void> {
  await provider(server, at);
  await claimWith(at, 'Available');
  await eventually('the other team can use its claim', () => at.usable('db', PostgreSQLInstanceKind));
}

/** A claim of a class whose provider has a wrong entry in its credentials, which a reader corrects. */
const wrongEntry = (server: Server, wrong: Entries, reason: string, says?: string): Row => ({
  async situation(at) {
    await provider(server, at, wrong);
    await claimWith(at, reason);
  },
  ...(says !== undefined && { says: () => says }),
  where: providerRow.where,
  act: (at) => credentials(server, at, wrong.database === undefined ? {} : { database: 'postgres' }),
  ends: (at) => at.usable('db', PostgreSQLInstanceKind),
});

/** A session of the superuser. */
async function sessionOf(server: Server, database = 'postgres'): Promise<Client> {
  const { host, port, superuser, password, clusterCA } = server();
  const ssl = clusterCA !== undefined && { ca: clusterCA };
  const session = new Client({ host, port, user: superuser, password, database, ssl });
  session.on('error', () => {}); // it may be terminated
  await session.connect();
  return session;
}

/** The first row of the last statement, which the superuser runs. */
async function sql(server: Server, statements: readonly string[], database?: string) {
  const session = await sessionOf(server, database);
  try {
    let rows: readonly Readonly<Record<string, unknown>>[] = [];
    for (const statement of statements) ({ rows } = await session.query(statement));
    return rows[0];
  } finally {
    await session.end();
  }
}

const spec = (at: Place, forProvider: object = {}) => ({
  providerConfigRef: { name: at.named('pg') },
  forProvider,
});

/** The Secret of a managed resource that no claim has. */
const secretFor = (at: Place, name: string) => ({
  writeConnectionSecretToRef: { namespace: credentialsNamespace, name: at.named(name) },
});

const database = (at: Place, forProvider: object = {}, name = 'db', more: object = {}) =>
  at.create(PostgreSQLDatabaseKind, name, { ...spec(at, forProvider), ...secretFor(at, name), ...more });

const databaseKey = (at: Place) => ({ name: at.named('db') });

const editDatabase = (at: Place, forProvider: object): Promise<void> =>
  at.editSpec(PostgreSQLDatabaseKind, 'db', { forProvider });

/**
 * Rejects unless psql logs in to a database of the row's own with its Secret, and finds the data. A database with an owner
 * of another resource has no login of its own.
 */
async function checkDatabase(at: Place, name = 'db'): Promise<void> {
  const details = await at.published(name);
  if (details.uri !== undefined) await checkLogin(details, at.named(name));
}

/** Waits until a database of the row's own works, and writes into it. */
async function workingDatabase(at: Place, name = 'db'): Promise<void> {
  await at.working(PostgreSQLDatabaseKind, name);
  await checkDatabase(at, name);
}

const databaseRow = {
  ...about(PostgreSQLDatabaseKind, 'db'),
  async ends(at: Place): Promise<boolean> {
    if (!(await at.works(PostgreSQLDatabaseKind, 'db'))) return false;
    await checkDatabase(at);
    return true;
  },
};

const owners = async (server: Server, name: string): Promise<unknown> =>
  (await sql(server, [`SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = '${name}'`]))
    ?.owner;

/** Creates a role, by a PostgreSQLRole. */
async function role(at: Place, name = 'owner'): Promise<string> {
  await at.create(PostgreSQLRoleKind, name, { ...spec(at, { login: true }), ...secretFor(at, name) });
  await at.working(PostgreSQLRoleKind, name);
  return at.named(name);
}

const statementsIn = (at: Place, begins: RegExp): Promise<string> => commandIn(at, (one) => begins.test(one));

/** Runs printed statements as the superuser. */
async function runStatements(
  server: Server,
  at: Place,
  statements: string,
  inDatabase?: string,
): Promise<void> {
  at.ran.push(statements);
  await sql(server, statements.split('; '), inDatabase);
}

/** The same for those that begin so and that the product prints for the row. */
const runPrinted = async (server: Server, at: Place, begins: RegExp, inDatabase?: string): Promise<void> =>
  runStatements(server, at, await statementsIn(at, begins), inDatabase);

/** The same, for a message of the database, which is then observed again. */
async function runForDatabase(server: Server, at: Place, begins: RegExp, inDatabase?: string): Promise<void> {
  await runPrinted(server, at, begins, inDatabase);
  await at.observeAgain(PostgreSQLDatabaseKind, at.named('db'));
}

const ownerRow = about(PostgreSQLRoleKind, 'owner');

/** The role of a resource that is being deleted owns a database that a user created. */
const owning = (server: Server) => async (at: Place) => {
  await provider(server, at);
  const owner = escapeIdentifier(await role(at));
  await sql(server, [`CREATE DATABASE ${escapeIdentifier(at.named('foreign'))} OWNER ${owner}`]);
  await at.delete(PostgreSQLRoleKind, { name: at.named('owner') });
};

/** Runs the statements for the role that is being deleted, which is then observed again. */
async function runForOwner(server: Server, at: Place, begins: RegExp, inDatabase?: string): Promise<void> {
  await runPrinted(server, at, begins, inDatabase);
  await at.observeAgain(PostgreSQLRoleKind, at.named('owner'));
}

/** A user created a database of the name that a managed resource has. */
const existing = (server: Server) => async (at: Place) => {
  await provider(server, at);
  await sql(server, [`CREATE DATABASE ${escapeIdentifier(at.named('db'))}`]);
  await database(at);
};

/**
 * Creates a database without a mark, which gets a name of the row's own later. It is closed before: the teams of other rows
 * check that they do not get into it.
 */
const strangeDatabase = (at: Place): readonly [name: string, ...statements: readonly string[]] => {
  const name = escapeIdentifier(at.named('strange'));
  return [name, `CREATE DATABASE ${name}`, `REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`];
};

/** There is a database of the row's own. */
async function working(server: Server, at: Place): Promise<void> {
  await provider(server, at);
  await database(at);
  await workingDatabase(at);
}

/** The owner of a database removed its mark, and the managed resource is being deleted. */
const unmarked = (server: Server) => async (at: Place) => {
  await provider(server, at);
  await database(at, { owner: await role(at) });
  await workingDatabase(at);
  await sql(server, [`COMMENT ON DATABASE ${escapeIdentifier(at.named('db'))} IS NULL`]);
  await at.delete(PostgreSQLDatabaseKind, databaseKey(at));
};

/** Another resource creates a database of the name, after an administrator renamed or dropped both. */
async function takenOver(
  server: Server,
  at: Place,
  statements: (name: string, old: string) => readonly string[],
): Promise<void> {
  const [name = '', old = ''] = [at.named('db'), at.named('old')].map(escapeIdentifier);
  // The database is not created again before the other resource takes the name.
  await at.whilePaused(PostgreSQLDatabaseKind, at.named('db'), async () => {
    await sql(server, statements(name, old));
    await thief(at);
  });
}

/** Another resource that has the name of the database. */
async function thief(at: Place, forProvider: object = {}): Promise<void> {
  const annotations = { [annotationKeys.externalName]: at.named('db') };
  const its = { ...spec(at, forProvider), ...secretFor(at, 'thief') };
  await at.create(PostgreSQLDatabaseKind, 'thief', its, annotations);
  await at.working(PostgreSQLDatabaseKind, 'thief');
}

const setExternalName = (at: Place, name: string): Promise<void> =>
  at.annotate(PostgreSQLDatabaseKind, at.named('db'), `${annotationKeys.externalName}=${at.named(name)}`);

/** The managed resource of a database was deleted, and its policy retained the database. Another one names it. */
const retained = (server: Server) => async (at: Place) => {
  await provider(server, at);
  await database(at, {}, 'former', { deletionPolicy: 'Orphan' });
  await workingDatabase(at, 'former');
  await at.delete(PostgreSQLDatabaseKind, { name: at.named('former') });
  await eventually('it is gone', () => at.isGone(PostgreSQLDatabaseKind, 'former'));
  const annotations = { [annotationKeys.externalName]: at.named('former') };
  await at.create(PostgreSQLDatabaseKind, 'db', spec(at), annotations);
};

async function grant(at: Place, name: string, privileges: readonly string[]): Promise<void> {
  const forProvider = { role: at.named('owner'), database: at.named('db'), privileges };
  await at.create(PostgreSQLGrantKind, name, spec(at, forProvider));
}

/** A database that is reserved for a claim, so that its role is the role of a claim. */
async function reserved(at: Place, name: string): Promise<void> {
  const claimRef = {
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: PostgreSQLInstanceKind.kind,
    namespace: at.namespace,
    name: 'not-yet',
  };
  await database(at, {}, name, { claimRef });
  await workingDatabase(at, name);
}

/** A grant on a database of the administrator to a role by its name. */
async function grantByName(at: Place, name: string): Promise<void> {
  await database(at, { owner: 'postgres' }, 'store');
  await workingDatabase(at, 'store');
  const forProvider = { role: at.named(name), database: at.named('store'), privileges: ['CONNECT'] };
  await at.create(PostgreSQLGrantKind, 'grant', spec(at, forProvider));
}

/** The advice of resources and providers of the stack. */
export const postgresqlRows = (server: Server) =>
  ({
    mergeGrants: {
      async situation(at) {
        await provider(server, at);
        await database(at, { owner: 'postgres' });
        await role(at);
        await workingDatabase(at);
        await grant(at, 'first', ['CONNECT']);
        await at.working(PostgreSQLGrantKind, 'first');
        await grant(at, 'second', ['TEMPORARY']);
      },
      where: about(PostgreSQLGrantKind, 'second').where,
      async act(at) {
        await at.editSpec(PostgreSQLGrantKind, 'first', {
          forProvider: { privileges: ['CONNECT', 'TEMPORARY'] },
        });
        await at.delete(PostgreSQLGrantKind, { name: at.named('second') });
      },
      async ends(at) {
        if (!(await at.isGone(PostgreSQLGrantKind, 'second'))) return false;
        const user = await at.published('owner');
        await answerTo('CREATE TEMPORARY TABLE held ()', user, uriTo(user, at.named('db')));
        return at.works(PostgreSQLGrantKind, 'first');
      },
    },
    matchVersion: {
      ...databaseRow,
      async situation(at) {
        await provider(server, at);
        await database(at, { engineVersion: '11' });
      },
      says: () => 'change it, or use a provider whose server runs 11',
      async act(at) {
        const [, engineVersion] = /runs PostgreSQL (\d+)/.exec(await databaseRow.where(at)) ?? [];
        await editDatabase(at, { engineVersion });
      },
    },
    dropUnmarked: {
      situation: unmarked(server),
      says: () => 'to drop it with its data, run: COMMENT ON DATABASE',
      where: databaseRow.where,
      act: (at) => runPrinted(server, at, /^COMMENT ON DATABASE /),
      ends: async (at) =>
        (await at.isGone(PostgreSQLDatabaseKind, 'db')) &&
        (await owners(server, at.named('db'))) === undefined,
    },
    nameBack: {
      async situation(at) {
        await working(server, at);
        const [name, other] = [at.named('db'), at.named('old')].map(escapeIdentifier);
        await sql(server, [`ALTER DATABASE ${name} RENAME TO ${other}`]);
        await at.observeAgain(PostgreSQLDatabaseKind, at.named('db'));
      },
      ...databaseRow,
      says: (at) =>
        `database "${at.named('db')}" was renamed to "${at.named('old')}"; to name it back, an administrator of the server runs: `,
      act: (at) => runForDatabase(server, at, /^ALTER DATABASE .* RENAME TO /),
      others: {
        'adopt-identity=or-create': { ...asPrinted, ends: about(PostgreSQLDatabaseKind, 'db').ends },
      },
    },
    followName: {
      ...databaseRow,
      async situation(at) {
        await working(server, at);
        await takenOver(server, at, (name, old) => [
          `ALTER DATABASE ${name} RENAME TO ${old}`,
          `ALTER ROLE ${name} RENAME TO ${old}`,
        ]);
      },
      says: (at) =>
        `database and role "${at.named('db')}" were renamed to "${at.named('old')}", and PostgreSQLDatabase ${at.named('thief')} has the name now; to use it under that name, set the annotation`,
      act: (at) => setExternalName(at, 'old'),
    },
    nameBackInOrder: {
      ...databaseRow,
      async situation(at) {
        await working(server, at);
        const [name, old] = [at.named('db'), at.named('old')].map(escapeIdentifier);
        const [strange, ...creation] = strangeDatabase(at);
        const renames = [
          `ALTER DATABASE ${name} RENAME TO ${old}`,
          `ALTER DATABASE ${strange} RENAME TO ${name}`,
        ];
        await sql(server, [...creation, 'BEGIN', ...renames, 'COMMIT']);
        await at.observeAgain(PostgreSQLDatabaseKind, at.named('db'));
      },
      says: (at) =>
        `database "${at.named('db')}" was renamed to "${at.named('old')}", and a database without a mark has the name now; to name it back, an administrator of the server first gives the other one a spare name: BEGIN; ALTER DATABASE`,
      act: (at) => runForDatabase(server, at, /^BEGIN; /),
    },
    unite: {
      ...databaseRow,
      async situation(at) {
        await working(server, at);
        const [name, old] = [at.named('db'), at.named('old')].map(escapeIdentifier);
        await at.whilePaused(PostgreSQLDatabaseKind, at.named('db'), async () => {
          await sql(server, [`ALTER DATABASE ${name} RENAME TO ${old}`]);
          await thief(at, { owner: server().superuser });
        });
      },
      says: (at) =>
        `PostgreSQLDatabase ${at.named('thief')} has the name now; to use it under a spare name, an administrator of the server runs: BEGIN; `,
      async act(at) {
        await runPrinted(server, at, /^BEGIN; /);
        await setExternalName(at, 'db-other');
      },
    },
    createElsewhere: {
      ...databaseRow,
      async situation(at) {
        await provider(server, at);
        await database(at);
        await at.working(PostgreSQLDatabaseKind, 'db');
        await takenOver(server, at, (name) => [`DROP DATABASE ${name} WITH (FORCE)`, `DROP ROLE ${name}`]);
      },
      says: (at) =>
        `role "${at.named('db')}" is of PostgreSQLDatabase ${at.named('thief')} now, and the database of this resource does not exist any more; to have an empty one created, set another name in the annotation`,
      act: (at) => setExternalName(at, 'next'),
    },
    handOver: {
      async situation(at) {
        await working(server, at);
        await sql(server, [`COMMENT ON ROLE ${escapeIdentifier(at.named('db'))} IS NULL`]);
        await at.observeAgain(PostgreSQLDatabaseKind, at.named('db'));
      },
      ...databaseRow,
      says: () =>
        'has no mark, but this resource managed a role of this name; if another role took the name, rename that one. To hand it to this resource, with all that it owns and may do, an administrator of the server runs: COMMENT ON ROLE',
      act: (at) => runForDatabase(server, at, /^COMMENT ON ROLE /),
    },
    giveBack: {
      async situation(at) {
        await working(server, at);
        await reserved(at, 'team');
        const [name, team] = [at.named('db'), at.named('team')].map(escapeIdentifier);
        await sql(server, [`ALTER DATABASE ${name} OWNER TO ${team}`]);
        await at.observeAgain(PostgreSQLDatabaseKind, at.named('db'));
      },
      ...databaseRow,
      says: (at) =>
        `database "${at.named('db')}" is owned by role "${at.named('team')}", which belongs to another resource; if its data is not of another team, an administrator of the server gives it back: `,
      act: (at) => runForDatabase(server, at, /^ALTER DATABASE .* OWNER TO /),
    },
    dropHandedOver: {
      async situation(at) {
        await working(server, at);
        await sql(server, [`COMMENT ON ROLE ${escapeIdentifier(at.named('db'))} IS NULL`]);
        await at.delete(PostgreSQLDatabaseKind, databaseKey(at));
      },
      says: (at) =>
        `this resource is being deleted: the statement lets it drop database "${at.named('db')}" with all its data. To drop it, an administrator of the server runs: COMMENT ON ROLE`,
      where: databaseRow.where,
      act: (at) => runPrinted(server, at, /^COMMENT ON ROLE /),
      ends: async (at) =>
        (await at.isGone(PostgreSQLDatabaseKind, 'db')) &&
        (await owners(server, at.named('db'))) === undefined,
    },
    dropOfAnother: {
      async situation(at) {
        await working(server, at);
        const [name, legacy] = [at.named('db'), at.named('legacy')].map(escapeIdentifier);
        await at.whilePaused(PostgreSQLDatabaseKind, at.named('db'), async () => {
          await sql(server, [
            `CREATE ROLE ${legacy}`,
            `ALTER DATABASE ${name} OWNER TO ${legacy}`,
            `DROP OWNED BY ${name}`,
          ]);
          await at.delete(PostgreSQLDatabaseKind, databaseKey(at));
        });
      },
      says: (at) =>
        `this resource is being deleted, and that role may use the database. To drop database "${at.named('db')}" with all its data, an administrator of the server runs: ALTER DATABASE`,
      where: databaseRow.where,
      act: (at) => runPrinted(server, at, /^ALTER DATABASE .* OWNER TO /),
      ends: async (at) =>
        (await at.isGone(PostgreSQLDatabaseKind, 'db')) &&
        (await owners(server, at.named('db'))) === undefined,
    },
    keepUnmarked: {
      situation: unmarked(server),
      where: databaseRow.where,
      act: (at) => at.editSpec(PostgreSQLDatabaseKind, 'db', { deletionPolicy: 'Orphan' }),
      async ends(at) {
        if (!(await at.isGone(PostgreSQLDatabaseKind, 'db'))) return false;
        const user = await at.published('owner');
        await answerTo('CREATE TABLE IF NOT EXISTS kept ()', user, uriTo(user, at.named('db')));
        return (await owners(server, at.named('db'))) === at.named('owner');
      },
      others: { 'COMMENT ON DATABASE': 'dropUnmarked runs it' },
    },
    terminateSessions: {
      async situation(at) {
        await working(server, at);
        const session = await sessionOf(server, at.named('db'));
        at.servers.push({ stop: () => session.end() });
        await at.delete(PostgreSQLDatabaseKind, databaseKey(at));
      },
      where: databaseRow.where,
      act: (at) => editDatabase(at, { onDelete: 'TerminateSessions' }),
      ends: (at) => at.isGone(PostgreSQLDatabaseKind, 'db'),
    },
    keepOwner: {
      situation: existing(server),
      where: databaseRow.where,
      async act(at) {
        const statements = await statementsIn(at, /^COMMENT ON DATABASE /);
        await editDatabase(at, { owner: server().superuser });
        await runStatements(server, at, statements);
        await at.observeAgain(PostgreSQLDatabaseKind, at.named('db'));
      },
      ends: async (at) =>
        (await databaseRow.ends(at)) && (await owners(server, at.named('db'))) === server().superuser,
    },
    setOwner: {
      ...databaseRow,
      async situation(at) {
        await provider(server, at);
        await role(at);
        await database(at, { ownerRef: { name: 'no-such-role', policy: { resolution: 'Optional' } } });
      },
      act: (at) => editDatabase(at, { owner: at.named('owner') }),
      async ends(at) {
        const user = await at.published('owner');
        await answerTo('CREATE TABLE IF NOT EXISTS owned ()', user, uriTo(user, at.named('db')));
        return databaseRow.ends(at);
      },
    },
    closeDatabases: {
      async situation(at) {
        const [open, user] = [at.named('open'), at.named('administrator')].map(escapeIdentifier);
        await sql(server, [
          `CREATE DATABASE ${open}`,
          `CREATE ROLE ${user} LOGIN CREATEDB CREATEROLE PASSWORD 'a-password'`,
        ]);
        await provider(server, at, {
          username: at.named('administrator'),
          password: 'a-password',
          database: at.named('open'),
        });
        await at.create(PostgreSQLRoleKind, 'owner', {
          ...spec(at, { login: true }),
          ...secretFor(at, 'owner'),
        });
      },
      says: (at) =>
        `run as "${server().superuser}": GRANT CONNECT ON DATABASE ${escapeIdentifier(at.named('open'))} TO ${escapeIdentifier(at.named('administrator'))}`,
      where: providerRow.where,
      act: (at) => runPrinted(server, at, /^GRANT CONNECT ON DATABASE /),
      async ends(at) {
        const mayConnect = (role: string) =>
          `has_database_privilege('${role}', '${at.named('open')}', 'CONNECT')`;
        const rights = `SELECT ${mayConnect('public')} AS open, ${mayConnect(at.named('administrator'))} AS served`;
        const another = await at.published('owner');
        await checkRefused(another, uriTo(another, at.named('open')), /permission denied for database/);
        return isEqual({ ...(await sql(server, [rights])) }, { open: false, served: true });
      },
    },
  }) satisfies RowsFor<typeof advice & typeof clientAdvice & typeof coreAdvice>;

/** A server of one row, with TLS, at two addresses, of which its certificate has one. */
async function ownServer(at: Place): Promise<LocalPostgresql> {
  const own = await startPostgresql({ ssl: true, settings: { listen_addresses: '127.0.0.1,127.0.0.2' } });
  at.servers.push({ stop: () => own.dispose() });
  return own;
}

/** A claim that waits because of a server of its own, and which a reader ends. */
const atOwnServer = (
  reason: string,
  {
    entries = () => ({}),
    prepare = async () => {},
    act,
  }: {
    readonly entries?: (own: LocalPostgresql) => Entries;
    readonly prepare?: (own: LocalPostgresql, at: Place) => Promise<void>;
    readonly act: (own: Server, at: Place) => Promise<void>;
  },
): Row => {
  let own: LocalPostgresql;
  return {
    async situation(at) {
      own = await ownServer(at);
      await prepare(own, at);
      await provider(() => own, at, entries(own));
      await claimWith(at, reason);
    },
    where: providerRow.where,
    act: (at) => act(() => own, at),
    ends: (at) => at.usable('db', PostgreSQLInstanceKind),
  };
};

/** A claim whose administrator is kept out by a rule of the server. The superuser makes this role and that rule. */
const refusedByRule = (
  server: Server,
  attributes: string,
  reason: string,
  act: (at: Place, role: string) => Promise<void>,
): Row => ({
  async situation(at) {
    const role = escapeIdentifier(at.named('administrator'));
    await sql(server, [
      `CREATE ROLE ${role} ${attributes} PASSWORD 'a-password'`,
      `GRANT CONNECT ON DATABASE postgres TO ${role}`,
    ]);
    await provider(server, at, { username: at.named('administrator'), password: 'a-password' });
    await claimWith(at, reason);
  },
  where: providerRow.where,
  act: (at) => act(at, escapeIdentifier(at.named('administrator'))),
  ends: (at) => at.usable('db', PostgreSQLInstanceKind),
});

/** Puts a line before all others of pg_hba.conf. */
async function firstRule(server: Server, line: string): Promise<void> {
  const { hba_file: file } = (await sql(server, ['SHOW hba_file'])) ?? {};
  writeFileSync(String(file), `${line}\n${readFileSync(String(file), 'utf8')}`);
  await reload(() => sessionOf(server));
}

/** Makes a role for an administrator that is no superuser. */
async function limitedProvider(server: Server, at: Place, name = 'administrator'): Promise<void> {
  const role = escapeIdentifier(at.named(name));
  await sql(server, [
    `CREATE ROLE ${role} LOGIN CREATEDB CREATEROLE PASSWORD 'a-password'`,
    `GRANT CONNECT ON DATABASE postgres TO ${role}`,
  ]);
}

/** A database on a server that waits for a synchronous standby. */
function withoutStandby(): Row {
  let own: LocalPostgresql;
  return {
    ...databaseRow,
    async situation(at) {
      own = await ownServer(at);
      await requireStandby(() => sessionOf(() => own));
      await provider(() => own, at);
      await database(at);
    },
    async act(at) {
      await sql(() => own, ['ALTER SYSTEM RESET synchronous_standby_names', 'SELECT pg_reload_conf()']);
      await at.observeAgain(PostgreSQLDatabaseKind, at.named('db'));
    },
  };
}

/** The Secret that a user of a retained database kept, by the namespace of the row. */
const previousUsers = new Map<string, ConnectionDetails>();

/** A claim whose server has no connection left for the role of the provider. A reader ends sessions of another program. */
function withoutConnection(): Row {
  let own: LocalPostgresql;
  const sessions: Client[] = [];
  return {
    async situation(at) {
      own = await startPostgresql({ settings: { max_connections: '8' } });
      at.servers.push({ stop: () => own.dispose() });
      await limitedProvider(() => own, at);
      const [username, password] = [at.named('administrator'), 'a-password'];
      const { host, port } = own;
      for (let free = 5; free > 0; free -= 1) {
        const session = new Client({
          host,
          port,
          user: username,
          password,
          database: 'postgres',
          ssl: false,
        });
        session.on('error', () => {});
        await session.connect();
        sessions.push(session);
      }
      await provider(() => own, at, { username, password });
      await claimWith(at, 'ServerExhausted');
    },
    where: providerRow.where,
    act: () => Promise.all(sessions.map((session) => session.end())),
    ends: (at) => at.usable('db', PostgreSQLInstanceKind),
  };
}

/** The advice of the errors of PostgreSQL. */
export const postgresqlClientRows = (server: Server) =>
  ({
    putClusterCA: atOwnServer('TlsFailed', {
      entries: () => ({ sslmode: 'verify-full' }),
      act: (own, at) => credentials(own, at, { sslmode: 'verify-full', clusterCA: own().clusterCA ?? '' }),
    }),
    correctEndpoint: atOwnServer('TlsFailed', {
      entries: ({ clusterCA = '' }) => ({ sslmode: 'verify-full', clusterCA, endpoint: '127.0.0.2' }),
      act: (own, at) => credentials(own, at, { sslmode: 'verify-full', clusterCA: own().clusterCA ?? '' }),
    }),
    useTls: atOwnServer('LoginRefused', {
      async prepare(own) {
        await firstRule(() => own, 'hostnossl all all 127.0.0.1/32 reject');
      },
      act: (own, at) => credentials(own, at, { sslmode: 'require' }),
    }),
    restoreStandby: withoutStandby(),
    freeConnections: withoutConnection(),
    allowLogin: {
      ...refusedByRule(server, 'NOLOGIN SUPERUSER', 'LoginRefused', (at) =>
        runPrinted(server, at, /^ALTER ROLE .* LOGIN/),
      ),
      says: () => 'if the role exists, run: ALTER ROLE',
    },
    raiseRoleLimit: refusedByRule(
      server,
      'LOGIN CREATEDB CREATEROLE CONNECTION LIMIT 0',
      'ServerExhausted',
      async (_at, role) => void (await sql(server, [`ALTER ROLE ${role} CONNECTION LIMIT 9`])),
    ),
    allowInHba: {
      ...refusedByRule(server, 'LOGIN SUPERUSER', 'LoginRefused', (_at, role) =>
        firstRule(server, `host all ${role} 127.0.0.1/32 scram-sha-256`),
      ),
      async situation(at) {
        await firstRule(server, `host all ${escapeIdentifier(at.named('administrator'))} all reject`);
        await refusedByRule(server, 'LOGIN SUPERUSER', 'LoginRefused', async () => {}).situation(at);
      },
    },
    endSessions: {
      async situation(at) {
        await limitedProvider(server, at);
        await provider(server, at, { username: at.named('administrator'), password: 'a-password' });
        await database(at, { onDelete: 'TerminateSessions' });
        await workingDatabase(at);
        const session = await sessionOf(server, at.named('db'));
        at.servers.push({ stop: () => session.end().catch(() => {}) });
        await at.delete(PostgreSQLDatabaseKind, databaseKey(at));
      },
      says: () => 'run as a superuser: SELECT pg_terminate_backend',
      where: databaseRow.where,
      act: (at) => runForDatabase(server, at, /^SELECT pg_terminate_backend/),
      ends: (at) => at.isGone(PostgreSQLDatabaseKind, 'db'),
    },
    dropRenamed: {
      async situation(at) {
        await working(server, at);
        const [name, other] = [at.named('db'), at.named('old')].map(escapeIdentifier);
        await sql(server, [`ALTER DATABASE ${name} RENAME TO ${other}`]);
        await at.delete(PostgreSQLDatabaseKind, databaseKey(at));
      },
      says: () => 'to drop it with its data, name it back: ALTER DATABASE',
      where: databaseRow.where,
      async act(at) {
        await runForDatabase(server, at, /^ALTER DATABASE .* RENAME TO /);
      },
      ends: async (at) =>
        (await at.isGone(PostgreSQLDatabaseKind, 'db')) &&
        (await owners(server, at.named('old'))) === undefined,
    },
    deleteOwned: {
      async situation(at) {
        await provider(server, at);
        await database(at, { owner: await role(at) });
        await at.working(PostgreSQLDatabaseKind, 'db');
        await at.delete(PostgreSQLRoleKind, { name: at.named('owner') });
      },
      where: ownerRow.where,
      async act(at) {
        await at.delete(PostgreSQLDatabaseKind, databaseKey(at));
        await eventually('the database is gone', () => at.isGone(PostgreSQLDatabaseKind, 'db'));
        await at.observeAgain(PostgreSQLRoleKind, at.named('owner'));
      },
      ends: (at) => at.isGone(PostgreSQLRoleKind, 'owner'),
    },
    giveDatabase: {
      situation: owning(server),
      says: () => 'to give it to the administrator who runs it: ALTER DATABASE',
      where: ownerRow.where,
      async act(at) {
        await runForOwner(server, at, /^ALTER DATABASE .* OWNER TO /);
      },
      ends: async (at) =>
        (await at.isGone(PostgreSQLRoleKind, 'owner')) &&
        (await owners(server, at.named('foreign'))) === server().superuser,
    },
    giveObjects: {
      async situation(at) {
        await provider(server, at);
        const owner = escapeIdentifier(await role(at));
        await sql(server, [`CREATE DATABASE ${escapeIdentifier(at.named('foreign'))}`]);
        await sql(server, [`CREATE SCHEMA theirs AUTHORIZATION ${owner}`], at.named('foreign'));
        await at.delete(PostgreSQLRoleKind, { name: at.named('owner') });
      },
      says: () => 'to take back its privileges, run in that database: REASSIGN OWNED BY',
      where: ownerRow.where,
      async act(at) {
        await runForOwner(server, at, /^REASSIGN OWNED /, at.named('foreign'));
      },
      ends: (at) => at.isGone(PostgreSQLRoleKind, 'owner'),
    },
    keepRole: {
      situation: owning(server),
      where: ownerRow.where,
      act: (at) => at.editSpec(PostgreSQLRoleKind, 'owner', { deletionPolicy: 'Orphan' }),
      others: { 'OWNER TO': 'giveDatabase runs it' },
      ends: async (at) =>
        (await at.isGone(PostgreSQLRoleKind, 'owner')) &&
        (await owners(server, at.named('foreign'))) === at.named('owner'),
    },
    grantAdmin: {
      ...databaseRow,
      async situation(at) {
        await limitedProvider(server, at);
        await limitedProvider(server, at, 'successor');
        await provider(server, at, { username: at.named('administrator'), password: 'a-password' });
        await database(at);
        await workingDatabase(at);
        await credentials(server, at, { username: at.named('successor'), password: 'a-password' });
        const sessions = `SELECT FROM pg_stat_activity WHERE usename = '${at.named('successor')}'`;
        await eventually('the successor logs in', async () => (await sql(server, [sessions])) !== undefined);
        await editDatabase(at, { connectionLimit: 7 });
      },
      says: () => 'run as a superuser: GRANT',
      act: (at) => runForDatabase(server, at, /^GRANT .* WITH ADMIN OPTION/),
    },
    endHolder: {
      async situation(at) {
        await working(server, at);
        const subscription = `CREATE SUBSCRIPTION ${escapeIdentifier(at.named('copy'))} CONNECTION 'host=127.0.0.1'
        PUBLICATION news WITH (connect = false, slot_name = NONE)`;
        await sql(server, [subscription], at.named('db'));
        await at.delete(PostgreSQLDatabaseKind, databaseKey(at));
      },
      says: () => 'run in that database: DROP SUBSCRIPTION',
      where: databaseRow.where,
      act: (at) => runForDatabase(server, at, /^DROP SUBSCRIPTION /, at.named('db')),
      ends: (at) => at.isGone(PostgreSQLDatabaseKind, 'db'),
    },
    disableTls: wrongEntry(server, { sslmode: 'require' }, 'TlsFailed'),
    adopt: {
      ...databaseRow,
      situation: existing(server),
      says: () => 'run: COMMENT ON DATABASE',
      act: (at) => runForDatabase(server, at, /^COMMENT ON DATABASE /),
    },
    adoptRole: {
      ...about(PostgreSQLRoleKind, 'role'),
      async situation(at) {
        await provider(server, at);
        await sql(server, [`CREATE ROLE ${escapeIdentifier(at.named('role'))}`]);
        await at.create(PostgreSQLRoleKind, 'role', spec(at));
      },
      says: () =>
        'and kubectl delete of this resource drops it, because its policies allow Delete, run: COMMENT ON ROLE',
      async act(at) {
        await runPrinted(server, at, /^COMMENT ON ROLE /);
        await at.observeAgain(PostgreSQLRoleKind, at.named('role'));
      },
    },
    chooseExternalName: {
      ...databaseRow,
      situation: retained(server),
      act: (at) =>
        at.annotate(
          PostgreSQLDatabaseKind,
          at.named('db'),
          `${annotationKeys.externalName}=${at.named('b')}`,
        ),
    },
    createRetainedAgain: {
      situation: retained(server),
      where: databaseRow.where,
      async act(at) {
        await at.delete(PostgreSQLDatabaseKind, databaseKey(at));
        await database(at, {}, 'former');
      },
      async ends(at) {
        if (!(await at.works(PostgreSQLDatabaseKind, 'former'))) return false;
        await checkDatabase(at, 'former'); // with its data
        return true;
      },
    },
    nameByReference: {
      async situation(at) {
        await provider(server, at);
        await reserved(at, 'team');
        await grantByName(at, 'team');
      },
      ...about(PostgreSQLGrantKind, 'grant'),
      says: () => 'set spec.forProvider.roleDatabaseRef',
      act: (at) =>
        at.editSpec(PostgreSQLGrantKind, 'grant', {
          forProvider: { roleDatabaseRef: { name: at.named('team') } },
        }),
      async ends(at) {
        if (!(await at.works(PostgreSQLGrantKind, 'grant'))) return false;
        const team = await at.published('team');
        await answerTo('SELECT 1', team, uriTo(team, at.named('store')));
        return true;
      },
    },
    forgetUsers: {
      async situation(at) {
        await provider(server, at);
        await database(at, {}, 'former', { deletionPolicy: 'Orphan' });
        await workingDatabase(at, 'former');
        previousUsers.set(at.namespace, await at.published('former'));
        await at.delete(PostgreSQLDatabaseKind, { name: at.named('former') });
        await eventually('it is gone', () => at.isGone(PostgreSQLDatabaseKind, 'former'));
        await grantByName(at, 'former');
      },
      says: () => 'the passwords of its previous users do not work, run: ALTER ROLE',
      ...about(PostgreSQLGrantKind, 'grant'),
      async act(at) {
        await runPrinted(server, at, /^ALTER ROLE .* PASSWORD NULL/);
        await at.observeAgain(PostgreSQLGrantKind, at.named('grant'));
      },
      async ends(at) {
        if (!(await at.works(PostgreSQLGrantKind, 'grant'))) return false;
        const user = previousUsers.get(at.namespace) ?? {};
        await checkRefused(user, uriTo(user, at.named('store')), /password authentication failed/);
        return true;
      },
    },
    takeBack: {
      ...databaseRow,
      async situation(at) {
        await provider(server, at);
        await reserved(at, 'team');
        const [name, owner] = [at.named('db'), at.named('team')].map(escapeIdentifier);
        const mark = markOf(resourceId(PostgreSQLDatabaseKind, at.named('db')));
        await sql(server, [
          `CREATE DATABASE ${name} OWNER ${owner}`,
          `COMMENT ON DATABASE ${name} IS '${mark}'`,
        ]);
        await database(at, { owner: at.named('team') });
      },
      says: () => 'set another spec.forProvider.owner and run: ALTER DATABASE',
      async act(at) {
        const statements = await statementsIn(at, /^ALTER DATABASE .* OWNER TO /);
        await editDatabase(at, { owner: server().superuser });
        await runStatements(server, at, statements);
        await at.observeAgain(PostgreSQLDatabaseKind, at.named('db'));
      },
      async ends(at) {
        if (!(await databaseRow.ends(at))) return false;
        const team = await at.published('team');
        await checkRefused(team, uriTo(team, at.named('db')), /permission denied for database/);
        return true;
      },
    },
    installExtension: {
      ...databaseRow,
      async situation(at) {
        const user = escapeIdentifier(at.named('administrator'));
        await sql(server, [
          `CREATE ROLE ${user} LOGIN CREATEDB CREATEROLE PASSWORD 'a-password'`,
          `GRANT CONNECT ON DATABASE postgres TO ${user}`, // other rows close it to PUBLIC
        ]);
        await provider(server, at, { username: at.named('administrator'), password: 'a-password' });
        await database(at, { extensions: [{ name: 'postgres_fdw' }] });
      },
      says: () => 'a superuser can run in database',
      act: (at) => runForDatabase(server, at, /^CREATE EXTENSION /, at.named('db')),
    },
    offerExtension: {
      ...databaseRow,
      async situation(at) {
        await provider(server, at);
        await database(at, { extensions: [{ name: 'no_such_extension' }] });
      },
      act: (at) => editDatabase(at, { extensions: [] }),
    },
    createSchema: {
      ...databaseRow,
      async situation(at) {
        await provider(server, at);
        await database(at, { extensions: [{ name: 'pg_trgm', schema: 'tools' }] });
      },
      says: (at) =>
        `change spec.forProvider.extensions, or run in database "${at.named('db')}": CREATE SCHEMA`,
      act: (at) => runForDatabase(server, at, /^CREATE SCHEMA /, at.named('db')),
    },
    createMissing: {
      async situation(at) {
        await provider(server, at);
        await database(at, { owner: at.named('owner') });
      },
      ...databaseRow,
      says: () => 'does not exist; create it with a PostgreSQLRole, or change spec.forProvider.owner',
      async act(at) {
        await role(at);
        await at.observeAgain(PostgreSQLDatabaseKind, at.named('db'));
      },
    },
    grantConnect: {
      ...databaseRow,
      async situation(at) {
        const user = escapeIdentifier(at.named('administrator'));
        const home = escapeIdentifier(at.named('home'));
        await sql(server, [
          `CREATE ROLE ${user} LOGIN CREATEDB CREATEROLE PASSWORD 'a-password'`,
          `CREATE DATABASE ${home}`,
          `REVOKE CONNECT ON DATABASE ${home} FROM PUBLIC`,
        ]);
        const login = { username: at.named('administrator'), password: 'a-password' };
        await provider(server, at, { ...login, database: at.named('home') });
        await database(at);
      },
      says: () => 'the owner of the database, or a superuser, runs: GRANT CONNECT ON DATABASE',
      act: (at) => runForDatabase(server, at, /^GRANT CONNECT ON DATABASE /),
    },
    avoidExisting: {
      ...databaseRow,
      async situation(at) {
        await working(server, at);
        const function_ = 'CREATE FUNCTION public.similarity(text, text) RETURNS real LANGUAGE sql RETURN 1';
        await sql(server, [function_], at.named('db'));
        await editDatabase(at, { extensions: [{ name: 'pg_trgm' }] });
      },
      async act(at) {
        await sql(
          server,
          ['ALTER FUNCTION public.similarity(text, text) RENAME TO likeness'],
          at.named('db'),
        );
        await at.observeAgain(PostgreSQLDatabaseKind, at.named('db'));
      },
    },
    nameAnotherSchema: {
      ...databaseRow,
      async situation(at) {
        await provider(server, at);
        const owner = await role(at);
        await database(at, { owner });
        await workingDatabase(at);
        const planting = [
          `GRANT CREATE ON SCHEMA public TO ${escapeIdentifier(owner)}`,
          `SET SESSION AUTHORIZATION ${escapeIdentifier(owner)}`,
          'CREATE FUNCTION public.planted(text) RETURNS text LANGUAGE sql RETURN $1',
          'CREATE SCHEMA tools',
        ];
        await sql(server, planting, at.named('db'));
        await sql(server, ['CREATE SCHEMA more'], at.named('db'));
        await editDatabase(at, { extensions: [{ name: 'file_fdw' }] });
      },
      act: (at) => editDatabase(at, { extensions: [{ name: 'file_fdw', schema: 'more' }] }),
    },
  }) satisfies RowsFor<typeof advice & typeof clientAdvice>;

const claimRow = (at: Place) => at.messagesOf(PostgreSQLInstanceKind, at.key);

/** The name of the claim's resource, which is the name of its database. */
async function databaseOf(at: Place): Promise<string> {
  const claim = await at.fixture.cluster.find(PostgreSQLInstanceKind, at.key);
  return claim?.spec.resourceRef?.name ?? '';
}

const noDatabase = 'has no database "missing", which the credentials name';

/** Mistakes in the credentials, and names that a managed resource cannot have. */
export const morePostgresqlRows = (server: Server): Readonly<Record<string, Row>> => ({
  ...Object.fromEntries(
    (
      [
        ['a wrong password', { password: 'wrong' }, 'CredentialsRefused', 'password authentication failed'],
        ['a wrong role', { username: 'nobody' }, 'CredentialsRefused', 'password authentication failed'],
        ['a wrong host', { endpoint: 'no-such-host.invalid' }, 'ProviderUnreachable', 'no-such-host.invalid'],
        ['a wrong port', { port: '1' }, 'ProviderUnreachable', 'refused'],
        ['a missing database', { database: 'missing' }, 'CredentialsRefused', noDatabase],
      ] as const
    ).map(([name, entry, reason, says]) => [`PostgreSQL: ${name}`, wrongEntry(server, entry, reason, says)]),
  ),
  'PostgreSQL: a renamed database stays, and an empty one is created beside it': {
    async situation(at) {
      await provider(server, at);
      await claimWith(at, 'Available');
      const name = await databaseOf(at);
      await sql(server, [
        `ALTER DATABASE ${escapeIdentifier(name)} RENAME TO ${escapeIdentifier(at.named('old'))}`,
      ]);
      await at.observeAgain(PostgreSQLDatabaseKind, name);
    },
    says: (at) => `to have an empty one created, while database "${at.named('old')}" keeps the data: kubectl`,
    where: claimRow,
    act: async (at) => at.run(await commandIn(at, (one) => one.endsWith('or-create'))),
    others: { 'RENAME TO': 'nameBack runs it' },
    async ends(at) {
      const isReported = (await claimRow(at)).includes('was renamed, and an empty one was created');
      return (
        isReported &&
        (await at.usable('db', PostgreSQLInstanceKind)) &&
        (await owners(server, at.named('old'))) !== undefined
      );
    },
  },
  'PostgreSQL: the owner role of a database was renamed': {
    async situation(at) {
      await provider(server, at);
      await claimWith(at, 'Available');
      const name = await databaseOf(at);
      await sql(server, [
        `ALTER ROLE ${escapeIdentifier(name)} RENAME TO ${escapeIdentifier(at.named('other'))}`,
      ]);
      await at.observeAgain(PostgreSQLDatabaseKind, name);
    },
    says: (at) =>
      `was renamed to "${at.named('other')}"; to name it back, an administrator of the server runs: `,
    where: claimRow,
    async act(at) {
      await runPrinted(server, at, /^ALTER ROLE .* RENAME TO /);
      await at.observeAgain(PostgreSQLDatabaseKind, await databaseOf(at));
    },
    ends: (at) => at.usable('db', PostgreSQLInstanceKind),
  },
  'PostgreSQL: another database took the name of a lost one': {
    async situation(at) {
      await provider(server, at);
      await claimWith(at, 'Available');
      const name = await databaseOf(at);
      const database = escapeIdentifier(name);
      const [strange, ...creation] = strangeDatabase(at);
      await at.whilePaused(PostgreSQLDatabaseKind, name, () =>
        sql(server, [
          ...creation,
          `DROP DATABASE ${database} WITH (FORCE)`,
          `ALTER DATABASE ${strange} RENAME TO ${database}`,
        ]),
      );
    },
    says: () => 'if another database took the name, rename that one',
    where: (at) => databaseOf(at).then((name) => at.messagesOf(PostgreSQLDatabaseKind, { name })),
    async act(at) {
      const name = await databaseOf(at);
      const [now, next] = [name, at.named('stranger')].map(escapeIdentifier);
      await sql(server, [`ALTER DATABASE ${now} RENAME TO ${next}`]);
      await at.observeAgain(PostgreSQLDatabaseKind, name);
    },
    others: { 'COMMENT ON DATABASE': 'handOver runs it' },
    ends: async (at) =>
      (await claimRow(at)).includes('was lost and exists again, perhaps without its data') &&
      (await at.usable('db', PostgreSQLInstanceKind)),
  },
  'PostgreSQL: the administrator lacks two rights': {
    ...databaseRow,
    async situation(at) {
      await limitedProvider(server, at);
      const user = escapeIdentifier(at.named('administrator'));
      await sql(server, [`ALTER ROLE ${user} NOCREATEDB NOCREATEROLE`]);
      await provider(server, at, { username: at.named('administrator'), password: 'a-password' });
      await database(at);
    },
    says: () => 'lacks CREATEDB and CREATEROLE; run as a superuser: ALTER ROLE',
    act: (at) => runForDatabase(server, at, /^ALTER ROLE .* CREATEDB/),
  },
  'PostgreSQL: the external name is that of the administrator': {
    async situation(at) {
      await provider(server, at);
      const annotations = { [annotationKeys.externalName]: server().superuser };
      await at.create(PostgreSQLRoleKind, 'role', spec(at), annotations);
    },
    says: () => coreAdvice.setExternalName,
    ...about(PostgreSQLRoleKind, 'role'),
    act: (at) =>
      at.annotate(PostgreSQLRoleKind, at.named('role'), `${annotationKeys.externalName}=${at.named('r')}`),
  },
});
