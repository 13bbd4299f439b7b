import type { Condition } from '../apis/core/v1alpha1/condition.ts';
import { reconcileError, reportedStatus, withShortMessage } from '../apis/core/v1alpha1/condition.ts';
import type { Kind, KubernetesObject } from '../apis/core/v1alpha1/kind.ts';
import { malformationOf } from '../apis/core/v1alpha1/well-formed.ts';
import { annotate, isInvalid } from '../runtime/client/errors.ts';
import type { ControllerSpec } from '../runtime/controller/controller-spec.ts';
import type { Environment } from '../runtime/controller/environment.ts';
import { done } from '../runtime/controller/reconcile.ts';
import { warning } from '../runtime/events/event-facts.ts';
import { eventSources } from './claim-service.ts';

interface WithConditions extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface MalformedOptions<T> {
  /** Another controller of the kind reports malformed objects. */
  readonly isSilent?: boolean;
  /** Whether the controller may reconcile a malformed object, for example because it only removes a finalizer. */
  readonly isHarmless: (object: T) => boolean;
}

/**
 * Makes a controller skip malformed objects, such as those that the CRD of an older release accepted: a field that the
 * controller cannot read might forbid its next action. Synced and an Event show the problem.
 */
export function skipMalformed<T extends WithConditions>(
  env: Environment,
  kind: Kind<T>,
  controller: ControllerSpec,
  { isSilent = false, isHarmless }: MalformedOptions<T>,
): ControllerSpec {
  const events = env.events.from(eventSources.definition(kind));
  const resource = env.resource(kind);
  return {
    ...controller,
    async reconcile(request, signal, log) {
      const object = resource.get(request);
      const malformation = object && malformationOf(object);
      if (object === undefined || malformation === undefined || isHarmless(object)) {
        return controller.reconcile(request, signal, log);
      }
      const ended = { ...done, decision: 'MalformedObject' };
      if (isSilent) return ended;
      const message = `malformed, and not reconciled until it is corrected: ${malformation}`;
      const at = { now: env.clock.now(), generation: object.metadata.generation };
      const facts = [withShortMessage(reconcileError(message))];
      const reported = reportedStatus(object.status?.conditions, facts, at, { isStuck: true });
      events.record(object, warning('MalformedObject', message));
      const desired = { ...object, status: { ...object.status, ...reported } };
      const writing = resource.updateStatus(object, desired, signal);
      await annotate('cannot update status', writing).catch((error: unknown) => {
        if (!isInvalid(error)) throw error; // the CRD rejects the status, too, so only the Event shows it
      });
      return { ...ended, failure: message };
    },
  };
}
