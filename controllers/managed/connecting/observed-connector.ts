import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { ExternalErrorClass } from '../../../clients/external-error.ts';
import { errorClassOf } from '../../../clients/external-error.ts';
import { isInterrupted } from '../../../runtime/client/errors.ts';
import type { Clock } from '../../../runtime/time/clock.ts';
import type { ExternalConnector } from './external-client.ts';
import type { Operation } from './wrap-calls.ts';
import { wrapConnector } from './wrap-calls.ts';

/** A finished call to an external system. */
export interface ExternalCall {
  readonly managed: Managed;
  readonly operation: Operation;
  /** Absent: the call succeeded. */
  readonly errorClass?: ExternalErrorClass;
  /** The duration of the call, without the delay of the rate limit. */
  readonly durationMs: number;
  /** Whether the external resource matches the spec. Absent: the call was no observation, or found nothing. */
  readonly isUpToDate?: boolean;
}

/** Gets each external call, for metrics. Calls that a missing leader lease prevented are left out. Must not throw. */
export type CallObserver = (call: ExternalCall) => void;

/** Passes each call of a connector and its clients to `observe`. */
export function observedConnector<M extends Managed>(
  connector: ExternalConnector<M>,
  observe: CallObserver | undefined,
  clock: Pick<Clock, 'elapsedMs'>,
): ExternalConnector<M> {
  if (observe === undefined) return connector;
  return wrapConnector(connector, (managed) => async (call, _signal, operation) => {
    const startedAtMs = clock.elapsedMs();
    const report = (facts: Pick<ExternalCall, 'errorClass' | 'isUpToDate'>): void =>
      observe({ managed, operation, durationMs: clock.elapsedMs() - startedAtMs, ...facts });
    try {
      const answer = await call();
      report(operation === 'observe' ? upToDate(answer) : {});
      return answer;
    } catch (error) {
      if (!isInterrupted(error)) report({ errorClass: errorClassOf(error) });
      throw error;
    }
  });
}

function upToDate(answer: unknown): Pick<ExternalCall, 'isUpToDate'> {
  const { exists, isUpToDate } = (answer ?? {}) as {
    readonly exists?: boolean;
    readonly isUpToDate?: boolean;
  };
  return exists === true && isUpToDate !== undefined ? { isUpToDate } : {};
}
