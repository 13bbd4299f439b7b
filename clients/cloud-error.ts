import type { Advice, ErrorFacts, ExternalErrorClass, Holder } from './external-error.ts';
import { classOfStatus } from './external-error.ts';

/** Anything that went wrong with a cloud. `message` is stable and without secrets: fit for a condition. */
export class CloudError extends Error implements ErrorFacts {
  override readonly name = 'CloudError';
  /** Default: by the code, if that is one of {@link CloudErrorCode}, else by the status. */
  readonly errorClass: ExternalErrorClass;
  readonly advice: Advice | undefined;
  readonly holder: Holder | undefined;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly code: CloudErrorCode;
  /** Whether the same call may succeed later without anybody changing the request or the credentials. */
  readonly isRetryable: boolean;
  /** How long the cloud asked us to wait. */
  readonly retryAfterMs: number | undefined;
  /** What the cloud calls the request, for its support; it differs each time, so no message holds it. */
  readonly requestId: string | undefined;
  /** What of the request the cloud says is wrong, as it calls that: `instance.memory_size_gb`. */
  readonly fields: readonly string[];
  /** It was sent to no place that these credentials have, as a region that there is not: nothing of theirs is there. */
  readonly isNowhere: boolean;

  /** `cause` is left out: the errors of the transport may carry what was sent. */
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

/** An answer that cannot be used, and is not asked for again. */
export const invalidAnswer = (message: string): CloudError =>
  new CloudError(message, { status: 200, code: 'InvalidAnswer', isRetryable: false });

/** An answer that is not what the API documents. */
export const nonsense = (what: string, why: string): CloudError =>
  invalidAnswer(`cannot ${what}: the answer makes no sense: ${why}`);

/** A request that was kept back: `cause` says why, and is no failure of the cloud. Nothing was sent. */
export class HaltedError extends CloudError {
  override readonly cause: Error;
  /** How the attempt before it failed, whose repetition it was. */
  readonly before: CloudError | undefined;

  constructor(cause: Error, before?: CloudError) {
    super(cause.message, { status: 0, code: 'Halted', isRetryable: false });
    this.cause = cause;
    this.before = before;
  }
}

/**
 * The cloud's own code (`AlreadyExists`, `InvalidArgument`, …), `Http<status>` where it gave none, or:
 * - `Unreachable`: no connection.
 * - `ConnectionLost`: no answer to what was sent, so that nobody knows whether it was done.
 * - `TimedOut`: the same, after waiting.
 * - `TlsFailed`: the server's certificate is not trusted, or it speaks no TLS.
 * - `NoToken`: there was no token to send it with.
 * - `InvalidAnswer`: an answer that does not make sense.
 * - `InvalidCredentials`: credentials that cannot be read.
 * - `NoCredentials`: the place that the process runs in gives it none.
 * - `Halted`: the process keeps requests back; this one was not sent.
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
  TlsFailed: 'Unreachable',
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
 * Whether the cloud itself says that something does not exist: a 404 with `code`, its own word for it, or one of them. Any
 * other 404 is that of a gateway, a wrong path or another server, and says nothing about what the cloud holds.
 */
export const isMissing = (error: unknown, code: CloudErrorCode | readonly CloudErrorCode[]): boolean =>
  error instanceof CloudError && error.status === 404 && [code].flat().includes(error.code);

/** Whether it was about a place in which nothing of these credentials can be; see {@link CloudError.isNowhere}. */
export const isNowhere = (error: unknown): boolean => error instanceof CloudError && error.isNowhere;

export const isConflicting = (error: unknown): boolean => statusOf(error) === 409;

/**
 * Whether the cloud may have done what it was asked although it did not say so: the answer was lost, makes no
 * sense, or is an error of the cloud's own. 503 is that of a cloud which did not begin.
 */
export const isUncertain = (error: unknown): boolean =>
  error instanceof CloudError &&
  ((error instanceof HaltedError && isUncertain(error.before)) ||
    ['ConnectionLost', 'TimedOut', 'InvalidAnswer'].includes(error.code) ||
    error.status === 408 ||
    (error.status >= 500 && error.status !== 503));
