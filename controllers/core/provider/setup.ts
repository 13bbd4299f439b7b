import isEqual from 'lodash/isEqual.js';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import {
  finalizerNames,
  wasDeleted,
  withFinalizer,
  withoutFinalizer,
} from '../../../apis/core/v1alpha1/meta.ts';
import type { Provider, ProviderConfig } from '../../../apis/core/v1alpha1/provider.ts';
import { annotate, isNotFound } from '../../../runtime/client/errors.ts';
import type { ControllerSpec } from '../../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Reconciler, Request, Result } from '../../../runtime/controller/reconcile.ts';
import { after, done } from '../../../runtime/controller/reconcile.ts';
import {
  anyOf,
  appears,
  changed,
  goes,
  triggerBy,
  triggersIn,
} from '../../../runtime/controller/triggers.ts';
import { controllerNames, eventSources } from '../claim-service.ts';
import { decideProviderConfig, withUsers } from './decide.ts';
import type { ProviderName } from './provider-choice.ts';
import { providerOf } from './provider-choice.ts';
import type { ProviderHealth } from './provider-health.ts';
import { createProviderHealth } from './provider-health.ts';
import type { Readiness } from './provider-readiness.ts';
import { providerReadiness, withReadiness } from './provider-readiness.ts';

export interface ProviderConfigOptions {
  readonly providerConfig: Kind<ProviderConfig>;
  /** Every managed kind that may name it. */
  readonly managed: readonly Kind<Managed>[];
  /** What external calls tell of it; default: nothing. */
  readonly health?: ProviderHealth;
}

export interface ProviderOptions extends Omit<ProviderConfigOptions, 'providerConfig'> {
  readonly provider: Kind<Provider>;
}

/**
 * While managed resources come and go by the hundred, their count is written this seldom: milliseconds. Deletion
 * never waits for it.
 */
const countEveryMs = 5_000;
const syncRetryMs = 500;

const usersIndex = (kind: ProviderName['kind']): string => `users of ${kind}`;

/** The Provider, or ProviderConfig, that a managed resource uses, the default one included; none if it names one of the other kind. */
const namedBy =
  (wanted: ProviderName['kind']) =>
  (managed: Managed): readonly Request[] => {
    const { kind, name } = providerOf(managed);
    return kind === wanted ? [{ name }] : [];
  };
const configOf = namedBy('ProviderConfig');

/**
 * Keeps a ProviderConfig from going while managed resources use it, and counts them in `status.users`. Who uses it
 * is read from the stores; there are no ProviderConfigUsage objects (docs/decisions/0003).
 */
export function providerConfigController(
  env: Environment,
  { providerConfig, managed, health = createProviderHealth(env) }: ProviderConfigOptions,
): ControllerSpec {
  const events = env.events.from(eventSources.providerConfig(providerConfig));
  const configs = env.resource(providerConfig);
  const stores = managed.map((kind) => env.resource(kind).store);
  for (const store of stores)
    store.addIndex(usersIndex('ProviderConfig'), (object) => configOf(object).map(({ name }) => name));
  const wokenBy = triggersIn(env);
  const readinessOf = providerReadiness(env, providerConfig, health);
  const countedAtMs = new Map<string, number>();

  const reconcile: Reconciler = async (request, signal) => {
    const config = configs.get(request);
    if (config === undefined) {
      countedAtMs.delete(request.name);
      health.forget(providerConfig, request.name);
      return done;
    }
    // Who is not seen yet may be a user.
    if (stores.some(({ isSynced }) => !isSynced)) return after(syncRetryMs);
    const users = stores.flatMap((store) => store.byIndex(usersIndex('ProviderConfig'), request.name));
    const decision = decideProviderConfig(config, users);
    const { name } = decision;
    if (decision.act === 'report') {
      return { ...(await report(config, users.length, decision.message, signal)), decision: name };
    }
    const finalizers = (decision.act === 'protect' ? withFinalizer : withoutFinalizer)(
      config,
      finalizerNames.providerConfig,
    );
    const desired = { ...config, metadata: { ...config.metadata, finalizers } };
    const updated = await annotate('cannot update ProviderConfig', configs.update(config, desired, signal));
    const result = decision.act === 'protect' ? await report(updated, users.length, undefined, signal) : done;
    return { ...result, decision: name };
  };

  async function report(
    config: ProviderConfig,
    users: number,
    message: string | undefined,
    signal: AbortSignal,
  ): Promise<Result> {
    const { name } = config.metadata;
    const readiness = await readinessOf(config, users);
    const nowMs = env.clock.elapsedMs();
    const told = withReadiness(config, readiness, env.clock.now());
    const isNews = message !== undefined || !isEqual(told.status, config.status);
    const waitMs = (countedAtMs.get(name) ?? Number.NEGATIVE_INFINITY) + countEveryMs - nowMs;
    if (!isNews && waitMs > 0) return after(Math.min(waitMs, readiness.againMs ?? waitMs));
    const updated = await annotate(
      'cannot update ProviderConfig status',
      configs.updateStatus(config, withUsers(told, users, message, env.clock.now()), signal),
    );
    if (updated !== config) countedAtMs.set(name, nowMs);
    // Each time: an Event is gone after an hour. The recorder bounds how often it is sent.
    if (message !== undefined) {
      events.record(updated, { type: 'Warning', reason: 'UsageAccounting', message });
    }
    if (readiness.event !== undefined) events.record(updated, readiness.event);
    return comingBack(readiness);
  }

  return {
    name: controllerNames.providerConfig(providerConfig),
    objects: configs.store,
    triggers: [
      wokenBy(configs.store).itself('it changed'),
      ...stores.map((store) =>
        wokenBy(store)
          .when(anyOf(appears, goes, changed(configOf)))
          .throughBoth(
            (object) => configOf(object).filter(({ name }) => configs.get({ name }) !== undefined),
            'it gained or lost a user',
          ),
      ),
      triggerBy(healthNews, health.changed$(providerConfig)),
    ],
    reconcile,
  };
}

const healthNews = 'a call told whether it works';

const comingBack = ({ againMs }: Readiness): Result => (againMs === undefined ? done : after(againMs));

/** Says of a legacy Provider whether it works. Nothing holds one back, and nobody counts its users. */
export function providerController(
  env: Environment,
  { provider: kind, managed, health = createProviderHealth(env) }: ProviderOptions,
): ControllerSpec {
  const events = env.events.from(eventSources.provider(kind));
  const providers = env.resource(kind);
  const userStores = managed.map((each) => env.resource(each).store);
  const usedBy = namedBy('Provider');
  for (const store of userStores) {
    store.addIndex(usersIndex('Provider'), (object) => usedBy(object).map(({ name }) => name));
  }
  const wokenBy = triggersIn(env);
  const readinessOf = providerReadiness(env, kind, health);

  const reconcile: Reconciler = async (request, signal) => {
    const provider = providers.get(request);
    if (provider === undefined) {
      health.forget(kind, request.name);
      return done;
    }
    if (wasDeleted(provider)) return done;
    if (userStores.some(({ isSynced }) => !isSynced)) return after(syncRetryMs);
    const users = userStores.flatMap((store) => store.byIndex(usersIndex('Provider'), request.name));
    const readiness = await readinessOf(provider, users.length);
    const told = withReadiness(provider, readiness, env.clock.now());
    try {
      const written = providers.updateStatus(provider, told, signal);
      await annotate('cannot update Provider status', written);
    } catch (error) {
      // It is gone, or its definition is of the time before Providers had a status.
      if (!isNotFound(error)) throw error;
    }
    if (readiness.event !== undefined) events.record(provider, readiness.event);
    return comingBack(readiness);
  };

  return {
    name: controllerNames.provider(kind),
    objects: providers.store,
    triggers: [
      wokenBy(providers.store).itself('it changed'),
      ...userStores.map((store) =>
        wokenBy(store)
          .when(anyOf(appears, goes, changed(usedBy)))
          .throughBoth(
            (object) => usedBy(object).filter(({ name }) => providers.get({ name }) !== undefined),
            'it gained or lost a user',
          ),
      ),
      triggerBy(healthNews, health.changed$(kind)),
    ],
    reconcile,
  };
}
