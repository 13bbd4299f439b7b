import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { advice } from '../../../apis/core/v1alpha1/advice.ts';
import { annotationKeys, connectionSecretType } from '../../../apis/core/v1alpha1/meta.ts';
import { encodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { StoreConfigKind } from '../../../apis/core/v1alpha1/store-config.ts';
import { FavouriteDBInstanceKind } from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../../apis/fcp/v1alpha3/network.ts';
import { ProviderConfigKind } from '../../../apis/fcp/v1alpha3/provider.ts';
import { VaultServer } from '../../../emulators/vault/server.ts';
import { credentialsNamespace, favouriteRef } from '../fancysql-fixture.ts';
import { eventually } from '../stack-harness.ts';
import { refusedName } from './aws-rows.ts';
import { knownAuthString } from './gcp-rows.ts';
import type { Place, Row } from './player.ts';

/** The advice that a managed resource shows. */
export type ManagedAdvice = Extract<
  keyof typeof advice,
  | 'continueCreation'
  | 'correctProvider'
  | 'createExternalAgain'
  | 'moveExternal'
  | 'allowCreate'
  | 'allowUpdate'
  | 'undoEdit'
  | 'correctDrift'
  | 'supportedPolicies'
  | 'chooseCredential'
  | 'createNamespace'
  | 'useAnother'
  | 'createNamed'
  | 'setExternalName'
  | 'referInForProvider'
  | 'useHeldCredentials'
  | 'nameAnotherFile'
  | 'labelEntry'
  | 'generateOthers'
>;

/** A claim that is bound, in a cloud of its own. */
async function boundInOwnCloud(at: Place): Promise<void> {
  await at.cloud();
  await at.claim({ classRef: at.classRef('own') });
  await at.fixture.bound(at.namespace, 'db');
}

const messages = async (at: Place): Promise<string> =>
  at.messagesOf(FavouriteDBInstanceKind, (await at.resource()).metadata);

const observeAgain = async (at: Place): Promise<void> =>
  at.observeAgain(FavouriteDBInstanceKind, (await at.resource()).metadata.name);

/** Writes credentials of the row's provider, and observes again. */
async function correctCredentials(at: Place, credentials?: object): Promise<void> {
  await at.credentials(credentials);
  await sleep(2_100); // the controllers cache a Secret that they read for 2 s
  await observeAgain(at);
}

/** The claim can be used, and its resource no longer shows the words. */
const isSilent =
  (words: string): NonNullable<Row['ends']> =>
  async (at) =>
    (await at.usable()) && !(await messages(at)).includes(words);

const networkKey = (at: Place) => ({ name: at.named('net') });

const networkIn = async (at: Place): Promise<void> => {
  await at.fixture.cluster.client.create(NetworkKind, {
    apiVersion: 'network.fcp.crossplane.io/v1alpha3',
    kind: 'Network',
    metadata: networkKey(at),
    spec: { providerConfigRef: { name: at.named('cloud') }, forProvider: { cidr: '10.0.0.0/16' } },
  } as never);
};

/** Says that the external resource of the claim was moved to the system to which the provider connects. */
async function adopt(at: Place): Promise<void> {
  const { name } = (await at.resource()).metadata;
  await at.run(`kubectl annotate favouritedbinstance ${name} ${annotationKeys.adoptIdentity}=true`);
}

const networkMessages = (at: Place): Promise<string> => at.messagesOf(NetworkKind, networkKey(at));

const isNetworkReady = (at: Place): Promise<boolean> => at.works(NetworkKind, at.named('net'));

const storedRow = {
  where: (at: Place) => at.messagesOf(FavouriteDBInstanceKind, { name: at.named('stored') }),
  ends: (at: Place) => at.works(FavouriteDBInstanceKind, at.named('stored')),
};

/** A secret store has an entry without an owner, as a restore leaves one. */
async function occupiedEntry(at: Place): Promise<void> {
  const name = at.named('store');
  await at.create(StoreConfigKind, name, { type: 'Kubernetes', defaultScope: at.namespace });
  await at.fixture.cluster.client.create(SecretKind, {
    ...{ apiVersion: 'v1', kind: 'Secret', type: connectionSecretType },
    metadata: { namespace: at.namespace, name: 'taken' },
    data: encodeDetails({ password: 'a-password' }),
  });
  await at.managed('stored', {
    publishConnectionDetailsTo: { name: 'taken', configRef: { name } },
    writeConnectionSecretToRef: undefined,
  } as object);
}

const editSource = (at: Place, credentials: object): Promise<void> =>
  at.edit(ProviderConfigKind, { name: at.named('cloud') }, { spec: { credentials } });

/** A claim in a cloud of its own, whose provider has credentials of this source. */
async function withSource(at: Place, credentials: object): Promise<void> {
  await at.cloud();
  await editSource(at, credentials);
  await at.claim({ classRef: at.classRef('own') });
}

export const managedRows: Readonly<Record<ManagedAdvice, Row>> = {
  continueCreation: {
    async situation(at) {
      const cloud = await at.cloud();
      cloud.faults.inject({ kind: 'cut', method: 'POST', times: 1_000 });
      await networkIn(at);
    },
    says: () => 'if it is there, set NAME to its name there',
    where: networkMessages,
    async act(at) {
      const [command = 'false'] = /kubectl annotate .*$/m.exec(await networkMessages(at)) ?? [];
      at.clouds[0]?.faults.clear();
      // It is not there, so the name is left out.
      await at.run(command.replace(/ --overwrite crossplane\.io\/external-name="[^"]*"/, ''));
    },
    ends: isNetworkReady,
  },
  correctProvider: {
    async situation(at) {
      await boundInOwnCloud(at);
      const { url, token } = at.fixture.favourite;
      await correctCredentials(at, { url, token });
    },
    where: messages,
    async act(at) {
      await correctCredentials(at);
    },
    ends: isSilent('correct the provider'),
  },
  createExternalAgain: {
    async situation(at) {
      await at.cloud();
      await networkIn(at);
      await eventually('the network is ready', () => isNetworkReady(at));
      const [cloud] = at.clouds;
      const [network] = cloud?.networks() ?? [];
      const headers = { authorization: `Bearer ${cloud?.token}` };
      const path = `/v1/networks/${network?.item.id}`;
      const answer = await fetch(`${cloud?.url}${path}`, { method: 'DELETE', headers });
      assert.ok(answer.ok, `DELETE ${path} answers ${answer.status}`);
      await eventually('the network is gone', async () => cloud?.networks().length === 0);
      await at.observeAgain(NetworkKind, at.named('net'));
    },
    where: networkMessages,
    act: (at) => at.run(`kubectl annotate network ${at.named('net')} ${annotationKeys.externalName}-`),
    ends: isNetworkReady,
  },
  moveExternal: {
    async situation(at) {
      await boundInOwnCloud(at);
      const { url, token } = at.fixture.favourite;
      await correctCredentials(at, { url, token });
      await adopt(at);
    },
    where: messages,
    fault: 'nothing there',
    async act(at) {
      const [command = 'false'] = (await at.trace()).fault?.commands ?? [];
      assert.match(command, /adopt-identity=or-create$/);
      await at.run(command);
    },
    ends: isSilent('copy it to where the provider connects'),
  },
  allowCreate: {
    async situation(at) {
      await at.managed('policed', { managementPolicies: ['Observe', 'Update', 'LateInitialize'] } as object);
      await at.claim({ resourceRef: { ...at.classRef('policed'), kind: 'FavouriteDBInstance' } });
    },
    fault: 'nothing there',
    act: (at) => at.editPolicies(at.named('policed'), ['*']),
  },
  allowUpdate: {
    async situation(at) {
      await boundInOwnCloud(at);
      const { metadata, spec } = await at.resource();
      await at.editPolicies(metadata.name, ['Observe', 'Create', 'Delete', 'LateInitialize']);
      await at.delete(SecretKind, spec.writeConnectionSecretToRef!);
    },
    says: () => `do not allow Update; ${advice.allowUpdate('Update')}`,
    where: messages,
    act: async (at) =>
      at.editPolicies((await at.resource()).metadata.name, [
        'Observe',
        'Create',
        'Delete',
        'LateInitialize',
        'Update',
      ]),
    ends: isSilent('do not allow Update'),
  },
  undoEdit: {
    async situation(at) {
      await boundInOwnCloud(at);
      const { name } = (await at.resource()).metadata;
      await at.run(
        `kubectl annotate favouritedbinstance ${name} --overwrite ${annotationKeys.externalName}=other`,
      );
    },
    where: messages,
    async act(at) {
      const { name } = (await at.resource()).metadata;
      await at.run(
        `kubectl annotate favouritedbinstance ${name} --overwrite ${annotationKeys.externalName}=${name}`,
      );
    },
    ends: isSilent('undo the edit'),
  },
  correctDrift: {
    async situation(at) {
      await at.cloud();
      await at.class('fixed', {
        template: {
          providerRef: undefined,
          providerConfigRef: { name: at.named('cloud') },
          forProvider: { fancinessLevel: 3, version: '5.6' },
        } as object,
      });
      await at.claim({ classRef: at.classRef('fixed') });
      await at.fixture.bound(at.namespace, 'db');
      at.clouds[0]?.drift((await at.resource()).metadata.name, { version: '5.7' });
      await observeAgain(at);
    },
    where: messages,
    async act(at) {
      at.clouds[0]?.drift((await at.resource()).metadata.name, { version: '5.6' });
      await observeAgain(at);
    },
    ends: isSilent('correct it there'),
  },
  supportedPolicies: {
    async situation(at) {
      await at.managed('policed', { managementPolicies: ['Update'] } as object);
      await at.claim({ resourceRef: { ...at.classRef('policed'), kind: 'FavouriteDBInstance' } });
    },
    reason: 'ResourceFailing',
    fault: 'invalid policies',
    act: (at) => at.editPolicies(at.named('policed'), ['*']),
  },
  chooseCredential: {
    async situation(at) {
      await boundInOwnCloud(at);
      // The cloud refuses passwords, as a policy does.
      at.clouds[0]?.faults.inject({ kind: 'fail', status: 422, method: 'PATCH', times: 1_000_000 });
      await at.delete(SecretKind, (await at.resource()).spec.writeConnectionSecretToRef!);
    },
    says: () => `edit the password in Secret ${credentialsNamespace}/`,
    where: messages,
    async act(at) {
      at.clouds[0]?.faults.clear();
      await at.delete(SecretKind, (await at.resource()).spec.writeConnectionSecretToRef!);
    },
    ends: isSilent('edit the password'),
  },
  createNamespace: {
    async situation(at) {
      await at.class('lost', { template: { writeConnectionSecretsToNamespace: at.named('late') } });
      await at.claim({ classRef: at.classRef('lost') });
    },
    reason: 'NamespaceNotFound',
    fault: 'missing namespace',
    // The controllers do not wait for their back-off, so that creating the namespace is enough.
    async act(at) {
      await sleep(10_000);
      const commands = (await at.trace()).fault?.commands;
      assert.deepEqual(commands, [`kubectl create namespace ${at.named('late')}`]);
      await at.run(`kubectl create namespace ${at.named('late')}`);
    },
  },
  useAnother: {
    async situation(at) {
      await boundInOwnCloud(at);
      const providerConfigRef = { name: at.named('cloud') };
      await at.delete(ProviderConfigKind, providerConfigRef);
      await sleep(1_100); // the API server's times have whole seconds
      await at.managed('late', { providerRef: undefined, providerConfigRef } as object);
    },
    where: (at) => at.messagesOf(FavouriteDBInstanceKind, { name: at.named('late') }),
    async act(at) {
      const spec = { providerConfigRef: null, providerRef: { name: 'favourite' } };
      await at.edit(FavouriteDBInstanceKind, { name: at.named('late') }, { spec });
      await at.claim({ resourceRef: favouriteRef(at.named('late')) }, 'another');
    },
    ends: (at) => at.usable('another'),
  },
  createNamed: {
    async situation(at) {
      await at.cloud();
      await at.delete(ProviderConfigKind, { name: at.named('cloud') });
      await at.claim({ classRef: at.classRef('own') });
    },
    reason: 'DependencyNotFound',
    fault: 'missing provider',
    act: (at) => at.providerConfig(),
  },
  setExternalName: refusedName,
  generateOthers: knownAuthString,
  referInForProvider: {
    async situation(at) {
      await at.cloud();
      await networkIn(at);
      const networkIdRef = networkKey(at);
      await at.managed('joined', {
        providerRef: undefined,
        providerConfigRef: { name: at.named('cloud') },
        initProvider: { networkIdRef },
      } as object);
    },
    says: () => 'set networkId there, or refer in spec.forProvider',
    where: (at) => at.messagesOf(FavouriteDBInstanceKind, { name: at.named('joined') }),
    act: (at) =>
      at.edit(
        FavouriteDBInstanceKind,
        { name: at.named('joined') },
        { spec: { initProvider: null, forProvider: { networkIdRef: networkKey(at) } } },
      ),
    ends: (at) => at.works(FavouriteDBInstanceKind, at.named('joined')),
  },
  useHeldCredentials: {
    situation: (at) => withSource(at, { source: 'None', secretRef: null }),
    reason: 'CannotReadCredentials',
    fault: 'wrong credentials',
    act: (at) =>
      editSource(at, {
        source: 'Secret',
        secretRef: { namespace: credentialsNamespace, name: at.named('cloud'), key: 'credentials' },
      }),
  },
  nameAnotherFile: {
    situation: (at) =>
      withSource(at, { source: 'Filesystem', fs: { path: '/proc/version' }, secretRef: null }),
    where: (at) => at.messagesOf(ProviderConfigKind, { name: at.named('cloud') }),
    async act(at) {
      const directory = await mkdtemp(join(tmpdir(), 'credentials-'));
      at.servers.push({ stop: () => rm(directory, { recursive: true }) });
      const path = join(directory, 'cloud.json');
      await writeFile(path, JSON.stringify(at.workingCredentials));
      await editSource(at, { fs: { path } });
    },
  },
  labelEntry: {
    situation: occupiedEntry,
    async says(at) {
      const { metadata } = await at.fixture.cluster.client.get(FavouriteDBInstanceKind, {
        name: at.named('stored'),
      });
      return advice.labelEntry(`secret.crossplane.io/owner-uid=${metadata.uid}`);
    },
    ...storedRow,
    async act(at) {
      const [, label = ''] = /or label it (\S+)/.exec(await storedRow.where(at)) ?? [];
      await at.run(`kubectl label secret -n ${at.namespace} taken ${label}`);
    },
  },
};

/** Mistakes for which the catalogue has one piece of advice with another field. */
/** A Vault whose token is in a Secret that does not exist yet. */
async function vaultWithoutToken(at: Place): Promise<void> {
  const vault = new VaultServer({ token: 'vault-token' });
  await vault.start();
  at.servers.push(vault);
  const secretRef = { namespace: credentialsNamespace, name: at.named('token'), key: 'token' };
  await at.create(StoreConfigKind, at.named('store'), {
    type: 'Vault',
    defaultScope: at.namespace,
    vault: {
      ...{ server: vault.url, mountPath: 'secret', version: 'v2' },
      auth: { method: 'Token', token: { source: 'Secret', secretRef } },
    },
  });
  await at.managed('stored', {
    publishConnectionDetailsTo: { name: 'stored', configRef: { name: at.named('store') } },
    writeConnectionSecretToRef: undefined,
  } as object);
}

export const moreManagedRows: Readonly<Record<string, Row>> = {
  'a Secret with the token of a Vault that is created late': {
    situation: vaultWithoutToken,
    says: (at) => `secret ${credentialsNamespace}/${at.named('token')} of StoreConfig`,
    ...storedRow,
    async act(at) {
      await sleep(5_000); // the next attempt by itself is later than the correction
      await at.secret(credentialsNamespace, at.named('token'), { token: 'vault-token' });
    },
  },
  'an entry of a secret store that belongs to another': {
    situation: occupiedEntry,
    says: () => advice.nameAnotherSecret('spec.publishConnectionDetailsTo'),
    ...storedRow,
    act: (at) =>
      at.edit(
        FavouriteDBInstanceKind,
        { name: at.named('stored') },
        { spec: { publishConnectionDetailsTo: { name: 'free' } } },
      ),
  },
};
