import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RDS } from '@aws-sdk/client-rds';
import map from 'lodash/map.js';
import { exampleAccount } from '../../../../stacks/aws/emulator/account.ts';
import type { AwsOptions } from '../../../../stacks/aws/emulator/aws.ts';
import { rds } from '../../../../stacks/aws/emulator/rds/rds.ts';
import { startAws } from '../../../../stacks/aws/emulator/server.ts';

const wanted = {
  DBInstanceIdentifier: 'shop',
  DBInstanceClass: 'db.t3.micro',
  Engine: 'postgres',
  AllocatedStorage: 20,
  MasterUsername: 'masteruser',
  MasterUserPassword: 'a-long-password',
};

/** RDS as the official client sees it, in a time that is moved by hand. */
async function scene(options: AwsOptions & { readonly modificationMs?: number } = {}) {
  let nowMs = Date.parse('2026-01-02T03:04:05Z');
  const { modificationMs = 0, ...rest } = options;
  const aws = await startAws({
    services: [rds({ modificationMs })],
    now: () => nowMs,
    random: () => 0.5,
    ...rest,
  });
  const sdk = new RDS({
    region: 'eu-west-1',
    endpoint: aws.url,
    credentials: { ...exampleAccount },
    maxAttempts: 1,
  });
  const one = async () => (await sdk.describeDBInstances({ DBInstanceIdentifier: 'shop' })).DBInstances?.[0];
  return {
    aws,
    sdk,
    one,
    pass(ms: number) {
      nowMs += ms;
    },
    async [Symbol.asyncDispose]() {
      sdk.destroy();
      await aws.stop();
    },
  };
}

const refusalOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'none',
    (error: Error & { readonly $metadata?: { readonly httpStatusCode?: number } }) =>
      `${error.$metadata?.httpStatusCode} ${error.name}: ${error.message}`,
  );

describe('RDS on loopback', () => {
  test('describes an instance with all defaults', async () => {
    await using scenery = await scene();
    await scenery.sdk.createDBInstance({ ...wanted, Tags: [{ Key: 'team', Value: 'a & b <c>' }] });
    const { Endpoint, DbiResourceId, InstanceCreateTime, ...instance } = (await scenery.one()) ?? {};
    assert.match(DbiResourceId ?? '', /^db-[A-Z0-9]+$/);
    assert.equal(InstanceCreateTime?.toISOString(), '2026-01-02T03:04:05.000Z');
    assert.deepEqual(Endpoint, {
      Address: 'shop.nothing-listens-here.eu-west-1.rds.invalid',
      HostedZoneId: 'Z2R2ITUGPM61AM',
      Port: 5432,
    });
    assert.deepEqual(JSON.parse(JSON.stringify(instance)), {
      DBInstanceIdentifier: 'shop',
      DBInstanceArn: 'arn:aws:rds:eu-west-1:123456789012:db:shop',
      DBInstanceStatus: 'available',
      DBInstanceClass: 'db.t3.micro',
      Engine: 'postgres',
      EngineVersion: '18.1',
      MasterUsername: 'masteruser',
      AllocatedStorage: 20,
      AutoMinorVersionUpgrade: true,
      AvailabilityZone: 'eu-west-1b',
      BackupRetentionPeriod: 1,
      CACertificateIdentifier: 'rds-ca-rsa2048-g1',
      CopyTagsToSnapshot: false,
      DBParameterGroups: [{ DBParameterGroupName: 'default.postgres18', ParameterApplyStatus: 'in-sync' }],
      DBSubnetGroup: {
        DBSubnetGroupName: 'default',
        DBSubnetGroupDescription: 'default',
        SubnetGroupStatus: 'Complete',
        VpcId: 'vpc-00000000000000000',
      },
      DbInstancePort: 0,
      DeletionProtection: false,
      IAMDatabaseAuthenticationEnabled: false,
      LicenseModel: 'postgresql-license',
      MonitoringInterval: 0,
      MultiAZ: false,
      NetworkType: 'IPV4',
      OptionGroupMemberships: [{ OptionGroupName: 'default:postgres-18', Status: 'in-sync' }],
      PendingModifiedValues: {},
      PerformanceInsightsEnabled: false,
      PreferredBackupWindow: '12:00-12:30',
      PreferredMaintenanceWindow: 'sun:14:00-sun:14:30',
      PubliclyAccessible: false,
      StorageEncrypted: false,
      StorageType: 'gp2',
      TagList: [{ Key: 'team', Value: 'a & b <c>' }],
      VpcSecurityGroups: [{ VpcSecurityGroupId: 'sg-00000000000000000', Status: 'active' }],
    });
  });

  test('takes its time to create, to change and to delete', async () => {
    await using scenery = await scene({ provisioningMs: 1000, deletionMs: 1000, modificationMs: 500 });
    const { sdk, one, pass } = scenery;
    const states: (string | undefined)[] = [];
    const look = async () => states.push((await one())?.DBInstanceStatus);
    await sdk.createDBInstance(wanted);
    await look();
    assert.match(
      await refusalOf(sdk.modifyDBInstance({ DBInstanceIdentifier: 'shop', BackupRetentionPeriod: 3 })),
      /^400 InvalidDBInstanceStateFault: Database instance is not in available state\.$/,
    );
    pass(1000);
    await look();
    const change = { DBInstanceIdentifier: 'shop', DBInstanceClass: 'db.t3.small', ApplyImmediately: true };
    await sdk.modifyDBInstance(change);
    await look();
    assert.equal((await one())?.DBInstanceClass, 'db.t3.micro');
    pass(500);
    await look();
    assert.equal((await one())?.DBInstanceClass, 'db.t3.small');
    await sdk.deleteDBInstance({ DBInstanceIdentifier: 'shop', SkipFinalSnapshot: true });
    await look();
    pass(1000);
    assert.deepEqual(states, ['creating', 'available', 'modifying', 'available', 'deleting']);
    assert.match(await refusalOf(one()), /^404 DBInstanceNotFoundFault: DBInstance shop not found\.$/);
  });

  test('delays changes until the maintenance window unless the request applies them immediately', async () => {
    await using scenery = await scene();
    const { sdk, one } = scenery;
    await sdk.createDBInstance(wanted);
    await sdk.modifyDBInstance({ DBInstanceIdentifier: 'shop', MultiAZ: true, CopyTagsToSnapshot: true });
    const { MultiAZ, CopyTagsToSnapshot, PendingModifiedValues } = (await one()) ?? {};
    assert.deepEqual([MultiAZ, CopyTagsToSnapshot, PendingModifiedValues], [false, true, { MultiAZ: true }]);
    await sdk.modifyDBInstance({ DBInstanceIdentifier: 'shop', ApplyImmediately: true });
    assert.deepEqual([(await one())?.MultiAZ, (await one())?.PendingModifiedValues], [true, {}]);
  });

  test('gives an instance another identifier, with its address, and the same resource id and settings', async () => {
    await using scenery = await scene({ random: Math.random });
    const { sdk } = scenery;
    await sdk.createDBInstance(wanted);
    await sdk.createDBInstance({ ...wanted, DBInstanceIdentifier: 'taken' });
    const [before] = (await sdk.describeDBInstances({ DBInstanceIdentifier: 'shop' })).DBInstances ?? [];
    const rename = (NewDBInstanceIdentifier: string) =>
      sdk.modifyDBInstance({ DBInstanceIdentifier: 'shop', NewDBInstanceIdentifier, ApplyImmediately: true });
    assert.match(await refusalOf(rename('taken')), /^400 DBInstanceAlreadyExists/);
    assert.match(await refusalOf(rename('a.b')), /NewDBInstanceIdentifier is not a valid identifier/);
    await rename('Store');
    assert.match(
      await refusalOf(sdk.describeDBInstances({ DBInstanceIdentifier: 'shop' })),
      /DBInstanceNotFound/,
    );
    const Filters = [{ Name: 'dbi-resource-id', Values: [before?.DbiResourceId ?? ''] }];
    const { DBInstances } = await sdk.describeDBInstances({ Filters });
    const DBInstanceArn = before?.DBInstanceArn?.replace(/shop$/, 'store');
    const Address = before?.Endpoint?.Address?.replace(/^shop/, 'store');
    const Endpoint = { ...before?.Endpoint, Address };
    assert.deepEqual(DBInstances, [{ ...before, DBInstanceIdentifier: 'store', DBInstanceArn, Endpoint }]);
  });

  test('lists in pages, and by filters', async () => {
    await using scenery = await scene({ quotas: { 'db-instance': 30 } });
    const { sdk } = scenery;
    const ids = Array.from({ length: 25 }, (_, index) => `shop-${index}`);
    for (const DBInstanceIdentifier of ids) await sdk.createDBInstance({ ...wanted, DBInstanceIdentifier });
    const first = await sdk.describeDBInstances({ MaxRecords: 20 });
    const second = await sdk.describeDBInstances({ MaxRecords: 20, Marker: first.Marker });
    const found = [...(first.DBInstances ?? []), ...(second.DBInstances ?? [])];
    assert.deepEqual([map(found, 'DBInstanceIdentifier'), second.Marker], [ids, undefined]);
    const filtered = await sdk.describeDBInstances({
      Filters: [{ Name: 'db-instance-id', Values: ['shop-7', 'shop-9'] }],
    });
    assert.equal(filtered.DBInstances?.length, 2);
  });

  const protectedOne = { ...wanted, DeletionProtection: true };
  const refused: Readonly<Record<string, readonly [change: object, refusal: string]>> = {
    'a name with a dot': [
      { DBInstanceIdentifier: 'a.b' },
      '400 InvalidParameterValue: The parameter DBInstanceIdentifier is not a valid identifier.',
    ],
    'an unknown class': [
      { DBInstanceClass: 'db.t9.huge' },
      '400 InvalidParameterValue: Invalid DB Instance class: db.t9.huge',
    ],
    'an unknown engine': [{ Engine: 'dbase' }, '400 InvalidParameterValue: Invalid DB engine'],
    'an unknown version': [
      { EngineVersion: '99' },
      '400 InvalidParameterCombination: Cannot find version 99 for postgres',
    ],
    'no master user': [
      { MasterUsername: undefined },
      '400 InvalidParameterValue: The parameter MasterUsername must be provided',
    ],
    'a reserved master user': [
      { MasterUsername: 'admin' },
      '400 InvalidParameterValue: MasterUsername admin cannot be used',
    ],
    'a short password': [
      { MasterUserPassword: 'short' },
      '400 InvalidParameterValue: The parameter MasterUserPassword is not a valid password because it is shorter',
    ],
    'too little storage': [
      { AllocatedStorage: 5 },
      '400 InvalidParameterCombination: Invalid storage size for engine name postgres and storage type gp2: 5',
    ],
    'a subnet group that there is not': [
      { DBSubnetGroupName: 'none' },
      "404 DBSubnetGroupNotFoundFault: DB subnet group 'none' does not exist.",
    ],
    'a name that is taken': [{}, '400 DBInstanceAlreadyExistsFault: DB instance already exists'],
    'more than the quota': [
      { DBInstanceIdentifier: 'second' },
      '400 InstanceQuotaExceededFault: Cannot create more than 1 DB instances',
    ],
  };
  for (const [what, [change, refusal]] of Object.entries(refused)) {
    test(`refuses ${what}`, async () => {
      await using scenery = await scene({ quotas: { 'db-instance': 1 } });
      if (/taken|quota/.test(what)) await scenery.sdk.createDBInstance(wanted);
      const reply = await refusalOf(scenery.sdk.createDBInstance({ ...wanted, ...change }));
      assert.ok(reply.startsWith(refusal), reply);
    });
  }

  test('ends the growth of the storage by a limit that equals its size, and by no other value', async () => {
    await using scenery = await scene();
    const { sdk, one } = scenery;
    await sdk.createDBInstance({ ...wanted, MaxAllocatedStorage: 100 });
    const change = (MaxAllocatedStorage: number) =>
      refusalOf(sdk.modifyDBInstance({ DBInstanceIdentifier: 'shop', MaxAllocatedStorage }));
    assert.match(await change(0), /^400 InvalidParameterCombination: Invalid max storage size/);
    assert.equal((await one())?.MaxAllocatedStorage, 100);
    assert.equal(await change(20), 'none');
    assert.equal((await one())?.MaxAllocatedStorage, undefined);
  });

  const deletions: Readonly<Record<string, readonly [made: object, deletion: object, refusal: string]>> = {
    'without a choice about the last snapshot': [
      wanted,
      {},
      '400 InvalidParameterCombination: FinalDBSnapshotIdentifier is required unless SkipFinalSnapshot is specified.',
    ],
    'while it is protected': [
      protectedOne,
      { SkipFinalSnapshot: true },
      '400 InvalidParameterCombination: Cannot delete protected DB Instance',
    ],
    'with a last snapshot': [wanted, { FinalDBSnapshotIdentifier: 'last' }, 'none'],
  };
  for (const [what, [made, deletion, refusal]] of Object.entries(deletions)) {
    test(`deletes ${what}, or returns the reason`, async () => {
      await using scenery = await scene();
      const { sdk } = scenery;
      await sdk.createDBInstance(made as typeof wanted);
      const reply = await refusalOf(sdk.deleteDBInstance({ DBInstanceIdentifier: 'shop', ...deletion }));
      assert.ok(reply.startsWith(refusal), reply);
      const { DBSnapshots = [] } = await sdk.describeDBSnapshots({});
      assert.equal(DBSnapshots.length, refusal === 'none' ? 1 : 0);
    });
  }
});
