import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, withFinalizer, withoutFinalizer } from '../../../apis/core/v1alpha1/meta.ts';
import type { ProviderConfig } from '../../../apis/core/v1alpha1/provider.ts';
import { annotate } from '../../../runtime/client/errors.ts';
import type { ControllerSpec } from '../../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Reconciler, Request, Result } from '../../../runtime/controller/reconcile.ts';
import { after, done } from '../../../runtime/controller/reconcile.ts';
import { anyOf, appears, changed, goes, triggersIn } from '../../../runtime/controller/triggers.ts';
import { controllerNames, eventSources } from '../claim-service.ts';
import { decideProviderConfig, withUsers } from './decide.ts';
import { providerOf } from './provider-choice.ts';

export interface ProviderConfigOptions {
  readonly providerConfig: Kind<ProviderConfig>;
  /** Every managed kind that may name it. */
  readonly managed: readonly Kind<Managed>[];
}

/**
 * While managed resources come and go by the hundred, their count is written this seldom: milliseconds. Deletion
 * never waits for it.
 */
const countEveryMs = 5_000;
const syncRetryMs = 500;

const usersIndex = 'users of ProviderConfig';

/** The ProviderConfig that a managed resource uses, the default one included; none if it names a Provider. */
const configOf = (managed: Managed): readonly Request[] => {
  const { kind, name } = providerOf(managed);
  return kind === 'ProviderConfig' ? [{ name }] : [];
};

/**
 * Keeps a ProviderConfig from going while managed resources use it, and counts them in `status.users`. Who uses it
 * is read from the stores; there are no ProviderConfigUsage objects (docs/decisions/0003).
 */
export function providerConfigController(
  env: Environment,
  { providerConfig, managed }: ProviderConfigOptions,
): ControllerSpec {
  const events = env.events.from(eventSources.providerConfig(providerConfig));
  const configs = env.resource(providerConfig);
  const stores = managed.map((kind) => env.resource(kind).store);
  for (const store of stores)
    store.addIndex(usersIndex, (object) => configOf(object).map(({ name }) => name));
  const wokenBy = triggersIn(env);
  const countedAtMs = new Map<string, number>();

  const reconcile: Reconciler = async (request, signal) => {
    const config = configs.get(request);
    if (config === undefined) {
      countedAtMs.delete(request.name);
      return done;
    }
    // Who is not seen yet may be a user.
    if (stores.some(({ isSynced }) => !isSynced)) return after(syncRetryMs);
    const users = stores.flatMap((store) => store.byIndex(usersIndex, request.name));
    const decision = decideProviderConfig(config, users);
    const { row } = decision;
    if (decision.act === 'report') {
      return { ...(await report(config, users.length, decision.message, signal)), row };
    }
    const finalizers = (decision.act === 'protect' ? withFinalizer : withoutFinalizer)(
      config,
      finalizerNames.providerConfig,
    );
    const desired = { ...config, metadata: { ...config.metadata, finalizers } };
    const updated = await annotate('cannot update ProviderConfig', configs.update(config, desired, signal));
    const result = decision.act === 'protect' ? await report(updated, users.length, undefined, signal) : done;
    return { ...result, row };
  };

  async function report(
    config: ProviderConfig,
    users: number,
    message: string | undefined,
    signal: AbortSignal,
  ): Promise<Result> {
    const { name } = config.metadata;
    const nowMs = env.clock.elapsedMs();
    const waitMs = (countedAtMs.get(name) ?? Number.NEGATIVE_INFINITY) + countEveryMs - nowMs;
    if (message === undefined && waitMs > 0) return after(waitMs);
    const updated = await annotate(
      'cannot update ProviderConfig status',
      configs.updateStatus(config, withUsers(config, users, message, env.clock.now()), signal),
    );
    if (updated !== config) countedAtMs.set(name, nowMs);
    // Each time: an Event is gone after an hour. The recorder bounds how often it is sent.
    if (message !== undefined) {
      events.record(updated, { type: 'Warning', reason: 'UsageAccounting', message });
    }
    return done;
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
    ],
    reconcile,
  };
}
