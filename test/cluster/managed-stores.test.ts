import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import omit from 'lodash/omit.js';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { credentialAnnotation } from '../../controllers/core/credential.ts';
import { VaultServer } from '../../emulators/vault/server.ts';
import { credentialsNamespace } from './fancysql-fixture.ts';
import type { ManagedFixture } from './managed-fixture.ts';
import { startManaged } from './managed-fixture.ts';
import type { StackProcess } from './stack-harness.ts';
import { eventually } from './stack-harness.ts';

describe('publishConnectionDetailsTo on a real API server, with the real process', () => {
  const vault = new VaultServer({ token: 'right-token' });
  let fixture: ManagedFixture;
  let stack: StackProcess;

  before(async () => {
    await vault.start();
    fixture = await startManaged();
    stack = fixture.cluster.startProcess(['--stacks', 'fcp', '--poll-interval', '1h']);
    await fixture.apply({
      apiVersion: 'secrets.crossplane.io/v1alpha1',
      kind: 'StoreConfig',
      metadata: { name: 'team' },
      spec: { type: 'Kubernetes', defaultScope: 'team-b' },
    });
    for (const name of ['vault', 'vault-refused']) await vaultStore(name);
    await token('vault', 'right-token');
    await token('vault-refused', 'wrong-token');
  });

  after(async (context) => {
    await fixture?.stop();
    await vault.stop();
    if ('error' in context && context.error) console.error(stack?.log());
  });

  /** A StoreConfig for Vault, whose token is in a secret of the same name. */
  const vaultStore = (name: string) =>
    fixture.apply({
      apiVersion: 'secrets.crossplane.io/v1alpha1',
      kind: 'StoreConfig',
      metadata: { name },
      spec: {
        type: 'Vault',
        defaultScope: 'apps',
        vault: {
          server: vault.url,
          mountPath: 'secret',
          auth: {
            method: 'Token',
            token: {
              source: 'Secret',
              secretRef: { namespace: credentialsNamespace, name, key: 'token' },
            },
          },
        },
      },
    });
  const token = (name: string, value: string) =>
    fixture.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: credentialsNamespace, name },
      stringData: { token: value },
    });
  /** A managed resource that publishes to a store, and nowhere else. */
  const publishing = (name: string, store: string, metadata = {}) =>
    fixture.apply({
      apiVersion: 'database.fcp.crossplane.io/v1alpha3',
      kind: 'FavouriteDBInstance',
      metadata: { name },
      spec: {
        providerRef: { name: 'favourite' },
        publishConnectionDetailsTo: { name, configRef: { name: store }, metadata },
        forProvider: { fancinessLevel: 5 },
      },
    });

  describe('a Kubernetes store', () => {
    const secret = () => fixture.cluster.find(SecretKind, { namespace: 'team-b', name: 'in-team' });

    test('holds the details in its namespace, with the labels, annotations and type that are asked for', async () => {
      const labels = { team: 'b' };
      const annotations = { 'example.com/rotation': 'weekly' };
      await publishing('in-team', 'team', { labels, annotations, type: 'Opaque' });
      await fixture.ready('in-team');
      const { metadata, type } = (await secret()) ?? assert.fail('no secret');
      assert.deepEqual(
        [metadata.labels?.team, omit(metadata.annotations, credentialAnnotation), type],
        ['b', annotations, 'Opaque'],
      );
      const { password, endpoint } = await fixture.secretOf('in-team', 'team-b');
      const instance = fixture.stored('in-team');
      assert.deepEqual([password, endpoint], [instance?.password, instance?.hostname]);
    });

    test('loses them with the managed resource', async () => {
      await fixture.remove('in-team');
      await fixture.gone('in-team');
      assert.equal(await secret(), undefined);
    });
  });

  describe('Vault', () => {
    test('holds the details under its scope, beside the secret if both are asked for', async () => {
      await fixture.instance('in-vault', {
        publishConnectionDetailsTo: { name: 'in-vault', configRef: { name: 'vault' } },
      });
      await fixture.ready('in-vault');
      const password = fixture.stored('in-vault')?.password;
      assert.equal(vault.peek('apps/in-vault')?.data?.password, password);
      assert.equal((await fixture.secretOf('in-vault')).password, password);
    });

    test('loses them with the managed resource', async () => {
      await fixture.remove('in-vault');
      await fixture.gone('in-vault');
      assert.equal(vault.peek('apps/in-vault'), undefined);
    });

    const troubles: Record<string, { store: string; end: () => unknown; says: RegExp }> = {
      sealed: {
        store: 'vault',
        end: () => {
          vault.isSealed = false;
        },
        says: /^False\/ReconcileError: .*sealed/,
      },
      'that refuses the token': {
        store: 'vault-refused',
        end: () => token('vault-refused', 'right-token'),
        says: /^False\/ReconcileError: .*(token|permission denied)/,
      },
    };
    for (const [index, [name, { store, end, says }]] of Object.entries(troubles).entries()) {
      test(`${name} is reported by its own reason, nothing is created, and the store is used once it works`, async () => {
        const resource = `troubled-${index}`;
        vault.isSealed = name === 'sealed';
        await publishing(resource, store);
        assert.doesNotMatch(await fixture.says(resource, 'Synced', says), /(right|wrong)-token/);
        await fixture.describes(resource, /Warning +CannotPublishConnectionDetails/);
        assert.equal(fixture.stored(resource), undefined, 'its password could not have been kept');
        await end();
        await fixture.ready(resource);
        const published = () => vault.peek(`apps/${resource}`)?.data?.password;
        await eventually('it is published', async () => published() === fixture.stored(resource)?.password);
      });
    }
  });

  test('no token and no password is in the log', () => {
    const passwords = fixture.favourite.instances().map(({ item }) => item.password);
    for (const secret of ['right-token', 'wrong-token', ...passwords]) {
      assert.ok(!stack.log().includes(secret));
    }
  });
});
