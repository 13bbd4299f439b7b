import type { ControllerSpec } from '../../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import { classAssignment } from '../claim/assign-class.ts';
import type { ClaimService, Peers } from '../claim-service.ts';
import { decideScheduling, needsScheduling } from './decide.ts';

/** Gives claims a class by selector. `peers`: every `ClaimService` of this claim kind, including `service`. */
export const claimScheduling = (env: Environment, service: ClaimService, peers: Peers): ControllerSpec =>
  classAssignment(env, service, peers, {
    controller: 'scheduling',
    decide: decideScheduling,
    needsClass: needsScheduling,
    eventReason: 'SelectedResourceClass',
  });
