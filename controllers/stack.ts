/*
 *   a claim ──▶ claim-scheduling/ ──classRef──▶ claim-binding/ ──▶ managed/ ──▶ external system
 *               claim-defaulting/                    │             with provider/, references/, connection/
 *                                                    └──▶ the claim's secret ◀── secret-propagation/
 */

import groupBy from 'lodash/groupBy.js';
import memoize from 'lodash/memoize.js';
import uniq from 'lodash/uniq.js';
import { map, merge } from 'rxjs';
import type { Claim } from '../apis/core/v1alpha1/claim.ts';
import type { Kind, KubernetesObject } from '../apis/core/v1alpha1/kind.ts';
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
import { providerCheck } from './managed/connecting/check-provider.ts';
import { externalCalls } from './managed/connecting/external-calls.ts';
import { guardedConnector } from './managed/connecting/guarded-connector.ts';
import type { CallObserver } from './managed/connecting/observed-connector.ts';
import type { ManagedService } from './managed/setup.ts';
import { managedController } from './managed/setup.ts';
import type { ProviderKinds } from './provider/provider-credentials.ts';
import { createProviderHealth } from './provider/provider-health.ts';
import { providerController } from './provider/setup.ts';
import { reportRefusedWrites, skipMalformed } from './report-unusable.ts';
import { secretPropagation } from './secret-propagation/setup.ts';
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

/**
 * Every controller of the given stacks: one for each managed, Provider and ProviderConfig kind; three for each claim kind,
 * with the services of all stacks; and one that copies the Secrets of all kinds. Without `secretStores`, a managed resource
 * with `publishConnectionDetailsTo` gets an error. Throws a WiringError for stacks that cannot run together.
 */
export function stackControllers(
  env: Environment,
  stacks: readonly Stack[],
  { observer, ...options }: { readonly secretStores?: SecretStores; readonly observer?: StackObserver } = {},
): readonly ControllerSpec[] {
  const parts = stacks.map((stack) => {
    const { env: own, resources } = recordingEnvironment(env);
    connectionSecrets(own);
    if (options.secretStores !== undefined) own.resource(StoreConfigKind);
    const whose = { stack: stack.name };
    const managed = stack.managed(own).map((service) => {
      const onCall = observer?.callsOf(stack.name, service.providers.providerConfig);
      return { ...service, ...whose, ...(onCall && { onCall }) };
    });
    const claims = stack.claims.map((service) => ({ ...service, ...whose }));
    for (const service of claims) {
      const kinds: readonly Kind[] = [service.claim, service.class, service.managed];
      for (const kind of kinds) own.resource(kind);
    }
    return { ...stack, env: own, resources, managed, claims };
  });
  type Part = (typeof parts)[number];
  checkWiring(parts);
  const calls = externalCalls(env);
  const health = createProviderHealth();
  const managed = parts.flatMap((part) => part.managed.map((service) => ({ part, service })));
  const services = parts.flatMap((part) => part.claims.map((service) => ({ part, service })));
  /** Each provider kind once, with the managed kinds that use it. */
  const providerKinds = <T extends KubernetesObject>(of: (kinds: ProviderKinds) => Kind<T>) =>
    Object.values(groupBy(managed, ({ service }) => kindKey(of(service.providers)))).flatMap((users) =>
      users.slice(0, 1).map(({ part, service }) => ({
        part,
        kind: of(service.providers),
        users: users.map(({ service: { kind } }) => kind),
        check: providerCheck(guardedConnector(part.env, service, calls), service.kind),
      })),
    );
  const providers = [
    ...providerKinds<Provider | ProviderConfig>(({ providerConfig }) => providerConfig),
    ...providerKinds<Provider | ProviderConfig>(({ provider }) => provider),
  ];
  const ownControllers = [
    ...managed.map(({ part, service }) => ({ part, spec: managedControllerSpec(part.env, service) })),
    ...providers.map(({ part, kind, users, check }) => {
      const controller = providerController(part.env, kind, { managed: users, health, check });
      return { part, spec: reportRefusedWrites(part.env, kind, controller) };
    }),
  ];

  // The stacks have now requested all their kinds.
  const needsOf = memoize((part: Part) => stackNeeds(part, parts));
  const needsAlone = memoize((part: Part): ControllerNeeds => ({ stacks: [needsOf(part)] }));
  observer?.over({
    claims: uniq(services.map(({ service }) => env.resource(service.claim).store)),
    managed: managed.map(({ service }) => env.resource(service.kind).store),
    providers: providers.map(({ kind }) => env.resource(kind).store),
    secrets: connectionSecrets(env).store,
    classOf: classFinder(
      env,
      services.map(({ service }) => service),
    ),
  });
  return [
    ...ownControllers.map(({ part, spec }) => ({ ...spec, needs: needsAlone(part) })),
    ...[...Map.groupBy(services, ({ service: { claim } }) => kindKey(claim)).values()].flatMap(
      claimKindControllers,
    ),
    ...(services.length === 0 ? [] : [propagation()]),
    ...(options.secretStores === undefined ? [] : [storeConfigController()]),
  ];

  /** StoreConfigs belong to no stack. Their controller waits for every managed kind that the API server has. */
  function storeConfigController(): ControllerSpec {
    const kinds = managed.map(({ service }) => service.kind);
    const controller = inUseController(env, StoreConfigKind, { managed: kinds, usedBy: storeConfigOf });
    const needs = { name: 'StoreConfigs', own: [kindKey(StoreConfigKind)], others: kinds.map(kindKey) };
    return { ...reportRefusedWrites(env, StoreConfigKind, controller), needs: { stacks: [needs] } };
  }

  function managedControllerSpec(own: Environment, service: ManagedService): ControllerSpec {
    const kind: Kind<Managed> = service.kind;
    const controller = managedController(own, { ...options, ...service }, calls, health);
    const guarded = skipMalformed(own, kind, controller, {
      // A deleted resource without our finalizer has no external resource, so a run changes nothing.
      isHarmless: (object) => wasDeleted(object) && !hasFinalizer(object, finalizerNames.managed),
    });
    return reportRefusedWrites(own, kind, guarded);
  }

  /** The services, and the stacks to which they belong. */
  function servicesOf(serving: typeof services) {
    const servedParts = [...Map.groupBy(serving, ({ part }) => part)].map(([part, of]) => ({
      needs: needsOf(part),
      stack: { name: part.name, services: of.map(({ service }) => service) },
    }));
    const all: ClaimServices = {
      all: servedParts.flatMap(({ stack }) => stack.services),
      ready: () => servedParts.flatMap(({ needs, stack }) => (needs.isReady() ? stack.services : [])),
      readyStack$: merge(
        ...servedParts.map(({ needs, stack }) => needs.becomesReady$.pipe(map(() => stack))),
      ),
    };
    return { services: all, stacks: servedParts.map(({ needs }) => needs) };
  }

  function claimKindControllers(serving: typeof services): readonly ControllerSpec[] {
    const claim: Kind<Claim> = serving[0]!.service.claim;
    const { services: kindServices, stacks: stacksOfKind } = servicesOf(serving);
    const kind = { claim, services: kindServices };
    // A malformed claim is still reconciled if it is being deleted.
    const guarded = (controller: ControllerSpec, isSilent: boolean): ControllerSpec =>
      reportRefusedWrites(
        env,
        claim,
        skipMalformed(env, claim, controller, { isSilent, isHarmless: wasDeleted }),
      );
    const storedConnection = options.secretStores && storePlace(options.secretStores).read;
    const needs: ControllerNeeds = { stacks: stacksOfKind, awaitsAll: true };
    return [
      guarded(claimScheduling(env, kind), true),
      guarded(claimDefaulting(env, kind), true),
      guarded(claimBindingController(env, kind, storedConnection), false),
    ].map((spec) => ({ ...spec, needs, mostWorkers: mostWorkers.claims }));
  }

  function propagation(): ControllerSpec {
    const { services: all, stacks: serving } = servicesOf(services);
    return { ...secretPropagation(env, all), needs: { stacks: serving }, mostWorkers: mostWorkers.secrets };
  }
}
