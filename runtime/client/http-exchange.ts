import type { Dispatcher } from 'undici';
import { ApiError, terminatingReason, unknownReason } from './errors.ts';

/** The longest delay that a server can ask for; longer ones are cut. */
const maxRetryAfterMs = 5 * 60_000;

export interface ExchangeHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface ExchangeHandler {
  /** Called right before the request is written to a connection. Throws if the request must not be sent. */
  onStart?(): void;
  onHead?(head: ExchangeHead): void;
  onChunk(chunk: Buffer): void;
  /** Exactly one of `onEnd` and `onError` is called, once, and never after the exchange was abandoned. */
  onEnd(): void;
  onError(error: ApiError): void;
}

/**
 * Sends one request and passes its answer on in chunks. Returns the function that abandons the exchange and closes its
 * connection. Uses undici's lowest interface: no streams, promises or listeners in between.
 */
export function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  handler: ExchangeHandler,
): () => void {
  let isOver = false;
  let running: Dispatcher.DispatchController | undefined;
  const abandon = (): void => {
    if (isOver) return;
    isOver = true;
    running?.abort(new Error('abandoned'));
  };
  const guarded = (act: () => void): void => {
    if (isOver) return;
    try {
      act();
    } catch (error) {
      abandon();
      handler.onError(error instanceof ApiError ? error : unreachable(error));
    }
  };
  try {
    dispatcher.dispatch(options, {
      onRequestStart(controller) {
        running = controller;
        if (isOver) controller.abort(new Error('abandoned'));
        else guarded(() => handler.onStart?.());
      },
      onResponseStart(_controller, status, headers) {
        // Responses with status 1xx precede the final one.
        if (status >= 200) guarded(() => handler.onHead?.({ status, headers }));
      },
      onResponseData: (_controller, chunk) => guarded(() => handler.onChunk(chunk)),
      onResponseEnd() {
        if (isOver) return;
        isOver = true;
        handler.onEnd();
      },
      onResponseError(_controller, error) {
        if (isOver) return;
        isOver = true;
        handler.onError(unreachable(error));
      },
    });
  } catch (error) {
    // A destroyed agent throws instead of calling back.
    if (!isOver) {
      isOver = true;
      queueMicrotask(() => handler.onError(unreachable(error)));
    }
  }
  return abandon;
}

/** The error for a request without an answer. It has the system's message only: undici's errors may quote the answer. */
export function unreachable(error: unknown): ApiError {
  const { code, message } = error as { code?: unknown; message?: unknown };
  // undici's error for a connection that closes before the end of an answer.
  if (typeof message === 'string' && message.includes('Invalid EOF state')) {
    return new ApiError('the API server closed the connection', { code: 0, reason: 'ConnectionClosed' });
  }
  const reason = typeof code === 'string' ? code : 'ConnectionFailed';
  const text = typeof message === 'string' && message !== '' ? message : reason;
  return new ApiError(`cannot reach the API server: ${text}`, { code: 0, reason });
}

interface Status {
  readonly kind?: unknown;
  readonly message?: unknown;
  readonly reason?: unknown;
  readonly code?: unknown;
  readonly details?: {
    readonly name?: unknown;
    readonly retryAfterSeconds?: unknown;
    readonly causes?: unknown;
  };
}

/** A delay that the server asked for, up to the maximum; undefined for none. */
const bounded = (waitMs: number | undefined): number | undefined =>
  waitMs !== undefined && waitMs > 0 ? Math.min(waitMs, maxRetryAfterMs) : undefined;
const secondsIn = (given: unknown): number | undefined =>
  typeof given === 'number' ? given * 1000 : undefined;

const hasCause = (causes: unknown, reason: string): boolean =>
  Array.isArray(causes) &&
  causes.some((each: { readonly reason?: unknown } | null) => each?.reason === reason);

/**
 * The reason in a Status, or the cause of a refusal that a client has to know. Without a reason, 410 counts as Expired: a
 * wrong guess only costs a list. A NotFound about another object, for example from an admission webhook, says nothing about
 * the requested object.
 */
function reasonOf({ reason, details }: Status, code: number, about: string | undefined): string {
  const isText = typeof reason === 'string' && reason !== '';
  if (!isText) return code === 410 ? 'Expired' : unknownReason;
  const name = details?.name ?? about;
  if (reason === 'Forbidden' && hasCause(details?.causes, terminatingReason)) return terminatingReason;
  return reason === 'NotFound' && about !== undefined && name !== about ? unknownReason : reason;
}

/**
 * The error in a Status object, from an answer's body or a watch. `status` is the HTTP status, if there is one;
 * `retryAfterMs` is the delay from the answer's header; `about` is the name of the requested object.
 */
export function statusError(
  status: number | undefined,
  body: unknown,
  {
    retryAfterMs,
    about,
  }: { readonly retryAfterMs?: number | undefined; readonly about?: string | undefined } = {},
): ApiError {
  const given = (body ?? {}) as Status;
  const { message, reason, code, details } = given;
  const isStatus = given.kind === 'Status';
  const number = status ?? (typeof code === 'number' ? code : 500);
  return new ApiError(
    isStatus && typeof message === 'string' && message !== ''
      ? message
      : `the API server answered ${number}${isStatus && typeof reason === 'string' ? ` ${reason}` : ''}`,
    {
      code: number,
      reason: isStatus ? reasonOf(given, number, about) : unknownReason,
      retryAfterMs:
        bounded(retryAfterMs) ?? (isStatus ? bounded(secondsIn(details?.retryAfterSeconds)) : undefined),
    },
  );
}

/** The parsed JSON of an error answer; undefined for other content, such as a proxy's page. */
export function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
