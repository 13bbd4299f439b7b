import { Agent } from 'undici';
import type { Authorization } from './authorization.ts';
import { authorizing } from './authorization.ts';
import { textOf } from './body-text.ts';
import type { Clock } from './clock.ts';
import { later } from './clock.ts';
import { CloudError, HaltedError, invalidAnswer } from './cloud-error.ts';
import type { ExternalErrorClass } from './external-error.ts';
import type { VendorError } from './http-failure.ts';
import { cloudRefusal, noToken, transportFailure } from './http-failure.ts';
import { retryAfterMsOf } from './retry-after.ts';

/** The carrier of requests: a Dispatcher of undici, or a replacement that works without a network. */
export interface Carrier {
  /** Rejects with the error that prevented the answer, or the signal's reason. */
  request(request: {
    readonly origin: string;
    readonly path: string;
    readonly method: HttpRequest['method'];
    readonly query?: Record<string, string>;
    readonly headers: Record<string, string>;
    readonly body: string | null;
    readonly signal: AbortSignal;
  }): Promise<{
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly body: AsyncIterable<Buffer> | Iterable<Buffer>;
  }>;
}

/**
 * Returns the token of an attempt, and caches it until its expiry. `refused` is a token that the cloud has just
 * refused; then another token is needed. This happens at most once per call.
 */
export type TokenSource = (given: {
  readonly refused?: string;
  readonly signal: AbortSignal;
}) => Promise<string>;

export interface HttpClientOptions {
  /** For messages: `Favourite Cloud`. */
  readonly cloud: string;
  /** Without a slash at the end. */
  readonly url: string;
  /**
   * The token, or a function that returns it: a bearer token unless `authorization` names another form. `none`:
   * requests have no token, for example those to a token endpoint.
   */
  readonly token: string | TokenSource | { readonly none: true };
  /** The form in which requests carry the token; default `{ type: 'bearer' }`. */
  readonly authorization?: Authorization;
  /** Secrets besides the token that no message may contain: the credentials that are exchanged for tokens. */
  readonly secrets?: readonly string[];
  /** Reads the cloud's code and message from the JSON of an error answer; default: `{error: {code, message}}`. */
  readonly errorIn?: (answer: unknown) => VendorError;
  /**
   * The classes of the cloud's codes that are more precise than the HTTP status: `{ AccountFull: 'QuotaExceeded' }`.
   */
  readonly errorClasses?: Readonly<Record<string, ExternalErrorClass>>;
  /** Default: a pool of its own. */
  readonly dispatcher?: Carrier;
  /** Timeout of one attempt in milliseconds; default 10 000. */
  readonly timeoutMs?: number;
  /** Default 4. */
  readonly maxAttempts?: number;
  readonly clock: Clock;
  /** Uniform in [0, 1): spreads attempts. */
  readonly random: () => number;
}

export interface HttpRequest {
  /** For messages: `get instance "x"`. */
  readonly what: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Begins with a slash. Values from users are encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** The fields of a form, instead of `body`. */
  readonly form?: Readonly<Record<string, string>>;
  /** Whether a POST only reads. Then it may be repeated after any temporary failure. */
  readonly isQuestion?: boolean;
  /** Secrets besides the token that no message may contain: the passwords in the body. */
  readonly secrets?: readonly string[];
}

/** A client for JSON over HTTP with one cloud. */
export interface HttpClient {
  /** Returns the answer's JSON, undefined if it is empty. Throws CloudError, or the signal's reason. */
  request(request: HttpRequest, signal?: AbortSignal): Promise<unknown>;
}

/** The longest wait before another attempt. If a cloud asks for a longer wait, there is no other attempt. */
const maxWaitMs = 2_000;
const firstWaitMs = 100;

/** Creates the connections of a client. */
export type CreateAgent = (options: Agent.Options) => Agent;

/** Connections that use no proxy. */
export const directAgent: CreateAgent = (options) => new Agent(options);

/**
 * A pool for many clients, so that a process has few connections and reuses them. Idle connections do not keep a
 * process alive.
 */
export const keepAliveConnections = (createAgent = directAgent): Carrier =>
  createAgent({
    connections: 32,
    allowH2: false,
    keepAliveTimeout: 30_000,
    connect: { timeout: 10_000, keepAlive: true, keepAliveInitialDelay: 30_000 },
    // This client sets the timeout of an attempt, so the pool sets none.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

/**
 * A transport that first calls `mayGoOn`. If it throws, the request is not sent, and its error is the `cause` of a
 * HaltedError.
 */
export const guarded = (carrier: Carrier, mayGoOn: () => void): Carrier => ({
  async request(request) {
    try {
      mayGoOn();
    } catch (error) {
      throw new HaltedError(error as Error); // guard: otherwise a request that was not sent counts as uncertain
    }
    return carrier.request(request);
  },
});

/**
 * A client that repeats requests where that is safe. GET, PUT, PATCH and DELETE state a target, so they are repeated
 * after any temporary failure. A POST is repeated only if it was certainly not carried out: the connection was refused,
 * or the answer is 429.
 *
 * Waits double and have jitter; Retry-After is obeyed. Throws TypeError for an invalid `authorization`.
 */
export function httpClient(options: HttpClientOptions): HttpClient {
  const { cloud, url, timeoutMs = 10_000, maxAttempts = 4, errorIn, errorClasses } = options;
  const { clock, random, dispatcher = keepAliveConnections() } = options;
  const { origin, pathname } = new URL(url);
  const basePath = pathname.replace(/\/+$/, '');
  const { header, valueFor, revealing, noun } = authorizing(options.authorization ?? { type: 'bearer' });
  const never = new AbortController().signal;
  const tokenOf = sourceOf(options.token);

  return {
    async request(request, signal = never) {
      let refused: string | undefined;
      let before: CloudError | undefined;
      for (let attempt = 1; ; attempt += 1) {
        signal.throwIfAborted();
        const token = await tokenFor(request, refused, signal);
        try {
          return await attemptOnce(request, token, signal);
        } catch (error) {
          // An abort ends the call, whatever error the transport reports for it.
          signal.throwIfAborted();
          // guard: otherwise an uncertain creation counts as not sent
          if (error instanceof HaltedError) throw new HaltedError(error.cause, before);
          if (!(error instanceof CloudError) || attempt >= maxAttempts) throw error;
          before = error;
          // guard: otherwise it exchanges a token without end
          if (error.status === 401 && refused === undefined && typeof options.token === 'function') {
            refused = token;
            continue;
          }
          if (!mayRepeat(request, error)) throw error;
          const waitMs = error.retryAfterMs ?? firstWaitMs * 2 ** (attempt - 1) * (1 + random());
          if (waitMs > maxWaitMs) throw error;
          await clock.sleep(waitMs, signal); // guard: otherwise it repeats without a wait
        }
      }
    },
  };

  async function tokenFor(
    { what }: HttpRequest,
    refused: string | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    try {
      return await tokenOf({ signal, ...(refused !== undefined && { refused }) });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CloudError) throw error;
      throw noToken(error, {
        cloud,
        what,
        origin,
        proof: noun,
        secrets: refused === undefined ? [] : [refused],
      });
    }
  }

  async function attemptOnce(
    request: HttpRequest,
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { method, path, query, what, secrets = [] } = request;
    const context = {
      cloud,
      what,
      origin,
      proof: noun,
      secrets: [...(token === undefined ? [] : revealing(token)), ...secrets, ...(options.secrets ?? [])],
      ...(errorIn && { errorIn }),
      ...(errorClasses && { errorClasses }),
    };
    const content = contentOf(request);
    const deadline = new AbortController();
    const callOff = later(clock, timeoutMs, () => deadline.abort());
    try {
      const response = await dispatcher.request({
        origin,
        path: basePath + path,
        method,
        ...(query === undefined ? {} : { query: { ...query } }),
        headers: {
          ...(token === undefined ? {} : { [header]: valueFor(token) }),
          // Some servers refuse a change if the client accepts JSON alone, because their answer is empty.
          accept: 'application/json, */*;q=0.1',
          'user-agent': 'services-stack',
          ...(content === undefined ? {} : { 'content-type': content.type }),
        },
        body: content?.text ?? null,
        signal: AbortSignal.any([signal, deadline.signal]),
      });
      const text = await textOf(response.body);
      if (response.statusCode >= 200 && response.statusCode < 300) return parsed(text, context);
      throw cloudRefusal(
        response.statusCode,
        text,
        retryAfterMsOf(response.headers['retry-after'], clock.now().getTime()),
        context,
      );
    } catch (error) {
      if (error instanceof CloudError) throw error;
      if (deadline.signal.aborted) {
        throw new CloudError(`cannot ${what}: ${cloud} (${origin}) did not answer within ${timeoutMs} ms`, {
          status: 0,
          code: 'TimedOut',
          isRetryable: true,
        });
      }
      throw transportFailure(error, context);
    } finally {
      callOff();
    }
  }

  function parsed(text: string, { what }: { readonly what: string }): unknown {
    if (text === '') return undefined;
    try {
      return JSON.parse(text);
    } catch {
      throw invalidAnswer(`cannot ${what}: ${cloud} (${origin}) answered with something that is not JSON`);
    }
  }
}

function sourceOf(
  token: HttpClientOptions['token'],
): (given: Parameters<TokenSource>[0]) => Promise<string | undefined> {
  if (typeof token === 'function') return token;
  return async () => (typeof token === 'string' ? token : undefined);
}

function contentOf({
  body,
  form,
}: HttpRequest): { readonly type: string; readonly text: string } | undefined {
  if (form !== undefined) {
    return { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(form).toString() };
  }
  return body === undefined ? undefined : { type: 'application/json', text: JSON.stringify(body) };
}

// guard: otherwise it creates a second one after a lost answer
const mayRepeat = (
  { method, isQuestion = false }: HttpRequest,
  { isRetryable, status, code }: CloudError,
): boolean => (method === 'POST' && !isQuestion ? status === 429 || code === 'Unreachable' : isRetryable);
