/*
 *   a request ──▶ accessTokens ──▶ google-auth-library: signs, keeps, renews ──▶ our HTTP client ──▶ token_uri
 */

import type { JWT } from 'google-auth-library';
import type { HttpClientOptions, TokenSource } from '../../../package/http.ts';
import { CloudError, httpClient } from '../../../package/http.ts';
import { advice } from '../advice.ts';
import type { ServiceAccountKey } from './service-account-key.ts';
import { secretsOf } from './service-account-key.ts';

/** The scope that all APIs of Google Cloud accept. IAM decides about the permissions of the account. */
const scope = 'https://www.googleapis.com/auth/cloud-platform';

export interface AccessTokenOptions
  extends Pick<HttpClientOptions, 'cloud' | 'clock' | 'random' | 'dispatcher' | 'timeoutMs' | 'maxAttempts'> {
  readonly key: ServiceAccountKey;
}

/**
 * Access tokens of a service account. Its key is exchanged for them by the JWT bearer grant (RFC 7523).
 *
 * Google's library is loaded for the first token. It signs, caches a token until shortly before its expiry, and
 * exchanges the key once for all waiting calls. This client sends the requests, because the library knows only Google's
 * addresses. Throws CloudError with the reason of the token endpoint.
 */
export function accessTokens({ key, ...options }: AccessTokenOptions): TokenSource {
  const { clientEmail, privateKey, privateKeyId, tokenUri } = key;
  const { origin, pathname } = new URL(tokenUri);
  const http = httpClient({
    ...options,
    url: origin,
    token: { none: true },
    errorIn: tokenErrorIn,
    errorClasses: {
      invalid_client: 'CredentialsRefused',
      invalid_grant: 'CredentialsRefused',
      unauthorized_client: 'CredentialsRefused',
    },
    secrets: secretsOf(key),
  });
  let client: Promise<JWT> | undefined;
  let handedOut: string | undefined;

  return async ({ refused, signal }) => {
    // Another request may already have replaced the refused token.
    // guard: otherwise each refused request exchanges the token
    if (refused !== undefined && refused === handedOut) client = undefined;
    client ??= newClient();
    const request = client.then((jwt) => jwt.getAccessToken());
    try {
      const { token } = await unlessAborted(request, signal);
      if (!token) throw new Error('the token endpoint answered without an access_token');
      handedOut = token;
      return token;
    } catch (error) {
      throw unwrapped(error);
    }
  };

  async function newClient(): Promise<JWT> {
    // It is CommonJS: in the bundle such a module has its default export only.
    const { JWT } = (await import('google-auth-library')).default;
    return new JWT({
      email: clientEmail,
      key: privateKey,
      ...(privateKeyId !== undefined && { keyId: privateKeyId }),
      scopes: [scope],
      additionalClaims: { aud: tokenUri },
      transporterOptions: { fetchImplementation: exchange },
    });
  }

  async function exchange(_url: unknown, { body }: RequestInit = {}): Promise<Response> {
    const form = Object.fromEntries(new URLSearchParams(String(body)));
    const secrets = Object.values(form);
    const what = `get an access token for ${clientEmail}`;
    try {
      return Response.json(
        await http.request({ what, method: 'POST', path: pathname, form, isQuestion: true, secrets }),
      );
    } catch (error) {
      throw new ExchangeError(error);
    }
  }

  /** The error without the wrappers of the library. */
  function unwrapped(error: unknown): unknown {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    if (!(cause instanceof ExchangeError)) return error;
    const { cause: failure } = cause;
    if (!(failure instanceof CloudError) || ![400, 401].includes(failure.status)) return failure;
    const { message, status, code, errorClass } = failure;
    return new CloudError(`${message}; ${advice.replaceKey}`, {
      status,
      code,
      isRetryable: false,
      errorClass,
    });
  }
}

/** An exchange that failed after all useful attempts. By this code, the library makes no further attempt. */
class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
  readonly code = 'AbortError';

  constructor(cause: unknown) {
    super('the key could not be exchanged', { cause });
  }
}

/** The error codes of OAuth 2.0 (RFC 6749, section 5.2). */
function tokenErrorIn(answer: unknown) {
  const { error, error_description: message } = (answer ?? {}) as {
    readonly error?: string;
    readonly error_description?: string;
  };
  return { code: error, message };
}

/** The same promise, which rejects as soon as the signal aborts. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
