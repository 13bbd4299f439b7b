import type { ServerCredentials } from '../../../package/stack.ts';
import { oneOfEntry, parseServerCredentials } from '../../../package/stack.ts';

/** The address and the administrator of a server. Never logged. */
export interface Credentials extends ServerCredentials {
  /** The database of the administrator's first connection; default `postgres`. */
  readonly database?: string;
  /** The handling of the databases that belong to the server and accept every role; default `close`. */
  readonly serverDatabases?: ServerDatabases;
}

const serverDatabasePolicies = ['close', 'leave'] as const;
/** `close`: revoke from PUBLIC the right to connect, where the administrator may. `leave`: do not change them. */
export type ServerDatabases = (typeof serverDatabasePolicies)[number];

/**
 * Parses the entries of a Secret in clear text: those of every server (port 5432), and optionally `database` and
 * `serverDatabases`. Throws an ExternalError (`Invalid`) that names the key and never its value.
 */
export function parseCredentials(data: Readonly<Record<string, string>>): Credentials {
  const database = data.database || undefined;
  const serverDatabases = oneOfEntry(data, 'serverDatabases', serverDatabasePolicies);
  return {
    ...parseServerCredentials(data, { defaultPort: 5432 }),
    ...(database !== undefined && { database }),
    ...(serverDatabases !== undefined && { serverDatabases }),
  };
}
