import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from 'node:tls';
import { advice } from '../../../apis/core/v1alpha1/advice.ts';
import { annotationKeys, connectionSecretType } from '../../../apis/core/v1alpha1/meta.ts';
import { encodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { StoreConfigKind } from '../../../apis/core/v1alpha1/store-config.ts';
import { advice as clientAdvice } from '../../../clients/advice.ts';
import { selfSignedCertificate } from '../../../local/postgresql-certificate.ts';
import { FancySQLInstanceKind } from '../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';
import { ProviderConfigKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { VaultServer } from '../../../testing/vault/server.ts';
import type { VaultOptions } from '../../../testing/vault/vault.ts';
import { credentialsNamespace, favouriteRef } from '../fancysql-fixture.ts';
import { eventually } from '../stack-harness.ts';
import { refusedName } from './aws-rows.ts';
import { knownAuthString } from './gcp-rows.ts';
import type { Place, Row, RowsFor } from './player.ts';
import { about } from './player.ts';

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

/** The claim can be used, and its resource no longer shows the words. */
const isSilent =
  (words: string): NonNullable<Row['ends']> =>
  async (at) =>
    (await at.usable()) && !(await messages(at)).includes(words);

const cloudRef = (at: Place) => ({ name: at.named('cloud') });

const networkIn = (at: Place): Promise<unknown> =>
  at.create(NetworkKind, 'net', {
    providerConfigRef: cloudRef(at),
    forProvider: { cidr: '10.0.0.0/16' },
  });

/** A managed resource in the cloud of the row. */
const inCloud = (at: Place, name: string, spec: object = {}): Promise<unknown> =>
  at.managed(name, { providerRef: undefined, providerConfigRef: cloudRef(at), ...spec } as object);

/** The provider of a bound claim connects to another cloud. */
async function movedProvider(at: Place): Promise<void> {
  await boundInOwnCloud(at);
  const { url, token } = at.fixture.favourite;
  await at.credentials({ url, token });
}

/** The instance of a bound claim is deleted in the cloud. */
async function lostInstance(at: Place, template: object = {}): Promise<void> {
  const cloud = await at.cloud();
  const providerConfigRef = { name: at.named('cloud') };
  await at.class('lossy', { template: { providerRef: undefined, providerConfigRef, ...template } as object });
  await at.claim({ classRef: at.classRef('lossy') });
  await at.fixture.bound(at.namespace, 'db');
  for (const { item } of cloud.instances()) cloud.lose(item.name);
  await observeAgain(at);
}

/** The metadata of the resource that is kept for a deleted claim of the row. */
async function retainedIn({ fixture, namespace }: Place) {
  const all = await fixture.cluster.all(FavouriteDBInstanceKind);
  const found = all.find(
    ({ spec, status }) => spec.claimRef?.namespace === namespace && status?.deleteAt !== undefined,
  );
  return found?.metadata;
}

const annotating = ({ metadata }: { readonly metadata: { readonly name: string } }, change: string): string =>
  `kubectl annotate favouritedbinstance.database.fcp.crossplane.io ${metadata.name} ${change}`;

/** Runs the command of the messages that annotates the resource. */
async function runAnnotation(at: Place, change: string): Promise<void> {
  const command = annotating(await at.resource(), change);
  assert.ok(`${await messages(at)}${await at.messages()}`.includes(command), command);
  await at.run(command);
}

const networkRow = about(NetworkKind, 'net');
const storedRow = about(FavouriteDBInstanceKind, 'stored');

/** A managed resource whose details go to a secret store. */
const stored = (at: Place, name: string): Promise<unknown> =>
  at.managed('stored', {
    publishConnectionDetailsTo: { name, configRef: { name: at.named('store') } },
    writeConnectionSecretToRef: undefined,
  } as object);

const allButUpdate = ['Observe', 'Create', 'Delete', 'LateInitialize'];

/** A secret store has an entry without an owner, as a restore leaves one. */
async function occupiedEntry(at: Place): Promise<void> {
  await at.create(StoreConfigKind, 'store', { type: 'Kubernetes', defaultScope: at.namespace });
  const content = { type: connectionSecretType, data: encodeDetails({ password: 'a-password' }) };
  await at.make(SecretKind, { namespace: at.namespace, name: 'taken' }, content);
  await stored(at, 'taken');
}

const editSource = (at: Place, credentials: object): Promise<void> =>
  at.editSpec(ProviderConfigKind, 'cloud', { credentials });

/** A claim in a cloud of its own, whose provider has credentials of this source. */
async function withSource(at: Place, credentials: object): Promise<void> {
  await at.cloudWithoutConfig();
  await at.providerConfig(credentials);
  await at.claim({ classRef: at.classRef('own') });
}

/** Writes another external name on the resource of the claim. */
async function renameExternal(at: Place, externalName: string): Promise<void> {
  const { name } = (await at.resource()).metadata;
  await at.annotate(FavouriteDBInstanceKind, name, `${annotationKeys.externalName}=${externalName}`);
}

/** The policies of a managed resource, which a claim names, forbid something. */
async function policed(at: Place, managementPolicies: readonly string[]): Promise<void> {
  await at.managed('policed', { managementPolicies } as object);
  await at.claim({ resourceRef: favouriteRef(at.named('policed')) });
}

/** The advice that a managed resource shows. */
export const managedRows = {
  continueCreation: {
    async situation(at) {
      const cloud = await at.cloud();
      cloud.faults.inject({ kind: 'cut', method: 'POST', times: 1_000 });
      await networkIn(at);
    },
    says: () => 'if it is there, set NAME to its name there',
    ...networkRow,
    async act(at) {
      const [command = 'false'] = /kubectl annotate .*$/m.exec(await networkRow.where(at)) ?? [];
      at.clouds[0]?.faults.clear();
      // It is not there, so the name is left out.
      await at.run(command.replace(/ --overwrite crossplane\.io\/external-name="[^"]*"/, ''));
    },
  },
  correctProvider: {
    situation: movedProvider,
    where: messages,
    act: (at) => at.credentials(),
    ends: isSilent('correct the provider'),
    others: { [`${annotationKeys.adoptIdentity}=true`]: 'they are two systems. moveExternal runs it' },
  },
  createExternalAgain: {
    async situation(at) {
      await at.cloud();
      await networkIn(at);
      await at.working(NetworkKind, 'net');
      const [cloud] = at.clouds;
      const [network] = cloud?.networks() ?? [];
      const headers = { authorization: `Bearer ${cloud?.token}` };
      const path = `/v1/networks/${network?.item.id}`;
      const answer = await fetch(`${cloud?.url}${path}`, { method: 'DELETE', headers });
      assert.ok(answer.ok, `DELETE ${path} answers ${answer.status}`);
      await eventually('the network is gone', async () => cloud?.networks().length === 0);
      await at.observeAgain(NetworkKind, at.named('net'));
    },
    ...networkRow,
    act: (at) => at.run(`kubectl annotate network ${at.named('net')} ${annotationKeys.externalName}-`),
  },
  acknowledgeLoss: {
    situation: (at) => lostInstance(at),
    says: async (at) => annotating(await at.resource(), `${annotationKeys.externalLost}-`),
    reason: 'AvailableWithTrouble',
    act: (at) => runAnnotation(at, `${annotationKeys.externalLost}-`),
    ends: async (at) => (await at.usable()) && !(await at.messages()).includes('was lost'),
  },
  createLost: {
    situation: (at) => lostInstance(at, { onLoss: 'Report' }),
    says: () =>
      'spec.onLoss is Report, so it is not created again. Restore it there. Or, to have an empty one',
    where: messages,
    reason: 'ExternalResourceNotFound',
    act: (at) => runAnnotation(at, `--overwrite ${annotationKeys.adoptIdentity}=or-create`),
  },
  restoreRetained: {
    async situation(at) {
      const cloud = await at.cloud();
      const template = { providerRef: undefined, providerConfigRef: cloudRef(at), retainFor: '7d' };
      await at.class('kept', { template: template as object });
      await at.claim({ classRef: at.classRef('kept') });
      await at.fixture.bound(at.namespace, 'db');
      await at.delete(FancySQLInstanceKind);
      const { name } = await eventually('the resource is kept', () => retainedIn(at));
      for (const { item } of cloud.instances()) cloud.lose(item.name);
      await at.observeAgain(FavouriteDBInstanceKind, name);
    },
    async where(at) {
      const returnable = await retainedIn(at);
      return returnable && at.messagesOf(FavouriteDBInstanceKind, returnable);
    },
    async act(at) {
      const { name = '' } = (await retainedIn(at)) ?? {};
      await at.run(`kubectl delete favouritedbinstance ${name}`);
    },
    ends: async (at) => (await retainedIn(at)) === undefined,
  },
  createEmpty: {
    situation: (at) => lostInstance(at, { onLoss: 'Report' }),
    says: () =>
      'to have an empty one created: kubectl annotate favouritedbinstance.database.fcp.crossplane.io',
    fault: 'nothing there',
    act: async (at) => at.run(await at.tracedCommand('adopt-identity=or-create')),
  },
  moveExternal: {
    async situation(at) {
      await movedProvider(at);
      await at.shows(advice.correctProvider, () => messages(at));
      const { name } = (await at.resource()).metadata;
      await at.run(`kubectl annotate favouritedbinstance ${name} ${annotationKeys.adoptIdentity}=true`);
    },
    where: messages,
    fault: 'nothing there',
    act: async (at) => at.run(await at.tracedCommand('adopt-identity=or-create')),
    ends: isSilent('copy it to where the provider connects'),
  },
  allowCreate: {
    situation: (at) => policed(at, ['Observe', 'Update', 'LateInitialize']),
    fault: 'nothing there',
    act: (at) => at.editPolicies(at.named('policed'), ['Observe', 'Create', 'Update', 'LateInitialize']),
  },
  allowUpdate: {
    async situation(at) {
      await boundInOwnCloud(at);
      const { metadata, spec } = await at.resource();
      await at.editPolicies(metadata.name, allButUpdate);
      // Resources and Secrets have a watch each: the policies are known before the Secret is gone.
      await at.acted(FavouriteDBInstanceKind, metadata.name);
      await at.delete(SecretKind, spec.writeConnectionSecretToRef!);
    },
    says: () => `do not allow Update; ${advice.allowUpdate('Update')}`,
    where: messages,
    act: async (at) => at.editPolicies((await at.resource()).metadata.name, [...allButUpdate, 'Update']),
    ends: isSilent('do not allow Update'),
  },
  undoEdit: {
    async situation(at) {
      await boundInOwnCloud(at);
      await renameExternal(at, 'other');
    },
    where: messages,
    act: async (at) => renameExternal(at, (await at.resource()).metadata.name),
    ends: isSilent('undo the edit'),
  },
  correctDrift: {
    async situation(at) {
      await at.cloud();
      const forProvider = { fancinessLevel: 3, version: '5.6' };
      const template = { providerRef: undefined, providerConfigRef: cloudRef(at), forProvider };
      await at.class('fixed', { template: template as object });
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
    situation: (at) => policed(at, ['Update']),
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
      // The others are for a name that is wrong.
      const [first, ...others] = (await at.trace()).fault?.commands ?? [];
      assert.equal(first, `kubectl create namespace ${at.named('late')}`);
      assert.deepEqual(
        others.map((command) => command.split(' ', 2).join(' ')),
        ['kubectl edit', 'kubectl edit'],
      );
      await at.run(`kubectl create namespace ${at.named('late')}`);
    },
  },
  correctNamespace: {
    ...about(FavouriteDBInstanceKind, 'misplaced'),
    situation: (at) =>
      at.managed('misplaced', {
        writeConnectionSecretToRef: { namespace: 'Bad_NS', name: at.named('misplaced') },
      } as object),
    says: () => 'correct spec.writeConnectionSecretToRef.namespace of the resource',
    act: (at) =>
      at.editSpec(FavouriteDBInstanceKind, 'misplaced', {
        writeConnectionSecretToRef: { namespace: credentialsNamespace },
      }),
  },
  correctEntryName: {
    ...storedRow,
    async situation(at) {
      await at.create(StoreConfigKind, 'store', { type: 'Kubernetes', defaultScope: at.namespace });
      await stored(at, 'team/orders');
    },
    says: () => 'correct spec.publishConnectionDetailsTo.name of the resource',
    act: (at) =>
      at.editSpec(FavouriteDBInstanceKind, 'stored', { publishConnectionDetailsTo: { name: 'orders' } }),
  },
  useAnother: {
    async situation(at) {
      await boundInOwnCloud(at);
      await at.delete(ProviderConfigKind, cloudRef(at));
      await at.shows('in use by', () => at.messagesOf(ProviderConfigKind, cloudRef(at)));
      await sleep(1_100); // the API server's times have whole seconds
      await inCloud(at, 'late');
    },
    where: about(FavouriteDBInstanceKind, 'late').where,
    async act(at) {
      const provider = { providerConfigRef: null, providerRef: { name: 'favourite' } };
      await at.editSpec(FavouriteDBInstanceKind, 'late', provider);
      await at.claim({ resourceRef: favouriteRef(at.named('late')) }, 'another');
    },
    ends: (at) => at.usable('another'),
  },
  createNamed: {
    says: () => 'create it, or name another one',
    async situation(at) {
      await at.cloudWithoutConfig();
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
      await inCloud(at, 'joined', { initProvider: { networkIdRef: { name: at.named('net') } } });
    },
    says: () => 'set networkId there, or refer in spec.forProvider',
    ...about(FavouriteDBInstanceKind, 'joined'),
    act(at) {
      const forProvider = { networkIdRef: { name: at.named('net') } };
      return at.editSpec(FavouriteDBInstanceKind, 'joined', { initProvider: null, forProvider });
    },
  },
  useHeldCredentials: {
    situation: (at) => withSource(at, { source: 'None' }),
    reason: 'CannotReadCredentials',
    fault: 'unusable credentials',
    act: (at) => editSource(at, at.inSecret('cloud')),
  },
  nameAnotherFile: {
    situation: (at) => withSource(at, { source: 'Filesystem', fs: { path: '/proc/version' } }),
    where: about(ProviderConfigKind, 'cloud').where,
    async act(at) {
      // Not in the folder for temporary files: files below /dev/ are refused, and that folder may be there.
      const directory = await mkdtemp('/var/tmp/credentials-');
      at.servers.push({ stop: () => rm(directory, { recursive: true }) });
      const path = join(directory, 'cloud.json');
      await writeFile(path, JSON.stringify(at.workingCredentials));
      await editSource(at, { fs: { path } });
    },
  },
  labelEntry: {
    situation: occupiedEntry,
    async says(at) {
      const key = { name: at.named('stored') };
      const { metadata } = await at.fixture.cluster.client.get(FavouriteDBInstanceKind, key);
      return advice.labelEntry(`secret.crossplane.io/owner-uid=${metadata.uid}`);
    },
    ...storedRow,
    async act(at) {
      const [, label = ''] = /label it (\S+)/.exec(await storedRow.where(at)) ?? [];
      await at.run(`kubectl label secret -n ${at.namespace} taken ${label}`);
    },
  },
} satisfies RowsFor<typeof advice>;

async function startVault(at: Place, options: VaultOptions = {}): Promise<VaultServer> {
  const vault = new VaultServer({ token: 'vault-token', ...options });
  await vault.start();
  at.servers.push(vault);
  return vault;
}

/** A resource that is published in the Vault at this address, whose token is in the Secret `token`. */
async function storedInVault(at: Place, server: string): Promise<void> {
  const auth = { method: 'Token', token: at.inSecret('token', 'token') };
  await at.create(StoreConfigKind, 'store', {
    type: 'Vault',
    defaultScope: at.namespace,
    vault: { server, mountPath: 'secret', version: 'v2', auth },
  });
  await stored(at, 'stored');
}

/** The token of a Vault of the row. */
const vaultToken = (at: Place): Promise<void> =>
  at.secret(credentialsNamespace, at.named('token'), { token: 'vault-token' });

/** The Vault of a row, which its reader changes. */
const vaults = new Map<string, VaultServer>();

/** A resource that is published in a Vault, and what is wrong with it. `act`: the reader's command, in the emulator. */
const vaultRow = (
  says: string,
  options: VaultOptions,
  act: (vault: VaultServer) => void,
  harm: (vault: VaultServer) => void = () => {},
): Row => ({
  ...storedRow,
  async situation(at) {
    const vault = await startVault(at, options);
    vaults.set(at.namespace, vault);
    harm(vault);
    await vaultToken(at);
    await storedInVault(at, vault.url);
  },
  says: () => says,
  async act(at) {
    act(vaults.get(at.namespace) ?? assert.fail());
    await at.observeAgain(FavouriteDBInstanceKind, at.named('stored'));
  },
});

/** A Vault behind TLS with an authority that no client knows. */
function vaultWithTls(): Row {
  const { certificate, privateKey } = selfSignedCertificate();
  return {
    ...storedRow,
    async situation(at) {
      const vault = await startVault(at);
      const secure = createServer({ cert: certificate, key: privateKey }, (socket) => {
        const plain = connect(Number(new URL(vault.url).port), '127.0.0.1');
        for (const [from, to] of [[socket, plain] as const, [plain, socket] as const])
          from.pipe(to).on('error', () => from.destroy());
      });
      await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
      at.servers.push({ stop: async () => void secure.close() });
      await vaultToken(at);
      await storedInVault(at, `https://127.0.0.1:${(secure.address() as AddressInfo).port}`);
    },
    async act(at) {
      const vault = { caBundle: certificate };
      await at.edit(StoreConfigKind, { name: at.named('store') }, { spec: { vault } });
    },
  };
}

/** The advice of the errors of Vault. */
export const vaultClientRows = {
  putCaBundle: vaultWithTls(),
  unsealVault: vaultRow(
    clientAdvice.unsealVault,
    {},
    (vault) => {
      vault.isSealed = false;
    },
    (vault) => {
      vault.isSealed = true;
    },
  ),
  enableVersioning: vaultRow(clientAdvice.enableVersioning('secret'), { kvVersion: 1 }, (vault) =>
    vault.enableVersioning(),
  ),
  enableEngine: vaultRow(clientAdvice.enableEngine('secret'), { mountPath: 'other' }, (vault) => {
    vault.mountPath = 'secret';
  }),
  correctMount: {
    ...vaultRow(clientAdvice.correctMount, { mountPath: 'other' }, () => {}),
    act: (at) =>
      at.edit(StoreConfigKind, { name: at.named('store') }, { spec: { vault: { mountPath: 'other' } } }),
  },
} satisfies RowsFor<typeof clientAdvice>;

/** Mistakes for which the catalogue has one piece of advice with another field. */

export const moreManagedRows: Readonly<Record<string, Row>> = {
  'a wrong value of a field that the cloud chose is removed again': {
    ...about(FavouriteDBInstanceKind, 'chosen'),
    async situation(at) {
      await at.cloud();
      const managementPolicies = ['Observe', 'Create', 'Update', 'Delete'];
      await inCloud(at, 'chosen', { managementPolicies, forProvider: { fancinessLevel: 3 } });
      await at.working(FavouriteDBInstanceKind, 'chosen');
      await at.editSpec(FavouriteDBInstanceKind, 'chosen', { forProvider: { version: '5.6' } });
    },
    says: () => 'cannot change spec.forProvider.version from "5.7" to "5.6"',
    act: (at) => at.editSpec(FavouriteDBInstanceKind, 'chosen', { forProvider: { version: null } }),
  },
  'a Secret with the token of a Vault that is created late': {
    situation: async (at) => storedInVault(at, (await startVault(at)).url),
    says: (at) => `secret ${credentialsNamespace}/${at.named('token')} of StoreConfig`,
    ...storedRow,
    async act(at) {
      await sleep(5_000); // the next attempt by itself is later than the correction
      await vaultToken(at);
    },
  },
  'an entry of a secret store that belongs to another': {
    situation: occupiedEntry,
    says: () => advice.nameAnotherSecret('spec.publishConnectionDetailsTo'),
    ...storedRow,
    act: (at) =>
      at.editSpec(FavouriteDBInstanceKind, 'stored', { publishConnectionDetailsTo: { name: 'free' } }),
  },
};
