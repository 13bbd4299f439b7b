import type { ControllerSpec } from '../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import { classAssignment } from '../claim/assign-class.ts';
import type { ClaimKind } from '../claim-service.ts';
import { decideDefaulting, needsDefaulting } from './decide.ts';

/** Gives the default class to claims without a class, selector or resource. */
export const claimDefaulting = (env: Environment, kind: ClaimKind): ControllerSpec =>
  classAssignment(env, kind, {
    controller: 'defaulting',
    decide: decideDefaulting,
    needsClass: needsDefaulting,
    change: 'DefaultResourceClass',
  });
