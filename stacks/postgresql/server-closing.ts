import { escapeIdentifier } from 'pg';
import type { EventFacts, ServerSurvey, SurveyOptions } from '../../package/stack.ts';
import { normal, noSurvey, serverSurvey, warning } from '../../package/stack.ts';
import { advice } from './advice.ts';
import type { Credentials } from './client/credentials.ts';
import type { PostgresqlServer } from './client/server.ts';
import type { Closing } from './client/server-databases.ts';

type Settings = Pick<Credentials, 'endpoint' | 'port' | 'username' | 'serverDatabases'>;

/** Closes a server's own databases to tenants, unless the credentials say to leave them. */
export const closing = ({
  server,
  credentials,
  report,
  clock,
}: SurveyOptions<Settings, Pick<PostgresqlServer, 'closeServerDatabases'>>): ServerSurvey =>
  credentials.serverDatabases === 'leave'
    ? noSurvey
    : serverSurvey({
        read: async (signal) => closingEvent(await server.closeServerDatabases(signal), credentials),
        failureReason: 'CannotCloseServerDatabases',
        report,
        clock,
      });

/** The result to report; undefined if all databases were closed before. */
export function closingEvent(
  { closed, allowedRoles, open }: Closing,
  { endpoint, port, username }: Settings,
): EventFacts | undefined {
  const where = `of server ${endpoint}:${port}`;
  if (open.length > 0) {
    const staying = [username, ...allowedRoles].map(escapeIdentifier).join(', ');
    const commands = open.flatMap(({ name }) => [
      // Without this the role of the provider, too, could no longer connect.
      `GRANT CONNECT ON DATABASE ${escapeIdentifier(name)} TO ${staying}`,
      `REVOKE CONNECT ON DATABASE ${escapeIdentifier(name)} FROM PUBLIC`,
    ]);
    const owners = [...new Set(open.map(({ owner }) => escapeIdentifier(owner)))].join(' or ');
    return warning(
      'CannotCloseServerDatabases',
      `every tenant may connect to ${named(open.map(({ name }) => name))} ${where}, and role ` +
        `${escapeIdentifier(username)} has no right to change that; ${advice.closeDatabases(owners, commands)}`,
    );
  }
  if (closed.length === 0) return undefined;
  const exceptions =
    allowedRoles.length === 0 ? '' : `; ${allowedRoles.map(escapeIdentifier).join(', ')} keep the right`;
  const message = `PUBLIC may no longer connect to ${named(closed)} ${where}${exceptions}`;
  return normal('ClosedServerDatabases', message);
}

const named = (databases: readonly string[]): string =>
  `database${databases.length === 1 ? '' : 's'} ${databases.map(escapeIdentifier).join(', ')}`;
