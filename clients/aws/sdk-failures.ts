import type { STSClientConfig } from '@aws-sdk/client-sts';

type RetryStrategy = Extract<
  NonNullable<STSClientConfig['retryStrategy']>,
  { acquireInitialRetryToken(...given: never[]): unknown }
>;
type Failure = Parameters<RetryStrategy['refreshRetryTokenForRetry']>[1];

/** What the official client makes of the error of an attempt. */
export interface SdkFailure {
  readonly type: Failure['errorType'];
  /** When the service wants to be asked again. */
  readonly retryAfter: Date | undefined;
}

/** What the official client knows of errors, and that it tries nothing again by itself. */
export interface SdkFailures {
  readonly strategy: RetryStrategy;
  /** Undefined of an error that was no answer to a request. */
  of(error: unknown): SdkFailure | undefined;
}

/**
 * Has each attempt's error end the official client's call, and remembers what the client makes of it: when to try again,
 * and whether that is safe, is decided by who asked, in time that a clock tells.
 */
export function sdkFailures(): SdkFailures {
  const known = new WeakMap<object, SdkFailure>();
  const token = { getRetryCount: () => 0, getRetryDelay: () => 0, getRetryCost: () => undefined };
  return {
    strategy: {
      acquireInitialRetryToken: async () => token,
      async refreshRetryTokenForRetry(_token, { error, errorType: type, retryAfterHint: retryAfter }) {
        if (typeof error === 'object' && error !== null) known.set(error, { type, retryAfter });
        throw new Error('nothing is tried again here');
      },
      recordSuccess() {},
    } satisfies RetryStrategy,
    of: (error) => (typeof error === 'object' && error !== null ? known.get(error) : undefined),
  };
}
