import { advice } from './advice.ts';
import { CloudError, HaltedError } from './cloud-error.ts';
import type { Advice, ExternalErrorClass } from './external-error.ts';
import { codeIn } from './external-error.ts';
import { tlsFailure } from './tls-failure.ts';
import { withoutSecrets } from './without-secrets.ts';

/** A failed request. */
export interface FailureContext {
  readonly cloud: string;
  readonly what: string;
  readonly origin: string;
  /** The name of the credential in messages: `the token`. */
  readonly proof: string;
  /** Secrets that no message may contain. */
  readonly secrets: readonly string[];
  /** Reads the cloud's code and message from the JSON of an error answer. */
  readonly errorIn?: (answer: unknown) => VendorError;
  /** The classes of the cloud's codes that are more precise than the HTTP status. */
  readonly errorClasses?: Readonly<Record<string, ExternalErrorClass>>;
}

/** The content of a cloud's error answer. */
export interface VendorError {
  /** The cloud's code, such as `InstanceNotFound`, `Throttling.User` or `Not Found`. Other text than plain words is dropped. */
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  /** The wrong part of the request, by the cloud's name. */
  readonly fields?: readonly string[];
  /** Used where code and status do not show the class. */
  readonly errorClass?: ExternalErrorClass;
  readonly advice?: Advice;
}

/** These statuses justify another attempt. A user must fix the others. */
const passingStatuses = new Set([408, 425, 429, 500, 502, 503, 504]);
const longestMessage = 500;

/** A CloudError for an error answer. It has the cloud's code and message, if the answer has them as JSON. */
export function cloudRefusal(
  status: number,
  text: string,
  retryAfterMs: number | undefined,
  context: FailureContext,
): CloudError {
  const { cloud, what, origin, proof, errorIn = plainErrorIn, errorClasses = {} } = context;
  const { code, message, fields = [], errorClass, advice: given } = wordsIn(text, errorIn);
  const detail = message === undefined ? '' : `: ${stable(message, context.secrets)}`;
  const reasons: Readonly<Record<number, string>> = {
    401: `${cloud} (${origin}) refused ${proof}`,
    403: `${cloud} (${origin}) does not allow it`,
    429: `${cloud} (${origin}) is limiting requests`,
  };
  // An answer that is not in the cloud's format may come from a gateway.
  const reason =
    reasons[status] ??
    `${cloud} (${origin})${code === undefined ? ', or a gateway before it,' : ''} answered`;
  return new CloudError(
    `cannot ${what}: ${reason} (${status}${code === undefined ? '' : ` ${code}`})${detail}`,
    {
      status,
      code: code ?? `Http${status}`,
      isRetryable: passingStatuses.has(status),
      retryAfterMs,
      fields,
      advice: given,
      errorClass: errorClass ?? (code === undefined ? undefined : errorClasses[code]),
    },
  );
}

const refused = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ProxyRefused',
  'ProxyUnreachable',
];
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'name not found',
  EAI_AGAIN: 'name cannot be looked up',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'no route to network',
  UND_ERR_CONNECT_TIMEOUT: 'connecting timed out',
  ProxyRefused: 'the proxy refused the connection',
  ProxyUnreachable: 'the proxy does not answer',
};

/**
 * A CloudError for a request without an answer. A HaltedError is returned as it is. Messages of the transport contain
 * ports and addresses, so only codes are used.
 */
export function transportFailure(error: unknown, { cloud, what, origin }: FailureContext): CloudError {
  if (error instanceof HaltedError) return error; // guard: otherwise a creation that was not sent counts as uncertain
  const code = codeIn(error);
  const where = `cannot ${what}: ${cloud} (${origin})`;
  if (code !== undefined && refused.includes(code)) {
    const message = `${where} is unreachable: ${words[code] ?? code}`;
    return new CloudError(message, { status: 0, code: 'Unreachable', isRetryable: true });
  }
  if (code !== undefined && /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/.test(code)) {
    const message = `${where} does not answer in TLS: ${advice.correctUrl} (${code})`;
    return new CloudError(message, { status: 0, code: 'TlsFailed', isRetryable: false });
  }
  const insecure = tlsFailure(code, { trust: advice.trustAuthority });
  if (insecure !== undefined) {
    const message = `${where} has no certificate that is trusted: ${insecure}`;
    return new CloudError(message, { status: 0, code: 'TlsFailed', isRetryable: false });
  }
  const message = `${where} closed the connection before it answered`;
  return new CloudError(message, { status: 0, code: 'ConnectionLost', isRetryable: true });
}

function wordsIn(text: string, errorIn: (answer: unknown) => VendorError): VendorError {
  let words: VendorError;
  try {
    words = errorIn(JSON.parse(text));
  } catch {
    return {}; // a condition must not show the text of a proxy
  }
  const { code, message, fields, errorClass, advice: given } = words;
  return {
    ...(fields !== undefined && { fields }),
    ...(errorClass !== undefined && { errorClass }),
    ...(given !== undefined && { advice: given }),
    code: typeof code === 'string' && /^\w[\w .-]{0,63}$/.test(code) ? code : undefined,
    message: typeof message === 'string' && message !== '' ? message : undefined,
  };
}

const plainErrorIn = (answer: unknown): VendorError =>
  (answer as { readonly error?: VendorError | null } | null)?.error ?? {};

/** A CloudError for a token that could not be obtained. The request was not sent. */
export function noToken(error: unknown, { cloud, what, origin, secrets }: FailureContext): CloudError {
  const why = stable(error instanceof Error ? error.message : String(error), secrets);
  return new CloudError(`cannot ${what}: there is no token for ${cloud} (${origin}): ${why}`, {
    status: 0,
    code: 'NoToken',
    isRetryable: true,
  });
}

/** The escape sequences that color the text of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it is about
const colour = /\u001b\[[0-?]*[ -/]*[@-~]/g;

/** A cloud's message on one line, without secrets and without the parts that differ from call to call. */
export function stable(message: string, secrets: readonly string[]): string {
  const settled = withoutSecrets(message, secrets)
    .replace(colour, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replace(/\brequest[ _-]?id[ :="']*[\w-]+/gi, 'request id …')
    .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)?/g, '…');
  return settled.length > longestMessage ? `${settled.slice(0, longestMessage)}…` : settled;
}
