import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import type { ConnectionDetails } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import { controlPlaneBinaries } from '../../local/control-plane/binaries.ts';
import type { ControllerManager } from '../../local/control-plane/controller-manager.ts';
import { startControllerManager } from '../../local/control-plane/controller-manager.ts';
import { controllerManagerSupport } from '../../local/control-plane/controller-manager-binary.ts';
import type { LocalPostgresql } from '../../local/postgresql.ts';
import { startPostgresql } from '../../local/postgresql.ts';
import type { PostgreSQLDatabase } from '../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import {
  PostgreSQLDatabaseClassKind,
  PostgreSQLDatabaseKind,
} from '../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { ProviderConfigKind } from '../../stacks/postgresql/kinds/v1alpha1/provider.ts';
import type { Cluster, StackProcess } from './stack-harness.ts';
import { eventually } from './stack-harness.ts';

const support = await controllerManagerSupport();
const central = 'postgresql-credentials';
const plugin = join(import.meta.dirname, '..', '..', 'trace', 'kubectl-services_stack');

/** A database stays for a time after its claim. No other process may serve PostgreSQLInstance. */
export function testRetainedResources(clusterOf: () => Cluster): void {
  describe('the database of a deleted claim', { concurrency: true }, () => {
    let cluster: Cluster;
    let postgresql: LocalPostgresql;
    let manager: ControllerManager | undefined;
    let stack: StackProcess;

    before(async () => {
      cluster = clusterOf();
      postgresql = await startPostgresql();
      if (support.by !== 'none') manager = await startControllerManager(support, cluster.controlPlane);
      await cluster.create(NamespaceKind, { name: central });
      const { host: endpoint, port, superuser: username, password } = postgresql;
      const stringData = { endpoint, port: String(port), username, password, sslmode: 'disable' };
      await cluster.create(SecretKind, { namespace: central, name: 'server' }, { stringData });
      const secretRef = { namespace: central, name: 'server', key: 'endpoint' };
      await cluster.create(
        ProviderConfigKind,
        { name: 'default' },
        { spec: { credentials: { source: 'Secret', secretRef } } },
      );
      await makeClass('week', { retainFor: '7d' });
      stack = cluster.startProcess(['--stacks', 'postgresql', '--poll-interval', '2s']);
    });
    after(async () => {
      await stack?.end();
      await manager?.stop();
      await postgresql?.dispose();
    });

    const makeClass = (name: string, template: object) =>
      cluster.create(
        PostgreSQLDatabaseClassKind,
        { name },
        {
          specTemplate: {
            writeConnectionSecretsToNamespace: central,
            forProvider: { onDelete: 'TerminateSessions' },
            ...template,
          },
        },
      );
    const claimOf = (namespace: string) => ({
      apiVersion: 'database.crossplane.io/v1alpha1',
      kind: 'PostgreSQLInstance',
      metadata: { namespace, name: 'ledger' },
      spec: {
        classRef: {
          apiVersion: 'postgresql.crossplane.io/v1alpha1',
          kind: 'PostgreSQLDatabaseClass',
          name: 'week',
        },
        writeConnectionSecretToRef: { name: 'ledger' },
      },
    });
    const find = (namespace: string) =>
      cluster.find<Claim>(PostgreSQLInstanceKind, { namespace, name: 'ledger' });
    const reason = (namespace: string, expected: string) =>
      eventually(`claim ${namespace}/ledger is ${expected}`, async () => {
        const ready = getCondition((await find(namespace))?.status?.conditions, 'Ready');
        if (ready.reason === expected) return ready.message ?? expected;
        throw new Error(JSON.stringify(ready));
      });
    const detailsIn = async (namespace: string): Promise<ConnectionDetails> =>
      decodeDetails(await cluster.find(SecretKind, { namespace, name: 'ledger' }));
    /** The resources that name a claim of this namespace. */
    const resourcesOf = async (namespace: string): Promise<readonly PostgreSQLDatabase[]> =>
      (await cluster.all(PostgreSQLDatabaseKind)).filter(
        ({ spec }) => spec.claimRef?.namespace === namespace,
      );

    async function sql(details: ConnectionDetails, statement: string): Promise<readonly unknown[]> {
      const { endpoint: host, port, username: user, password, database } = details;
      const session = new Client({
        host,
        port: Number(port),
        user,
        password,
        database,
        ssl: false,
      } as object);
      await session.connect();
      try {
        return (await session.query(statement)).rows;
      } finally {
        await session.end();
      }
    }

    /** A namespace with a Bound claim, which has written to its database. Answers with its Secret. */
    async function ledger(namespace: string): Promise<ConnectionDetails> {
      await cluster.create(NamespaceKind, { name: namespace });
      await cluster.apply(claimOf(namespace));
      await reason(namespace, 'Available');
      const details = await detailsIn(namespace);
      await sql(details, `CREATE TABLE entry AS SELECT '${namespace}' AS text`);
      return details;
    }

    async function end(namespace: string): Promise<void> {
      await cluster.kubectl(['-n', namespace, 'delete', 'postgresqlinstance', 'ledger']);
      await eventually('the claim is gone', async () => (await find(namespace)) === undefined);
    }

    async function hasBack(namespace: string, before: ConnectionDetails): Promise<void> {
      await reason(namespace, 'Available');
      assert.deepEqual(await detailsIn(namespace), before);
      assert.deepEqual(await sql(before, 'SELECT text FROM entry'), [{ text: namespace }]);
      assert.equal((await resourcesOf(namespace)).length, 1);
    }

    test('comes back with its data and its password if the claim is applied again', async () => {
      const before = await ledger('team-a');
      await end('team-a');
      const [returnable] = await resourcesOf('team-a');
      assert.equal(returnable?.status?.bindingPhase, 'Released');
      assert.match(
        await cluster.kubectl(['get', 'managed']),
        new RegExp(`Released +${returnable.status.deleteAt ?? 'no date'}`),
      );
      assert.deepEqual(await sql(before, 'SELECT text FROM entry'), [{ text: 'team-a' }]);
      await cluster.apply(claimOf('team-a'));
      await hasBack('team-a', before);
    });

    test('comes back if an export of the claim is created as it is', async () => {
      const before = await ledger('team-copy');
      const copy = await cluster.kubectl([
        '-n',
        'team-copy',
        'get',
        'postgresqlinstance',
        'ledger',
        '-o',
        'json',
      ]);
      await end('team-copy');
      await cluster.kubectl(['create', '-f', '-'], copy);
      await hasBack('team-copy', before);
      // As docs/delete-a-claim.md says: kubectl saved the copy with its resourceVersion.
      await assert.rejects(cluster.apply(claimOf('team-copy')), /metadata\.resourceVersion/);
      const annotation = 'kubectl.kubernetes.io/last-applied-configuration-';
      await cluster.kubectl(['-n', 'team-copy', 'annotate', 'postgresqlinstance', 'ledger', annotation]);
      await cluster.apply(claimOf('team-copy'));
      await hasBack('team-copy', before);
    });

    test('is not for a claim of the same name in another namespace', async () => {
      const before = await ledger('team-b');
      await end('team-b');
      const rival = await ledger('team-rival');
      assert.notEqual(rival.database, before.database);
      assert.notEqual(rival.password, before.password);
      const [returnable] = await resourcesOf('team-b');
      assert.equal(returnable?.status?.bindingPhase, 'Released');
    });

    test('is deleted at its date, which an administrator may edit', async () => {
      const before = await ledger('team-date');
      await end('team-date');
      const [returnable = assert.fail('it is not kept')] = await resourcesOf('team-date');
      const patch = JSON.stringify({ status: { deleteAt: '2026-01-01T00:00:00Z' } });
      const { name } = returnable.metadata;
      await cluster.kubectl([
        'patch',
        'postgresqldatabase',
        name,
        '--subresource=status',
        '--type=merge',
        '-p',
        patch,
      ]);
      await eventually('the resource is deleted', async () => (await resourcesOf('team-date')).length === 0);
      await assert.rejects(sql(before, 'SELECT text FROM entry'));
      await cluster.apply(claimOf('team-date'));
      await reason('team-date', 'Available');
    });

    test('comes back in a namespace that was created again once an administrator gives it back', {
      skip: support.by === 'none' && support.reason,
    }, async () => {
      const before = await ledger('team-again');
      await cluster.kubectl(['delete', 'namespace', 'team-again', '--timeout=60s']);
      await cluster.create(NamespaceKind, { name: 'team-again' });
      await cluster.apply(claimOf('team-again'));
      const message = await reason('team-again', 'KeptResourceExists');
      assert.match(message, /namespace team-again was created again since that claim was deleted/);
      assert.deepEqual(await detailsIn('team-again'), {});
      const { kubectl } = await controlPlaneBinaries();
      const env = {
        ...process.env,
        PATH: `${dirname(kubectl)}:${process.env.PATH}`,
        KUBECONFIG: cluster.controlPlane.kubeconfigPath,
      };
      await promisify(execFile)(plugin, ['give-back', '-n', 'team-again'], { env });
      await hasBack('team-again', before);
    });

    test('the API server refuses a wrong retainFor by its field, and names the units', async () => {
      for (const retainFor of ['0d', '1w', '7 days', 'P7D']) {
        const refused = /specTemplate\.retainFor.*m \(minutes\), h \(hours\) or d \(days\)/s;
        await assert.rejects(makeClass('wrong', { retainFor }), refused);
      }
      const withRetain = makeClass('wrong', { retainFor: '7d', reclaimPolicy: 'Retain' });
      await assert.rejects(withRetain, /specTemplate\.retainFor/);
    });
  });
}
