import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Resource } from '../../runtime/cache/resource.ts';
import { isInvalid, messageOf } from '../../runtime/client/errors.ts';
import type { ControllerSpec } from '../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../runtime/controller/environment.ts';

export interface TellingOptions<T extends KubernetesObject> {
  readonly env: Pick<Environment, 'events'>;
  readonly resource: Resource<T>;
  /** Whom its Event is from. */
  readonly source: string;
}

/**
 * The controller, and an Event where it fails because the definition that there is now does not admit the object: its
 * status, which would say so, is refused with it. It is tried again through the back-off.
 */
export function tellingRefusals<T extends KubernetesObject>(
  controller: ControllerSpec,
  { env, resource, source }: TellingOptions<T>,
): ControllerSpec {
  const events = env.events.from(source);
  return {
    ...controller,
    async reconcile(request, signal, log) {
      try {
        return await controller.reconcile(request, signal, log);
      } catch (error) {
        const object = isInvalid(error) ? resource.get(request) : undefined;
        if (object !== undefined) {
          events.record(object, { type: 'Warning', reason: 'CannotUpdateObject', message: messageOf(error) });
        }
        throw error;
      }
    },
  };
}
