import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { ControllerSpec } from '../../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { ClassAssignment } from '../claim/assign-class.ts';
import { assignClass, assignmentTriggers } from '../claim/assign-class.ts';
import type { ClaimService, Peers } from '../claim-service.ts';
import { controllerNames, eventSources } from '../claim-service.ts';
import { aboutClaim } from '../story.ts';
import { decideDefaulting } from './decide.ts';

/** Gives claims that name nothing the default class, if that is of one kind; `peers` as for scheduling. */
export function claimDefaulting(env: Environment, service: ClaimService, peers: Peers): ControllerSpec {
  const assignment: ClassAssignment = {
    claim: service.claim,
    peers,
    decide: (facts) => decideDefaulting({ ...facts, kind: service.class }),
    concerns: ({ spec }: Claim) =>
      spec.classSelector === undefined && spec.classRef === undefined && spec.resourceRef === undefined,
    eventReason: 'DefaultResourceClass',
  };
  const claims = env.resource(service.claim);
  return {
    name: controllerNames.defaulting(service),
    objects: claims.store,
    about: (request) => aboutClaim(claims.get(request)),
    triggers: assignmentTriggers(env, assignment),
    reconcile: assignClass({ ...env, events: env.events.from(eventSources.defaulting(service)) }, assignment),
  };
}
