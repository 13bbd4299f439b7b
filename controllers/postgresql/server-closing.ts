import { escapeIdentifier } from 'pg';
import type { Credentials } from '../../clients/postgresql/credentials.ts';
import type { PostgresqlServer } from '../../clients/postgresql/server.ts';
import type { Closing } from '../../clients/postgresql/server-databases.ts';
import { messageOf } from '../../runtime/client/errors.ts';
import type { EventFacts } from '../../runtime/events/event-facts.ts';

export interface ClosingOptions {
  readonly server: Pick<PostgresqlServer, 'closeServerDatabases'>;
  readonly credentials: Pick<Credentials, 'endpoint' | 'port' | 'username' | 'serverDatabases'>;
  /** Told what was done, and what could not be. */
  readonly tell: (event: EventFacts) => void;
}

/**
 * Shuts tenants out of the databases that belong to a server, once per server and process, before anything is made
 * there; unless the credentials say to leave them. What cannot be done is told, and stands in nobody's way; what
 * failed is tried again by the next. Never rejects.
 */
export function closing({
  server,
  credentials,
  tell,
}: ClosingOptions): (signal: AbortSignal) => Promise<void> {
  let done: Promise<void> | undefined;
  const close = async (signal: AbortSignal): Promise<void> => {
    try {
      const event = closingEvent(await server.closeServerDatabases(signal), credentials);
      if (event !== undefined) tell(event);
    } catch (error) {
      done = undefined;
      if (signal.aborted) return; // whoever waits with us has a signal of its own
      tell({ type: 'Warning', reason: 'CannotCloseServerDatabases', message: messageOf(error) });
    }
  };
  return async (signal) => {
    if (credentials.serverDatabases === 'leave') return;
    done ??= close(signal);
    await done;
  };
}

/** What to tell; undefined if all was closed before. */
export function closingEvent(
  { closed, kept, open }: Closing,
  { endpoint, port, username }: ClosingOptions['credentials'],
): EventFacts | undefined {
  const where = `of server ${endpoint}:${port}`;
  if (open.length > 0) {
    const commands = open.map(
      ({ name }) => `REVOKE CONNECT ON DATABASE ${escapeIdentifier(name)} FROM PUBLIC`,
    );
    const owners = [...new Set(open.map(({ owner }) => escapeIdentifier(owner)))].join(' or ');
    return {
      type: 'Warning',
      reason: 'CannotCloseServerDatabases',
      message:
        `every tenant may connect to ${named(open.map(({ name }) => name))} ${where}, and role ` +
        `${escapeIdentifier(username)} has no right to change that; run as ${owners}: ${commands.join('; ')}`,
    };
  }
  if (closed.length === 0) return undefined;
  const exceptions = kept.length === 0 ? '' : `; ${kept.map(escapeIdentifier).join(', ')} may as before`;
  return {
    type: 'Normal',
    reason: 'ClosedServerDatabases',
    message: `PUBLIC may no longer connect to ${named(closed)} ${where}${exceptions}`,
  };
}

const named = (databases: readonly string[]): string =>
  `database${databases.length === 1 ? '' : 's'} ${databases.map(escapeIdentifier).join(', ')}`;
