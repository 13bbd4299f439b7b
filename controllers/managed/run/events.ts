import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName } from '../../../apis/core/v1alpha1/meta.ts';
import type { SecretKey } from '../../../apis/core/v1alpha1/secret.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import { normal, warning } from '../../../runtime/events/event-facts.ts';
import type { Observation } from '../connecting/external-client.ts';
import { isCreationFailed } from '../recording/creation-tracking.ts';
import type { Facts } from './facts.ts';

/** The Events that steps record when they are done. outline.ts has the Events about the state. */

export const missing = 'external resource does not exist';

const requested = (what: string): string => `Successfully requested ${what} of external resource`;

/** The Event of a new claim's binding reports the creation, too. So this Event is not written to the API server. */
export const createdEvent = ({ spec: { claimRef }, status }: Managed): EventFacts => ({
  ...normal('CreatedExternalResource', requested('creation')),
  ...(claimRef?.uid !== undefined && status?.bindingPhase === undefined && { isWritten: false }),
});

export const updatedEvent = normal('UpdatedExternalResource', requested('update'));
export const deletedEvent = normal('DeletedExternalResource', requested('deletion'));

/** The Event that the decision Recreate records in addition to that of the creation. */
export function recreationEvent({ managed, latest }: Facts): EventFacts {
  if (latest?.observation.renamed !== undefined) {
    const name = externalName(managed) ?? 'its name is not known';
    const why = `because ${annotationKeys.adoptIdentity} is or-create`;
    const message = `external resource "${name}" was renamed; an empty one is created, ${why}`;
    return warning('LostExternalResource', message);
  }
  return warning('LostExternalResource', `${lostText(managed)}; it is created again`);
}

export function lostText(managed: Managed): string {
  const name = externalName(managed) ?? 'its name is not known';
  return `${missing} ${isCreationFailed(managed) ? `(${name}), and its creation failed` : `any more (${name})`}`;
}

/** The Event about the parts of a deleted resource that stay in the external system. */
export const remainsEvents = ({ remains }: Partial<Observation> = {}): readonly EventFacts[] =>
  remains === undefined
    ? []
    : [warning('KeptExternalResource', `not deleted, and still in the external system: ${remains}`)];

/**
 * The Events about Secrets that were deleted because the resource controls them and names another one of their namespace.
 * There are none about Secrets of other namespaces: a tenant may have made those, and must not cause Events of a resource.
 */
export const removedEvents = ({ spec }: Managed, removed: readonly SecretKey[]): readonly EventFacts[] =>
  removed
    .filter(({ namespace }) => namespace === spec.writeConnectionSecretToRef?.namespace)
    .map((secret) =>
      normal(
        'RemovedConnectionSecret',
        `deleted Secret ${objectKeyText(secret)}: the resource controls it and does not name it; remove the ownerReferences of a copy that is to stay`,
      ),
    );
