import type { MariadbSupport } from '../../local/mariadb-binaries.ts';
import type { TextProgress } from '../../local/text-progress.ts';
import type { DatabaseServers } from '../../stacks/aws/emulator/rds/database-servers.ts';
import { databaseServers } from '../../stacks/aws/emulator/rds/database-servers.ts';
import { startMariadbDatabase } from './mariadb-database.ts';
import { startPostgresqlDatabase } from './postgresql-database.ts';

/**
 * The database servers of this machine: PostgreSQL, and for MySQL and MariaDB a MariaDB if there is one. Progress
 * reports a missing server and a server that does not start.
 */
export function localDatabases(mariadb: MariadbSupport, progress: TextProgress): DatabaseServers {
  if (mariadb.by === 'none') {
    progress.note(`nothing listens behind DB instances of mysql and mariadb: ${mariadb.reason}`);
  }
  const startMariadb = mariadb.by === 'none' ? undefined : startMariadbDatabase(mariadb);
  return databaseServers({
    engines: {
      postgres: startPostgresqlDatabase,
      ...(startMariadb !== undefined && { mysql: startMariadb, mariadb: startMariadb }),
    },
    onFailure: (id, error) =>
      progress.note(
        `the database of DB instance ${id} does not run: ${error instanceof Error ? error.message : String(error)}`,
      ),
  });
}
