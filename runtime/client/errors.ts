/** The reason of an answer that is no Status object of the API server: a page of a proxy, most often. */
export const unknownReason = 'Unknown';

/** An error answer of the Kubernetes API server, or a failure to reach it (`code` 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status, 0 when there was no answer. */
  readonly code: number;
  /**
   * Kubernetes' machine-readable reason (`NotFound`, `AlreadyExists`, `Conflict`, `Expired`, …), or {@link unknownReason}
   * for an answer without a Status object.
   */
  readonly reason: string;
  /** How long the server asked us to wait. */
  readonly retryAfterMs: number | undefined;
  /** Set where Secrets may not be used: of which namespace (undefined: all), and whether a flag of this process says so. */
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
 * What the API server itself says of a request, by its Status object's reason. A status code alone proves nothing: a
 * proxy in between answers 404, 409 and 410, too, about things of its own. Such an answer is a failure like a 502.
 */
const says = (error: unknown, code: number, ...reasons: readonly string[]): boolean => {
  const found = apiErrorIn(error);
  return found?.code === code && reasons.includes(found.reason);
};

/** The object does not exist: the API server's own word, on which others are let go and finalizers removed. */
export const isNotFound = (error: unknown): boolean => says(error, 404, 'NotFound');
/** RBAC, or a webhook, does not let us. */
export const isForbidden = (error: unknown): boolean => says(error, 403, 'Forbidden');
/** That Secrets may not be used, by RBAC or, without a request, by a flag of this process. */
export const secretsRefused = (message: string, secretsOf: NonNullable<ApiError['secretsOf']>): ApiError =>
  new ApiError(message, { code: 403, reason: 'Forbidden', secretsOf });
/** The object changed since it was read (not AlreadyExists). */
export const isConflict = (error: unknown): boolean => says(error, 409, 'Conflict');
/** What the API server would say to a write that is made of an older copy, for what no write comes before. */
export const changedSinceRead = (): ApiError =>
  new ApiError('the object has been modified', { code: 409, reason: 'Conflict' });
/** The object may not be as it was to be: its definition, or a rule, refuses it. */
export const isInvalid = (error: unknown): boolean => says(error, 422, 'Invalid');
/** There is an object of that name. */
export const isAlreadyExists = (error: unknown): boolean => says(error, 409, 'AlreadyExists');
/** The resourceVersion or continue token is too old. */
export const isExpired = (error: unknown): boolean => says(error, 410, 'Expired', 'Gone');
/** Whether the same request may be answered better by and by: no answer, too much asked, or not the API server's answer. */
export const isTransient = (error: unknown): boolean => {
  const found = apiErrorIn(error);
  if (found === undefined) return false;
  const { code, reason } = found;
  return code === 0 || code === 429 || code >= 500 || reason === unknownReason;
};

const leaseExpiredReason = 'LeaseExpired';
/** What a process that may not lead any more keeps back is told with: nothing was sent. */
export const leaseExpired = (message: string): ApiError =>
  new ApiError(message, { code: 0, reason: leaseExpiredReason });
/**
 * The leadership was interrupted: what only the leader may do was kept back, and is tried again once the lease is renewed,
 * here or elsewhere. Nobody's failure, so that nobody is told of it.
 */
export const isInterrupted = (error: unknown): boolean => says(error, 0, leaseExpiredReason);
/** Whether a write that failed may have been carried out all the same, as one whose answer was lost. */
export const mayBeDone = (error: unknown): boolean => isTransient(error) && !isInterrupted(error);

/** The text of anything thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Awaits `promise`; its error is rethrown as `cannot verb object: cause` with the cause kept, so that
 * classification (`isConflict`, …) sees through it.
 */
export async function annotate<T>(what: string, promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    throw new Error(`${what}: ${messageOf(error)}`, { cause: error });
  }
}
