import type { LocalMariadb } from '../local/mariadb.ts';
import { quotedText, startMariadb } from '../local/mariadb.ts';
import type { MariadbBinaries } from '../local/mariadb-binaries.ts';
import { administratorPrivileges } from '../stacks/mysql/client/privilege.ts';

/** The administrator of the server, as in `examples/mysql/` and its guide. */
const administrator = { username: 'crossplane', password: 'mysql-demo' };

/** The statements that create an administrator. It has the privileges that the guide lists, and no others. */
export function administratorStatements({ username, password }: typeof administrator): string {
  const user = `${quotedText(username)}@'%'`;
  return [
    `CREATE USER ${user} IDENTIFIED BY ${quotedText(password)};`,
    `GRANT ${administratorPrivileges.join(', ')} ON *.* TO ${user} WITH GRANT OPTION;`,
  ].join('\n');
}

/** Starts a MariaDB server with the administrator of the examples. */
export async function startMysql(binaries: MariadbBinaries): Promise<LocalMariadb> {
  const server = await startMariadb({ binaries, port: 13306 }).catch(() => startMariadb({ binaries }));
  try {
    await server.run(administratorStatements(administrator));
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}
