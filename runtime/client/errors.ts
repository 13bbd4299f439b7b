import type { Clock } from '../time/clock.ts';

/** The reason of an answer without a Status object: usually a page of a proxy. */
export const unknownReason = 'Unknown';

/** An error answer of the Kubernetes API server, or a failure to reach it (`code` 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status; 0 if there was no answer. */
  readonly code: number;
  /**
   * Kubernetes' machine-readable reason (`NotFound`, `AlreadyExists`, `Conflict`, `Expired`, …), or {@link unknownReason}
   * for an answer without a Status object.
   */
  readonly reason: string;
  /** The delay before a retry that the server asked for. */
  readonly retryAfterMs: number | undefined;
  /** Set if Secrets may not be used: their namespace (undefined: all), and whether a flag of this process forbids them. */
  readonly secretsOf: { readonly namespace?: string | undefined; readonly isExcluded: boolean } | undefined;

  /** `message` is the Status object's own message: stable, without headers or body. */
  constructor(
    message: string,
    options: {
      code: number;
      reason: string;
      retryAfterMs?: number | undefined;
      secretsOf?: ApiError['secretsOf'];
      cause?: unknown;
    },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.reason = options.reason;
    this.retryAfterMs = options.retryAfterMs;
    this.secretsOf = options.secretsOf;
  }
}

/** The first ApiError in a chain of causes. */
export function apiErrorIn(error: unknown): ApiError | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof ApiError) return current;
  }
  return undefined;
}

/**
 * Whether the API server itself gave this answer, as the reason in its Status object shows. The code is not enough: a
 * proxy may answer 404, 409 or 410 for its own reasons. Such an answer counts as a failure, like a 502.
 */
const says = (error: unknown, code: number, ...reasons: readonly string[]): boolean => {
  const found = apiErrorIn(error);
  return found?.code === code && reasons.includes(found.reason);
};

/** The object does not exist, as the API server says. Finalizers are removed and claims released on this answer only. */
export const isNotFound = (error: unknown): boolean => says(error, 404, 'NotFound');
/** RBAC or a webhook refuses the request. */
export const isForbidden = (error: unknown): boolean => says(error, 403, 'Forbidden');
/** The reason of a refusal to create an object because its namespace is being deleted. The API server has it as a cause. */
export const terminatingReason = 'NamespaceTerminating';
/** The API server refuses the creation because the namespace is being deleted. Its other objects are deleted next. */
export const isNamespaceTerminating = (error: unknown): boolean => says(error, 403, terminatingReason);
/**
 * The API server refuses the request whatever the state of the object: an admission webhook (400 or another code that it
 * chooses), a ValidatingAdmissionPolicy or definition (422), or RBAC (403). Only the message tells them apart.
 */
export const isRefused = (error: unknown): boolean => [400, 403, 422].includes(apiErrorIn(error)?.code ?? 0);
/** The error if RBAC forbids the use of Secrets, or if a flag of this process forbids it (then no request is sent). */
export const secretsRefused = (message: string, secretsOf: NonNullable<ApiError['secretsOf']>): ApiError =>
  new ApiError(message, { code: 403, reason: 'Forbidden', secretsOf });
/** The object changed since it was read. (AlreadyExists is another error.) */
export const isConflict = (error: unknown): boolean => says(error, 409, 'Conflict');
/** The conflict that the API server would report for a write of an outdated copy. For checks that write nothing. */
export const changedSinceRead = (): ApiError =>
  new ApiError('the object has been modified', { code: 409, reason: 'Conflict' });
/** The served definition of a kind lacks fields that guards need: this process must not act on the kind. */
export const definitionOutdated = (fields: readonly string[]): ApiError =>
  new ApiError(
    `its definition on the API server lacks ${fields.join(', ')}: install the definitions of this version`,
    { code: outdatedCode, reason: 'DefinitionOutdated' },
  );
/** The `code` of `definitionOutdated`. No list or watch is answered with it. */
export const outdatedCode = 422;
/** The object's definition, or a rule in it, refuses the object. */
export const isInvalid = (error: unknown): boolean => says(error, 422, 'Invalid');
/** An object with that name exists already. */
export const isAlreadyExists = (error: unknown): boolean => says(error, 409, 'AlreadyExists');
/** The resourceVersion or continue token is too old. */
export const isExpired = (error: unknown): boolean => says(error, 410, 'Expired', 'Gone');
/** Whether a retry may succeed: no answer, too many requests, a server error, or an answer that is not the API server's. */
export const isTransient = (error: unknown): boolean => {
  const found = apiErrorIn(error);
  if (found === undefined) return false;
  const { code, reason } = found;
  return code === 0 || code === 429 || code >= 500 || reason === unknownReason;
};

/** Reasons of errors without an answer that concern one request only. */
const singleRequestCodes: ReadonlySet<string> = new Set([
  'Aborted',
  'InvalidAnswer',
  'InvalidWatchEvent',
  'LeaseExpired',
]);
/** Errors of a server that stops or is down. They count as one cause, because chance decides which of them occurs. */
const withoutConnection: ReadonlySet<string> = new Set([
  'ConnectionClosed',
  'ConnectionFailed',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
]);

/**
 * Whether every request fails like this at present: the API server does not answer, or refuses the credentials of this
 * process, or a proxy answers instead of it.
 */
export function isOutage(error: unknown): boolean {
  const { code = 404, reason = '' } = apiErrorIn(error) ?? {};
  return (
    code === 401 ||
    (code === 0 && !singleRequestCodes.has(reason)) ||
    (code >= 500 && reason === unknownReason)
  );
}

/** The cause of a failed request, without its object: equal for requests that fail for the same reason. */
export function causeOf(error: unknown): string {
  const found = apiErrorIn(error);
  if (found === undefined) return messageOf(error);
  return `${found.code} ${withoutConnection.has(found.reason) ? 'no connection' : found.reason}`;
}

/** How long a cause is known after its last failure: longer than any delay between two attempts, in ms. */
const causeKnownMs = 300_000;

/** The causes of failures that many kinds or objects have at the same time, such as an outage of the API server. */
export interface KnownCauses {
  /** Whether a failure with this cause was added in the last five minutes, and the causes were not cleared since. */
  has(cause: string): boolean;
  add(cause: string): void;
  clear(): void;
}

/** Creates an empty set of known causes. */
export function createKnownCauses(clock: Pick<Clock, 'elapsedMs'>): KnownCauses {
  const addedAtMs = new Map<string, number>();
  return {
    has: (cause) => clock.elapsedMs() - (addedAtMs.get(cause) ?? Number.NEGATIVE_INFINITY) < causeKnownMs,
    add: (cause) => void addedAtMs.set(cause, clock.elapsedMs()),
    clear: () => addedAtMs.clear(),
  };
}

const leaseExpiredReason = 'LeaseExpired';
/** The error of a request that was not sent, because this process may no longer be the leader. */
export const leaseExpired = (message: string): ApiError =>
  new ApiError(message, { code: 0, reason: leaseExpiredReason });
/**
 * The leadership was interrupted: a request that only the leader may send was not sent. It is tried again once the Lease is
 * renewed, by this or another process. It is not a failure, so it is not reported on the object.
 */
export const isInterrupted = (error: unknown): boolean => says(error, 0, leaseExpiredReason);

/** The message of anything that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Awaits `promise`. Its error is rethrown as `cannot verb object: cause`. The cause is kept, so that `isConflict` and the
 * other checks work on the new error.
 */
export async function annotate<T>(what: string, promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    throw new Error(`${what}: ${messageOf(error)}`, { cause: error });
  }
}
