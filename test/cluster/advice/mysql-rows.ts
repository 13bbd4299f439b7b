import type { Connection, RowDataPacket } from 'mysql2/promise';
import { createConnection } from 'mysql2/promise';
import { administratorStatements } from '../../../demo/mysql.ts';
import type { LocalMariadb } from '../../../local/mariadb.ts';
import { startMariadb } from '../../../local/mariadb.ts';
import type { MariadbBinaries } from '../../../local/mariadb-binaries.ts';
import { mariadbSupport } from '../../../local/mariadb-binaries.ts';
import type { advice } from '../../../stacks/mysql/advice.ts';
import { markOf } from '../../../stacks/mysql/client/mark.ts';
import { quotedName, quotedText } from '../../../stacks/mysql/client/text.ts';
import { MySQLDatabaseKind } from '../../../stacks/mysql/kinds/v1alpha1/mysql-database.ts';
import { MySQLUserKind } from '../../../stacks/mysql/kinds/v1alpha1/mysql-user.ts';
import { ProviderConfigKind } from '../../../stacks/mysql/kinds/v1alpha1/provider.ts';
import { credentialsNamespace } from '../fancysql-fixture.ts';
import type { Place, Row, RowsFor } from './player.ts';
import { about } from './player.ts';
import { commandIn } from './printed.ts';

/** The server of all rows. Each row has databases, users and an administrator of its own. */
type Server = () => LocalMariadb;

const password = 'a-password';

/** A session of a user; default: of the row's administrator. */
const sessionOf = (server: Server, at: Place, user = at.named('administrator')): Promise<Connection> =>
  createConnection({ host: server().address, port: server().port, user, password, multipleStatements: true });

/** The rows of a statement, which a superuser of the row's own runs. */
async function sql(server: Server, at: Place, statement: string): Promise<readonly RowDataPacket[]> {
  const root = at.named('root');
  await server().run(
    `CREATE USER IF NOT EXISTS ${quotedText(root)}@'%' IDENTIFIED BY '${password}'; GRANT ALL ON *.* TO ${quotedText(root)}@'%' WITH GRANT OPTION;`,
  );
  const session = await sessionOf(server, at, root);
  try {
    const [rows] = await session.query<RowDataPacket[]>(statement);
    return rows;
  } finally {
    await session.end();
  }
}

/** The row's own administrator. `statements` create it. */
async function administrator(server: Server, at: Place, statements = administratorStatements): Promise<void> {
  await server().run(statements({ username: at.named('administrator'), password }));
}

/** A ProviderConfig whose administrator exists. From now on the process connects to the server. */
async function providerConfig(server: Server, at: Place): Promise<void> {
  const { address, port } = server();
  const entries = { endpoint: address, port: String(port), username: at.named('administrator'), password };
  await at.secret(credentialsNamespace, at.named('my'), entries);
  await at.create(ProviderConfigKind, 'my', { credentials: at.inSecret('my', 'endpoint') });
}

/** A ProviderConfig with an administrator of the row's own. */
async function provider(server: Server, at: Place, statements = administratorStatements): Promise<void> {
  await administrator(server, at, statements);
  await providerConfig(server, at);
}

const resource = (at: Place, forProvider: object = {}) => ({
  providerConfigRef: { name: at.named('my') },
  writeConnectionSecretToRef: { namespace: credentialsNamespace, name: at.named('db') },
  forProvider,
});

const database = (at: Place, forProvider: object = {}) =>
  at.create(MySQLDatabaseKind, 'db', resource(at, forProvider));

/** Runs the printed statements as a superuser. The database is then observed again. */
async function runPrinted(server: Server, at: Place, begins: RegExp): Promise<void> {
  const printed = await commandIn(at, (one) => begins.test(one));
  at.ran.push(printed);
  await sql(server, at, printed);
  await at.observeAgain(MySQLDatabaseKind, at.named('db'));
}

const databaseRow = about(MySQLDatabaseKind, 'db');
const providerRow = about(ProviderConfigKind, 'my');

/** A row whose database fails at its provider. */
const atProvider: Pick<Row, 'where' | 'ends'> = {
  where: async (at) => [await providerRow.where(at), await databaseRow.where(at)].join('\n'),
  ends: databaseRow.ends,
};

/** The servers of rows that have one of their own. */
const owned = new Map<Place, LocalMariadb>();

export const mysqlRows = (server: Server) =>
  ({
    grantPrivileges: {
      ...atProvider,
      async situation(at) {
        await provider(
          server,
          at,
          ({ username }) => `CREATE USER ${quotedText(username)}@'%' IDENTIFIED BY '${password}';
            GRANT SELECT, INSERT, UPDATE, DELETE, CREATE ON *.* TO ${quotedText(username)}@'%' WITH GRANT OPTION;`,
        );
        await database(at);
      },
      says: () => 'an administrator with all privileges runs: GRANT',
      act: (at) => runPrinted(server, at, /^GRANT /),
    },
    unlockUser: {
      ...atProvider,
      async situation(at) {
        await administrator(server, at);
        await sql(server, at, `ALTER USER ${quotedName(at.named('administrator'))} ACCOUNT LOCK`);
        await providerConfig(server, at);
        await database(at);
      },
      says: () => 'another administrator of the server runs: ALTER USER',
      act: (at) => runPrinted(server, at, /^ALTER USER .* ACCOUNT UNLOCK/),
    },
    raiseUserLimit: {
      ...atProvider,
      async situation(at) {
        await administrator(server, at);
        await sql(
          server,
          at,
          `ALTER USER ${quotedName(at.named('administrator'))} WITH MAX_USER_CONNECTIONS 1`,
        );
        // The only session is taken before the process knows the server.
        const session = await sessionOf(server, at);
        at.servers.push({ stop: async () => session.destroy() });
        await providerConfig(server, at);
        await database(at);
      },
      act: async (at) =>
        void (await sql(
          server,
          at,
          `ALTER USER ${quotedName(at.named('administrator'))} WITH MAX_USER_CONNECTIONS 9`,
        )),
    },
    matchFlavour: {
      ...databaseRow,
      async situation(at) {
        await provider(server, at);
        await database(at, { flavour: 'MySQL' });
      },
      says: () => 'change it, or use a provider whose server is MySQL',
      act: (at) => at.editSpec(MySQLDatabaseKind, 'db', { forProvider: { flavour: 'MariaDB' } }),
    },
    loadPlugin: {
      ...databaseRow,
      async situation(at) {
        await provider(server, at);
        await database(at, { passwordPlugin: 'ed25519' });
      },
      says: () => 'load it on the server, or change spec.forProvider.passwordPlugin',
      async act(at) {
        await sql(server, at, `INSTALL SONAME 'auth_ed25519'`);
        await at.observeAgain(MySQLDatabaseKind, at.named('db'));
      },
    },
    closeServer: {
      async situation(at) {
        // Every provider of the server would report what everybody may use there.
        const own = await startMariadb({ binaries: (await mariadbSupport()) as MariadbBinaries });
        at.servers.push(own);
        owned.set(at, own);
        await administrator(() => own, at);
        await sql(() => own, at, `GRANT SELECT ON ${quotedName(at.named('open'))}.* TO PUBLIC`);
        await providerConfig(() => own, at);
        await database(at);
      },
      where: providerRow.where,
      says: () => 'an administrator of the server runs: ',
      act: (at) => runPrinted(() => owned.get(at) ?? server(), at, /FROM PUBLIC|mysql\.db/),
      ends: async (at) =>
        (await sql(() => owned.get(at) ?? server(), at, `SELECT 1 FROM mysql.db WHERE User = 'PUBLIC'`))
          .length === 0,
    },
    dropOtherHosts: {
      ...databaseRow,
      async situation(at) {
        await provider(server, at);
        await database(at);
        await at.working(MySQLDatabaseKind, 'db');
        await sql(
          server,
          at,
          `CREATE USER ${quotedName(at.named('db'))}@'127.0.0.1' IDENTIFIED BY 'another'`,
        );
        await at.observeAgain(MySQLDatabaseKind, at.named('db'));
      },
      says: () => 'unless it is needed, an administrator of the server runs: DROP USER',
      act: (at) => runPrinted(server, at, /^DROP USER /),
    },
    dropDefinitions: {
      ...databaseRow,
      async situation(at) {
        await provider(server, at);
        const elsewhere = quotedName(at.named('elsewhere'));
        await sql(
          server,
          at,
          `CREATE DATABASE ${elsewhere}; CREATE DEFINER = ${quotedName(at.named('db'))}@'%' VIEW ${elsewhere}.leak AS SELECT 1`,
        );
        await database(at);
      },
      says: () => 'once they are not needed, an administrator of the server runs: DROP VIEW',
      act: (at) => runPrinted(server, at, /^DROP VIEW /),
    },
    moveTables: {
      ...databaseRow,
      async situation(at) {
        await provider(server, at);
        await database(at);
        await at.working(MySQLDatabaseKind, 'db');
        const name = quotedName(at.named('db'));
        await at.whilePaused(MySQLDatabaseKind, at.named('db'), () =>
          sql(
            server,
            at,
            `DROP DATABASE ${name}; CREATE DATABASE ${name}; CREATE TABLE ${name}.t (i INT);
             DELETE FROM services_stack.marks WHERE type = 'database' AND name = ${quotedText(at.named('db'))}`,
          ),
        );
      },
      says: () =>
        'if another database took the name, move its tables to a database of another name, and drop the empty one. To hand it',
      async act(at) {
        const [name, other] = [at.named('db'), at.named('other')].map(quotedName);
        await sql(
          server,
          at,
          `CREATE DATABASE ${other}; RENAME TABLE ${name}.t TO ${other}.t; DROP DATABASE ${name}`,
        );
        await at.observeAgain(MySQLDatabaseKind, at.named('db'));
      },
      others: { 'REPLACE INTO services_stack.marks': 'it hands the other database over' },
    },
    restoreMarks: {
      ...databaseRow,
      async situation(at) {
        // Every resource of the server would be in another system.
        const own = await startMariadb({ binaries: (await mariadbSupport()) as MariadbBinaries });
        at.servers.push(own);
        owned.set(at, own);
        await provider(() => own, at);
        await database(at);
        await at.working(MySQLDatabaseKind, 'db');
        await sql(() => own, at, 'RENAME TABLE services_stack.marks TO services_stack.dump');
        await at.observeAgain(MySQLDatabaseKind, at.named('db'));
      },
      says: () => 'if its table services_stack.marks was lost, restore the table from a dump first',
      async act(at) {
        const own = () => owned.get(at) ?? server();
        // In one step: the process creates the table if it is not there.
        await sql(
          own,
          at,
          'RENAME TABLE services_stack.marks TO services_stack.empty, services_stack.dump TO services_stack.marks',
        );
        await at.observeAgain(MySQLDatabaseKind, at.named('db'));
      },
    },
    freeName: {
      ...databaseRow,
      async situation(at) {
        await provider(server, at);
        await at.create(MySQLUserKind, 'user', {
          providerConfigRef: { name: at.named('my') },
          forProvider: {},
        });
        await at.working(MySQLUserKind, 'user');
        await sql(
          server,
          at,
          `INSERT INTO services_stack.marks (type, name, digest) VALUES ('database', ${quotedText(at.named('db'))}, '${markOf('other')}')`,
        );
        await database(at);
      },
      says: () => 'if no other cluster is creating it, free the name: DELETE FROM',
      act: (at) => runPrinted(server, at, /^DELETE FROM services_stack/),
    },
  }) satisfies RowsFor<typeof advice>;
