import { advice } from './advice.ts';
import { codeIn } from './external-error.ts';
import { tlsFailure } from './tls-failure.ts';
import { withoutSecrets } from './without-secrets.ts';

/**
 * - `Unreachable`: no answer.
 * - `Sealed`: the server answers that it is sealed, or not initialised.
 * - `PermissionDenied`: the token is wrong, expired or not allowed to do this.
 * - `NotFound`: no KV v2 engine serves the path.
 * - `Conflict`: the secret changed since it was read.
 * - `Throttled`: too many requests.
 * - `Invalid`: the request cannot be carried out as it is.
 * - `Failed`: anything else.
 */
export type VaultErrorCode =
  | 'Unreachable'
  | 'Sealed'
  | 'PermissionDenied'
  | 'NotFound'
  | 'Conflict'
  | 'Throttled'
  | 'Invalid'
  | 'Failed';

/** Any failure of a call of Vault. `message` is stable and without secrets, so a condition may show it. */
export class VaultError extends Error {
  override readonly name = 'VaultError';
  readonly code: VaultErrorCode;

  constructor(message: string, { code }: { readonly code: VaultErrorCode }) {
    super(message);
    this.code = code;
  }
}

export interface VaultErrorContext {
  readonly origin: string;
  readonly mountPath: string;
  /** The Vault namespace of the requests. */
  readonly namespace?: string | undefined;
  /** Secrets that no message may contain: the token, and the values of the data in the request. */
  readonly secrets: readonly string[];
}

/** The error for an answer that is no success. `errors` are Vault's own; absent: the answer is not from Vault. */
export function refusal(
  status: number,
  errors: readonly string[] | undefined,
  context: VaultErrorContext,
): VaultError {
  const { origin, mountPath } = context;
  const words = (errors ?? []).join('; ');
  const where = context.namespace ? `Vault ${origin}, namespace ${context.namespace},` : `Vault ${origin}`;
  if (status === 503 && /sealed/i.test(words)) {
    return new VaultError(`${where} is sealed; ${advice.unsealVault}`, { code: 'Sealed' });
  }
  if ((status === 503 || status === 501) && /not initialized/i.test(words)) {
    return new VaultError(`${where} is not initialised`, { code: 'Sealed' });
  }
  if (status === 403) {
    const message = `${where} refused the token for ${mountPath}: it is wrong, expired, or its policies do not allow this`;
    return new VaultError(message, { code: 'PermissionDenied' });
  }
  if (status === 404 && errors === undefined) {
    return new VaultError(`${where}, or a gateway before it, answered 404`, { code: 'Failed' });
  }
  if (status === 404) {
    return new VaultError(
      `${where} has no KV v2 secrets engine at ${mountPath}; ${advice.correctMount}, or ${advice.enableEngine(mountPath)}`,
      { code: 'NotFound' },
    );
  }
  if (status === 400 && /check-and-set/.test(words)) {
    return new VaultError(
      `the secret at ${mountPath} of ${where} was changed by another client at the same time`,
      {
        code: 'Conflict',
      },
    );
  }
  if (status === 429)
    return new VaultError(`${where} allows no more requests for now`, { code: 'Throttled' });
  const text = scrubbed(words, context);
  const code = status >= 400 && status < 500 ? 'Invalid' : 'Failed';
  return new VaultError(`${where} answered ${status}${text === '' ? '' : `: ${text}`}`, { code });
}

/** An engine that the mount path names instead of KV v2. `type` and `version` are Vault's own words. */
export function otherEngine(
  type: string,
  version: string | undefined,
  { origin, mountPath }: VaultErrorContext,
): VaultError | undefined {
  if (type === 'kv' && version === '2') return undefined;
  const message =
    type === 'kv'
      ? `${mountPath} of Vault ${origin} is a KV engine of version 1; ${advice.enableVersioning(mountPath)}`
      : `${mountPath} of Vault ${origin} is no KV engine; ${advice.correctMount}`;
  return new VaultError(message, { code: 'Invalid' });
}

/** The error for a success that is not in Vault's format. */
export const nonsense = ({ origin }: VaultErrorContext): VaultError =>
  new VaultError(`Vault ${origin}, or a gateway before it, answered with something that makes no sense`, {
    code: 'Failed',
  });

/** The error for a request without an answer. `timeoutMs` is set if the answer did not arrive in time. */
export function unreachable(
  error: unknown,
  timeoutMs: number | undefined,
  context: VaultErrorContext,
): VaultError {
  const { origin } = context;
  if (timeoutMs !== undefined) {
    return new VaultError(`Vault ${origin} did not answer within ${timeoutMs} ms`, { code: 'Unreachable' });
  }
  const insecure = tlsFailure(codeIn(error), { trust: advice.putCaBundle });
  if (insecure !== undefined) {
    return new VaultError(`Vault ${origin} has no certificate that is trusted: ${insecure}`, {
      code: 'Unreachable',
    });
  }
  const cause =
    error instanceof Error ? ((error as { readonly code?: string }).code ?? error.message) : 'unknown';
  return new VaultError(`Vault ${origin} cannot be reached: ${scrubbed(cause, context)}`, {
    code: 'Unreachable',
  });
}

/** One line, without secrets that a proxy or server may repeat. */
const scrubbed = (text: string, { secrets }: VaultErrorContext): string =>
  withoutSecrets(text, secrets).replace(/\s+/g, ' ').slice(0, 300);
