/*
 *   managed resource ──▶ provider-choice.ts ──▶ Provider or ProviderConfig
 *                                                      │
 *   secret, variable or file ◀── credential-sources.ts ┘
 */

import type { CredentialSelector } from '../../../apis/core/v1alpha1/credentials.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Provider, ProviderConfig } from '../../../apis/core/v1alpha1/provider.ts';
import type { Environment } from '../../../runtime/controller/environment.ts';
import type { Trigger } from '../../../runtime/controller/triggers.ts';
import { anyOf, appears, changed, triggersIn } from '../../../runtime/controller/triggers.ts';
import type { Credentials } from './credential-sources.ts';
import { credentialReader } from './credential-sources.ts';
import type { ProviderName } from './provider-choice.ts';
import { chooseProvider, providerKey, providerOf, providersOf } from './provider-choice.ts';

export interface ProviderKinds {
  readonly provider: Kind<Provider>;
  readonly providerConfig: Kind<ProviderConfig>;
}

/**
 * Reads the credentials that a managed resource's provider names. Throws an Error that names what is missing: the
 * provider, its reference, the secret, its key, the variable, the file.
 */
export function providerCredentials(
  env: Environment,
  kinds: ProviderKinds,
): (managed: Managed) => Promise<Credentials> {
  const providers = env.resource(kinds.provider);
  const providerConfigs = env.resource(kinds.providerConfig);
  const choose = providerChooser(env, kinds);
  const read = credentialReader(env);

  return async (managed) => {
    const { kind, name } = choose(managed);
    const selector = kind === 'Provider' ? legacySelector(name) : selectorOf(name);
    const isFresh = managed.spec.providerConfigRef?.policy?.resolve === 'Always';
    return read(selector, { who: `${kind} ${name}`, isFresh });
  };

  function legacySelector(name: string): CredentialSelector {
    const provider = providers.get({ name });
    if (provider === undefined) throw new Error(`Provider ${name} does not exist`);
    const { credentialsSecretRef: secretRef } = provider.spec;
    if (secretRef === undefined) throw new Error(`Provider ${name} has no spec.credentialsSecretRef`);
    return { source: 'Secret', secretRef };
  }

  function selectorOf(name: string): CredentialSelector {
    const config = providerConfigs.get({ name });
    if (config === undefined) throw new Error(`ProviderConfig ${name} does not exist`);
    return config.spec.credentials;
  }
}

/** Which Provider or ProviderConfig a managed resource uses, as things are in the stores now; see `chooseProvider`. */
export function providerChooser(env: Environment, kinds: ProviderKinds): (managed: Managed) => ProviderName {
  const stores = {
    Provider: env.resource(kinds.provider),
    ProviderConfig: env.resource(kinds.providerConfig),
  };
  return (managed) => chooseProvider(managed, ({ kind, name }) => stores[kind].get({ name }) !== undefined);
}

const byProvider = 'provider';

/** Managed resources whose provider appears or changes, so that they need not wait out their back-off. */
export function providerTriggers(
  env: Environment,
  kinds: ProviderKinds,
  managedKind: Kind<Managed>,
): readonly Trigger[] {
  const { store } = env.resource(managedKind);
  store.addIndex(byProvider, (managed) => [
    ...new Set([...providersOf(managed), providerOf(managed)].map(providerKey)),
  ]);
  const usersOf =
    (kind: ProviderName['kind']) =>
    ({ metadata: { name } }: Provider | ProviderConfig) =>
      store.byIndex(byProvider, providerKey({ kind, name }));
  const wokenBy = triggersIn(env);
  // The count of its users, which changes with each of them, concerns none of them.
  const isNews = anyOf(
    appears,
    changed(({ spec }: Provider | ProviderConfig) => spec),
  );
  return [
    wokenBy(env.resource(kinds.provider).store)
      .when(isNews)
      .through(usersOf('Provider'), 'its Provider appeared or changed'),
    wokenBy(env.resource(kinds.providerConfig).store)
      .when(isNews)
      .through(usersOf('ProviderConfig'), 'its ProviderConfig appeared or changed'),
  ];
}
