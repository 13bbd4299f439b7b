import type { ConnectionDetails } from '../../../../../apis/core/v1alpha1/secret.ts';
import type { PostgresqlOptions } from '../../../../../local/postgresql.ts';
import type { ServerDatabases } from '../../../../../stacks/postgresql/client/credentials.ts';
import type { HolderOf } from '../../../../../stacks/postgresql/client/mark.ts';
import { markOf } from '../../../../../stacks/postgresql/client/mark.ts';
import { testClock } from '../../../../../testing/test-clock.ts';
import { passesOn } from '../../passes.ts';
import { postgresqlFixture } from '../clients/fixture.ts';

/** An administrator who is not the superuser. */
interface Admin {
  readonly username: string;
  readonly password: string;
  /** As in CREATE ROLE. */
  readonly attributes: string;
}

/** A real server, and passes over managed resources as the managed reconciler makes them. */
export async function stackFixture({
  admin,
  serverDatabases = 'leave',
  ...options
}: PostgresqlOptions & { readonly admin?: Admin; readonly serverDatabases?: ServerDatabases } = {}) {
  const postgresql = await postgresqlFixture(options);
  if (admin !== undefined) {
    await postgresql.sql(
      `CREATE ROLE ${admin.username} ${admin.attributes} LOGIN PASSWORD '${admin.password}'`,
    );
  }
  const credentials = {
    ...postgresql.credentials,
    ...(admin && { username: admin.username, password: admin.password }),
  };
  /** The resources of claims, by owner id. All others are the administrator's. */
  const claimed = new Set<string>();
  const holderOf: HolderOf = (mark) => ({
    isClaims: [...claimed].some((ownerId) => markOf(ownerId) === mark),
    what: 'a resource',
  });
  const server = postgresql.server({ credentials, holderOf });
  const clock = testClock();

  return {
    ...postgresql,
    ...passesOn({ server, clock, holderOf, credentials: { ...credentials, serverDatabases } }),
    server,
    clock,
    claimed,
    /** All databases and roles of a name. */
    async namesake(name: string) {
      const rows = await postgresql.sql<{ kind: string }>(
        `SELECT 'database' AS kind FROM pg_database WHERE datname = '${name}'
         UNION ALL SELECT 'role' FROM pg_roles WHERE rolname = '${name}' ORDER BY kind`,
      );
      return rows.map(({ kind }) => kind);
    },
  };
}

export type Stack = Awaited<ReturnType<typeof stackFixture>>;

/** A login with what a connection secret holds. */
export const loginOf = ({ username, password, database: name }: ConnectionDetails) => ({
  user: username ?? '',
  password: password ?? '',
  ...(name === undefined ? {} : { database: name }),
});
