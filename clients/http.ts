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

/** What carries requests: a Dispatcher of undici, or what serves them without a network. */
export interface Carrier {
  /** Rejects with what kept the answer away, or the signal's reason. */
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
 * Yields the token of an attempt, from wherever it keeps it until it expires. `refused` is one that the cloud has
 * just refused, so that another is needed. It is asked once more then, and never more often.
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
   * What proves who asks, or what yields it: a bearer token, unless `authorization` says otherwise. `none`: requests go
   * without, as to where tokens are had.
   */
  readonly token: string | TokenSource | { readonly none: true };
  /** In what form requests carry the token; default `{ type: 'bearer' }`. */
  readonly authorization?: Authorization;
  /** Besides the token, what no message may hold: what tokens are had for. */
  readonly secrets?: readonly string[];
  /** Reads the cloud's own words out of the JSON of an error answer; default: `{error: {code, message}}`. */
  readonly errorIn?: (answer: unknown) => VendorError;
  /** The classes of the cloud's own codes that say more than the HTTP status: `{ AccountFull: 'QuotaExceeded' }`. */
  readonly errorClasses?: Readonly<Record<string, ExternalErrorClass>>;
  /** Default: a pool of its own. */
  readonly dispatcher?: Carrier;
  /** Milliseconds one attempt may take; default 10 000. */
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
  /** Begins with a slash; what comes from outside is encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** In place of `body`: the fields of a form. */
  readonly form?: Readonly<Record<string, string>>;
  /** Of a POST: that it only asks, and may be repeated after any failure that may pass. */
  readonly isQuestion?: boolean;
  /** Besides the token, what no message may hold: the passwords in the body. */
  readonly secrets?: readonly string[];
}

/** JSON over HTTP with one cloud. */
export interface HttpClient {
  /** The answer's JSON, undefined for none. Throws CloudError, or the signal's reason. */
  request(request: HttpRequest, signal?: AbortSignal): Promise<unknown>;
}

/** The longest a call waits before it tries again; a cloud that asks for more gets no second attempt. */
const maxWaitMs = 2_000;
const firstWaitMs = 100;

/** A pool for many clients, so that a process's connections stay few and warm. Idle ones keep no process alive. */
export const keptConnections = (): Carrier =>
  new Agent({
    connections: 32,
    allowH2: false,
    keepAliveTimeout: 30_000,
    connect: { timeout: 10_000, keepAlive: true, keepAliveInitialDelay: 30_000 },
    // The deadline of an attempt is ours.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

/** The same, which asks first: what `mayGoOn` throws keeps a request from being sent, and is the `cause` of a HaltedError. */
export const guarded = (carrier: Carrier, mayGoOn: () => void): Carrier => ({
  async request(request) {
    try {
      mayGoOn();
    } catch (error) {
      throw new HaltedError(error as Error);
    }
    return carrier.request(request);
  },
});

/**
 * A client that tries again where that is safe. GET, PUT, PATCH and DELETE say what should be and may be repeated
 * after any failure that may pass; a POST is repeated only if it was certainly not carried out: the connection
 * was refused, or the answer is 429. Waits double and are jittered; Retry-After is obeyed. Throws TypeError for an
 * `authorization` that cannot be.
 */
export function httpClient(options: HttpClientOptions): HttpClient {
  const { cloud, url, timeoutMs = 10_000, maxAttempts = 4, errorIn, errorClasses } = options;
  const { clock, random, dispatcher = keptConnections() } = options;
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
          // An abort ends the call, whatever the transport made of it.
          signal.throwIfAborted();
          if (error instanceof HaltedError) throw new HaltedError(error.cause, before);
          if (!(error instanceof CloudError) || attempt >= maxAttempts) throw error;
          before = error;
          if (error.status === 401 && refused === undefined && typeof options.token === 'function') {
            refused = token;
            continue;
          }
          if (!mayRepeat(request, error)) throw error;
          const waitMs = error.retryAfterMs ?? firstWaitMs * 2 ** (attempt - 1) * (1 + random());
          if (waitMs > maxWaitMs) throw error;
          await clock.sleep(waitMs, signal);
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
          accept: 'application/json',
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

const mayRepeat = (
  { method, isQuestion = false }: HttpRequest,
  { isRetryable, status, code }: CloudError,
): boolean => (method === 'POST' && !isQuestion ? status === 429 || code === 'Unreachable' : isRetryable);
