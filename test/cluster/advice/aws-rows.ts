import type { RDSInstanceClass } from '../../../apis/aws/database/v1beta1/rds-instance.ts';
import { RDSInstanceClassKind, RDSInstanceKind } from '../../../apis/aws/database/v1beta1/rds-instance.ts';
import { ProviderConfigKind } from '../../../apis/aws/v1beta1/provider-config.ts';
import type { PostgreSQLInstance } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import { PostgreSQLInstanceKind } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import { credentialsFile, exampleAccount } from '../../../emulators/aws/account.ts';
import { startAws } from '../../../emulators/aws/server.ts';
import { allServices } from '../../../emulators/aws/services.ts';
import { credentialsNamespace } from '../fancysql-fixture.ts';
import { eventually } from '../stack-harness.ts';
import type { Place, Row } from './player.ts';

type Parameters = NonNullable<RDSInstanceClass['specTemplate']['forProvider']>;

/** An emulated AWS, a ProviderConfig for it, and a class with these parameters. */
async function classOf(at: Place, parameters: Partial<Parameters>): Promise<void> {
  const aws = await startAws({ provisioningMs: 50, services: allServices() });
  at.servers.push(aws);
  const { client } = at.fixture.cluster;
  const name = at.named('aws');
  await at.secret(credentialsNamespace, name, { credentials: credentialsFile(exampleAccount) });
  await client.create(ProviderConfigKind, {
    apiVersion: 'aws.crossplane.io/v1beta1',
    kind: 'ProviderConfig',
    metadata: { name },
    spec: {
      credentials: {
        source: 'Secret',
        secretRef: { namespace: credentialsNamespace, name, key: 'credentials' },
      },
      endpoint: { url: { type: 'Static', static: aws.url } },
    },
  });
  await client.create(RDSInstanceClassKind, {
    apiVersion: 'database.aws.crossplane.io/v1beta1',
    kind: 'RDSInstanceClass',
    metadata: { name },
    specTemplate: {
      writeConnectionSecretsToNamespace: credentialsNamespace,
      providerConfigRef: { name },
      forProvider: {
        ...{ region: 'us-east-1', engine: 'postgres', dbInstanceClass: 'db.t3.micro', allocatedStorage: 20 },
        ...{ masterUsername: 'masteruser', skipFinalSnapshotBeforeDeletion: true },
        ...parameters,
      },
    },
  });
}

const claim = (at: Place, spec: PostgreSQLInstance['spec'] = {}, name = 'db'): Promise<PostgreSQLInstance> =>
  at.fixture.cluster.client.create(PostgreSQLInstanceKind, {
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'PostgreSQLInstance',
    metadata: { namespace: at.namespace, name },
    spec: {
      classRef: {
        apiVersion: 'database.aws.crossplane.io/v1beta1',
        kind: 'RDSInstanceClass',
        name: at.named('aws'),
      },
      ...spec,
    },
  });

const messages = (at: Place) => at.messagesOf(PostgreSQLInstanceKind, at.key);

/** The claim asks for a version that AWS does not have, and its class names none. */
export const refusedVersion: Row = {
  async situation(at) {
    await classOf(at, {});
    await claim(at, { engineVersion: '99' });
  },
  says: () => 'create another claim with another spec.engineVersion',
  where: messages,
  act: (at) => claim(at, {}, 'another'),
  ends: (at) => at.usable('another', PostgreSQLInstanceKind),
};

export const awsRows: Readonly<Record<string, Row>> = {
  'a class of another engine': {
    async situation(at) {
      await classOf(at, { engine: 'mysql' });
      await claim(at);
    },
    says: () => 'choose one with postgres',
    where: messages,
    act: (at) =>
      at.edit(
        RDSInstanceClassKind,
        { name: at.named('aws') },
        {
          specTemplate: { forProvider: { engine: 'postgres' } },
        },
      ),
    ends: (at) => at.usable('db', PostgreSQLInstanceKind),
  },
  'a mistyped region in a class': {
    async situation(at) {
      await classOf(at, { region: 'us-eest-1' });
      await claim(at);
    },
    says: () => 'us-eest-1',
    where: messages,
    async act(at) {
      const resource = await eventually('the claim has a resource', async () => {
        const found = await at.fixture.cluster.find(PostgreSQLInstanceKind, at.key);
        return found?.spec.resourceRef;
      });
      const corrected = { forProvider: { region: 'us-east-1' } };
      await at.edit(RDSInstanceClassKind, { name: at.named('aws') }, { specTemplate: corrected });
      await at.edit(RDSInstanceKind, { name: resource.name ?? '' }, { spec: corrected });
    },
    ends: (at) => at.usable('db', PostgreSQLInstanceKind),
  },
};
