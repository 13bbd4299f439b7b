import type { Advice, ErrorFacts, ExternalErrorClass, Holder } from './external-error.ts';
import { classOfStatus } from './external-error.ts';

/** Any failure of a call of a cloud. `message` is stable and without secrets, so a condition may show it. */
export class CloudError extends Error implements ErrorFacts {
  override readonly name = 'CloudError';
  /** Default: by the code, if it is a {@link CloudErrorCode}, else by the status. */
  readonly errorClass: ExternalErrorClass;
  readonly advice: Advice | undefined;
  readonly holder: Holder | undefined;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly code: CloudErrorCode;
  /** Whether the same call may succeed later without a change of the request or the credentials. */
  readonly isRetryable: boolean;
  /** The time that the cloud asked us to wait. */
  readonly retryAfterMs: number | undefined;
  /** The cloud's id of the request, for its support. No message contains it, because it differs each time. */
  readonly requestId: string | undefined;
  /** The part of the request that the cloud refuses, by the cloud's name: `instance.memory_size_gb`. */
  readonly fields: readonly string[];
  /**
   * The request named a place that these credentials do not have, for example a region that does not exist. They have
   * no resources there.
   */
  readonly isNowhere: boolean;

  /** `cause` is left out: errors of the transport may contain the request. */
  constructor(
    message: string,
    options: {
      readonly status: number;
      readonly code: CloudErrorCode;
      readonly isRetryable: boolean;
      readonly retryAfterMs?: number | undefined;
      readonly requestId?: string | undefined;
      readonly fields?: readonly string[];
      readonly isNowhere?: boolean;
      readonly errorClass?: ExternalErrorClass | undefined;
      readonly advice?: Advice | undefined;
      readonly holder?: Holder | undefined;
    },
  ) {
    super(message);
    this.errorClass = options.errorClass ?? classOfCode[options.code] ?? classOfStatus(options.status);
    this.advice = options.advice;
    this.holder = options.holder;
    this.status = options.status;
    this.code = options.code;
    this.isRetryable = options.isRetryable;
    this.retryAfterMs = options.retryAfterMs;
    this.requestId = options.requestId;
    this.fields = options.fields ?? [];
    this.isNowhere = options.isNowhere ?? false;
  }
}

/** An answer that cannot be used. The request is not repeated. */
export const invalidAnswer = (message: string): CloudError =>
  new CloudError(message, { status: 200, code: 'InvalidAnswer', isRetryable: false });

/** An answer that is not in the documented format. */
export const nonsense = (what: string, why: string): CloudError =>
  invalidAnswer(`cannot ${what}: the answer makes no sense: ${why}`);

/** A request that this process did not send. `cause` is the reason, and is no failure of the cloud. */
export class HaltedError extends CloudError {
  override readonly cause: Error;
  /** The error of the attempt before, if this was to be a repetition. */
  readonly before: CloudError | undefined;

  constructor(cause: Error, before?: CloudError) {
    super(cause.message, { status: 0, code: 'Halted', isRetryable: false });
    this.cause = cause;
    this.before = before;
  }
}

/**
 * The cloud's own code (`AlreadyExists`, `InvalidArgument`, …), `Http<status>` if it gave none, or:
 * - `Unreachable`: no connection.
 * - `ConnectionLost`: no answer to a request that was sent. The cloud may have carried it out.
 * - `TimedOut`: the same, after the timeout.
 * - `TlsFailed`: the server's certificate is not trusted, or the server does not speak TLS.
 * - `NoToken`: there was no token for the request.
 * - `InvalidAnswer`: the answer cannot be parsed.
 * - `InvalidCredentials`: the credentials cannot be parsed.
 * - `NoCredentials`: the environment of the process has no credentials.
 * - `Halted`: the process stopped its requests; this one was not sent.
 */
export type CloudErrorCode =
  | 'Unreachable'
  | 'ConnectionLost'
  | 'TimedOut'
  | 'TlsFailed'
  | 'NoToken'
  | 'InvalidAnswer'
  | 'InvalidCredentials'
  | (string & {});

/** The classes of our own codes. */
const classOfCode: Readonly<Record<string, ExternalErrorClass>> = {
  Unreachable: 'Unreachable',
  ConnectionLost: 'Unreachable',
  TimedOut: 'Unreachable',
  TlsFailed: 'TlsFailed',
  NoToken: 'CredentialsRefused',
  NoCredentials: 'CredentialsRefused',
  InvalidCredentials: 'Invalid',
  InvalidName: 'Invalid',
  InvalidRequest: 'Invalid',
  NoRegion: 'Invalid',
};

const statusOf = (error: unknown): number | undefined =>
  error instanceof CloudError ? error.status : undefined;

/**
 * Whether the cloud itself answers that a resource does not exist: a 404 with `code`, its own code for it. Any other
 * 404 comes from a gateway, a wrong path or another server. It proves nothing about the resource.
 */
export const isMissing = (error: unknown, code: CloudErrorCode | readonly CloudErrorCode[]): boolean =>
  // guard: otherwise a bare 404 proves absence
  error instanceof CloudError && error.status === 404 && [code].flat().includes(error.code);

/**
 * Whether the request named a place in which these credentials can have no resources; see {@link CloudError.isNowhere}.
 */
export const isNowhere = (error: unknown): boolean => error instanceof CloudError && error.isNowhere;

export const isConflicting = (error: unknown): boolean => statusOf(error) === 409;

/**
 * The refusal of a creation because the resource exists, which the cloud does not show. In most cases an attempt of ours
 * created it, and reads lag behind: a later read shows it.
 */
export function existsUnshown(refusal: unknown): unknown {
  if (!(refusal instanceof CloudError)) return refusal;
  const { message, status, code, requestId } = refusal;
  return new CloudError(`${message}; the cloud does not show it yet`, {
    status,
    code,
    requestId,
    isRetryable: false,
    errorClass: 'NotReady',
  });
}

/**
 * Whether the cloud may have carried out a request although it did not report success. The answer was lost, cannot be
 * parsed, or is an internal error of the cloud. A cloud that answers 503 did not begin.
 */
export const isUncertain = (error: unknown): boolean =>
  error instanceof CloudError &&
  ((error instanceof HaltedError && isUncertain(error.before)) || // guard: otherwise an uncertain creation counts as failed
    ['ConnectionLost', 'TimedOut', 'InvalidAnswer'].includes(error.code) ||
    error.status === 408 ||
    (error.status >= 500 && error.status !== 503));
