/** An error answer of the Kubernetes API server, or a failure to reach it (`code` 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status, 0 when there was no answer. */
  readonly code: number;
  /** Kubernetes' machine-readable reason (`NotFound`, `AlreadyExists`, `Conflict`, `Expired`, …). */
  readonly reason: string;
  /** How long the server asked us to wait. */
  readonly retryAfterMs: number | undefined;

  /** `message` is the Status object's own message: stable, without headers or body. */
  constructor(
    message: string,
    options: { code: number; reason: string; retryAfterMs?: number | undefined; cause?: unknown },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.reason = options.reason;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The first ApiError in a chain of causes. */
export function apiErrorIn(error: unknown): ApiError | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof ApiError) return current;
  }
  return undefined;
}

export const isNotFound = (error: unknown): boolean => apiErrorIn(error)?.code === 404;
/** The object changed since it was read (409 Conflict; not AlreadyExists). */
export const isConflict = (error: unknown): boolean => {
  const found = apiErrorIn(error);
  return found?.code === 409 && found.reason !== 'AlreadyExists';
};
export const isAlreadyExists = (error: unknown): boolean => apiErrorIn(error)?.reason === 'AlreadyExists';
/** The resourceVersion or continue token is too old (410). */
export const isExpired = (error: unknown): boolean => apiErrorIn(error)?.code === 410;

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
