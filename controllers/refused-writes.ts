import type { Kind, KubernetesObject } from '../apis/core/v1alpha1/kind.ts';
import { isInvalid, messageOf } from '../runtime/client/errors.ts';
import type { ControllerSpec } from '../runtime/controller/controller-spec.ts';
import type { Environment } from '../runtime/controller/environment.ts';
import { warning } from '../runtime/events/event-facts.ts';
import { eventSources } from './claim-service.ts';

/** Records an Event if the CRD's schema rejects a write. The schema rejects a report in the status, too. */
export function reportRefusedWrites<T extends KubernetesObject>(
  env: Environment,
  kind: Kind<T>,
  controller: ControllerSpec,
): ControllerSpec {
  const events = env.events.from(eventSources.definition(kind));
  const resource = env.resource(kind);
  return {
    ...controller,
    async reconcile(request, signal, log) {
      try {
        return await controller.reconcile(request, signal, log);
      } catch (error) {
        const object = isInvalid(error) ? resource.get(request) : undefined;
        if (object !== undefined) {
          events.record(object, warning('CannotUpdateObject', messageOf(error)));
        }
        throw error;
      }
    },
  };
}
