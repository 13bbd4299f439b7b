import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import type { ExternalErrorClass } from '../../../../clients/external-error.ts';
import { errorClassOf } from '../../../../clients/external-error.ts';
import { isInterrupted } from '../../../../runtime/client/errors.ts';
import type { Clock } from '../../../../runtime/time/clock.ts';
import type { Operation } from './around-calls.ts';
import { aroundCalls } from './around-calls.ts';
import type { ExternalConnector } from './external-client.ts';

/** One call of an external system that has ended. */
export interface ExternalCall {
  readonly managed: Managed;
  readonly operation: Operation;
  /** The class of the error of a call that failed; absent: it succeeded. */
  readonly errorClass?: ExternalErrorClass;
  /** Without the wait for its turn. */
  readonly durationMs: number;
  /** Of a look that found something: it is as it should be. */
  readonly isUpToDate?: boolean;
}

/** Told of each external call, for metrics, but not of those that were kept back. Must not throw. */
export type CallObserver = (call: ExternalCall) => void;

/** A connector that tells of each call, its own and those of its clients. */
export function observedConnector<M extends Managed>(
  connector: ExternalConnector<M>,
  observe: CallObserver | undefined,
  clock: Pick<Clock, 'elapsedMs'>,
): ExternalConnector<M> {
  if (observe === undefined) return connector;
  const timed = async <T>(managed: M, operation: Operation, call: () => Promise<T>): Promise<T> => {
    const startedAtMs = clock.elapsedMs();
    const told = (facts: Pick<ExternalCall, 'errorClass' | 'isUpToDate'>): void =>
      observe({ managed, operation, durationMs: clock.elapsedMs() - startedAtMs, ...facts });
    try {
      const answer = await call();
      told(operation === 'observe' ? upToDate(answer) : {});
      return answer;
    } catch (error) {
      if (!isInterrupted(error)) told({ errorClass: errorClassOf(error) });
      throw error;
    }
  };
  return {
    async connect(managed, signal) {
      const client = await timed(managed, 'connect', () => connector.connect(managed, signal));
      return aroundCalls(client, (call, _signal, operation) => timed(managed, operation, call));
    },
  };
}

/** What a look says of it, if it found something. */
function upToDate(answer: unknown): Pick<ExternalCall, 'isUpToDate'> {
  const { exists, isUpToDate } = (answer ?? {}) as {
    readonly exists?: boolean;
    readonly isUpToDate?: boolean;
  };
  return exists === true && isUpToDate !== undefined ? { isUpToDate } : {};
}
