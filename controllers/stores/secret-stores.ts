import compact from 'lodash/compact.js';
import isEqual from 'lodash/isEqual.js';
import pickBy from 'lodash/pickBy.js';
import { map, mergeMap, share } from 'rxjs';
import { advice } from '../../apis/core/v1alpha1/advice.ts';
import { ControllerError, getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { CredentialSelector } from '../../apis/core/v1alpha1/credentials.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { secretKeyOf } from '../../apis/core/v1alpha1/secret.ts';
import type { StoreConfig } from '../../apis/core/v1alpha1/store-config.ts';
import { StoreConfigKind, storeConfigOf } from '../../apis/core/v1alpha1/store-config.ts';
import { refuseMalformed } from '../../apis/core/v1alpha1/well-formed.ts';
import { areCertificates } from '../../clients/certificates.ts';
import type { VaultClient, VaultOptions } from '../../clients/vault.ts';
import { vaultClient } from '../../clients/vault.ts';
import { VaultError } from '../../clients/vault-error.ts';
import type { Resource } from '../../runtime/cache/resource.ts';
import { apiErrorIn, messageOf } from '../../runtime/client/errors.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { Trigger } from '../../runtime/controller/triggers.ts';
import {
  anyOf,
  changed,
  disappears,
  those,
  triggerBy,
  triggersIn,
} from '../../runtime/controller/triggers.ts';
import type { SecretStore, SecretStores } from '../connection/secret-store.ts';
import { ownerUidLabel } from '../connection/store-place.ts';
import { connectionSecrets } from '../indexes.ts';
import { onlyObserves } from '../management-policies.ts';
import type { NamedSecret } from '../named-secret-changes.ts';
import { namedSecretChanges } from '../named-secret-changes.ts';
import { refuseNewUser } from '../new-user.ts';
import { credentialReader, heldCredentials } from '../provider/credential-sources.ts';
import { kubernetesStore } from './kubernetes-store.ts';
import { vaultStore } from './vault-store.ts';

export interface SecretStoresOptions {
  /** Creates a Vault client. Default: `vaultClient`. */
  readonly createVaultClient?: (mountPath: string, options: VaultOptions) => VaultClient;
}

const byStoreConfig = 'StoreConfig of publishConnectionDetailsTo';
const byUid = 'uid of publisher';
const byOwnerLabel = 'owner-uid label';

const dataOf = ({ data }: Secret) => data;

/** The Secret with the token of a Vault. */
function tokenSecretOf({ spec }: StoreConfig): NamedSecret | undefined {
  const { secretRef } = spec.vault?.auth?.token ?? {};
  if (spec.type !== 'Vault' || secretRef === undefined) return undefined;
  const { namespace, name } = secretRef;
  return { namespace, name, isChangedAtFirst: 'never' };
}

const hasFailed = ({ status }: Managed): boolean =>
  getCondition(status?.conditions, 'Synced').status === 'False';

const ownerIn = ({ metadata }: Secret): string => metadata.labels?.[ownerUidLabel] ?? '';

/** The secret stores of StoreConfigs: Kubernetes (Secrets of one namespace) and Vault (a KV v2 engine). */
export function secretStores(env: Environment, options: SecretStoresOptions = {}): SecretStores {
  const { createVaultClient = vaultClient } = options;
  const configs = env.resource(StoreConfigKind);
  const secrets = connectionSecrets(env);
  const read = credentialReader(env);
  const clients = new Map<string, { readonly options: object; readonly client: VaultClient }>();
  const changedTokens$ = namedSecretChanges(env, configs.store, tokenSecretOf).pipe(share());
  secrets.store.addIndex(byOwnerLabel, ({ metadata }) => compact([metadata.labels?.[ownerUidLabel]]));

  return {
    exists: (managed) => configs.get({ name: storeConfigOf(managed) ?? '' }) !== undefined,
    async open(managed) {
      const name = storeConfigOf(managed) ?? '';
      const config = configs.get({ name });
      if (config === undefined) {
        throw new ControllerError(
          'DependencyNotFound',
          `StoreConfig ${name} of spec.publishConnectionDetailsTo does not exist; ${advice.createNamed(name)}`,
        );
      }
      refuseMalformed(config, `StoreConfig ${name}`);
      refuseNewUser(managed, config);
      const { type = 'Kubernetes', defaultScope } = config.spec;
      const className = managed.spec.classRef?.name;
      return type === 'Vault' ? openVault(config) : kubernetesStore(secrets, defaultScope, className);
    },
    async removePrevious(managed, signal) {
      const labelled = secrets.store.byIndex(byOwnerLabel, managed.metadata.uid ?? '');
      // Any user can label a Secret, so delete only in namespaces of StoreConfigs.
      const previous = labelled.filter((each) => isOfStore(each) && !isStoredAt(managed, each.metadata));
      for (const secret of previous) await secrets.delete(secret, signal);
      return previous.map(secretKeyOf);
    },
    triggers: triggersFor,
  };

  function isOfStore({ metadata: { namespace } }: Secret): boolean {
    const isScope = ({ spec: { type = 'Kubernetes', defaultScope } }: StoreConfig) =>
      type === 'Kubernetes' && defaultScope === namespace;
    return configs.store.all().some(isScope);
  }

  async function openVault({ metadata: { name }, spec }: StoreConfig): Promise<SecretStore> {
    const { vault, defaultScope: scope } = spec;
    if (vault === undefined) throw new Error(`StoreConfig ${name} is of type Vault and has no spec.vault`);
    const token = await tokenOf(name, vault.auth.token);
    const { server, mountPath, caBundle, namespace } = vault;
    if (caBundle !== undefined && !areCertificates(caBundle)) {
      throw new Error(`spec.vault.caBundle of StoreConfig ${name} must be complete PEM certificates`);
    }
    const wanted = { server, ...pickBy({ token, caBundle, namespace }) };
    let entry = clients.get(name);
    if (entry === undefined || !isEqual(entry.options, { mountPath, ...wanted })) {
      // Closing the previous client waits for calls that still use it.
      void entry?.client.close().catch(() => undefined);
      const client = createVaultClient(mountPath, {
        ...wanted,
        clock: env.clock,
        ...(env.createAgent && { createAgent: env.createAgent }),
      });
      entry = { options: { mountPath, ...wanted }, client };
      clients.set(name, entry);
    }
    const where = { server: new URL(server).origin, mountPath, scope };
    return guarded(env, classified(vaultStore(entry.client, where)));
  }

  async function tokenOf(
    config: string,
    selector: CredentialSelector | undefined,
  ): Promise<string | undefined> {
    const who = `StoreConfig ${config}`;
    if (selector === undefined) throw new Error(`${who} has no spec.vault.auth.token`);
    try {
      const credentials = await read(selector, who);
      if (credentials.source === 'None') return undefined;
      const { text, origin } = heldCredentials(credentials);
      const token = text.trim();
      // Check it here: the error of the HTTP client about an illegal header would contain the token.
      if (!/^[\x21-\x7e]+$/.test(token)) throw new Error(`${origin} of ${who} holds no token`);
      return token;
    } catch (error) {
      if (apiErrorIn(error) !== undefined) throw error;
      throw new ControllerError('StoreTokenUnreadable', messageOf(error));
    }
  }

  function isStoredAt(publisher: Managed, { namespace, name }: Secret['metadata']): boolean {
    const scope = configs.get({ name: storeConfigOf(publisher) ?? '' })?.spec.defaultScope;
    return publisher.spec.publishConnectionDetailsTo?.name === name && scope === namespace;
  }

  function triggersFor(managed: Resource<Managed>): readonly Trigger[] {
    const { store } = managed;
    store.addIndex(byStoreConfig, (object) => compact([storeConfigOf(object)]));
    store.addIndex(byUid, (object) =>
      storeConfigOf(object) === undefined ? [] : [object.metadata.uid ?? ''],
    );
    const wokenBy = triggersIn(env);
    return [
      wokenBy(configs.store)
        .sharedByMany()
        .through(
          ({ metadata }) => store.byIndex(byStoreConfig, metadata.name),
          'the StoreConfig it publishes to changed',
        ),
      triggerBy(
        'the token of the StoreConfig it publishes to changed',
        changedTokens$.pipe(
          mergeMap(({ name }) => those(store.byIndex(byStoreConfig, name), hasFailed)),
          map(({ metadata }) => ({ name: metadata.name })),
        ),
        'shared change',
      ),
      wokenBy(secrets.store)
        .when(anyOf(disappears, changed(dataOf, ownerIn)))
        .through(
          (secret) =>
            // Any user can label a Secret, so the resource must also name it.
            store
              .byIndex(byUid, ownerIn(secret))
              .filter((publisher) => isStoredAt(publisher, secret.metadata)),
          'its secret in a secret store was edited or deleted',
        ),
    ];
  }
}

/**
 * Checks before each write the leader lease, and that the process does not only observe. The Kubernetes client checks
 * the lease only for writes to the cluster.
 */
function guarded(
  { checkLease, isObserveOnly }: Pick<Environment, 'checkLease' | 'isObserveOnly'>,
  store: SecretStore,
): SecretStore {
  const mayWrite = (change: string): void => {
    checkLease?.();
    // guard: otherwise a rehearsal changes an entry of Vault
    if (isObserveOnly) throw onlyObserves(`${change} the entry of`);
  };
  return {
    ...store,
    async write(...given) {
      mayWrite('write');
      return store.write(...given);
    },
    async remove(...given) {
      mayWrite('delete');
      await store.remove(...given);
    },
  };
}

/** Gives the failures of Vault a class of their own. A conflict needs none, because the run starts again. */
function classified(store: SecretStore): SecretStore {
  const calling = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      if (!(error instanceof VaultError) || error.code === 'Conflict') throw error;
      throw new ControllerError('StoreFailing', error.message);
    }
  };
  return {
    ...store,
    read: (...given) => calling(store.read(...given)),
    write: (...given) => calling(store.write(...given)),
    remove: (...given) => calling(store.remove(...given)),
  };
}
