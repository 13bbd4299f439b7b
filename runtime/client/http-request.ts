import type { Dispatcher } from 'undici';
import { retryAfterMsOf } from '../../clients/retry-after.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import { ApiError, isInterrupted } from './errors.ts';
import type { ExchangeHead } from './http-exchange.ts';
import { exchange, parsedOrUndefined, statusError, unreachable } from './http-exchange.ts';
import type { Access, Transport } from './transport.ts';

/** One answered request, or one that got no answer (`code` 0). */
export interface RequestFacts {
  /** An HTTP method, or `WATCH`. */
  readonly method: string;
  /** What it was about: `plural.group`, or `plural` of the core group. */
  readonly resource: string;
  readonly code: number;
  /** Host and port of the API server. */
  readonly host: string;
}

/** One request to the API server. */
export interface Call {
  readonly method: Dispatcher.HttpMethod;
  /** `plural.group`, for metrics. */
  readonly resource: string;
  /** With its query. */
  readonly path: string;
  /** The object it is about, if it is about one that should exist. */
  readonly name?: string;
  readonly body?: object;
  readonly contentType?: string;
}

interface Answer {
  readonly head: ExchangeHead;
  readonly body: string;
}

/** Failures of a connection that the server closed just as we used it. */
const staleConnection: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

const aborted = (signal: AbortSignal | undefined): ApiError =>
  new ApiError('the request was aborted', { code: 0, reason: 'Aborted', cause: signal?.reason });

/** What only the leader may send; that it leads is what the lease itself is for. */
const isLeadersOnly = ({ method, resource }: Call): boolean =>
  method !== 'GET' && resource !== 'leases.coordination.k8s.io';

/** Asks the API server to give up after that time, as client-go does. */
const withTimeout = (path: string, timeoutMs: number): string =>
  `${path}${path.includes('?') ? '&' : '?'}timeout=${Math.max(1, Math.floor(timeoutMs / 1000))}s`;

/** Host and port. */
export const hostOf = ({ origin }: Access): string => origin.slice(origin.indexOf('//') + 2);

/** What the API server calls us where it tracks who has written what: our user agent, as far as its first slash. */
export const fieldManager = 'services-stack';

/** What undici needs to send a call. */
export const requestOptions = (
  access: Access,
  { method, path, body, contentType }: Omit<Call, 'resource' | 'name'>,
) => ({
  origin: access.origin,
  path: `${access.basePath}${path}`,
  method,
  headers: {
    ...access.headers,
    accept: 'application/json',
    'user-agent': fieldManager,
    ...(body && { 'content-type': contentType ?? 'application/json' }),
  },
  ...(body && { body: JSON.stringify(body) }),
  // Else undici closes the connection after each DELETE with a body, which preconditions need.
  reset: false,
});

export interface RequestSenderOptions {
  readonly transport: Transport;
  readonly log: Logger;
  readonly onRequest: ((facts: RequestFacts) => void) | undefined;
  /** How many milliseconds a write that is sent now may take. Throws if it must not be sent. */
  readonly checkLease: (() => number) | undefined;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  /** A larger answer is none. */
  readonly maxAnswerBytes: number;
  readonly clock: Pick<Clock, 'now' | 'scheduler' | 'sleep'>;
}

/**
 * Sends calls and answers with their parsed bodies. A call that is refused for now (429, or 5xx, with
 * Retry-After) is sent again after the wait the server asked for; a read whose connection breaks is sent again
 * once. Rejects with ApiError.
 */
export function requestSender(
  options: RequestSenderOptions,
): (call: Call, signal: AbortSignal | undefined) => Promise<unknown> {
  const { transport, log, onRequest, checkLease, timeoutMs, maxRetries, maxAnswerBytes, clock } = options;

  /** Sends once. Rejects with ApiError only when there is no answer. */
  const sendOnce = (call: Call, signal: AbortSignal | undefined): Promise<Answer> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(aborted(signal));
        return;
      }
      const lease = isLeadersOnly(call) ? checkLease : undefined;
      const budgetMs = Math.min(timeoutMs, lease?.() ?? timeoutMs);
      let abandon: (() => void) | undefined;
      let isSettled = false;
      let host = '';
      const settle = (code: number, act: () => void): void => {
        if (isSettled) return;
        isSettled = true;
        timer.unsubscribe();
        signal?.removeEventListener('abort', onAbort);
        abandon?.();
        onRequest?.({ method: call.method, resource: call.resource, code, host });
        act();
      };
      const fail = (error: ApiError): void => settle(0, () => reject(error));
      const onAbort = (): void => fail(aborted(signal));
      const timer = clock.scheduler.schedule(() => {
        // Not how long that was: it ends up in conditions, where it would differ each time.
        const limit = budgetMs < timeoutMs ? 'within the lease' : `in ${timeoutMs / 1000} s`;
        fail(new ApiError(`the API server did not answer ${limit}`, { code: 0, reason: 'Timeout' }));
      }, budgetMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      const open = (access: Access): void => {
        host = hostOf(access);
        if (isSettled) return;
        const chunks: Buffer[] = [];
        let bytes = 0;
        let head: ExchangeHead = { status: 0, headers: {} };
        // The API server drops what arrives too late, also from a process that was stopped and cannot give up by itself.
        const sent = budgetMs < timeoutMs ? { ...call, path: withTimeout(call.path, budgetMs) } : call;
        abandon = exchange(access.requests, requestOptions(access, sent), {
          // Again: a call may wait for a connection, and the process may have been stopped during that time.
          ...(lease && { onStart: lease }),
          onHead: (given) => {
            head = given;
          },
          onChunk(chunk) {
            bytes += chunk.length;
            if (bytes > maxAnswerBytes) {
              throw new ApiError("the API server's answer is too large", {
                code: 0,
                reason: 'InvalidAnswer',
              });
            }
            chunks.push(chunk);
          },
          onEnd: () =>
            settle(head.status, () => resolve({ head, body: Buffer.concat(chunks).toString('utf8') })),
          onError: fail,
        });
      };
      transport
        .access()
        .then(open)
        .catch((error: unknown) => fail(error instanceof ApiError ? error : unreachable(error)));
    });

  return async function send(call: Call, signal: AbortSignal | undefined): Promise<unknown> {
    let mayRepeatRead = call.method === 'GET';
    let before: ApiError | undefined;
    for (let retries = 0; ; ) {
      let error: ApiError;
      try {
        const { head, body } = await sendOnce(call, signal);
        const parsed = parsedOrUndefined(body);
        if (head.status < 300 && parsed !== undefined) return parsed;
        error =
          head.status < 300
            ? new ApiError('the API server did not answer with JSON', { code: 0, reason: 'InvalidAnswer' })
            : statusError(head.status, parsed, {
                retryAfterMs: retryAfterMsOf(head.headers['retry-after'], clock.now().getTime()),
                about: call.name,
              });
      } catch (thrown) {
        error = thrown instanceof ApiError ? thrown : unreachable(thrown);
        // Of that one nobody knows whether it was carried out: this one being kept back does not change that.
        if (before !== undefined && before.code !== 429 && isInterrupted(error)) throw before;
        if (mayRepeatRead && staleConnection.has(error.reason)) {
          mayRepeatRead = false;
          continue;
        }
      }
      const isForNow = error.retryAfterMs !== undefined && (error.code === 429 || error.code >= 500);
      if (!isForNow || retries >= maxRetries) throw error;
      retries += 1;
      before = error;
      log.debug('API server asks to wait', {
        method: call.method,
        code: error.code,
        delayMs: error.retryAfterMs,
      });
      await clock.sleep(error.retryAfterMs ?? 0, signal).catch(() => {
        throw aborted(signal);
      });
    }
  };
}
