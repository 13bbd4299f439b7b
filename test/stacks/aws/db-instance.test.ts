import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { available } from '../../../apis/core/v1alpha1/condition.ts';
import type { MySQLInstance } from '../../../apis/database/v1alpha1/mysql-instance.ts';
import type { PostgreSQLInstance } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import { CloudError } from '../../../clients/cloud-error.ts';
import { comparison } from '../../../controllers/author/comparison.ts';
import type { DBInstance } from '../../../stacks/aws/client/db-instances.ts';
import { dbInstances } from '../../../stacks/aws/client/db-instances.ts';
import {
  configureRDSInstance,
  incompatibilityOfRDSInstance,
} from '../../../stacks/aws/db-instance/configure.ts';
import {
  accessOf,
  actualOf,
  changeOf,
  fieldRulesOf,
  isPasswordPending,
  meaningOfState,
  newDBInstance,
  unprotecting,
} from '../../../stacks/aws/db-instance/desired-state.ts';
import { isAtLeast } from '../../../stacks/aws/db-instance/engine-version.ts';
import { masterPassword } from '../../../stacks/aws/db-instance/external-client.ts';
import { rdsInstanceWords as words } from '../../../stacks/aws/db-instance/rds-instance-words.ts';
import { refusalFields } from '../../../stacks/aws/db-instance/refusal-fields.ts';
import type {
  RDSInstance,
  RDSInstanceClass,
} from '../../../stacks/aws/kinds/database/v1beta1/rds-instance.ts';
import { RDSInstanceKind } from '../../../stacks/aws/kinds/database/v1beta1/rds-instance.ts';

type ForProvider = NonNullable<RDSInstance['spec']['forProvider']>;

const managed = (forProvider: ForProvider, spec: object = {}): RDSInstance => ({
  apiVersion: 'database.aws.crossplane.io/v1beta1',
  kind: 'RDSInstance',
  metadata: { name: 'shop' },
  spec: { forProvider, ...spec },
});

const compare = comparison(RDSInstanceKind, fieldRulesOf(words));
/** The differences between the spec and the answer of RDS, and those that cannot be changed. */
function differenceOf(forProvider: ForProvider, db: DBInstance) {
  const one = managed(forProvider);
  const actual = actualOf(words, one, db);
  const { change, refused } = compare(one, actual);
  return { change: changeOf(words, change, { actual }), refused };
}

describe('the class of a claim for a DB instance', () => {
  const classOf = (forProvider: RDSInstanceClass['specTemplate']['forProvider']): RDSInstanceClass => ({
    apiVersion: 'database.aws.crossplane.io/v1beta1',
    kind: 'RDSInstanceClass',
    metadata: { name: 'small' },
    specTemplate: { writeConnectionSecretsToNamespace: 'infra', forProvider },
  });
  const claim = <K extends string>(kind: K, engineVersion?: string) => ({
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind,
    metadata: { namespace: 'shop', name: 'orders' },
    spec: { ...(engineVersion !== undefined && { engineVersion }) },
  });
  const postgresql = (version?: string): PostgreSQLInstance => claim('PostgreSQLInstance', version);
  const mysql = (version?: string): MySQLInstance => claim('MySQLInstance', version);
  const dbInstanceClass = 'db.t3.micro';
  const engineVersion = '16.4';

  function make(given: PostgreSQLInstance | MySQLInstance, forProvider: object, want: object | string): void {
    const configured = configureRDSInstance(given, classOf({ dbInstanceClass, ...forProvider }));
    assert.deepEqual(incompatibilityOfRDSInstance(given, forProvider) ?? configured.forProvider, want);
  }
  test('leaves the engine to the claim if it has none', () =>
    make(postgresql(), {}, { dbInstanceClass, engine: 'postgres' }));
  test('leaves the version to the claim if it has none', () =>
    make(mysql('8.0'), {}, { dbInstanceClass, engine: 'mysql', engineVersion: '8.0' }));
  test('may choose MariaDB for a MySQL claim', () =>
    make(mysql(), { engine: 'mariadb' }, { dbInstanceClass, engine: 'mariadb' }));
  test('may have a more precise version than the claim', () =>
    make(postgresql('16'), { engineVersion }, { dbInstanceClass, engine: 'postgres', engineVersion }));
  const otherEngine =
    'has engine "mysql", which no PostgreSQLInstance can be given; choose one with postgres';
  test('is incompatible with a claim of another engine', () =>
    make(postgresql(), { engine: 'mysql' }, otherEngine));
  test('is incompatible with a claim of another version', () =>
    make(
      postgresql('16'),
      { engineVersion: '15.10' },
      'has engineVersion "15.10", but the claim\'s spec.engineVersion is "16"',
    ));
  test('is incompatible with a claim of another engine that has the same version', () =>
    make(
      mysql('16'),
      { engine: 'postgres', engineVersion },
      'has engine "postgres", which no MySQLInstance can be given; choose one with mysql or mariadb',
    ));
});

describe('a version', () => {
  const cases: readonly (readonly [version: string, wanted: string, minor: boolean, any: boolean])[] = [
    ['16.4', '16.4', true, true],
    ['16.4', '16', true, true],
    ['16.6', '16.4', true, true],
    ['16.4', '16.6', false, false],
    ['17.2', '16.4', false, true],
    ['15.10', '16', false, false],
    ['8.0.39', '8.0', true, true],
    ['8.0.39', '8.0.35', true, true],
    ['8.4.3', '8.0', false, true],
    ['8.0.39', '8.4', false, false],
    ['19.0.0.0.ru-2026-04.rur-2026-04.r1', '19.0.0.0.ru-2026-01.rur-2026-01.r1', true, true],
    ['19.0.0.0.ru-2026-01.rur-2026-01.r1', '19.0.0.0.ru-2026-04.rur-2026-04.r1', false, true],
  ];
  for (const [version, wanted, minor, any] of cases) {
    test(`${version} where ${wanted} is wanted`, () => {
      assert.deepEqual([isAtLeast(version, wanted), isAtLeast(version, wanted, 'any')], [minor, any]);
    });
  }
});

describe('a new instance', () => {
  const its = { name: 'shop', tags: { 'crossplane-name': 'shop' }, password: 'secret' };

  test('has the parameters of the API, with those of initProvider', () => {
    const one = managed(
      { engine: 'postgres', dbInstanceClass: 'db.t3.micro', port: 5433, tags: [{ key: 'team', value: 'a' }] },
      { initProvider: { allocatedStorage: 20, processorFeatures: [{ name: 'coreCount', value: '2' }] } },
    );
    assert.deepEqual(newDBInstance(words, one, its), {
      DBInstanceIdentifier: 'shop',
      DBInstanceClass: 'db.t3.micro',
      Engine: 'postgres',
      Port: 5433,
      AllocatedStorage: 20,
      ProcessorFeatures: [{ Name: 'coreCount', Value: '2' }],
      MasterUserPassword: 'secret',
      Tags: { team: 'a', 'crossplane-name': 'shop' },
    });
  });

  test('needs an engine', () => {
    const message = 'spec.forProvider.engine is needed to create an instance';
    const withoutEngine = managed({ dbInstanceClass: 'db.t3.micro' });
    assert.throws(() => newDBInstance(words, withoutEngine, its), { message });
  });
});

describe('the differences of a DB instance', () => {
  const differ = (
    forProvider: ForProvider,
    db: DBInstance,
    change: object = {},
    ...refused: string[]
  ): void => assert.deepEqual(differenceOf(forProvider, db), { change, refused });
  test('do not include storage that RDS has increased', () =>
    differ(
      { allocatedStorage: 20, maxAllocatedStorage: 100 },
      { AllocatedStorage: 40, MaxAllocatedStorage: 100 },
    ));
  test('include a refusal to shrink storage', () =>
    differ(
      { allocatedStorage: 20 },
      { AllocatedStorage: 40 },
      {},
      'spec.forProvider.allocatedStorage from 40 to 20',
    ));
  test('do not include a change that waits for the maintenance window', () =>
    differ(
      { dbInstanceClass: 'db.t3.small', port: 5433 },
      {
        DBInstanceClass: 'db.t3.micro',
        Endpoint: { Port: 5432 },
        PendingModifiedValues: { DBInstanceClass: 'db.t3.small', Port: 5433 },
      },
    ));
  test('include a waiting change that is to be applied at once', () =>
    differ(
      { dbInstanceClass: 'db.t3.small', applyModificationsImmediately: true },
      {
        DBInstanceStatus: 'available',
        DBInstanceClass: 'db.t3.micro',
        PendingModifiedValues: { DBInstanceClass: 'db.t3.small' },
      },
      { DBInstanceClass: 'db.t3.small' },
    ));
  test('do not include a minor version that RDS has installed', () =>
    differ({ engineVersion: '16.4' }, { EngineVersion: '16.6' }));
  const older = 'spec.forProvider.engineVersion from "16.6" to "15.10"';
  test('include a refusal of an older version', () =>
    differ({ engineVersion: '15.10' }, { EngineVersion: '16.6' }, {}, older));
  test('do not include the zone of an instance in several zones', () =>
    differ({ availabilityZone: 'us-east-1a' }, { AvailabilityZone: 'us-east-1b', MultiAZ: true }));
  test('do not include another order, another case, an id for an ARN, and 0 for none', () =>
    differ(
      {
        vpcSecurityGroupIds: ['sg-1', 'sg-2'],
        preferredMaintenanceWindow: 'Mon:00:00-Mon:03:00',
        kmsKeyId: '0123',
        iops: 0,
      },
      {
        VpcSecurityGroups: [{ VpcSecurityGroupId: 'sg-2' }, { VpcSecurityGroupId: 'sg-1' }],
        PreferredMaintenanceWindow: 'mon:00:00-mon:03:00',
        KmsKeyId: 'arn:aws:kms:us-east-1:123456789012:key/0123',
      },
    ));
  const teamATag = { Key: 'team', Value: 'a' };
  test('do not include tags that others added', () =>
    differ({ tags: [{ key: 'team', value: 'a' }] }, { TagList: [{ Key: 'bill', Value: '7' }, teamATag] }));
  const stackName = { key: 'aws:cloudformation:stack-name', value: 'a' };
  const reserved = [{ key: 'crossplane-name', value: 'theirs' }, stackName];
  test('do not include tags of the owner or of AWS', () =>
    differ({ tags: reserved }, { TagList: [{ Key: 'crossplane-name', Value: 'shop' }] }));
  test('include a tag, and the port by its name in ModifyDBInstance', () =>
    differ(
      { tags: [{ key: 'team', value: 'b' }], port: 5433 },
      { TagList: [teamATag], Endpoint: { Port: 5432 } },
      { DBPortNumber: 5433, OwnTags: { team: 'b' } },
    ));
  test('do not include the role of a directory without a directory', () =>
    differ({ domainIAMRoleName: 'role' }, {}));
  test('include a directory with its role', () =>
    differ({ domain: 'd-1', domainIAMRoleName: 'role' }, {}, { Domain: 'd-1', DomainIAMRoleName: 'role' }));
  test('do not include backups that AWS Backup manages', () =>
    differ({ backupRetentionPeriod: 3 }, { BackupRetentionPeriod: 30, AwsBackupRecoveryPointArn: 'arn' }));
});

describe('a password', () => {
  const PendingModifiedValues = { MasterUserPassword: '****' };
  test('an instance with a pending password is Available, because the previous password works', () => {
    const meaning = meaningOfState({ DBInstanceStatus: 'available', PendingModifiedValues });
    assert.deepEqual(meaning, { ready: available(), operation: 'update' });
  });

  const passwords: readonly (readonly [DBInstance, boolean])[] = [
    [{ DBInstanceStatus: 'available' }, false],
    [{ DBInstanceStatus: 'modifying' }, false],
    [{ DBInstanceStatus: 'available', PendingModifiedValues: { AllocatedStorage: 20 } }, false],
    [{ DBInstanceStatus: 'available', PendingModifiedValues }, true],
    [{ DBInstanceStatus: 'modifying', PendingModifiedValues }, true],
    [{ DBInstanceStatus: 'resetting-master-credentials' }, true],
  ];
  for (const [db, isPending] of passwords) {
    test(`a password is ${isPending ? '' : 'not '}pending in ${JSON.stringify(db)}`, () =>
      assert.equal(isPasswordPending(db), isPending));
  }
});

describe('the password of a master user', () => {
  test('is accepted by every engine of RDS', () => {
    const { length, alphabet } = masterPassword;
    // Of at most 30 characters for Oracle, 41 for MySQL and MariaDB, 128 for PostgreSQL and SQL Server.
    assert.ok(length >= 8 && length <= 30);
    assert.doesNotMatch(alphabet, /[^!-~]|["'/@&]/);
  });

  test('rotates with passwordRotation, by forProvider alone', () => {
    const { rotationOf } = masterPassword;
    assert.equal(rotationOf(managed({ passwordRotation: '2' })), '2');
    assert.equal(rotationOf(managed({}, { initProvider: { passwordRotation: '2' } })), undefined);
  });
});

describe('a database is reached', () => {
  const there = { Endpoint: { Address: 'shop.rds', Port: 1234 }, MasterUsername: 'me' };
  const access = { provider: 'aws', host: 'shop.rds', port: 1234, username: 'me' };
  const is = (db: DBInstance, want: object | undefined): void => assert.deepEqual(accessOf(db), want);
  test('not before it has an address', () => is({ Engine: 'postgres', MasterUsername: 'me' }, undefined));
  test('by the name postgres if PostgreSQL has no other', () =>
    is({ ...there, Engine: 'postgres' }, { ...access, type: 'postgresql', database: 'postgres' }));
  test('by its name', () =>
    is({ ...there, Engine: 'mysql', DBName: 'app' }, { ...access, type: 'mysql', database: 'app' }));
  test('without a name if MySQL has none', () =>
    is({ ...there, Engine: 'mariadb' }, { ...access, type: 'mysql' }));
});

describe('the protection against deletion', () => {
  function is(wanted: ForProvider, DeletionProtection: boolean, change: object | undefined): void {
    const one = managed(wanted);
    const actual = actualOf(words, one, { DeletionProtection });
    assert.deepEqual(unprotecting(words, one, { actual }), change);
  }
  test('is removed first if it is no longer wanted', () =>
    is({ deletionProtection: false }, true, { DeletionProtection: false }));
  test('stays if the spec does not mention it', () => is({}, true, undefined));
  test('stays if the spec wants it', () => is({ deletionProtection: true }, true, undefined));
  test('is not removed if there is none', () => is({ deletionProtection: false }, false, undefined));
});

describe('a refusal is about', () => {
  const fields = refusalFields(words);
  const cases: readonly (readonly [text: string, field: string | undefined])[] = [
    ['InvalidParameterValue Invalid DB Instance class: db.t9.huge', 'dbInstanceClass'],
    ['InvalidParameterCombination Cannot find version 99 for postgres', 'engineVersion'],
    ['InvalidParameterValue Invalid DB engine', 'engine'],
    [
      'InvalidParameterCombination FinalDBSnapshotIdentifier is required unless SkipFinalSnapshot is specified.',
      'finalDBSnapshotIdentifier',
    ],
    [
      'InvalidParameterCombination Cannot delete protected DB Instance, please disable deletion protection and try again.',
      'deletionProtection',
    ],
    ["DBSubnetGroupNotFoundFault DB subnet group 'none' does not exist.", 'dbSubnetGroupName'],
    [
      'InvalidParameterValue MasterUsername admin cannot be used as it is a reserved word used by the engine',
      'masterUsername',
    ],
    [
      'InvalidParameterCombination Invalid storage size for engine name postgres and storage type gp2: 5',
      'allocatedStorage',
    ],
    [
      'InvalidParameterCombination The AllowMajorVersionUpgrade flag must be present when upgrading to a new major version.',
      'allowMajorVersionUpgrade',
    ],
    ['InternalFailure An internal error has occurred.', undefined],
  ];
  for (const [text, field] of cases) {
    test(`${field ?? 'no field'}: ${text}`, () => {
      assert.equal(Object.entries(fields).find(([, names]) => names.test(text))?.[0], field);
    });
  }
});

describe('RDS removes some values by a special one', () => {
  const grows = { AllocatedStorage: 20, MaxAllocatedStorage: 100 };
  const group = { VpcSecurityGroups: [{ VpcSecurityGroupId: 'sg-1' }] };
  const joined = { DomainMemberships: [{ Domain: 'd-1', Status: 'joined' }] };
  const rows: Readonly<Record<string, readonly [ForProvider, DBInstance, change: object]>> = {
    'the limit of the storage, by its size': [
      { allocatedStorage: 20, maxAllocatedStorage: 0 },
      grows,
      { MaxAllocatedStorage: 20 },
    ],
    'the limit of the storage, by a size that RDS chose': [
      { maxAllocatedStorage: 0 },
      grows,
      { MaxAllocatedStorage: 20 },
    ],
    'the limit of the storage, by the size that is asked for': [
      { allocatedStorage: 30, maxAllocatedStorage: 0 },
      grows,
      { AllocatedStorage: 30, MaxAllocatedStorage: 30 },
    ],
    'a limit that is not there needs no change': [
      { allocatedStorage: 20, maxAllocatedStorage: 0 },
      { AllocatedStorage: 20 },
      {},
    ],
    'processor features, by the default': [
      { processorFeatures: [] },
      { ProcessorFeatures: [{ Name: 'coreCount', Value: '2' }] },
      { UseDefaultProcessorFeatures: true },
    ],
    'a directory, by its word for none': [{ domain: 'none' }, joined, { Domain: 'none' }],
    'a directory that is not there needs no change': [{ domain: 'none' }, {}, {}],
    'a security group cannot be removed': [{ vpcSecurityGroupIds: [] }, group, {}],
  };
  for (const [what, [forProvider, db, change]] of Object.entries(rows)) {
    test(what, () => assert.deepEqual(differenceOf(forProvider, db).change, change));
  }

  test('a creation asks for none by leaving it out', () => {
    const requested = { dbInstanceClass: 'db.t3.micro', engine: 'postgres', maxAllocatedStorage: 0, iops: 0 };
    const { MaxAllocatedStorage, Iops } = newDBInstance(words, managed(requested), {
      name: 'shop',
      tags: {},
      password: 'a-long-password',
    });
    assert.deepEqual([MaxAllocatedStorage, Iops], [undefined, undefined]);
  });
});

describe('a deletion that RDS refuses because it cannot take the final snapshot', () => {
  const refusal = new CloudError('cannot delete DB instance "shop": refused', {
    status: 400,
    code: 'InvalidDBInstanceState',
    isRetryable: false,
    errorClass: 'NotReady',
  });
  const deletion = (state: string, deleting: object) => {
    const call = async ({ what }: { readonly what: string }) => {
      if (what.startsWith('delete')) throw refusal;
      return { DBInstances: [{ DBInstanceIdentifier: 'shop', DBInstanceStatus: state }] };
    };
    const options = { region: undefined, fields: {}, changing: {}, deleting };
    return dbInstances({ call } as never, { ...options, skipSnapshotField: 'skipIt' }).delete('shop');
  };
  const snapshot = { FinalDBSnapshotIdentifier: 'last' };
  const rows: Readonly<Record<string, readonly [state: string, deleting: object, named: boolean]>> = {
    'failed: the message names the field': ['failed', snapshot, true],
    'incompatible-restore: the message names the field': ['incompatible-restore', snapshot, true],
    'incompatible-network: the message names the field': ['incompatible-network', snapshot, true],
    'failed, without a snapshot': ['failed', { SkipFinalSnapshot: true }, false],
    'rebooting: it can be taken later': ['rebooting', snapshot, false],
  };
  for (const [name, [state, deleting, named]] of Object.entries(rows)) {
    test(name, () =>
      assert.rejects(deletion(state, deleting), ({ message, errorClass }: CloudError) => {
        const advised = `; RDS takes no final snapshot of an instance that is ${state}: to delete it without one, set spec.forProvider.skipIt to true`;
        assert.deepEqual(
          [message, errorClass],
          named ? [refusal.message + advised, 'Invalid'] : [refusal.message, 'NotReady'],
        );
        return true;
      }),
    );
  }
});
