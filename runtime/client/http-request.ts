import type { Dispatcher } from 'undici';
import { retryAfterMsOf } from '../../clients/retry-after.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import { ApiError, isInterrupted } from './errors.ts';
import type { ExchangeHead } from './http-exchange.ts';
import { exchange, parsedOrUndefined, statusError, unreachable } from './http-exchange.ts';
import type { Access, Transport } from './transport.ts';

/** One request with its answer's code; `code` 0: no answer. */
export interface RequestFacts {
  /** An HTTP method, or `WATCH`. */
  readonly method: string;
  /** The resource: `plural.group`, or `plural` for the core group. */
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
  /** The path with its query. */
  readonly path: string;
  /** The name of the object that the request is about, if it should exist. */
  readonly name?: string;
  readonly body?: object;
  readonly contentType?: string;
}

interface Answer {
  readonly access: Access;
  readonly head: ExchangeHead;
  readonly body: string;
}

/** Errors of a connection that the server closed while we used it. */
const staleConnection: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

const aborted = (signal: AbortSignal | undefined): ApiError =>
  new ApiError('the request was aborted', { code: 0, reason: 'Aborted', cause: signal?.reason });

const isOfLease = ({ resource }: Call): boolean => resource === 'leases.coordination.k8s.io';

/** Whether only the leader may send this request. Writes of the Lease itself decide who leads. */
const isLeadersOnly = (call: Call): boolean => call.method !== 'GET' && !isOfLease(call);

/** The connections of a call. A Lease that is read late may be lost, so it does not wait for other reads. */
const connectionsFor = ({ reads, writes }: Access, call: Call): Dispatcher =>
  call.method === 'GET' && !isOfLease(call) ? reads : writes;

/** Adds the timeout after which the API server gives up, as client-go does. */
const withTimeout = (path: string, timeoutMs: number): string =>
  `${path}${path.includes('?') ? '&' : '?'}timeout=${Math.max(1, Math.floor(timeoutMs / 1000))}s`;

/** The host and port of the API server. */
export const hostOf = ({ origin }: Access): string => origin.slice(origin.indexOf('//') + 2);

/** The name of this process in managedFields: the user agent up to its first slash. */
export const fieldManager = 'services-stack';

/** The options that undici needs to send a call. */
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
  // Otherwise undici closes the connection after each DELETE with a body, and preconditions need a body.
  reset: false,
});

export interface RequestSenderOptions {
  readonly transport: Transport;
  readonly log: Logger;
  readonly onRequest: ((facts: RequestFacts) => void) | undefined;
  /** The milliseconds that a write sent now may take. Throws if the write must not be sent. */
  readonly checkLease: (() => number) | undefined;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  /** A larger answer is refused. */
  readonly maxAnswerBytes: number;
  readonly clock: Pick<Clock, 'now' | 'scheduler' | 'sleep'>;
}

/**
 * Sends calls and returns their parsed bodies. A call that is refused temporarily (429, or 5xx, with Retry-After) is sent
 * again after the requested delay. A read whose connection breaks is sent again once. So is a call whose credentials are
 * refused (401), with renewed ones. Rejects with ApiError.
 */
export function requestSender(
  options: RequestSenderOptions,
): (call: Call, signal: AbortSignal | undefined) => Promise<unknown> {
  const { transport, log, onRequest, checkLease, timeoutMs, maxRetries, maxAnswerBytes, clock } = options;

  /** Sends once. Rejects with ApiError only if there is no answer. */
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
        // The message has no exact duration: it appears in conditions, which must not differ each time.
        const limit = budgetMs < timeoutMs ? 'while the Lease was valid' : `within ${timeoutMs / 1000} s`;
        fail(new ApiError(`the API server did not answer ${limit}`, { code: 0, reason: 'Timeout' }));
      }, budgetMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      const open = (access: Access): void => {
        host = hostOf(access);
        if (isSettled) return;
        const chunks: Buffer[] = [];
        let bytes = 0;
        let head: ExchangeHead = { status: 0, headers: {} };
        // The API server drops a write that arrives too late, also if this process was suspended and cannot abort it.
        const sent = budgetMs < timeoutMs ? { ...call, path: withTimeout(call.path, budgetMs) } : call;
        abandon = exchange(connectionsFor(access, sent), requestOptions(access, sent), {
          // Checked again: the call may have waited for a connection while this process was suspended.
          ...(lease && { onStart: lease }),
          onHead: (given) => {
            head = given;
          },
          onChunk(chunk) {
            bytes += chunk.length;
            if (bytes > maxAnswerBytes) {
              throw new ApiError(`the API server's answer is larger than ${maxAnswerBytes} bytes`, {
                code: 0,
                reason: 'InvalidAnswer',
              });
            }
            chunks.push(chunk);
          },
          onEnd: () =>
            settle(head.status, () =>
              resolve({ access, head, body: Buffer.concat(chunks).toString('utf8') }),
            ),
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
    let mayRenew = true;
    let before: ApiError | undefined;
    for (let retries = 0; ; ) {
      let error: ApiError;
      try {
        const { access, head, body } = await sendOnce(call, signal);
        // Refused before anything was done. The credential may have expired or have been revoked.
        if (head.status === 401 && mayRenew) {
          mayRenew = false;
          transport.renew(access);
          continue;
        }
        const parsed = parsedOrUndefined(body);
        if (head.status < 300 && parsed !== undefined) return parsed;
        error =
          head.status < 300
            ? new ApiError('the API server answered with something that is not JSON', {
                code: 0,
                reason: 'InvalidAnswer',
              })
            : statusError(head.status, parsed, {
                retryAfterMs: retryAfterMsOf(head.headers['retry-after'], clock.now().getTime()),
                about: call.name,
              });
      } catch (thrown) {
        error = thrown instanceof ApiError ? thrown : unreachable(thrown);
        // This attempt was not sent. Throw the earlier error, because the earlier attempt may have been executed.
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
      log.debug('the API server asked to wait before a retry', {
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
