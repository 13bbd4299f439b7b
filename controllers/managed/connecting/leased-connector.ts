import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Clock } from '../../../runtime/time/clock.ts';
import type { ExternalConnector } from './external-client.ts';
import { UncertainCreationError } from './external-client.ts';
import type { Around } from './wrap-calls.ts';
import { wrapConnector } from './wrap-calls.ts';

/**
 * Allows external calls only while this process holds the leader lease. When the lease ends, a running call fails, even
 * if the client ignores the signal of the call. Each renewal of the lease gives a running call more time.
 */
export function leasedConnector<M extends Managed>(
  connector: ExternalConnector<M>,
  { clock, checkLease }: Pick<Environment, 'clock' | 'checkLease'>,
): ExternalConnector<M> {
  if (checkLease === undefined) return connector;
  const whileLeading: Around = async (call, signal, operation) => {
    if (signal === undefined) return call();
    const leftMs = checkLease();
    if (leftMs === Number.POSITIVE_INFINITY) return call(signal); // no leader election
    const ended = new AbortController();
    const lease = endOf(checkLease, leftMs, clock, ended.signal).catch((error: unknown) => {
      const message = 'the lease ended before the external system answered';
      throw operation === 'create' ? new UncertainCreationError(message, { cause: error }) : error;
    });
    try {
      return await Promise.race([call(AbortSignal.any([signal, ended.signal])), lease]);
    } finally {
      ended.abort();
    }
  };
  return wrapConnector(connector, () => whileLeading);
}

async function endOf(
  checkLease: () => number,
  leftMs: number,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
): Promise<never> {
  for (let nextMs = leftMs; ; nextMs = checkLease()) await clock.sleep(nextMs, signal);
}
