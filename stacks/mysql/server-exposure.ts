import type { EventFacts, ServerCredentials, ServerSurvey, SurveyOptions } from '../../package/stack.ts';
import { serverSurvey, warning } from '../../package/stack.ts';
import { advice } from './advice.ts';
import type { Exposure } from './client/exposure.ts';
import type { MissingPrivileges } from './client/privilege.ts';
import type { MysqlServer } from './client/server.ts';
import { quotedName } from './client/text.ts';

/** The server and its administrator, as an Event names them. */
type Address = Pick<ServerCredentials, 'endpoint' | 'port' | 'username'>;

/**
 * Reads whether a server lets strangers in: a fresh one may have databases for everybody, and users without a name. It
 * changes nothing, because other programs of the administrator may use them. It also reads what the administrator lacks:
 * without PROCESS, for example, only the first deletion fails.
 */
export const exposureSurvey = ({
  server,
  credentials,
  report,
  clock,
}: SurveyOptions<Address, Pick<MysqlServer, 'exposure' | 'missingPrivileges'>>): ServerSurvey =>
  serverSurvey({
    read: async (signal) =>
      exposureEvent(await server.exposure(signal), credentials) ??
      lackEvent(await server.missingPrivileges(signal), credentials),
    failureReason: 'CannotReadServerGrants',
    report,
    clock,
  });

/** The result to report; undefined if the server lets no stranger in. */
export function exposureEvent(
  { openPatterns, anonymous, statements }: Exposure,
  { endpoint, port }: Omit<Address, 'username'>,
): EventFacts | undefined {
  if (openPatterns.length + anonymous.length === 0) return undefined;
  const open = `every user of the server may use databases ${openPatterns.map(quotedName).join(', ')}`;
  const nameless = `${anonymous.join(', ')} ${anonymous.length === 1 ? 'has' : 'have'} no name: from there, the correct password of any user is refused`;
  const sentences = [
    ...(openPatterns.length === 0 ? [] : [open]),
    ...(anonymous.length === 0 ? [] : [nameless]),
  ];
  const message = `server ${endpoint}:${port}: ${sentences.join('; ')}; ${advice.closeServer(statements)}`;
  return warning('ServerOpenToStrangers', message);
}

/** The privileges to report; undefined if the administrator lacks none. */
export const lackEvent = (
  found: MissingPrivileges | undefined,
  { endpoint, port, username }: Address,
): EventFacts | undefined =>
  found &&
  warning(
    'AdministratorLacksPrivileges',
    `user "${username}" of server ${endpoint}:${port} lacks ${found.missing.join(', ')}; ${advice.grantPrivileges(found.statement)}`,
  );
