/*
 *   a claim ──▶ claim-scheduling/ ──classRef──▶ claim-binding/ ──▶ managed/ ──▶ external system
 *               claim-defaulting/                    │             with provider/, references/, connection/
 *                                                    └──▶ the claim's secret ◀── secret-propagation/
 */

import memoize from 'lodash/memoize.js';
import uniq from 'lodash/uniq.js';
import { map, merge } from 'rxjs';
import type { Claim } from '../apis/core/v1alpha1/claim.ts';
import type { Kind } from '../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../apis/core/v1alpha1/managed.ts';
import { finalizerNames, hasFinalizer, wasDeleted } from '../apis/core/v1alpha1/meta.ts';
import type { Provider, ProviderConfig } from '../apis/core/v1alpha1/provider.ts';
import type { Secret } from '../apis/core/v1alpha1/secret.ts';
import { StoreConfigKind, storeConfigOf } from '../apis/core/v1alpha1/store-config.ts';
import type { Store } from '../runtime/cache/store.ts';
import type { ControllerSpec } from '../runtime/controller/controller-spec.ts';
import type { Environment } from '../runtime/controller/environment.ts';
import type { ControllerNeeds } from '../runtime/controller/stack-needs.ts';
import type { ClassFinder } from './claim/class-finder.ts';
import { classFinder } from './claim/class-finder.ts';
import { claimBindingController } from './claim-binding/setup.ts';
import { claimDefaulting } from './claim-defaulting/setup.ts';
import { claimScheduling } from './claim-scheduling/setup.ts';
import type { ClaimService, ClaimServices } from './claim-service.ts';
import type { SecretStores } from './connection/secret-store.ts';
import { storePlace } from './connection/store-place.ts';
import { inUseController } from './in-use/setup.ts';
import { connectionSecrets } from './indexes.ts';
import { skipMalformed } from './malformed-objects.ts';
import { providerCheck } from './managed/connecting/check-provider.ts';
import type { ExternalCalls } from './managed/connecting/external-calls.ts';
import { externalCalls } from './managed/connecting/external-calls.ts';
import { guardedConnector } from './managed/connecting/guarded-connector.ts';
import type { CallObserver } from './managed/connecting/observed-connector.ts';
import type { ManagedService } from './managed/setup.ts';
import { managedController } from './managed/setup.ts';
import type { ProviderKinds } from './provider/provider-credentials.ts';
import type { ProviderHealth } from './provider/provider-health.ts';
import { createProviderHealth } from './provider/provider-health.ts';
import { providerController } from './provider/setup.ts';
import { reportRefusedWrites } from './refused-writes.ts';
import { secretPropagation } from './secret-propagation/setup.ts';
import type { ObservedNeeds } from './stack-needs.ts';
import { recordingEnvironment, stackNeeds } from './stack-needs.ts';
import { checkWiring } from './wiring.ts';

/** A stack, selected by name in `--stacks`. Stack authors create it with `defineStack`, which checks types. */
export interface Stack {
  readonly name: string;
  readonly managed: (env: Environment) => readonly ManagedService[];
  readonly claims: readonly ClaimService[];
}

/** The informer caches of the controllers, each kind once. */
export interface ObservedStores {
  readonly claims: readonly Store<Claim>[];
  readonly managed: readonly Store<Managed>[];
  readonly providers: readonly Store<Provider | ProviderConfig>[];
  readonly secrets: Store<Secret>;
  readonly classOf: ClassFinder;
}

/**
 * More runs at a time do not end a burst sooner if all of them wait for the API server. But the claims of other teams wait
 * longer for a free worker, and for answers (docs/decisions/0062).
 */
const mostWorkers = { claims: 3, secrets: 6 } as const;

/** Observes objects and external calls, for example for metrics. */
export interface StackObserver {
  over(stores: ObservedStores): void;
  /** Returns an observer for the external calls of a stack whose ProviderConfigs have the given kind. */
  callsOf(stack: string, providerConfig: Kind): CallObserver;
}

/** A stack after it requested its kinds. */
type Part = ReturnType<typeof partOf>;

interface ServedKind {
  readonly part: Part;
  readonly service: ManagedService;
}

interface ServedClaim {
  readonly service: ClaimService;
  readonly needs: ObservedNeeds;
}

/** The parts of a process that the controllers of all stacks share. */
interface Shared {
  readonly env: Environment;
  readonly calls: ExternalCalls;
  readonly health: ProviderHealth;
  readonly secretStores?: SecretStores | undefined;
}

/**
 * Every controller of the given stacks: one for each managed, Provider and ProviderConfig kind; three for each claim kind,
 * with the services of all stacks; and one that copies the Secrets of all kinds. Without `secretStores`, a managed resource
 * with `publishConnectionDetailsTo` gets an error. Throws a WiringError for stacks that cannot run together.
 */
export function stackControllers(
  env: Environment,
  stacks: readonly Stack[],
  {
    observer,
    secretStores,
  }: { readonly secretStores?: SecretStores; readonly observer?: StackObserver } = {},
): readonly ControllerSpec[] {
  const parts = stacks.map((stack) => partOf(env, stack, { observer, secretStores }));
  checkWiring(parts);
  const shared: Shared = { env, secretStores, calls: externalCalls(env), health: createProviderHealth() };
  const managed = parts.flatMap((part) => part.managed.map((service) => ({ part, service })));
  const providers = providersOf(shared, managed);
  const ownControllers = [
    ...managed.map((served) => ({ part: served.part, spec: managedSpec(shared, served) })),
    ...providers.map((provider) => ({ part: provider.part, spec: providerSpec(shared, provider) })),
  ];

  // The stacks have now requested all their kinds.
  const needsOf = memoize((part: Part) => stackNeeds(part, parts));
  const needsAlone = memoize((part: Part): ControllerNeeds => ({ stacks: [needsOf(part)] }));
  const claims = parts.flatMap((part) => part.claims.map((service) => ({ service, needs: needsOf(part) })));
  const services = claims.map(({ service }) => service);
  observer?.over({
    claims: uniq(services.map(({ claim }) => env.resource(claim).store)),
    managed: managed.map(({ service }) => env.resource(service.kind).store),
    providers: providers.map(({ kind }) => env.resource(kind).store),
    secrets: connectionSecrets(env).store,
    classOf: classFinder(env, services),
  });
  const byClaimKind = Map.groupBy(claims, ({ service }) => kindKey(service.claim));
  const managedKinds = managed.map(({ service }) => service.kind);
  return [
    ...ownControllers.map(({ part, spec }) => ({ ...spec, needs: needsAlone(part) })),
    ...[...byClaimKind.values()].flatMap((served) => claimKindSpecs(shared, served)),
    ...(claims.length === 0 ? [] : [propagationSpec(env, claims)]),
    ...(secretStores === undefined ? [] : [storeConfigSpec(env, managedKinds)]),
  ];
}

/** Requests the kinds of a stack. */
function partOf(
  env: Environment,
  stack: Stack,
  { observer, secretStores }: { readonly observer: StackObserver | undefined } & Pick<Shared, 'secretStores'>,
) {
  const { env: own, resources } = recordingEnvironment(env);
  connectionSecrets(own);
  if (secretStores !== undefined) own.resource(StoreConfigKind);
  const whose = { stack: stack.name };
  const managed = stack.managed(own).map((service): ManagedService => {
    const onCall = observer?.callsOf(stack.name, service.providers.providerConfig);
    return { ...service, ...whose, ...(onCall && { onCall }) };
  });
  const claims = stack.claims.map((service): ClaimService => ({ ...service, ...whose }));
  for (const service of claims) {
    const kinds: readonly Kind[] = [service.claim, service.class, service.managed];
    for (const kind of kinds) own.resource(kind);
  }
  return { name: stack.name, env: own, resources, managed, claims };
}

function managedSpec({ calls, health, secretStores }: Shared, { part: { env }, service }: ServedKind) {
  const options = { ...(secretStores && { secretStores }), ...service };
  const controller = managedController(env, options, calls, health);
  const guarded = skipMalformed(env, service.kind, controller, {
    // A deleted resource without our finalizer has no external resource, so a run changes nothing.
    isHarmless: (object: Managed) => wasDeleted(object) && !hasFinalizer(object, finalizerNames.managed),
  });
  return reportRefusedWrites<Managed>(env, service.kind, guarded);
}

/** Each provider kind once, with the managed kinds that use it. The first of them stands for the others in a check. */
function providersOf({ calls }: Shared, managed: readonly ServedKind[]) {
  const of = (kindOf: (kinds: ProviderKinds) => Kind<Provider | ProviderConfig>) =>
    [...Map.groupBy(managed, ({ service }) => kindKey(kindOf(service.providers))).values()].map((users) => {
      const { part, service } = users[0]!; // a group has at least one
      const check = providerCheck(guardedConnector(part.env, service, calls), service.kind);
      const usedBy = users.map(({ service: { kind } }) => kind);
      return { part, kind: kindOf(service.providers), usedBy, check };
    });
  return [...of(({ providerConfig }) => providerConfig), ...of(({ provider }) => provider)];
}

function providerSpec(
  { health }: Shared,
  { part: { env }, kind, usedBy, check }: ReturnType<typeof providersOf>[number],
): ControllerSpec {
  return reportRefusedWrites(env, kind, providerController(env, kind, { managed: usedBy, health, check }));
}

/** StoreConfigs belong to no stack. Their controller waits for every managed kind that the API server has. */
function storeConfigSpec(env: Environment, kinds: readonly Kind<Managed>[]): ControllerSpec {
  const controller = inUseController(env, StoreConfigKind, { managed: kinds, usedBy: storeConfigOf });
  const needs = { name: 'StoreConfigs', own: [kindKey(StoreConfigKind)], others: kinds.map(kindKey) };
  return { ...reportRefusedWrites(env, StoreConfigKind, controller), needs: { stacks: [needs] } };
}

function claimKindSpecs(
  { env, secretStores }: Shared,
  served: readonly ServedClaim[],
): readonly ControllerSpec[] {
  const claim: Kind<Claim> = served[0]!.service.claim; // a group has at least one
  const { services, stacks } = servicesOf(served);
  const kind = { claim, services };
  // A malformed claim is still reconciled if it is being deleted.
  const guarded = (controller: ControllerSpec, isSilent: boolean): ControllerSpec =>
    reportRefusedWrites(
      env,
      claim,
      skipMalformed(env, claim, controller, { isSilent, isHarmless: wasDeleted }),
    );
  const storedConnection = secretStores && storePlace(secretStores).read;
  const needs: ControllerNeeds = { stacks, awaitsAll: true };
  return [
    guarded(claimScheduling(env, kind), true),
    guarded(claimDefaulting(env, kind), true),
    guarded(claimBindingController(env, kind, storedConnection), false),
  ].map((spec) => ({ ...spec, needs, mostWorkers: mostWorkers.claims }));
}

function propagationSpec(env: Environment, claims: readonly ServedClaim[]): ControllerSpec {
  const { services, stacks } = servicesOf(claims);
  return { ...secretPropagation(env, services), needs: { stacks }, mostWorkers: mostWorkers.secrets };
}

/** The services, and the stacks to which they belong. */
function servicesOf(claims: readonly ServedClaim[]): {
  readonly services: ClaimServices;
  readonly stacks: readonly ObservedNeeds[];
} {
  const byStack = [...Map.groupBy(claims, ({ needs }) => needs)].map(([needs, served]) => ({
    needs,
    stack: { name: needs.name, services: served.map(({ service }) => service) },
  }));
  const services: ClaimServices = {
    all: byStack.flatMap(({ stack }) => stack.services),
    ready: () => byStack.flatMap(({ needs, stack }) => (needs.isReady() ? stack.services : [])),
    readyStack$: merge(...byStack.map(({ needs, stack }) => needs.becomesReady$.pipe(map(() => stack)))),
  };
  return { services, stacks: byStack.map(({ needs }) => needs) };
}
