import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { ControllerSpec } from '../../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { ClassAssignment } from '../claim/assign-class.ts';
import { assignClass, assignmentTriggers } from '../claim/assign-class.ts';
import { drawClass } from '../claim/class-choice.ts';
import type { ClaimService, Peers } from '../claim-service.ts';
import { controllerNames, eventSources } from '../claim-service.ts';
import { aboutClaim } from '../story.ts';
import { decideScheduling } from './decide.ts';

/** Schedules claims with a class selector to classes of one kind; `peers` are the services of the claim kind. */
export function claimScheduling(env: Environment, service: ClaimService, peers: Peers): ControllerSpec {
  const assignment: ClassAssignment = {
    claim: service.claim,
    peers,
    decide: (facts) => decideScheduling({ ...facts, kind: service.class, draw: drawClass }),
    concerns: ({ spec }: Claim) =>
      spec.classSelector !== undefined && spec.classRef === undefined && spec.resourceRef === undefined,
    eventReason: 'SelectedResourceClass',
  };
  const claims = env.resource(service.claim);
  return {
    name: controllerNames.scheduling(service),
    objects: claims.store,
    about: (request) => aboutClaim(claims.get(request)),
    triggers: assignmentTriggers(env, assignment),
    reconcile: assignClass({ ...env, events: env.events.from(eventSources.scheduling(service)) }, assignment),
  };
}
