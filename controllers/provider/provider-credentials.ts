/*
 *   managed resource ──▶ provider-choice.ts ──▶ Provider or ProviderConfig
 *                                                      │
 *   secret, variable or file ◀── credential-sources.ts ┘
 */

import omit from 'lodash/omit.js';
import { map, mergeMap } from 'rxjs';
import { advice } from '../../apis/core/v1alpha1/advice.ts';
import { ControllerError, getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { CredentialSelector } from '../../apis/core/v1alpha1/credentials.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Provider, ProviderConfig } from '../../apis/core/v1alpha1/provider.ts';
import { refuseMalformed } from '../../apis/core/v1alpha1/well-formed.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { Trigger } from '../../runtime/controller/triggers.ts';
import { anyOf, appears, changed, those, triggerBy, triggersIn } from '../../runtime/controller/triggers.ts';
import { providerErrorClasses } from '../error-class.ts';
import type { Credentials } from './credential-sources.ts';
import { credentialReader } from './credential-sources.ts';
import type { ProviderName } from './provider-choice.ts';
import { providerKey, providerOf } from './provider-choice.ts';
import type { ProviderHealth } from './provider-health.ts';
import { noteSecretTexts } from './secret-texts.ts';

/** The kinds of a stack's providers. `P`: the fields of their specs besides the credentials. */
export interface ProviderKinds<P extends object = object> {
  readonly provider: Kind<Provider & { readonly spec: P }>;
  readonly providerConfig: Kind<ProviderConfig & { readonly spec: P }>;
  /** The keys of a Secret that has several credentials. Absent if one key has them all. */
  readonly credentialEntries?: readonly string[];
  /** The fields in that one key, as the trace shows them: `{"url": …, "token": …}`. Absent if it has one value. */
  readonly credentialForm?: string;
}

/** The fields of a provider's spec without the credentials. */
export type ProviderParameters<P extends object> = Omit<P, 'credentials' | 'credentialsSecretRef'>;

/** The source of a provider's credentials. Throws an Error that names what is missing. */
export function credentialsOf(provider: Provider | ProviderConfig): CredentialSelector {
  const who = `${provider.kind} ${provider.metadata.name}`;
  refuseMalformed(provider, who);
  if ('credentials' in provider.spec) return provider.spec.credentials;
  const { credentialsSecretRef: secretRef } = provider.spec as Provider['spec'];
  if (secretRef === undefined) throw new Error(`${who} has no spec.credentialsSecretRef`);
  return { source: 'Secret', secretRef };
}

/** The provider and the source of its credentials, for messages: `ProviderConfig default, secret infra/cloud`. */
export function originOf(provider: Provider | ProviderConfig): string {
  const who = `${provider.kind} ${provider.metadata.name}`;
  try {
    const { secretRef, env, fs } = credentialsOf(provider);
    if (secretRef !== undefined) return `${who}, secret ${secretRef.namespace}/${secretRef.name}`;
    if (env !== undefined) return `${who}, environment variable ${env.name}`;
    return fs === undefined ? who : `${who}, file ${fs.path}`;
  } catch {
    return who;
  }
}

/** The provider of a managed resource, as a connection needs it. */
export interface ProviderFacts<P extends object> {
  readonly credentials: Credentials;
  readonly parameters: ProviderParameters<P>;
}

/**
 * Reads the provider of a managed resource, and its credentials. Throws an Error that names what is missing: the
 * provider, its reference, the Secret, its key, the variable, the file.
 */
export function providerFacts<P extends object>(
  env: Environment,
  kinds: ProviderKinds<P>,
): (managed: Managed) => Promise<ProviderFacts<P>> {
  const find = providerFinder(env, kinds);
  const read = credentialReader(env);
  return async (managed) => {
    const { kind, name } = providerOf(managed);
    const who = `${kind} ${name}`;
    const { provider } = find(managed) ?? {};
    if (provider === undefined)
      throw new ControllerError('DependencyNotFound', `${who} does not exist; ${advice.createNamed(name)}`);
    const credentials = await read(credentialsOf(provider), who);
    // guard: otherwise an error of the stack shows them in a condition
    noteSecretTexts(provider, credentials);
    const parameters = omit(provider.spec, ['credentials', 'credentialsSecretRef']);
    return { credentials, parameters: parameters as unknown as ProviderParameters<P> };
  };
}

/** The Provider or ProviderConfig that a managed resource uses, if it exists. */
export function providerFinder(
  env: Environment,
  kinds: ProviderKinds,
): (managed: Managed) => { readonly kind: Kind; readonly provider: Provider | ProviderConfig } | undefined {
  const find = {
    Provider: { of: kinds.provider, store: env.resource(kinds.provider) },
    ProviderConfig: { of: kinds.providerConfig, store: env.resource(kinds.providerConfig) },
  };
  return (managed) => {
    const { kind, name } = providerOf(managed);
    const { of, store } = find[kind];
    const provider = store.get({ name });
    return provider && { kind: of, provider };
  };
}

const byProvider = 'provider';

/** Whether the last call for a managed resource failed because of its provider. */
const hasFailedByProvider = ({ status }: Managed): boolean =>
  [...providerErrorClasses, 'SecretsForbidden', 'SecretsExcluded'].includes(
    getCondition(status?.conditions, 'Synced').error?.class ?? '',
  );

/** Triggers managed resources at once, even in a back-off, when their provider appears, changes or may work again. */
export function providerTriggers(
  env: Environment,
  kinds: ProviderKinds,
  managedKind: Kind<Managed>,
  health: Pick<ProviderHealth, 'mayWork$'>,
): readonly Trigger[] {
  const { store } = env.resource(managedKind);
  store.addIndex(byProvider, (managed) => [providerKey(providerOf(managed))]);
  const wokenBy = triggersIn(env);
  // The status is not compared, because it changes with each new managed resource.
  const isNews = anyOf(
    appears,
    changed(({ spec }: Provider | ProviderConfig) => spec),
  );
  const triggersOf = (
    kind: ProviderName['kind'],
    of: Kind<Provider | ProviderConfig>,
  ): readonly Trigger[] => {
    const usersOf = (name: string) => store.byIndex(byProvider, providerKey({ kind, name }));
    const failed$ = health.mayWork$(of).pipe(
      mergeMap(({ name, isForAll, isFor }) =>
        those(
          usersOf(name),
          (each) => (isForAll || hasFailedByProvider(each)) && isFor(each.metadata.uid ?? ''),
        ),
      ),
      map(({ metadata }) => ({ name: metadata.name })),
    );
    return [
      wokenBy(env.resource(of).store)
        .when(isNews)
        .sharedByMany()
        .through(({ metadata }) => usersOf(metadata.name), `its ${kind} appeared or changed`),
      triggerBy(`its ${kind} may work again`, failed$, 'shared change'),
    ];
  };
  return [...triggersOf('Provider', kinds.provider), ...triggersOf('ProviderConfig', kinds.providerConfig)];
}
