import isEqual from 'lodash/isEqual.js';
import type { Observable } from 'rxjs';
import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { SecretKeySelector } from '../../../apis/core/v1alpha1/reference.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { Environment } from '../../../runtime/environment.ts';
import { isNotFound, messageOf } from '../../../runtime/errors.ts';
import type { Request } from '../../../runtime/reconcile.ts';
import type { Change } from '../../../runtime/store.ts';
import { requestsFor, requestsOn } from '../trigger.ts';

/** A legacy Provider: names one key of a secret. */
export interface Provider extends KubernetesObject {
  readonly spec: { readonly credentialsSecretRef?: SecretKeySelector | undefined };
}

/** Its successor. */
export interface ProviderConfig extends KubernetesObject {
  readonly spec: {
    readonly credentials: { readonly source: string; readonly secretRef?: SecretKeySelector | undefined };
  };
}

export interface ProviderKinds {
  readonly provider: Kind<Provider>;
  readonly providerConfig: Kind<ProviderConfig>;
}

/** A provider's secret in clear text, and the key that the provider names. Never logged. */
export interface Credentials {
  readonly data: ConnectionDetails;
  readonly key: string;
  /** `namespace/name`, for messages. */
  readonly secret: string;
}

interface RecentSecret {
  readonly data: Promise<ConnectionDetails>;
  readonly untilMs: number;
}

/** How long a read secret serves the reconciles that follow, so that a burst does not read it for each. */
const freshMs = 2_000;

/** Which Provider or ProviderConfig a managed resource uses; neither named: ProviderConfig `default`. */
export function providerOf(managed: Managed): {
  readonly kind: 'Provider' | 'ProviderConfig';
  readonly name: string;
} {
  const { providerConfigRef, providerRef } = managed.spec;
  if (providerConfigRef?.name) return { kind: 'ProviderConfig', name: providerConfigRef.name };
  if (providerRef?.name) return { kind: 'Provider', name: providerRef.name };
  return { kind: 'ProviderConfig', name: 'default' };
}

/**
 * Reads the credentials that a managed resource's provider names. Credential secrets are read one by one, not
 * watched: they are of any type, and watching them would mean watching every secret of the cluster. Throws an
 * Error that names what is missing: the provider, its reference, the secret or its key.
 */
export function credentialsReader(
  env: Environment,
  kinds: ProviderKinds,
): (managed: Managed) => Promise<Credentials> {
  const providers = env.resource(kinds.provider);
  const providerConfigs = env.resource(kinds.providerConfig);
  const recent = new Map<string, RecentSecret>(); // oldest first

  return async (managed) => {
    const { kind, name } = providerOf(managed);
    const who = `${kind} ${name}`;
    const selector = kind === 'Provider' ? legacySelector(name) : selectorOf(name);
    const { namespace, name: secretName, key } = selector;
    const secret = `${namespace}/${secretName}`;
    const data = await read(secret, namespace, secretName, who);
    if (data[key] === undefined) throw new Error(`secret ${secret} of ${who} has no key "${key}"`);
    return { data, key, secret };
  };

  function legacySelector(name: string): SecretKeySelector {
    const provider = providers.get({ name });
    if (provider === undefined) throw new Error(`Provider ${name} does not exist`);
    if (provider.spec.credentialsSecretRef === undefined) {
      throw new Error(`Provider ${name} has no spec.credentialsSecretRef`);
    }
    return provider.spec.credentialsSecretRef;
  }

  function selectorOf(name: string): SecretKeySelector {
    const config = providerConfigs.get({ name });
    if (config === undefined) throw new Error(`ProviderConfig ${name} does not exist`);
    const { source, secretRef } = config.spec.credentials;
    if (source !== 'Secret') {
      throw new Error(
        `ProviderConfig ${name} has spec.credentials.source "${source}"; only Secret is supported`,
      );
    }
    if (secretRef === undefined) throw new Error(`ProviderConfig ${name} has no spec.credentials.secretRef`);
    return secretRef;
  }

  function read(secret: string, namespace: string, name: string, who: string): Promise<ConnectionDetails> {
    const nowMs = env.now().getTime();
    forgetUntil(nowMs);
    const held = recent.get(secret);
    if (held !== undefined) return held.data;
    const data = env.client.get(SecretKind, { namespace, name }).then(decodeDetails, (error: unknown) => {
      if (recent.get(secret)?.data === data) recent.delete(secret);
      if (isNotFound(error)) throw new Error(`secret ${secret} of ${who} does not exist`);
      throw new Error(`cannot get secret ${secret} of ${who}: ${messageOf(error)}`, { cause: error });
    });
    recent.set(secret, { data, untilMs: nowMs + freshMs });
    return data;
  }

  /** Clear text is not kept for longer than it serves. */
  function forgetUntil(nowMs: number): void {
    for (const [secret, { untilMs }] of recent) {
      if (untilMs > nowMs) return;
      recent.delete(secret);
    }
  }
}

const byProvider = 'provider';

/** Managed resources whose provider appears or changes, so that they need not wait out their back-off. */
export function providerTriggers(
  env: Environment,
  kinds: ProviderKinds,
  managedKind: Kind<Managed>,
): readonly Observable<Request>[] {
  const { store } = env.resource(managedKind);
  store.addIndex(byProvider, (managed) => {
    const { kind, name } = providerOf(managed);
    return [`${kind}/${name}`];
  });
  return [kinds.provider, kinds.providerConfig].map((kind: Kind<Provider | ProviderConfig>) =>
    requestsOn(env, env.resource(kind).store, (change) =>
      isSpecChanged(change)
        ? requestsFor(store.byIndex(byProvider, `${kind.kind}/${change.object.metadata.name}`))
        : [],
    ),
  );
}

/** The count of its users, which changes with each of them, concerns none of them. */
function isSpecChanged(change: Change<Provider | ProviderConfig>): boolean {
  if (change.type !== 'modified') return change.type === 'added';
  return !isEqual(change.previous.spec, change.object.spec);
}
