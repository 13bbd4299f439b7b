import type { ControllerSpec } from '../../runtime/controller-spec.ts';
import type { Environment } from '../../runtime/environment.ts';
import { claimBindingController } from './claim-binding/setup.ts';
import { claimDefaulting } from './claim-defaulting/setup.ts';
import { claimScheduling } from './claim-scheduling/setup.ts';
import type { ManagedService } from './managed/setup.ts';
import { managedController } from './managed/setup.ts';
import type { ClaimService } from './managed-service.ts';
import { secretPropagation } from './secret-propagation/setup.ts';

/** What one stack adds to the process, for `--stacks` by its name. */
export interface Stack {
  readonly name: string;
  /** Its managed kinds that serve claims, and which. */
  readonly claims: readonly ClaimService[];
  /** One controller per managed kind, and whatever else the stack runs. */
  readonly controllers: (env: Environment) => readonly ControllerSpec[];
}

/**
 * Every controller of the given stacks. Each claim service gets scheduling, defaulting, binding and secret
 * propagation; stacks that serve the same claim kind compete, so each is told of its peers, in an order that
 * does not depend on that of the flags.
 */
export function stackControllers(env: Environment, stacks: readonly Stack[]): readonly ControllerSpec[] {
  const services = stacks.flatMap(({ claims }) => claims);
  const peersOf = (service: ClaimService) =>
    services
      .filter(({ claim }) => claim.kind === service.claim.kind && claim.group === service.claim.group)
      .toSorted((a, b) =>
        `${a.class.kind}.${a.class.group}`.localeCompare(`${b.class.kind}.${b.class.group}`),
      );
  return [
    ...stacks.flatMap((stack) => stack.controllers(env)),
    ...services.flatMap((service) => {
      const peers = peersOf(service);
      return [
        claimScheduling(env, service, peers),
        claimDefaulting(env, service, peers),
        claimBindingController(env, service, peers),
        secretPropagation(env, service),
      ];
    }),
  ];
}

export type { ClaimService, ManagedService };
export { managedController };
