import type { MariadbOptions } from '../../local/mariadb.ts';
import { quotedName, quotedText, startMariadb } from '../../local/mariadb.ts';
import type { StartDatabase } from '../../stacks/aws/emulator/rds/database-servers.ts';

/** The privileges of the master user of RDS. */
const privileges = [
  ...['select, insert, update, delete, create, drop, reload, process, references, index, alter'],
  ...['show databases, create temporary tables, lock tables, execute, create view, show view'],
  ...['create routine, alter routine, create user, event, trigger'],
].join(', ');

/** Starts MariaDB servers as RDS does, also for MySQL: MariaDB has the same protocol. The master user is no superuser. */
export const startMariadbDatabase =
  (binaries: MariadbOptions['binaries']): StartDatabase =>
  async ({ address, port, masterUsername, password, database }) => {
    const server = await startMariadb({ binaries, address, port });
    const master = `${quotedText(masterUsername)}@'%'`;
    try {
      await server.run(
        [
          `create user ${master} identified by ${quotedText(password)};`,
          `grant ${privileges} on *.* to ${master} with grant option;`,
          ...(database === undefined ? [] : [`create database ${quotedName(database)};`]),
        ].join('\n'),
      );
    } catch (error) {
      await server.stop();
      throw error;
    }
    return {
      get port() {
        return server.port;
      },
      setPassword: (text) => server.run(`set password for ${master} = password(${quotedText(text)});`),
      restart: (another) => server.restart(another),
      stop: () => server.stop(),
    };
  };
