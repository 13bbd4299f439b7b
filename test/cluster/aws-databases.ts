import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition, isConditionTrue } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { ConnectionDetails } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { MySQLInstanceKind } from '../../apis/database/v1alpha1/mysql-instance.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import { startMariadbDatabase } from '../../demo/aws/mariadb-database.ts';
import { startPostgresqlDatabase } from '../../demo/aws/postgresql-database.ts';
import { runClient } from '../../local/mariadb.ts';
import { mariadbSupport } from '../../local/mariadb-binaries.ts';
import { credentialsFile, exampleAccount } from '../../stacks/aws/emulator/account.ts';
import { databaseServers } from '../../stacks/aws/emulator/rds/database-servers.ts';
import type { StoredInstance } from '../../stacks/aws/emulator/rds/db-instance.ts';
import { instanceSort } from '../../stacks/aws/emulator/rds/instances.ts';
import type { LocalAws } from '../../stacks/aws/emulator/server.ts';
import { startAws } from '../../stacks/aws/emulator/server.ts';
import { allServices } from '../../stacks/aws/emulator/services.ts';
import {
  RDSInstanceClassKind,
  RDSInstanceKind,
} from '../../stacks/aws/kinds/database/v1beta1/rds-instance.ts';
import { ProviderConfigKind } from '../../stacks/aws/kinds/v1beta1/provider-config.ts';
import type { Cluster, StackProcess } from './stack-harness.ts';
import { eventually } from './stack-harness.ts';

const region = 'us-east-1';
const mariadb = await mariadbSupport();

export function testAwsDatabases(clusterOf: () => Cluster): void {
  describe('claims of databases in RDS, with a process of its own', () => {
    let cluster: Cluster;
    let aws: LocalAws;
    let running: StackProcess;

    before(async () => {
      cluster = clusterOf();
      const mysql = mariadb.by === 'none' ? undefined : startMariadbDatabase(mariadb);
      const engines = { postgres: startPostgresqlDatabase, ...(mysql && { mysql }) };
      const databases = databaseServers({ engines });
      aws = await startAws({
        provisioningMs: 1_500,
        services: allServices({ databases, modificationMs: 200 }),
      });
      for (const name of ['infra', 'shop']) await cluster.kubectl(['create', 'namespace', name]);
      const stringData = { credentials: credentialsFile(exampleAccount) };
      await cluster.create(SecretKind, { namespace: 'infra', name: 'aws' }, { stringData });
      const secretRef = { namespace: 'infra', name: 'aws', key: 'credentials' };
      const endpoint = { url: { type: 'Static', static: aws.url } };
      const spec = { credentials: { source: 'Secret', secretRef }, endpoint };
      await cluster.create(ProviderConfigKind, { name: 'default' }, { spec });
      for (const engine of ['postgres', 'mysql']) {
        const forProvider = {
          region,
          engine,
          dbInstanceClass: 'db.t3.micro',
          allocatedStorage: 20,
          masterUsername: 'masteruser',
          dbName: 'app',
          skipFinalSnapshotBeforeDeletion: true,
        };
        const specTemplate = { writeConnectionSecretsToNamespace: 'infra', forProvider };
        await cluster.create(
          RDSInstanceClassKind,
          { name: `rds-${engine}`, labels: { engine } },
          { specTemplate },
        );
      }
      running = cluster.startProcess(['--stacks', 'aws', '--poll-interval', '2s', '--log-level', 'debug']);
    });

    after(async () => {
      await running?.end();
      await aws?.stop();
    });

    const instances = () =>
      aws.collections<StoredInstance>(instanceSort).flatMap(([, collection]) => collection.all());

    const detailsOf = async (namespace: string, name: string): Promise<ConnectionDetails> =>
      decodeDetails(await cluster.find(SecretKind, { namespace, name }));

    /** Creates a claim, and answers with it as soon as it is Bound and Ready. */
    async function ready(kind: Kind<Claim>, engine: string): Promise<Claim> {
      const key = { namespace: 'shop', name: engine };
      const writeConnectionSecretToRef = { name: `${engine}-connection` };
      const spec = { classSelector: { matchLabels: { engine } }, writeConnectionSecretToRef };
      await cluster.create(kind, key, { spec });
      return eventually('the claim is Ready', async () => {
        const found = await cluster.find(kind, key);
        return (
          found?.status?.bindingPhase === 'Bound' &&
          isConditionTrue(found.status.conditions, 'Ready') &&
          found
        );
      });
    }

    async function query(details: ConnectionDetails, text: string): Promise<readonly object[]> {
      const { host, port, username, password, database } = details;
      const client = new pg.Client({ host, port: Number(port), user: username, password, database });
      await client.connect();
      try {
        return (await client.query<object>(text)).rows;
      } finally {
        await client.end();
      }
    }

    const keys = ['database', 'endpoint', 'host', 'password', 'port', 'provider', 'type', 'uri', 'username'];

    test('a PostgreSQLInstance is a PostgreSQL in which its secret logs in', async () => {
      const claim = await ready(PostgreSQLInstanceKind, 'postgres');
      const details = await detailsOf('shop', 'postgres-connection');
      assert.deepEqual(Object.keys(details).toSorted(), keys);
      assert.deepEqual([details.port, details.username, details.database], ['5432', 'masteruser', 'app']);
      await query(details, 'create table lines (id int)');
      await query(details, 'insert into lines values (1), (2)');
      assert.deepEqual(await query(details, 'select sum(id)::int as sum from lines'), [{ sum: 3 }]);
      const name = claim.spec.resourceRef?.name ?? '';
      const instance = await cluster.find(RDSInstanceKind, { name });
      const { status, reason } = getCondition(instance?.status?.conditions, 'AsyncOperation');
      assert.deepEqual([status, reason], ['True', 'Finished']);
      assert.equal(instance?.status?.atProvider?.endpoint?.address, details.endpoint);
      const zone = await eventually('what RDS chose is taken over', async () => {
        const found = await cluster.find(RDSInstanceKind, { name });
        return found?.spec.forProvider.availabilityZone;
      });
      assert.match(zone, /^us-east-1[abc]$/);
    });

    test('a MySQLInstance is a database in which its secret logs in', {
      skip: mariadb.by === 'none' && mariadb.reason,
    }, async () => {
      await ready(MySQLInstanceKind, 'mysql');
      const details = await detailsOf('shop', 'mysql-connection');
      const { host = '', port, username = '', password = '', database = '' } = details;
      assert.equal(mariadb.by, 'debian');
      assert.equal(port, '3306');
      const access = { address: host, port: Number(port), username, password, database };
      await runClient(mariadb.client, 'create table items (id int); insert into items values (1);', access);
      const refused = runClient(mariadb.client, 'select 1;', { ...access, password: 'another' });
      await assert.rejects(refused, /Access denied for user/);
    });

    test('a claimed resource is deleted with its claim', async () => {
      await cluster.kubectl(['delete', '-n', 'shop', 'postgresqlinstance', 'postgres', '--timeout=20s']);
      if (mariadb.by !== 'none') {
        await cluster.kubectl(['delete', '-n', 'shop', 'mysqlinstance', 'mysql', '--timeout=20s']);
      }
      await eventually('no instance is left', async () => instances().length === 0 || undefined);
    });
  });
}
