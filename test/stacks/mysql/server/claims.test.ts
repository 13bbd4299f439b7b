import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { MySQLInstanceKind } from '../../../../package/claims.ts';
import {
  MySQLDatabaseClassKind,
  MySQLDatabaseKind,
} from '../../../../stacks/mysql/kinds/v1alpha1/mysql-database.ts';
import { createMysqlStack } from '../../../../stacks/mysql/stack.ts';
import { describeClaims } from '../../../../testing/claims.ts';
import { loginOf, mariadbOfFile, withoutMariadb } from './fixture.ts';

const file = await mariadbOfFile();

describe('claims on a real MariaDB', { skip: withoutMariadb }, () => {
  const { sql, refusal, credentials } = file ?? assert.fail('no server');
  const own = "('mysql', 'sys', 'performance_schema', 'information_schema', 'services_stack')";
  const databases = () =>
    sql<{ name: string; connections: number }>(
      `SELECT SCHEMA_NAME AS name, MAX_USER_CONNECTIONS AS connections
       FROM information_schema.SCHEMATA LEFT JOIN mysql.user ON User = SCHEMA_NAME
       WHERE SCHEMA_NAME NOT IN ${own} ORDER BY name`,
    );

  describeClaims({
    managed: MySQLDatabaseKind,
    claim: MySQLInstanceKind,
    class: MySQLDatabaseClassKind,
    forProvider: { maxUserConnections: 3 },
    change: { maxUserConnections: 5 },
    rotation: { passwordRotation: 'now' },
    open: () => ({
      stack: createMysqlStack(),
      credentials: { ...credentials, port: String(credentials.port) },
      externals: databases,
      opens: async (details) => (await refusal(loginOf(details))) === 'allowed',
      async lose() {
        for (const { name } of await databases())
          await sql(`DROP DATABASE \`${name}\`; DROP USER \`${name}\`@'%'`);
      },
    }),
  });
});
