// Loaded before a rule begins, whose time stands still.
import '@aws-sdk/client-rds';
import '@aws-sdk/client-sts';
import type { Given } from '../../../../package/testing.ts';
import { describeConformance } from '../../../../package/testing.ts';
import type { StoredInstance } from '../../../../stacks/aws/emulator/rds/db-instance.ts';
import { settledInstance } from '../../../../stacks/aws/emulator/rds/db-instance.ts';
import { instanceSort } from '../../../../stacks/aws/emulator/rds/instances.ts';
import { rds } from '../../../../stacks/aws/emulator/rds/rds.ts';
import { sts } from '../../../../stacks/aws/emulator/sts/sts.ts';
import { RDSInstanceKind } from '../../../../stacks/aws/kinds/database/v1beta1/rds-instance.ts';
import { InstanceKind } from '../../../../stacks/aws/kinds/rds/v1beta1/instance.ts';
import type { InProcessAws } from '../../../fakes/in-process-aws.ts';
import { awsWorld, clientOf, failureOf, region, tags } from './aws-world.ts';

const service = rds({ modificationMs: 5_000 });
const instances = (aws: InProcessAws) =>
  aws.collections<StoredInstance>(instanceSort).flatMap(([, collection]) => collection.all());

/** Creates one of another user, without a tag of an owner. */
const foreign = (aws: InProcessAws, DBInstanceIdentifier: string): Promise<unknown> => {
  const size = { Engine: 'postgres', DBInstanceClass: 'db.t3.micro', AllocatedStorage: 20 };
  const user = { MasterUsername: 'theirs', MasterUserPassword: 'a-password-of-theirs' };
  const call = { service: 'rds', region, what: 'make theirs', isRepeatable: false } as const;
  return clientOf(aws).call(
    { ...call, run: (sdk, http) => sdk.createDBInstance({ DBInstanceIdentifier, ...size, ...user }, http) },
    new AbortController().signal,
  );
};

const world = (given: Given) =>
  awsWorld(given, {
    services: [sts, service],
    failure: failureOf(service),
    // Changes that AWS has taken show once their time has come.
    externals: (aws) =>
      instances(aws).map((one) => ({ ...one, item: settledInstance(one.item, given.clock.elapsedMs()) })),
    foreign,
    opens: (aws, { username, password }) =>
      instances(aws).some(
        ({ item }) => item.settings.MasterUsername === username && item.password === password,
      ),
    creation: 'rds:CreateDBInstance',
  });

describeConformance({
  managed: RDSInstanceKind,
  forProvider: {
    region,
    engine: 'postgres',
    engineVersion: '16',
    dbInstanceClass: 'db.t3.micro',
    allocatedStorage: 20,
    masterUsername: 'masteruser',
    dbName: 'app',
    applyModificationsImmediately: true,
    skipFinalSnapshotBeforeDeletion: true,
    tags: [{ key: 'team', value: 'shop' }],
  },
  changes: [
    { dbInstanceClass: 'db.t3.small' },
    // Storage only grows: a change back would be refused, as the rule of drift asks of the first change.
    { allocatedStorage: 30 },
    { backupRetentionPeriod: 7, multiAZ: true },
    { enableCloudwatchLogsExports: ['postgresql'] },
    { enableCloudwatchLogsExports: ['upgrade'], port: 5433 },
    { engineVersion: '17', allowMajorVersionUpgrade: true },
    { tags: [{ key: 'team', value: 'books' }] },
    { passwordRotation: 'first' },
  ],
  refusedChanges: [
    { region: 'us-east-1' },
    { masterUsername: 'another' },
    { allocatedStorage: 19 },
    { dbName: 'another' },
  ],
  tags: (requested) => ({
    tags: Object.entries(tags(requested).tags).map(([key, value]) => ({ key, value })),
  }),
  open: world,
});

describeConformance({
  managed: InstanceKind,
  forProvider: {
    region,
    engine: 'mysql',
    engineVersion: '8.0',
    instanceClass: 'db.t3.micro',
    allocatedStorage: 20,
    username: 'adminuser',
    dbName: 'app',
    applyImmediately: true,
    skipFinalSnapshot: true,
    maintenanceWindow: 'Mon:00:00-Mon:03:00',
    vpcSecurityGroupIds: ['sg-0123456789abcdef0'],
    tags: { team: 'shop' },
  },
  changes: [
    { instanceClass: 'db.t3.small', storageType: 'gp3' },
    { deletionProtection: false, backupWindow: '09:46-10:16' },
    { tags: { team: 'books' } },
    { passwordRotation: 'first' },
  ],
  refusedChanges: [{ engine: 'mariadb' }, { region: 'us-east-1' }],
  tags,
  open: world,
});
