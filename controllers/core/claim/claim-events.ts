import pickBy from 'lodash/pickBy.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { externalName } from '../../../apis/core/v1alpha1/meta.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';

/** What the Events of a claim are annotated with, as far as it has them (crossplane-runtime v0.5 to v0.9). */
const claimEventKeys = {
  externalName: 'external-name',
  managed: 'managed-name',
  class: 'class-name',
} as const;

/** Records an Event of a claim, annotated with the names that go with the claim. */
export function recordClaimEvent(
  { events }: Pick<Environment, 'events'>,
  claim: Claim,
  event: EventFacts,
): void {
  const annotations = pickBy({
    [claimEventKeys.externalName]: externalName(claim),
    [claimEventKeys.managed]: claim.spec.resourceRef?.name,
    [claimEventKeys.class]: claim.spec.classRef?.name,
  }) as Record<string, string>;
  events.record(claim, { ...event, ...(Object.keys(annotations).length > 0 && { annotations }) });
}
