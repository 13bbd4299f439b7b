import { escapeIdentifier } from 'pg';
import type { Credentials } from '../../clients/postgresql/credentials.ts';
import type { PostgresqlServer } from '../../clients/postgresql/server.ts';
import type { Closing } from '../../clients/postgresql/server-databases.ts';
import { isInterrupted, messageOf } from '../../runtime/client/errors.ts';
import type { EventFacts } from '../../runtime/events/event-facts.ts';
import type { Clock } from '../../runtime/time/clock.ts';

export interface ClosingOptions {
  readonly server: Pick<PostgresqlServer, 'closeServerDatabases'>;
  readonly credentials: Pick<Credentials, 'endpoint' | 'port' | 'username' | 'serverDatabases'>;
  /** Told what was done, and what could not be. */
  readonly tell: (event: EventFacts) => void;
  readonly clock: Pick<Clock, 'elapsedMs'>;
}

/** Shuts tenants out of the databases that belong to a server, once per server and process. Nothing of it rejects. */
export interface ServerClosing {
  /** Before anything is made or changed there. What failed is tried again. */
  prepare(signal: AbortSignal): Promise<void>;
  /**
   * Where something of ours is there: another process may have made it and not come to this. What failed is tried again
   * half a minute later at the earliest.
   */
  keepUp(signal: AbortSignal): Promise<void>;
}

/** Below the default poll interval, whatever its jitter: else half of the looks that should try again come too early. */
const restMs = 30_000;

/**
 * A {@link ServerClosing} that does nothing where the credentials say to leave a server's databases. What cannot be done is
 * told, and stands in nobody's way.
 */
export function closing({ server, credentials, tell, clock }: ClosingOptions): ServerClosing {
  let done: Promise<void> | undefined;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  const close = async (signal: AbortSignal): Promise<void> => {
    try {
      const event = closingEvent(await server.closeServerDatabases(signal), credentials);
      if (event !== undefined) tell(event);
    } catch (error) {
      done = undefined;
      if (isInterrupted(error)) return;
      failedAtMs = clock.elapsedMs();
      if (signal.aborted) return; // whoever waits with us has a signal of its own
      tell({ type: 'Warning', reason: 'CannotCloseServerDatabases', message: messageOf(error) });
    }
  };
  async function prepare(signal: AbortSignal): Promise<void> {
    if (credentials.serverDatabases === 'leave') return;
    done ??= close(signal);
    await done;
  }
  return {
    prepare,
    async keepUp(signal) {
      if (done !== undefined || clock.elapsedMs() - failedAtMs >= restMs) await prepare(signal);
    },
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
