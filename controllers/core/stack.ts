/*
 *   a claim ──▶ claim-scheduling/ ──classRef──▶ claim-binding/ ──▶ managed/ ──▶ external system
 *               claim-defaulting/                    │             with provider/, references/, connection/
 *                                                    └──▶ the claim's secret ◀── secret-propagation/
 */

import groupBy from 'lodash/groupBy.js';
import memoize from 'lodash/memoize.js';
import uniq from 'lodash/uniq.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, hasFinalizer, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { Provider, ProviderConfig } from '../../apis/core/v1alpha1/provider.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { StoreConfigKind, storeConfigOf } from '../../apis/core/v1alpha1/store-config.ts';
import type { Store } from '../../runtime/cache/store.ts';
import type { ControllerSpec } from '../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import { claimBindingController } from './claim-binding/setup.ts';
import { claimDefaulting } from './claim-defaulting/setup.ts';
import { claimScheduling } from './claim-scheduling/setup.ts';
import type { ClaimService, Peers } from './claim-service.ts';
import type { SecretStores } from './connection/secret-store.ts';
import { storePlace } from './connection/store-place.ts';
import { inUseController } from './in-use/setup.ts';
import { connectionSecrets } from './indexes.ts';
import { providerCheck } from './managed/connecting/check-provider.ts';
import { externalCalls } from './managed/connecting/external-calls.ts';
import type { CallObserver } from './managed/connecting/observed-connector.ts';
import type { ManagedService } from './managed/setup.ts';
import { guardedConnector, managedController } from './managed/setup.ts';
import type { ProviderKinds } from './provider/provider-credentials.ts';
import { createProviderHealth } from './provider/provider-health.ts';
import { providerController } from './provider/setup.ts';
import { reportRefusedWrites, skipMalformed } from './report-unusable.ts';
import { secretPropagation } from './secret-propagation/setup.ts';
import { notingKinds, stackNeeds } from './stack-needs.ts';
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
}

/** Observes objects and external calls, for example for metrics. */
export interface StackObserver {
  over(stores: ObservedStores): void;
  /** Returns an observer for the external calls of a stack whose ProviderConfigs have the given kind. */
  callsOf(stack: string, providerConfig: Kind): CallObserver;
}

/**
 * Every controller of the given stacks: one for each managed, Provider and ProviderConfig kind, and four for each
 * `ClaimService`. Stacks that serve the same claim kind are peers. Without `secretStores`, a managed resource with
 * `publishConnectionDetailsTo` gets an error. Throws a WiringError for stacks that cannot run together.
 */
export function stackControllers(
  env: Environment,
  stacks: readonly Stack[],
  { observer, ...options }: { readonly secretStores?: SecretStores; readonly observer?: StackObserver } = {},
): readonly ControllerSpec[] {
  const parts = stacks.map((stack) => {
    const asked = notingKinds(env);
    if (options.secretStores !== undefined) asked.env.resource(StoreConfigKind);
    const whose = { stack: stack.name };
    const managed = stack.managed(asked.env).map((service) => {
      const onCall = observer?.callsOf(stack.name, service.providers.providerConfig);
      return { ...service, ...whose, ...(onCall && { onCall }) };
    });
    const claims = stack.claims.map((service) => ({ ...service, ...whose }));
    return { ...stack, asked, managed, claims };
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
        check: providerCheck(guardedConnector(part.asked.env, service, calls), service.kind),
      })),
    );
  const providers = [
    ...providerKinds<Provider | ProviderConfig>(({ providerConfig }) => providerConfig),
    ...providerKinds<Provider | ProviderConfig>(({ provider }) => provider),
  ];
  /** Caches its result. Call it only after all controllers exist: each requests its kinds when it is created. */
  const needsOf = memoize((part: Part) => stackNeeds(part, parts));
  const peersOf = ({ claim: { kind, group } }: ClaimService): Peers => {
    const peers = services.filter(({ service: { claim } }) => claim.kind === kind && claim.group === group);
    return {
      all: peers.map(({ service }) => service),
      working: () => peers.filter(({ part }) => needsOf(part).isListed()).map(({ service }) => service),
    };
  };

  /** The claim kinds that this managed kind serves besides the claim kind of this service. */
  const claimsBesides = ({ claim, managed: { kind, group } }: ClaimService): readonly Kind<Claim>[] =>
    services
      .filter(({ service: { managed: of } }) => of.kind === kind && of.group === group)
      .map(({ service }) => service.claim)
      .filter((each) => each !== claim);

  const made: readonly (readonly [Part, ControllerSpec])[] = [
    ...managed.map(({ part, service }) => [part, ofManaged(part.asked.env, service)] as const),
    ...providers.map(({ part, kind, users, check }) => {
      const controller = providerController(part.asked.env, kind, { managed: users, health, check });
      return [part, reportRefusedWrites(part.asked.env, kind, controller)] as const;
    }),
    ...services.flatMap(({ part, service }) =>
      ofClaims(part.asked.env, service).map((spec) => [part, { ...spec, callsOnlyApiServer: true }] as const),
    ),
  ];
  observer?.over({
    claims: uniq(services.map(({ part, service }) => part.asked.env.resource(service.claim).store)),
    managed: managed.map(({ part, service }) => part.asked.env.resource(service.kind).store),
    providers: providers.map(({ kind }) => env.resource(kind).store),
    secrets: connectionSecrets(env).store,
  });
  const ofStacks = made.map(([part, spec]) => ({ ...spec, stack: needsOf(part) }));
  return options.secretStores === undefined ? ofStacks : [...ofStacks, ofStoreConfigs()];

  /** StoreConfigs belong to no stack. Their controller waits for every managed kind that the API server has. */
  function ofStoreConfigs(): ControllerSpec {
    const kinds = managed.map(({ service }) => service.kind);
    const controller = inUseController(env, StoreConfigKind, { managed: kinds, usedBy: storeConfigOf });
    const needs = { name: 'StoreConfigs', own: [kindKey(StoreConfigKind)], others: kinds.map(kindKey) };
    return { ...reportRefusedWrites(env, StoreConfigKind, controller), stack: needs };
  }

  function ofManaged(asked: Environment, service: ManagedService): ControllerSpec {
    const kind: Kind<Managed> = service.kind;
    const controller = managedController(asked, { ...options, ...service }, calls, health);
    const guarded = skipMalformed(asked, kind, controller, {
      isReporter: () => true,
      // A deleted resource without our finalizer has no external resource, so a run changes nothing.
      isHarmless: (object) => wasDeleted(object) && !hasFinalizer(object, finalizerNames.managed),
    });
    return reportRefusedWrites(asked, kind, guarded);
  }

  function ofClaims(asked: Environment, service: ClaimService): readonly ControllerSpec[] {
    const peers = peersOf(service);
    // A malformed claim is still reconciled if it is being deleted.
    const guarded = (controller: ControllerSpec, isReporter = () => false): ControllerSpec => {
      const guards = { isReporter, isHarmless: wasDeleted };
      return reportRefusedWrites(
        asked,
        service.claim,
        skipMalformed(asked, service.claim, controller, guards),
      );
    };
    const storedConnection = options.secretStores && storePlace(options.secretStores).read;
    const binding = claimBindingController(asked, service, peers, storedConnection);
    return [
      guarded(claimScheduling(asked, service, peers)),
      guarded(claimDefaulting(asked, service, peers)),
      guarded(binding, () => peers.working()[0] === service),
      secretPropagation(asked, service, claimsBesides(service)),
    ];
  }
}
