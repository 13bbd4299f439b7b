import type { ControllerSpec } from '../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import { classAssignment } from '../claim/assign-class.ts';
import type { ClaimKind } from '../claim-service.ts';
import { decideScheduling, needsScheduling } from './decide.ts';

/** Gives a class to claims with a class selector, or with a `classRef` that is incomplete. */
export const claimScheduling = (env: Environment, kind: ClaimKind): ControllerSpec =>
  classAssignment(env, kind, {
    controller: 'scheduling',
    decide: decideScheduling,
    needsClass: needsScheduling,
    change: 'SelectedResourceClass',
  });
