import { EKS } from '@aws-sdk/client-eks';
import type { RDSInstanceClass } from '../../../apis/aws/database/v1beta1/rds-instance.ts';
import { RDSInstanceClassKind, RDSInstanceKind } from '../../../apis/aws/database/v1beta1/rds-instance.ts';
import { VPCKind } from '../../../apis/aws/ec2/v1beta1/vpc.ts';
import { NodeGroupKind } from '../../../apis/aws/eks/v1beta1/node-group.ts';
import { QueueKind } from '../../../apis/aws/sqs/v1beta1/queue.ts';
import { ProviderConfigKind } from '../../../apis/aws/v1beta1/provider-config.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { PostgreSQLInstance } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import { PostgreSQLInstanceKind } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import type { advice as clientAdvice } from '../../../clients/advice.ts';
import type { advice } from '../../../controllers/aws/advice.ts';
import type { Account } from '../../../emulators/aws/account.ts';
import { credentialsFile, exampleAccount } from '../../../emulators/aws/account.ts';
import type { NodeGroup } from '../../../emulators/aws/eks/node-group.ts';
import type { LocalAwsOptions } from '../../../emulators/aws/server.ts';
import { startAws } from '../../../emulators/aws/server.ts';
import { credentialsNamespace } from '../fancysql-fixture.ts';
import { eventually } from '../stack-harness.ts';
import type { Place, Row } from './player.ts';

type Parameters = NonNullable<RDSInstanceClass['specTemplate']['forProvider']>;

const region = 'us-east-1';
const role = 'arn:aws:iam::123456789012:role/eks';

/** An emulated AWS, and a ProviderConfig for it. */
async function awsOf(at: Place, options: LocalAwsOptions = {}, key: Account = exampleAccount) {
  const aws = await startAws({ provisioningMs: 50, ...options });
  at.servers.push(aws);
  const name = at.named('aws');
  await accessKey(at, key);
  await at.create(ProviderConfigKind, name, {
    credentials: {
      source: 'Secret',
      secretRef: { namespace: credentialsNamespace, name, key: 'credentials' },
    },
    endpoint: { url: { type: 'Static', static: aws.url } },
  });
  return aws;
}

const accessKey = (at: Place, key: Account): Promise<void> =>
  at.secret(credentialsNamespace, at.named('aws'), { credentials: credentialsFile(key) });

const instance: Parameters = {
  ...{ region, engine: 'postgres', dbInstanceClass: 'db.t3.micro', allocatedStorage: 20 },
  ...{ masterUsername: 'masteruser', skipFinalSnapshotBeforeDeletion: true },
};

/** An emulated AWS, a ProviderConfig for it, and a class with these parameters. */
async function classOf(at: Place, parameters: Partial<Parameters>): Promise<void> {
  await awsOf(at);
  const name = at.named('aws');
  await at.fixture.cluster.client.create(RDSInstanceClassKind, {
    apiVersion: 'database.aws.crossplane.io/v1beta1',
    kind: 'RDSInstanceClass',
    metadata: { name },
    specTemplate: {
      writeConnectionSecretsToNamespace: credentialsNamespace,
      providerConfigRef: { name },
      forProvider: { ...instance, ...parameters },
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

const spec = (at: Place, forProvider: object = {}) => ({
  providerConfigRef: { name: at.named('aws') },
  forProvider: { region, ...forProvider },
});

const vpc = (at: Place, name = 'vpc') =>
  at.create(VPCKind, at.named(name), spec(at, { cidrBlock: '10.0.0.0/16' }));

const vpcMessages = (at: Place) => at.messagesOf(VPCKind, { name: at.named('vpc') });

const vpcWorks = (at: Place) => at.works(VPCKind, at.named('vpc'));

const queueRow = (name: string): Pick<Row, 'situation' | 'where' | 'ends'> => ({
  async situation(at) {
    await awsOf(at);
    await at.create(QueueKind, at.named(name), spec(at));
  },
  where: (at) => at.messagesOf(QueueKind, { name: at.named(name) }),
  ends: (at) => at.works(QueueKind, at.named(name)),
});

/** The name of the object is none that SQS accepts. */
export const refusedName: Row = {
  ...queueRow('orders.eu'),
  act: (at) => at.annotate(QueueKind, at.named('orders.eu'), `${annotationKeys.externalName}=orders`),
};

const nodeGroup = (at: Place) => {
  const nodes = { clusterName: 'shop', nodeRoleArn: role, subnetIds: ['subnet-1'] };
  return at.create(
    NodeGroupKind,
    at.named('nodes'),
    spec(at, { ...nodes, scalingConfig: [{ minSize: 1, maxSize: 2 }] }),
  );
};

/** The nodes of a group could not join their cluster. */
async function failedNodeGroup(at: Place): Promise<void> {
  const aws = await awsOf(at, { provisioningMs: 0 });
  const eks = new EKS({ region, endpoint: aws.url, credentials: exampleAccount });
  await eks.createCluster({ name: 'shop', roleArn: role, resourcesVpcConfig: {} });
  eks.destroy();
  await nodeGroup(at);
  await at.working(NodeGroupKind, at.named('nodes'));
  const [[, groups] = []] = aws.things<NodeGroup>('eks/node-group');
  const [group] = groups?.all() ?? [];
  const failure = { code: 'NodeCreationFailure', message: 'Instances failed to join the cluster' };
  groups?.drift(group?.id ?? '', (item) => ({ ...item, failure }));
  await at.observeAgain(NodeGroupKind, at.named('nodes'));
}

export const awsRows: Readonly<Record<keyof typeof advice, Row>> = {
  chooseEngine: {
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
  setFifo: {
    ...queueRow('orders.fifo'),
    act: (at) =>
      at.edit(QueueKind, { name: at.named('orders.fifo') }, { spec: { forProvider: { fifoQueue: true } } }),
  },
  createNodeGroupAgain: {
    situation: failedNodeGroup,
    where: (at) => at.messagesOf(NodeGroupKind, { name: at.named('nodes') }),
    async act(at) {
      await at.delete(NodeGroupKind, { name: at.named('nodes') });
      await eventually('it is gone', () => at.isGone(NodeGroupKind, at.named('nodes')));
      await nodeGroup(at);
    },
    ends: (at) => at.works(NodeGroupKind, at.named('nodes')),
  },
};

type ClientAdvice = Extract<
  keyof typeof clientAdvice,
  'change' | 'correctAccessKey' | 'allowAction' | 'raiseQuota' | 'changeRegion'
>;

/** Actions that the policies of the account deny, by the namespace of a row. */
const denied = new Map<string, string[]>();

/** The advice of the errors of AWS. */
export const awsClientRows: Readonly<Record<ClientAdvice, Row>> = {
  change: {
    async situation(at) {
      await awsOf(at);
      await at.create(RDSInstanceKind, at.named('db'), spec(at, { ...instance, engineVersion: '99' }));
    },
    says: () => 'change spec.forProvider.engineVersion',
    where: (at) => at.messagesOf(RDSInstanceKind, { name: at.named('db') }),
    act: (at) =>
      at.edit(
        RDSInstanceKind,
        { name: at.named('db') },
        { spec: { forProvider: { engineVersion: '16.6' } } },
      ),
    ends: (at) => at.works(RDSInstanceKind, at.named('db')),
  },
  correctAccessKey: {
    async situation(at) {
      await awsOf(at, {}, { ...exampleAccount, secretAccessKey: 'wrong' });
      await vpc(at);
    },
    where: vpcMessages,
    act: (at) => accessKey(at, exampleAccount),
    ends: vpcWorks,
  },
  allowAction: {
    async situation(at) {
      const actions = ['ec2:CreateVpc'];
      denied.set(at.namespace, actions);
      await awsOf(at, { accounts: [{ ...exampleAccount, denied: actions }] });
      await vpc(at);
    },
    says: () => 'the IAM policies of the credentials must allow ec2:CreateVpc',
    where: vpcMessages,
    act: async (at) => denied.get(at.namespace)?.pop(),
    ends: vpcWorks,
  },
  raiseQuota: {
    async situation(at) {
      await awsOf(at, { quotas: { vpc: 1 } });
      await vpc(at, 'unused');
      await at.working(VPCKind, at.named('unused'));
      await vpc(at);
    },
    where: vpcMessages,
    act: (at) => at.delete(VPCKind, { name: at.named('unused') }),
    ends: vpcWorks,
  },
  changeRegion: {
    async situation(at) {
      await classOf(at, { region: 'us-eest-1' });
      await claim(at);
    },
    where: async (at) => {
      const name = await resourceName(at);
      return at.messagesOf(RDSInstanceKind, { name });
    },
    async act(at) {
      const corrected = { forProvider: { region } };
      await at.edit(RDSInstanceClassKind, { name: at.named('aws') }, { specTemplate: corrected });
      await at.edit(RDSInstanceKind, { name: await resourceName(at) }, { spec: corrected });
    },
    ends: (at) => at.usable('db', PostgreSQLInstanceKind),
  },
};

const resourceName = (at: Place): Promise<string> =>
  eventually('the claim has a resource', async () => {
    const found = await at.fixture.cluster.find(PostgreSQLInstanceKind, at.key);
    return found?.spec.resourceRef?.name;
  });
