/*
 *   a claim ──▶ claim-scheduling/ ──classRef──▶ claim-binding/ ──▶ managed/ ──▶ external system
 *               claim-defaulting/                    │             with provider/, references/, connection/
 *                                                    └──▶ the claim's secret ◀── secret-propagation/
 */

import groupBy from 'lodash/groupBy.js';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, hasFinalizer, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { ControllerSpec } from '../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import { claimResource } from './claim/claim-resource.ts';
import { claimBindingController } from './claim-binding/setup.ts';
import { claimDefaulting } from './claim-defaulting/setup.ts';
import { claimScheduling } from './claim-scheduling/setup.ts';
import type { ClaimService } from './claim-service.ts';
import { eventSources } from './claim-service.ts';
import type { SecretStores } from './connection/secret-store.ts';
import { externalCalls } from './managed/external-calls.ts';
import type { ManagedService } from './managed/setup.ts';
import { managedController } from './managed/setup.ts';
import { providerConfigController } from './provider/setup.ts';
import { secretPropagation } from './secret-propagation/setup.ts';
import { tellingRefusals } from './telling-refusals.ts';
import { unlessMalformed } from './unless-malformed.ts';
import { checkWiring } from './wiring.ts';

/** What one stack adds to the process, for `--stacks` by its name. Authors make it with `defineStack`, which checks types. */
export interface Stack {
  readonly name: string;
  /** Its managed kinds, and how each one's external system is reached. */
  readonly managed: (env: Environment) => readonly ManagedService[];
  /** Which of them serve claims, and which claims. */
  readonly claims: readonly ClaimService[];
}

/**
 * Every controller of the given stacks: one per managed kind and per ProviderConfig kind, and for each claim
 * service scheduling, defaulting, binding and secret propagation. Stacks that serve the same claim kind compete,
 * so each is told of its peers, in one order for all. `secretStores` is where
 * `publishConnectionDetailsTo` leads; without it that field is refused. Throws a WiringError for stacks that do not go
 * together.
 */
export function stackControllers(
  env: Environment,
  stacks: readonly Stack[],
  options: { readonly secretStores?: SecretStores } = {},
): readonly ControllerSpec[] {
  const parts = stacks.map((stack) => ({ ...stack, managed: stack.managed(env) }));
  checkWiring(parts);
  const managed = parts.flatMap((stack) => stack.managed);
  const calls = externalCalls(env);
  const byProviderConfig = groupBy(managed, ({ providers }) => kindKey(providers.providerConfig));
  const services = stacks.flatMap(({ claims }) => claims);
  const peersOf = (service: ClaimService) =>
    services.filter(({ claim }) => claim.kind === service.claim.kind && claim.group === service.claim.group);
  return [
    ...managed.map((service) => {
      const telling = {
        env,
        resource: env.resource<Managed>(service.kind),
        source: eventSources.definition(service.kind),
      };
      const controller = unlessMalformed(managedController(env, { ...options, ...service }, calls), {
        ...telling,
        isReporter: true,
        // Without the finalizer there is nothing outside.
        isHarmless: (object) => wasDeleted(object) && !hasFinalizer(object, finalizerNames.managed),
      });
      return tellingRefusals(controller, telling);
    }),
    ...Object.values(byProviderConfig).flatMap((users) =>
      users.slice(0, 1).map(({ providers: { providerConfig } }) =>
        tellingRefusals(
          providerConfigController(env, { providerConfig, managed: users.map(({ kind }) => kind) }),
          {
            env,
            resource: env.resource(providerConfig),
            source: eventSources.definition(providerConfig),
          },
        ),
      ),
    ),
    ...services.flatMap((service) => {
      const peers = peersOf(service);
      const telling = {
        env,
        resource: claimResource(env, service.claim),
        source: eventSources.definition(service.claim),
      };
      const ofClaims = (controller: ControllerSpec, isReporter = false): ControllerSpec =>
        // To let go takes nothing that a claim says.
        tellingRefusals(
          unlessMalformed(controller, { ...telling, isReporter, isHarmless: wasDeleted }),
          telling,
        );
      return [
        ofClaims(claimScheduling(env, service, peers)),
        ofClaims(claimDefaulting(env, service, peers)),
        ofClaims(claimBindingController(env, service, peers), peers[0] === service),
        secretPropagation(env, service),
      ];
    }),
  ];
}
