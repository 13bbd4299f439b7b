/*
 *   a claim ──▶ claim-scheduling/ ──classRef──▶ claim-binding/ ──▶ managed/ ──▶ external system
 *               claim-defaulting/                    │             with provider/, references/, connection/
 *                                                    └──▶ the claim's secret ◀── secret-propagation/
 */

import groupBy from 'lodash/groupBy.js';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import type { ControllerSpec } from '../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import { claimBindingController } from './claim-binding/setup.ts';
import { claimDefaulting } from './claim-defaulting/setup.ts';
import { claimScheduling } from './claim-scheduling/setup.ts';
import type { ClaimService } from './claim-service.ts';
import type { SecretStores } from './connection/secret-store.ts';
import { externalCalls } from './managed/external-calls.ts';
import type { ManagedService } from './managed/setup.ts';
import { managedController } from './managed/setup.ts';
import { providerConfigController } from './provider/setup.ts';
import { secretPropagation } from './secret-propagation/setup.ts';

/**
 * What one stack adds to the process, for `--stacks` by its name.
 *
 *     export const queueStack: Stack = {
 *       name: 'queues',
 *       managed: (env) => [
 *         { kind: QueueKind, providers, externalNames: 'deterministic', connector: queueConnector(env) },
 *       ],
 *       claims: [{ claim: AnyQueueKind, class: QueueClassKind, managed: QueueKind, configure }],
 *     };
 */
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
 * `publishConnectionDetailsTo` leads; without it that field is refused.
 */
export function stackControllers(
  env: Environment,
  stacks: readonly Stack[],
  options: { readonly secretStores?: SecretStores } = {},
): readonly ControllerSpec[] {
  const managed = stacks.flatMap((stack) => stack.managed(env));
  const calls = externalCalls(env);
  const byProviderConfig = groupBy(managed, ({ providers }) => kindKey(providers.providerConfig));
  const services = stacks.flatMap(({ claims }) => claims);
  const peersOf = (service: ClaimService) =>
    services.filter(({ claim }) => claim.kind === service.claim.kind && claim.group === service.claim.group);
  return [
    ...managed.map((service) => managedController(env, { ...options, ...service }, calls)),
    ...Object.values(byProviderConfig).flatMap((users) =>
      users
        .slice(0, 1)
        .map(({ providers: { providerConfig } }) =>
          providerConfigController(env, { providerConfig, managed: users.map(({ kind }) => kind) }),
        ),
    ),
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
