import pickBy from 'lodash/pickBy.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { externalName } from '../../apis/core/v1alpha1/meta.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { EventFacts } from '../../runtime/events/event-facts.ts';
import type { Logger } from '../../runtime/log/log.ts';
import { logAct } from '../log-changes.ts';

/** Records and logs an Event of a claim. Adds the same annotations as crossplane-runtime v0.5 to v0.9. */
export function reportClaimEvent(
  { events }: Pick<Environment, 'events'>,
  log: Pick<Logger, 'info'>,
  claim: Claim,
  event: EventFacts,
): void {
  const annotations = pickBy({
    'external-name': externalName(claim),
    'managed-name': claim.spec.resourceRef?.name,
    'class-name': claim.spec.classRef?.name,
  }) as Record<string, string>;
  events.record(claim, { ...event, ...(Object.keys(annotations).length > 0 && { annotations }) });
  logAct(log, event);
}
