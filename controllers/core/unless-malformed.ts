import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import { reconcileError, setConditions } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { malformationOf } from '../../apis/core/v1alpha1/well-formed.ts';
import { annotate, isInvalid } from '../../runtime/client/errors.ts';
import type { ControllerSpec } from '../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import { done } from '../../runtime/controller/reconcile.ts';
import { withShortMessage } from './message.ts';
import type { TellingOptions } from './telling-refusals.ts';

interface Reporting extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface UnlessMalformedOptions<T extends Reporting> extends TellingOptions<T> {
  readonly env: Pick<Environment, 'events' | 'clock'>;
  /** Of all controllers of a kind, this one says it. */
  readonly isReporter: () => boolean;
  /** Whether there is nothing to lose by working on what is left of the object. */
  readonly isHarmless: (object: T) => boolean;
}

/**
 * The controller, but for objects that are not in the shape of their kind's type, as an older definition lets them through:
 * nothing is done about one, for what is left out of it may have been meant to keep us from it. Synced is False and says
 * what is wrong, and an Event; an edit wakes it.
 */
export function unlessMalformed<T extends Reporting>(
  controller: ControllerSpec,
  { env, resource, source, isReporter, isHarmless }: UnlessMalformedOptions<T>,
): ControllerSpec {
  const events = env.events.from(source);
  return {
    ...controller,
    async reconcile(request, signal, log) {
      const object = resource.get(request);
      const malformation = object && malformationOf(object);
      if (object === undefined || malformation === undefined || isHarmless(object)) {
        return controller.reconcile(request, signal, log);
      }
      const ended = { ...done, decision: 'MalformedObject' };
      if (!isReporter()) return ended;
      const message = `malformed, and left alone until it is corrected: ${malformation}`;
      const at = { now: env.clock.now(), generation: object.metadata.generation };
      const facts = [withShortMessage(reconcileError(message))];
      const conditions = setConditions(object.status?.conditions, facts, at);
      const told = { ...object, status: { ...object.status, conditions } };
      events.record(object, { type: 'Warning', reason: 'MalformedObject', message });
      const writing = resource.updateStatus(object, told, signal);
      await annotate('cannot update status', writing).catch((error: unknown) => {
        // Where its definition knows better by now, an Event has to do.
        if (!isInvalid(error)) throw error;
      });
      return { ...ended, failure: message };
    },
  };
}
