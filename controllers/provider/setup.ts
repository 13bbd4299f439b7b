import { tap } from 'rxjs';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { Provider, ProviderConfig } from '../../apis/core/v1alpha1/provider.ts';
import type { ControllerSpec } from '../../runtime/controller/controller-spec.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import { paced, triggerBy } from '../../runtime/controller/triggers.ts';
import { inUseController } from '../in-use/setup.ts';
import type { NamedSecret } from '../named-secret-changes.ts';
import { namedSecretChanges } from '../named-secret-changes.ts';
import { providerOf } from './provider-choice.ts';
import { credentialsOf } from './provider-credentials.ts';
import type { ProviderState } from './provider-readiness.ts';
import { providerReadiness } from './provider-readiness.ts';

export interface ProviderOptions extends ProviderState {
  /** Every managed kind that can use this kind of provider. */
  readonly managed: readonly Kind<Managed>[];
}

/**
 * The first result wakes at once, the next ones once in this time. While resources are deleted one after the other, each
 * may be the only one whose call is known to have succeeded, and then each result is news.
 */
const hearEveryMs = 1_000;

/** Protects a Provider or ProviderConfig while managed resources use it, and reports whether it works. */
export function providerController<P extends Provider | ProviderConfig>(
  env: Environment,
  kind: Kind<P>,
  { managed, ...state }: ProviderOptions,
): ControllerSpec {
  const { health } = state;
  const controller = inUseController<P>(env, kind, {
    managed,
    /** Undefined if the resource uses a provider of the other kind. */
    usedBy(object) {
      const used = providerOf(object);
      return used.kind === kind.kind ? used.name : undefined;
    },
    report: providerReadiness(env, kind, state),
    forget: (name) => health.forget(kind, name),
  });
  const renewed$ = namedSecretChanges(env, env.resource(kind).store, secretOfProvider).pipe(
    tap(({ name }) => health.renew(kind, name)),
  );
  const triggers = [
    ...controller.triggers,
    paced(triggerBy('a call reported whether it works', health.changed$(kind)), hearEveryMs, env.clock),
    triggerBy('the Secret with its credentials changed', renewed$),
  ];
  return { ...controller, triggers };
}

/** The Secret with the credentials of a provider. */
function secretOfProvider(provider: Provider | ProviderConfig): NamedSecret | undefined {
  const { secretRef } = wasDeleted(provider) ? {} : credentialsOf(provider);
  if (secretRef === undefined) return undefined;
  const { reason } = getCondition(provider.status?.conditions, 'Ready');
  const isChangedAtFirst = reason === 'CannotReadCredentials' ? 'if it exists' : 'never';
  return { namespace: secretRef.namespace, name: secretRef.name, isChangedAtFirst };
}
