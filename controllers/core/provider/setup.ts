import isEqual from 'lodash/isEqual.js';
import { tap } from 'rxjs';
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
import type { Request, Result } from '../../../runtime/controller/reconcile.ts';
import { after, done } from '../../../runtime/controller/reconcile.ts';
import {
  anyOf,
  appears,
  changed,
  disappears,
  isOfOthers,
  triggerBy,
  triggersIn,
} from '../../../runtime/controller/triggers.ts';
import { controllerNames, eventSources } from '../claim-service.ts';
import { changedCredentials } from './credential-watch.ts';
import { decideProviderConfig, withUsers } from './decide.ts';
import { providerOf } from './provider-choice.ts';
import type { ProviderState, Readiness } from './provider-readiness.ts';
import { providerReadiness, withReadiness } from './provider-readiness.ts';

export interface ProviderOptions extends ProviderState {
  /** Every managed kind that can name it. */
  readonly managed: readonly Kind<Managed>[];
}

/** Limits writes while many managed resources are created and deleted. A deletion never waits for it. */
const countEveryMs = 5_000;
const syncRetryMs = 500;

/**
 * Protects a ProviderConfig while managed resources use it, counts them in `status.users`, and reports whether it
 * works. The stores show the users; there are no ProviderConfigUsage objects (docs/decisions/0003).
 */
export function providerConfigController(
  env: Environment,
  kind: Kind<ProviderConfig>,
  options: ProviderOptions,
): ControllerSpec {
  const events = env.events.from(eventSources.providerConfig(kind));
  const configs = env.resource(kind);
  const countedAtMs = new Map<string, number>();

  async function report(
    config: ProviderConfig,
    users: number,
    message: string | undefined,
    { readiness, signal }: Pick<Run<ProviderConfig>, 'readiness' | 'signal'>,
  ): Promise<Result> {
    const { name } = config.metadata;
    const ready = await readiness(config);
    const nowMs = env.clock.elapsedMs();
    const reported = withReadiness(config, ready, env.clock.now());
    const isNews = message !== undefined || !isEqual(reported.status, config.status);
    const waitMs = (countedAtMs.get(name) ?? Number.NEGATIVE_INFINITY) + countEveryMs - nowMs;
    if (!isNews && waitMs > 0) return after(Math.min(waitMs, ready.againMs ?? waitMs));
    const desired = withUsers(reported, users, message, env.clock.now());
    const writing = configs.updateStatus(config, desired, signal);
    const updated = await annotate('cannot update ProviderConfig status', writing);
    if (updated !== config) countedAtMs.set(name, nowMs);
    // An Event is deleted after an hour, so record it each time. The recorder limits the rate.
    if (message !== undefined) {
      events.record(updated, { type: 'Warning', reason: 'UsageAccounting', message });
    }
    if (ready.event !== undefined) events.record(updated, ready.event);
    return resultOf(ready);
  }

  return {
    name: controllerNames.providerConfig(kind),
    ...controllerFor(env, kind, options, {
      refersBy: 'ProviderConfig',
      forget: (name) => countedAtMs.delete(name),
      async run(run) {
        const { provider: config, users, signal } = run;
        const decision = decideProviderConfig(config, users);
        const { name } = decision;
        if (decision.act === 'report') {
          return { ...(await report(config, users.length, decision.message, run)), decision: name };
        }
        const withOrWithout = decision.act === 'protect' ? withFinalizer : withoutFinalizer;
        const finalizers = withOrWithout(config, finalizerNames.providerConfig);
        const desired = { ...config, metadata: { ...config.metadata, finalizers } };
        const updating = configs.update(config, desired, signal);
        const updated = await annotate('cannot update ProviderConfig', updating);
        const result =
          decision.act === 'protect' ? await report(updated, users.length, undefined, run) : done;
        return { ...result, decision: name };
      },
    }),
  };
}

/** Reports whether a legacy Provider works. It has no finalizer, and its users are not counted. */
export function providerController(
  env: Environment,
  kind: Kind<Provider>,
  options: ProviderOptions,
): ControllerSpec {
  const events = env.events.from(eventSources.provider(kind));
  const providers = env.resource(kind);
  return {
    name: controllerNames.provider(kind),
    ...controllerFor(env, kind, options, {
      refersBy: 'Provider',
      async run({ provider, readiness, signal }) {
        if (wasDeleted(provider)) return done;
        const ready = await readiness(provider);
        try {
          const desired = withReadiness(provider, ready, env.clock.now());
          const writing = providers.updateStatus(provider, desired, signal);
          await annotate('cannot update Provider status', writing);
        } catch (error) {
          // It was deleted, or its definition is older than the status of Providers.
          if (!isNotFound(error)) throw error;
        }
        if (ready.event !== undefined) events.record(provider, ready.event);
        return resultOf(ready);
      },
    }),
  };
}

const resultOf = ({ againMs }: Readiness): Result => (againMs === undefined ? done : after(againMs));

interface Run<P> {
  readonly provider: P;
  readonly users: readonly Managed[];
  readonly readiness: (provider: P) => Promise<Readiness>;
  readonly signal: AbortSignal;
}

interface Controlled<P> {
  readonly refersBy: 'Provider' | 'ProviderConfig';
  readonly run: (run: Run<P>) => Promise<Result>;
  /** Called after the provider was deleted. */
  readonly forget?: (name: string) => void;
}

/** Finds the users of a provider. Triggers a run when their number changes, or a call reports whether it works. */
function controllerFor<P extends Provider | ProviderConfig>(
  env: Environment,
  kind: Kind<P>,
  { managed, ...state }: ProviderOptions,
  { refersBy, run, forget }: Controlled<P>,
): Omit<ControllerSpec, 'name'> {
  const providers = env.resource(kind);
  const stores = managed.map((each) => env.resource(each).store);
  const byProvider = `users of ${refersBy}`;
  const { health } = state;
  const readinessOf = providerReadiness(env, kind, state);
  /** None if the resource uses a provider of the other kind. */
  const usedBy = (object: Managed): readonly Request[] => {
    const used = providerOf(object);
    return used.kind === refersBy ? [{ name: used.name }] : [];
  };
  for (const store of stores) store.addIndex(byProvider, (object) => usedBy(object).map(({ name }) => name));
  const wokenBy = triggersIn(env);
  return {
    objects: providers.store,
    triggers: [
      wokenBy(providers.store).when(isOfOthers).itself('it changed'),
      ...stores.map((store) =>
        wokenBy(store)
          .when(anyOf(appears, disappears, changed(usedBy)))
          .throughBoth(
            (object) => usedBy(object).filter((key) => providers.get(key) !== undefined),
            'it gained or lost a user',
          ),
      ),
      triggerBy('a call reported whether it works', health.changed$(kind)),
      triggerBy(
        'the Secret with its credentials changed',
        changedCredentials(env, providers.store).pipe(tap(({ name }) => health.renew(kind, name))),
      ),
    ],
    async reconcile(request, signal) {
      const provider = providers.get(request);
      if (provider === undefined) {
        forget?.(request.name);
        health.forget(kind, request.name);
        return done;
      }
      // A resource that is not in a store yet may be a user.
      if (stores.some(({ isSynced }) => !isSynced)) return after(syncRetryMs);
      const usersNow = () => stores.flatMap((store) => store.byIndex(byProvider, request.name));
      const readiness = (one: P) => readinessOf(one, usersNow(), signal);
      return run({ provider, users: usersNow(), readiness, signal });
    },
  };
}
