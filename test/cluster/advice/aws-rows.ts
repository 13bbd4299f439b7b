import { EKS } from '@aws-sdk/client-eks';
import { RDS } from '@aws-sdk/client-rds';
import type { advice as coreAdvice } from '../../../apis/core/v1alpha1/advice.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { PostgreSQLInstance } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import { PostgreSQLInstanceKind } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import type { advice as clientAdvice } from '../../../clients/advice.ts';
import type { advice } from '../../../stacks/aws/advice.ts';
import type { Account } from '../../../stacks/aws/emulator/account.ts';
import { credentialsFile, exampleAccount } from '../../../stacks/aws/emulator/account.ts';
import type { NodeGroup } from '../../../stacks/aws/emulator/eks/node-group.ts';
import type { StoredInstance } from '../../../stacks/aws/emulator/rds/db-instance.ts';
import { instanceSort } from '../../../stacks/aws/emulator/rds/instances.ts';
import type { LocalAws, LocalAwsOptions } from '../../../stacks/aws/emulator/server.ts';
import { startAws } from '../../../stacks/aws/emulator/server.ts';
import type { RDSInstanceClass } from '../../../stacks/aws/kinds/database/v1beta1/rds-instance.ts';
import {
  RDSInstanceClassKind,
  RDSInstanceKind,
} from '../../../stacks/aws/kinds/database/v1beta1/rds-instance.ts';
import { VPCKind } from '../../../stacks/aws/kinds/ec2/v1beta1/vpc.ts';
import { NodeGroupKind } from '../../../stacks/aws/kinds/eks/v1beta1/node-group.ts';
import { QueueKind } from '../../../stacks/aws/kinds/sqs/v1beta1/queue.ts';
import { ProviderConfigKind } from '../../../stacks/aws/kinds/v1beta1/provider-config.ts';
import { credentialsNamespace } from '../fancysql-fixture.ts';
import { eventually } from '../stack-harness.ts';
import type { Place, Row, RowsFor } from './player.ts';
import { about, asPrinted } from './player.ts';

type Parameters = NonNullable<RDSInstanceClass['specTemplate']['forProvider']>;

const region = 'us-east-1';
const role = 'arn:aws:iam::123456789012:role/eks';

/** An emulated AWS, and a ProviderConfig for it. */
async function awsOf(at: Place, options: LocalAwsOptions = {}, key: Account = exampleAccount) {
  const aws = await startAws({ provisioningMs: 50, ...options });
  at.servers.push(aws);
  at.logins.push(({ username, password }) =>
    aws
      .collections<StoredInstance>(instanceSort)
      .flatMap(([, instances]) => instances.all())
      .some(({ item }) => item.settings.MasterUsername === username && item.password === password),
  );
  await accessKey(at, key);
  await at.create(ProviderConfigKind, 'aws', {
    credentials: at.inSecret('aws'),
    endpoint: { url: { type: 'Static', static: aws.url } },
  });
  return aws;
}

const accessKey = (at: Place, key: Account): Promise<void> =>
  at.secret(credentialsNamespace, at.named('aws'), { credentials: credentialsFile(key) });

const instance: Parameters = {
  region,
  engine: 'postgres',
  dbInstanceClass: 'db.t3.micro',
  allocatedStorage: 20,
  masterUsername: 'masteruser',
  skipFinalSnapshotBeforeDeletion: true,
};

/** An emulated AWS, a ProviderConfig for it, and a class with these parameters. */
async function classOf(at: Place, parameters: Partial<Parameters>): Promise<void> {
  await awsOf(at);
  await at.makeClass(RDSInstanceClassKind, 'aws', spec(at, { ...instance, ...parameters }));
}

function claim(at: Place, rest: PostgreSQLInstance['spec'] = {}, name = 'db'): Promise<PostgreSQLInstance> {
  const { kind } = RDSInstanceClassKind;
  const classRef = { apiVersion: 'database.aws.crossplane.io/v1beta1', kind, name: at.named('aws') };
  return at.make(
    PostgreSQLInstanceKind,
    { ...at.key, name },
    { spec: { classRef, writeConnectionSecretToRef: { name: `${name}-connection` }, ...rest } },
  );
}

const messages = (at: Place) => at.messagesOf(PostgreSQLInstanceKind, at.key);

/** The claim asks for a version that AWS does not have, and its class names none. */
export const refusedVersion: Row = {
  async situation(at) {
    await classOf(at, {});
    await claim(at, { engineVersion: '99' });
  },
  says: () => 'correct spec.engineVersion of the claim',
  where: messages,
  act: (at) => at.edit(PostgreSQLInstanceKind, at.key, { spec: { engineVersion: '16' } }),
  ends: (at) => at.usable('db', PostgreSQLInstanceKind),
};

/** The class asks for that version, too. */
export const refusedVersionOfClass: Row = {
  ...refusedVersion,
  async situation(at) {
    await classOf(at, { engineVersion: '99' });
    await claim(at, { engineVersion: '99' });
  },
  says: (at) =>
    `and have an administrator correct specTemplate.forProvider.engineVersion of RDSInstanceClass ${at.named('aws')} too`,
  async act(at) {
    await at.edit(PostgreSQLInstanceKind, at.key, { spec: { engineVersion: '16' } });
    const forProvider = { engineVersion: '16' };
    await at.edit(RDSInstanceClassKind, { name: at.named('aws') }, { specTemplate: { forProvider } });
  },
};

const spec = (at: Place, forProvider: object = {}) => ({
  providerConfigRef: { name: at.named('aws') },
  forProvider: { region, ...forProvider },
});

const vpc = (at: Place, name = 'vpc') => at.create(VPCKind, name, spec(at, { cidrBlock: '10.0.0.0/16' }));

const vpcRow = about(VPCKind, 'vpc');

const queueRow = (name: string) => ({
  ...about(QueueKind, name),
  async situation(at: Place): Promise<void> {
    await awsOf(at);
    await at.create(QueueKind, name, spec(at));
  },
});

/** The name of the object is none that SQS accepts. */
export const refusedName: Row = {
  ...queueRow('orders.eu'),
  act: (at) => at.annotate(QueueKind, at.named('orders.eu'), `${annotationKeys.externalName}=orders`),
};

const nodeGroup = (at: Place) => {
  const nodes = { clusterName: 'shop', nodeRoleArn: role, subnetIds: ['subnet-1'] };
  const scalingConfig = [{ minSize: 1, maxSize: 2 }];
  return at.create(NodeGroupKind, 'nodes', spec(at, { ...nodes, scalingConfig }));
};

/** The nodes of a group could not join their cluster. */
async function failedNodeGroup(at: Place): Promise<void> {
  const aws = await awsOf(at, { provisioningMs: 0 });
  const eks = new EKS({ region, endpoint: aws.url, credentials: exampleAccount });
  await eks.createCluster({ name: 'shop', roleArn: role, resourcesVpcConfig: {} });
  eks.destroy();
  await nodeGroup(at);
  await at.working(NodeGroupKind, 'nodes');
  const [[, groups] = []] = aws.collections<NodeGroup>('eks/node-group');
  const [group] = groups?.all() ?? [];
  const failure = { code: 'NodeCreationFailure', message: 'Instances failed to join the cluster' };
  groups?.drift(group?.id ?? '', (item) => ({ ...item, failure }));
  await at.observeAgain(NodeGroupKind, at.named('nodes'));
}

const editClass = (at: Place, specTemplate: object): Promise<void> =>
  at.edit(RDSInstanceClassKind, { name: at.named('aws') }, { specTemplate });

/** The AWS of a row, by its namespace. */
const clouds = new Map<string, Awaited<ReturnType<typeof awsOf>>>();

/** A user gives the claim's instance another identifier. */
async function rename(at: Place, from: string, to: string): Promise<void> {
  await withRds(at, (rds) =>
    rds.modifyDBInstance({
      DBInstanceIdentifier: from,
      NewDBInstanceIdentifier: to,
      ApplyImmediately: true,
    }),
  );
  await at.observeAgain(RDSInstanceKind, await resourceName(at));
}

async function withRds(at: Place, use: (rds: RDS) => Promise<unknown>): Promise<void> {
  const endpoint = clouds.get(at.namespace)?.url ?? '';
  const rds = new RDS({ region, endpoint, credentials: { ...exampleAccount } });
  await use(rds).finally(() => rds.destroy());
}

export const awsRows = {
  nameInstanceBack: {
    async situation(at) {
      clouds.set(at.namespace, await awsOf(at));
      await at.makeClass(RDSInstanceClassKind, 'aws', spec(at, instance));
      await claim(at);
      await eventually('the claim works', () => at.usable('db', PostgreSQLInstanceKind));
      await rename(at, await resourceName(at), at.named('old'));
    },
    says: (at) =>
      `was renamed to "${at.named('old')}"; to name it back, run in its region: aws rds modify-db-instance`,
    where: messages,
    act: async (at) => rename(at, at.named('old'), await resourceName(at)),
    ends: (at) => at.usable('db', PostgreSQLInstanceKind),
    others: { 'adopt-identity=or-create': asPrinted },
  },
  useNewName: {
    async situation(at) {
      clouds.set(at.namespace, await awsOf(at));
      await at.makeClass(RDSInstanceClassKind, 'aws', spec(at, instance));
      await claim(at);
      await eventually('the claim works', () => at.usable('db', PostgreSQLInstanceKind));
      const name = await resourceName(at);
      await withRds(at, async (rds) => {
        await rds.modifyDBInstance({
          DBInstanceIdentifier: name,
          NewDBInstanceIdentifier: at.named('own'),
          ApplyImmediately: true,
        });
        await rds.createDBInstance({
          DBInstanceIdentifier: name,
          Engine: 'postgres',
          DBInstanceClass: 'db.t3.micro',
          AllocatedStorage: 20,
          MasterUsername: 'another',
          MasterUserPassword: 'of-another-owner',
        });
      });
      await at.observeAgain(RDSInstanceKind, name);
    },
    says: (at) =>
      `the DB instance of this resource was renamed to "${at.named('own')}"; to use it under that name: kubectl annotate rdsinstance.database.aws.crossplane.io`,
    where: async (at) => at.messagesOf(RDSInstanceKind, { name: await resourceName(at) }),
    act: async (at) =>
      at.run(
        `kubectl annotate rdsinstance.database.aws.crossplane.io ${await resourceName(at)} --overwrite ${annotationKeys.externalName}=${at.named('own')}`,
      ),
    ends: (at) => at.usable('db', PostgreSQLInstanceKind),
  },
  chooseEngine: {
    async situation(at) {
      await classOf(at, { engine: 'mysql' });
      await claim(at);
    },
    says: () => 'choose one with postgres',
    where: messages,
    act: (at) => editClass(at, { forProvider: { engine: 'postgres' } }),
    ends: (at) => at.usable('db', PostgreSQLInstanceKind),
  },
  setFifo: {
    ...queueRow('orders.fifo'),
    act: (at) => at.editSpec(QueueKind, 'orders.fifo', { forProvider: { fifoQueue: true } }),
  },
  createNodeGroupAgain: {
    situation: failedNodeGroup,
    ...about(NodeGroupKind, 'nodes'),
    async act(at) {
      await at.delete(NodeGroupKind, { name: at.named('nodes') });
      await eventually('it is gone', () => at.isGone(NodeGroupKind, 'nodes'));
      await nodeGroup(at);
    },
  },
} satisfies RowsFor<typeof advice & typeof coreAdvice>;

const temporary: Account = { ...exampleAccount, sessionToken: 'new' };

/** The refusals of the expired credentials, by the namespace of a row. */
const expiry = new Map<string, Pick<LocalAws['faults'], 'clear'>>();

/** Actions that the policies of the account deny, by the namespace of a row. */
const denied = new Map<string, string[]>();

/** The advice of the errors of AWS. */
export const awsClientRows = {
  change: {
    async situation(at) {
      await awsOf(at);
      await at.create(RDSInstanceKind, 'db', spec(at, { ...instance, engineVersion: '99' }));
    },
    says: () => 'change spec.forProvider.engineVersion',
    ...about(RDSInstanceKind, 'db'),
    act: (at) => at.editSpec(RDSInstanceKind, 'db', { forProvider: { engineVersion: '16.6' } }),
  },
  correctAccessKey: {
    async situation(at) {
      await awsOf(at, {}, { ...exampleAccount, secretAccessKey: 'wrong' });
      await vpc(at);
    },
    ...vpcRow,
    act: (at) => accessKey(at, exampleAccount),
  },
  renewCredentials: {
    async situation(at) {
      const aws = await awsOf(at, { accounts: [temporary] }, { ...temporary, sessionToken: 'old' });
      const reply = { code: 'ExpiredToken', message: 'The security token is expired', status: 403 };
      aws.faults.inject({ kind: 'fail', action: 'sts:*', ...reply, times: 1_000 });
      expiry.set(at.namespace, aws.faults);
      await vpc(at);
    },
    ...vpcRow,
    async act(at) {
      expiry.get(at.namespace)?.clear();
      await accessKey(at, temporary);
    },
  },
  allowAction: {
    async situation(at) {
      const actions = ['ec2:CreateVpc'];
      denied.set(at.namespace, actions);
      await awsOf(at, { accounts: [{ ...exampleAccount, denied: actions }] });
      await vpc(at);
    },
    says: () => 'the IAM policies of the credentials must allow ec2:CreateVpc',
    ...vpcRow,
    act: async (at) => denied.get(at.namespace)?.pop(),
  },
  raiseQuota: {
    async situation(at) {
      await awsOf(at, { quotas: { vpc: 1 } });
      await vpc(at, 'unused');
      await at.working(VPCKind, 'unused');
      await vpc(at);
    },
    ...vpcRow,
    act: (at) => at.delete(VPCKind, { name: at.named('unused') }),
  },
  changeRegion: {
    async situation(at) {
      await classOf(at, { region: 'us-eest-1' });
      await claim(at);
    },
    where: async (at) => at.messagesOf(RDSInstanceKind, { name: await resourceName(at) }),
    async act(at) {
      const corrected = { forProvider: { region } };
      await editClass(at, corrected);
      await at.edit(RDSInstanceKind, { name: await resourceName(at) }, { spec: corrected });
    },
    ends: (at) => at.usable('db', PostgreSQLInstanceKind),
  },
} satisfies RowsFor<typeof advice & typeof clientAdvice>;

const resourceName = (at: Place): Promise<string> =>
  eventually('the claim has a resource', async () => {
    const found = await at.fixture.cluster.find(PostgreSQLInstanceKind, at.key);
    return found?.spec.resourceRef?.name;
  });
