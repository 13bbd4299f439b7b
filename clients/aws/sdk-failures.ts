import type { STSClient, STSClientConfig } from '@aws-sdk/client-sts';

type RetryStrategy = Extract<
  NonNullable<STSClientConfig['retryStrategy']>,
  { acquireInitialRetryToken(...given: never[]): unknown }
>;
type Failure = Parameters<RetryStrategy['refreshRetryTokenForRetry']>[1];

/** A client as far as its errors can be watched. */
type Watched = Pick<STSClient, 'middlewareStack'>;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

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
  /** What was asked for, as AWS calls it: `RunInstances`. */
  actionOf(error: unknown): string | undefined;
  /** Has a client's errors known by what they were asked for. */
  watch(sdk: Watched): void;
}

/**
 * Has each attempt's error end the official client's call, and remembers what the client makes of it: when to try again,
 * and whether that is safe, is decided by who asked, in time that a clock tells.
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
