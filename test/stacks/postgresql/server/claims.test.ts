import { escapeIdentifier } from 'pg';
import { PostgreSQLInstanceKind } from '../../../../package/claims.ts';
import {
  PostgreSQLDatabaseClassKind,
  PostgreSQLDatabaseKind,
} from '../../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { postgresqlStack } from '../../../../stacks/postgresql/stack.ts';
import { describeClaims } from '../../../../testing/claims.ts';
import { postgresqlFixture } from './clients/fixture.ts';

const { sql, connect, credentials } = await postgresqlFixture();
const databases = () =>
  sql<{ name: string; connectionLimit: number }>(
    'SELECT datname AS name, datconnlimit AS "connectionLimit" FROM pg_database WHERE oid >= 16384 ORDER BY datname',
  );

describeClaims({
  managed: PostgreSQLDatabaseKind,
  claim: PostgreSQLInstanceKind,
  class: PostgreSQLDatabaseClassKind,
  forProvider: { connectionLimit: 3 },
  change: { connectionLimit: 5 },
  rotation: { passwordRotation: 'now' },
  open: () => ({
    stack: postgresqlStack,
    credentials: { ...credentials, port: String(credentials.port) },
    externals: databases,
    async opens({ username = '', password = '', database = '' }) {
      const session = await connect({ user: username, password, database }).catch(() => undefined);
      await session?.end();
      return session !== undefined;
    },
    async lose() {
      for (const { name } of await databases()) {
        await sql(`DROP DATABASE ${escapeIdentifier(name)} WITH (FORCE)`);
        await sql(`DROP ROLE ${escapeIdentifier(name)}`);
      }
    },
  }),
});
