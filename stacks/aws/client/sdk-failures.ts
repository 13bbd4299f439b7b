import type { STSClient, STSClientConfig } from '@aws-sdk/client-sts';

type RetryStrategy = Extract<
  NonNullable<STSClientConfig['retryStrategy']>,
  { acquireInitialRetryToken(...given: never[]): unknown }
>;
type Failure = Parameters<RetryStrategy['refreshRetryTokenForRetry']>[1];

/** A client of the SDK, as far as its errors can be observed. */
type Watched = Pick<STSClient, 'middlewareStack'>;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The official client's classification of the error of an attempt. */
export interface SdkFailure {
  readonly type: Failure['errorType'];
  /** The time at which the service accepts another attempt. */
  readonly retryAfter: Date | undefined;
}

/** A middleware that records the official client's classification of errors, and prevents its own repeated attempts. */
export interface SdkFailures {
  readonly strategy: RetryStrategy;
  /** Undefined for an error that is no answer to a request. */
  of(error: unknown): SdkFailure | undefined;
  /** The operation, by its name in AWS: `RunInstances`. */
  actionOf(error: unknown): string | undefined;
  /** Records the errors of a client with their operations. */
  watch(sdk: Watched): void;
}

/**
 * A retry strategy that ends the official client's call after each failed attempt, and records the classification. The
 * caller decides whether and when to try again, by its own clock.
 */
export function sdkFailures(): SdkFailures {
  const known = new WeakMap<object, SdkFailure>();
  const actions = new WeakMap<object, string>();
  const token = { getRetryCount: () => 0, getRetryDelay: () => 0, getRetryCost: () => undefined };
  return {
    strategy: {
      acquireInitialRetryToken: async () => token,
      async refreshRetryTokenForRetry(_token, { error, errorType: type, retryAfterHint: retryAfter }) {
        if (isObject(error)) known.set(error, { type, retryAfter });
        throw new Error('nothing is tried again here');
      },
      recordSuccess() {},
    } satisfies RetryStrategy,
    of: (error) => (isObject(error) ? known.get(error) : undefined),
    actionOf: (error) => (isObject(error) ? actions.get(error) : undefined),
    watch({ middlewareStack }) {
      middlewareStack.add(
        (next, { commandName }) =>
          async (args) => {
            try {
              return await next(args);
            } catch (error) {
              if (isObject(error) && commandName !== undefined)
                actions.set(error, commandName.replace(/Command$/, ''));
              throw error;
            }
          },
        { step: 'initialize', name: 'services-stack-action' },
      );
    },
  };
}
