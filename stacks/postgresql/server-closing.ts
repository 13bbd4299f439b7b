import { escapeIdentifier } from 'pg';
import type { Clock } from '../../package/http.ts';
import type { EventFacts } from '../../package/stack.ts';
import { isInterrupted, messageOf } from '../../package/stack.ts';
import { advice } from './advice.ts';
import type { Credentials } from './client/credentials.ts';
import type { PostgresqlServer } from './client/server.ts';
import type { Closing } from './client/server-databases.ts';

export interface ClosingOptions {
  readonly server: Pick<PostgresqlServer, 'closeServerDatabases'>;
  readonly credentials: Pick<Credentials, 'endpoint' | 'port' | 'username' | 'serverDatabases'>;
  /** Receives the result: the closed databases, and those that could not be closed. */
  readonly tell: (event: EventFacts) => void;
  readonly clock: Pick<Clock, 'elapsedMs'>;
}

/** Closes a server's own databases to tenants, once per server and process. No method rejects. */
export interface ServerClosing {
  /** Called before anything is created or changed on the server. A failed attempt is repeated. */
  prepare(signal: AbortSignal): Promise<void>;
  /**
   * Called if a database or role of ours exists: another process may have created it and not closed the server's
   * databases. An attempt that failed or left databases open is repeated half a minute later at the earliest.
   */
  keepUp(signal: AbortSignal): Promise<void>;
  /** Why tenants can still connect to the server's databases, and what to do. Empty: they cannot. Undefined: not known. */
  warning(): string | undefined;
}

/**
 * Shorter than the default poll interval with any jitter. Otherwise half of the observations that should retry would
 * come too early.
 */
const restMs = 30_000;

/**
 * A {@link ServerClosing} that does nothing if the credentials say to leave a server's databases. Failures are reported
 * and block nothing.
 */
export function closing({ server, credentials, tell, clock }: ClosingOptions): ServerClosing {
  let done: Promise<void> | undefined;
  /** The time of the last attempt that failed or left databases open. */
  let unfinishedAtMs = Number.NEGATIVE_INFINITY;
  let warning: string | undefined = credentials.serverDatabases === 'leave' ? '' : undefined;
  const close = async (signal: AbortSignal): Promise<void> => {
    try {
      const event = closingEvent(await server.closeServerDatabases(signal), credentials);
      const before = warning;
      warning = event?.type === 'Warning' ? event.message : '';
      if (warning !== '') unfinishedAtMs = clock.elapsedMs();
      if (event !== undefined && event.message !== before) tell(event);
    } catch (error) {
      done = undefined;
      if (isInterrupted(error)) return;
      unfinishedAtMs = clock.elapsedMs();
      if (signal.aborted) return; // other waiting runs have signals of their own
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
      const isRested = clock.elapsedMs() - unfinishedAtMs >= restMs;
      if (warning && isRested) {
        unfinishedAtMs = clock.elapsedMs();
        done = undefined; // an administrator may have closed them since
      }
      if (done !== undefined || isRested) await prepare(signal);
    },
    warning: () => warning,
  };
}

/** The result to report; undefined if all databases were closed before. */
export function closingEvent(
  { closed, allowedRoles, open }: Closing,
  { endpoint, port, username }: ClosingOptions['credentials'],
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
    return {
      type: 'Warning',
      reason: 'CannotCloseServerDatabases',
      message:
        `every tenant may connect to ${named(open.map(({ name }) => name))} ${where}, and role ` +
        `${escapeIdentifier(username)} has no right to change that; ${advice.closeDatabases(owners, commands)}`,
    };
  }
  if (closed.length === 0) return undefined;
  const exceptions =
    allowedRoles.length === 0 ? '' : `; ${allowedRoles.map(escapeIdentifier).join(', ')} keep the right`;
  return {
    type: 'Normal',
    reason: 'ClosedServerDatabases',
    message: `PUBLIC may no longer connect to ${named(closed)} ${where}${exceptions}`,
  };
}

const named = (databases: readonly string[]): string =>
  `database${databases.length === 1 ? '' : 's'} ${databases.map(escapeIdentifier).join(', ')}`;
