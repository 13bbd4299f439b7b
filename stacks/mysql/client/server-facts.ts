import { advice } from '../advice.ts';
import { MysqlError, replicaUsed, unreachableBy } from './error.ts';

/** Facts about a server that a session reads first. */
export interface ServerFacts {
  /** Sessions with a MySQL are refused. */
  readonly flavour: 'MariaDB';
  /** Such as `10.11.19`. */
  readonly version: string;
  /** Names of databases that differ in case only are one name (`lower_case_table_names`). */
  readonly ignoresCase: boolean;
  /** It accepts connections with TLS. */
  readonly hasTls: boolean;
}

/** The name of a database as the server has it. */
export const storedName = ({ ignoresCase }: Pick<ServerFacts, 'ignoresCase'>, name: string): string =>
  ignoresCase ? name.toLowerCase() : name;

/** Such as `MariaDB 10.11.19`. */
export const versionText = ({ flavour, version }: ServerFacts): string => `${flavour} ${version}`;

/** The answer to {@link factsQuery}. */
export interface ServerState {
  readonly version: string;
  readonly account: string;
  readonly isReadOnly: number;
  readonly lowerCase: number;
  readonly tls: string | null;
  readonly isGalera: string | null;
  readonly isReady: string | null;
  readonly clusterStatus: string | null;
}

const variable = (name: string): string =>
  `(SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_VARIABLES WHERE VARIABLE_NAME = '${name}')`;
const isGalera = variable('WSREP_ON');
/** Counters of all sessions are added up for any of these, so they are read in a cluster only. */
const status = (name: string): string =>
  `IF(${isGalera} = 'ON',
      (SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = '${name}'), NULL)`;

/** Asked whenever a session is used: a server may become a replica, or leave its cluster, while a session is open. */
export const factsQuery = `SELECT VERSION() AS version, CURRENT_USER() AS account, @@GLOBAL.read_only AS isReadOnly,
  @@lower_case_table_names AS lowerCase, ${variable('HAVE_SSL')} AS tls, ${isGalera} AS isGalera,
  ${status('WSREP_READY')} AS isReady, ${status('WSREP_CLUSTER_STATUS')} AS clusterStatus`;

/** The version of a server that answers `VERSION()` so. Throws MysqlError `Invalid` for a server that is not MariaDB. */
export function mariadbVersion(server: string, version: string): string {
  const [number = version] = version.match(/^\d+(\.\d+)*/) ?? [];
  if (/mariadb/i.test(version)) return number;
  const message = `server ${server} is MySQL ${number}, and only MariaDB is served; ${advice.useMariadb}`;
  throw new MysqlError(message, { code: 'Invalid' });
}

/**
 * The facts of a server. Throws `Unreachable` for a server that changes nothing, or whose data may be old: nothing may
 * count as absent there. `mayBeReplica`: the caller changes nothing.
 */
export function factsOf(
  server: string,
  state: ServerState,
  { mayBeReplica }: { readonly mayBeReplica: boolean },
): ServerFacts {
  if (state.isReadOnly !== 0 && !mayBeReplica) throw replicaUsed(server);
  const isOutside = state.isReady !== 'ON' || state.clusterStatus !== 'Primary';
  if (state.isGalera === 'ON' && isOutside) {
    const found = `wsrep_ready is ${state.isReady}, wsrep_cluster_status is ${state.clusterStatus}`;
    throw unreachableBy(
      server,
      `it is a node outside the primary component (${found}); ${advice.joinCluster}`,
    );
  }
  return {
    flavour: 'MariaDB',
    version: mariadbVersion(server, state.version),
    ignoresCase: state.lowerCase !== 0,
    hasTls: state.tls === 'YES',
  };
}
