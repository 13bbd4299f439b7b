import { apiErrorIn, isForbidden, messageOf } from '../../../runtime/client/errors.ts';
import { bugIn } from '../../../runtime/log/bug.ts';

/**
 * What of a provider a failed call tells of.
 * - `unreadable`: its credentials cannot be read, or not be made sense of; nobody was asked.
 * - `refused`: the external system does not take its credentials.
 * - `silent`: the external system does not answer.
 */
export type Fault = 'unreadable' | 'refused' | 'silent';

/** Codes of errors of `clients/`, of clouds and of the transport; an author's errors may have them, too. */
const refusedCodes = new Set(
  [
    'AuthenticationFailed NoToken NoCredentials invalid_grant invalid_client UNAUTHENTICATED',
    'InvalidClientTokenId InvalidAccessKeyId SignatureDoesNotMatch InvalidSignatureException IncompleteSignature',
    'UnrecognizedClientException AuthFailure ExpiredToken ExpiredTokenException MissingAuthenticationToken',
  ].flatMap((words) => words.split(' ')),
);
const silentCodes = new Set(
  [
    'Unreachable TimedOut ConnectionLost TlsFailed ECONNREFUSED ECONNRESET ENOTFOUND EAI_AGAIN EHOSTUNREACH',
    'ENETUNREACH ETIMEDOUT EPIPE UND_ERR_CONNECT_TIMEOUT UND_ERR_SOCKET UND_ERR_HEADERS_TIMEOUT',
  ].flatMap((words) => words.split(' ')),
);
const silentStatuses = new Set([502, 503, 504]);

/**
 * What an error of an external client tells of the provider, by its `code` and `status` or those of a cause; undefined:
 * nothing. A 403 is about what was asked for, a 429 and a 500 are answers.
 */
export function faultOf(error: unknown): Fault | undefined {
  if (apiErrorIn(error) !== undefined || bugIn(error) !== undefined) return undefined;
  for (let current = error; current instanceof Error; current = current.cause) {
    const { code, status } = current as { readonly code?: unknown; readonly status?: unknown };
    if (code === 'InvalidCredentials') return 'unreadable';
    if (status === 401 || (typeof code === 'string' && refusedCodes.has(code))) return 'refused';
    const isSilent = typeof status === 'number' && silentStatuses.has(status);
    if (isSilent || (typeof code === 'string' && silentCodes.has(code))) return 'silent';
  }
  return undefined;
}

/**
 * The same of an error that kept from connecting: what is not a failure of the API server or a bug is about the
 * credentials. A secret that it does not show us is one that we cannot read.
 */
export function faultOfConnecting(error: unknown): Fault | undefined {
  if (isForbidden(error)) return 'unreadable';
  if (apiErrorIn(error) !== undefined || bugIn(error) !== undefined) return undefined;
  return faultOf(error) ?? 'unreadable';
}

/** What an error says, without what the call was about: `cannot get instance "x": `. That differs, and the rest does not. */
export const wordsOf = (error: unknown): string =>
  messageOf(error).replace(/^cannot (?:[^":]|"[^"]*")+: /, '');
