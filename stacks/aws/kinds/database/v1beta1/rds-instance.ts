import { z } from 'zod';
import type { ObjectKind } from '../../../../../package/schema.ts';
import {
  databaseConnection,
  defineClass,
  defineManaged,
  optional,
  passwordRotation,
  text,
} from '../../../../../package/schema.ts';
import {
  dbInstanceFields as db,
  dbInstanceCallOptions,
  endpoint,
  engineVersion,
  region,
  requiredFields,
} from '../../db-instance-fields.ts';

const group = 'database.aws.crossplane.io';
const version = 'v1beta1';

/** The common fields of instances and their classes, with provider-aws's names. */
const parameters = {
  region,
  dbInstanceClass: requiredFields.DBInstanceClass,
  engineVersion,
  allocatedStorage: db.AllocatedStorage,
  allowMajorVersionUpgrade: dbInstanceCallOptions.AllowMajorVersionUpgrade,
  applyModificationsImmediately: dbInstanceCallOptions.ApplyImmediately,
  autoMinorVersionUpgrade: db.AutoMinorVersionUpgrade,
  availabilityZone: db.AvailabilityZone,
  backupRetentionPeriod: db.BackupRetentionPeriod,
  caCertificateIdentifier: db.CACertificateIdentifier,
  characterSetName: db.CharacterSetName,
  copyTagsToSnapshot: db.CopyTagsToSnapshot,
  dbName: db.DBName,
  dbParameterGroupName: db.DBParameterGroupName,
  dbSubnetGroupName: db.DBSubnetGroupName,
  deleteAutomatedBackups: dbInstanceCallOptions.DeleteAutomatedBackups,
  deletionProtection: db.DeletionProtection,
  domain: db.Domain,
  domainIAMRoleName: db.DomainIAMRoleName,
  enableCloudwatchLogsExports: db.EnableCloudwatchLogsExports,
  enableIAMDatabaseAuthentication: db.EnableIAMDatabaseAuthentication,
  enablePerformanceInsights: db.EnablePerformanceInsights,
  iops: db.Iops,
  kmsKeyId: db.KmsKeyId,
  licenseModel: db.LicenseModel,
  masterUsername: db.MasterUsername,
  maxAllocatedStorage: db.MaxAllocatedStorage,
  monitoringInterval: db.MonitoringInterval,
  monitoringRoleArn: db.MonitoringRoleArn,
  multiAZ: db.MultiAZ,
  optionGroupName: db.OptionGroupName,
  performanceInsightsKMSKeyId: db.PerformanceInsightsKMSKeyId,
  performanceInsightsRetentionPeriod: db.PerformanceInsightsRetentionPeriod,
  port: db.Port,
  preferredBackupWindow: db.PreferredBackupWindow,
  preferredMaintenanceWindow: db.PreferredMaintenanceWindow,
  processorFeatures: db.ProcessorFeatures,
  publiclyAccessible: db.PubliclyAccessible,
  storageEncrypted: db.StorageEncrypted,
  storageThroughput: db.StorageThroughput,
  storageType: db.StorageType,
  timezone: db.Timezone,
  vpcSecurityGroupIds: db.VpcSecurityGroupIds,
  skipFinalSnapshotBeforeDeletion: dbInstanceCallOptions.SkipFinalSnapshot,
  tags: optional(
    z
      .array(
        z.object({
          key: z.string().min(1).max(128).describe('The key; the prefixes aws: and rds: are reserved.'),
          value: z.string().max(256).describe('The value.'),
        }),
      )
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['key'] })
      .describe(
        'Tags of the instance, besides those that name its owner. A tag that is removed here stays in AWS. Tags that name the owner (crossplane-…) and tags of AWS itself (aws:…) have no effect here.',
      ),
  ),
};

/** A DB instance of Amazon RDS, with provider-aws's field names. */
export const RDSInstanceKind = defineManaged(
  {
    group,
    version,
    kind: 'RDSInstance',
    plural: 'rdsinstances',
    shortNames: ['rds'],
    stack: 'aws',
    holdsData: true,
    description:
      'A DB instance of Amazon RDS: a PostgreSQL, MySQL or other database server. Its external name is the DB instance identifier.',
    connectionDetails: databaseConnection,
  },
  z
    .object({
      engine: requiredFields.Engine,
      ...parameters,
      finalDBSnapshotIdentifier: dbInstanceCallOptions.FinalDBSnapshotIdentifier,
      passwordRotation,
    })
    .describe('The desired state of the instance. Changes made elsewhere are reverted.'),
  {
    atProvider: optional(
      z
        .object({
          dbInstanceStatus: optional(
            text('The state of the instance: creating, available, modifying, deleting and others.'),
          ),
          dbInstanceArn: optional(text('The Amazon Resource Name.')),
          dbResourceId: optional(
            text('The identifier that RDS assigned; it is never used again in the region.'),
          ),
          engineVersion: optional(text('The running version.')),
          allocatedStorage: optional(z.int().describe('The allocated storage in GiB.')),
          secondaryAvailabilityZone: optional(text('The zone of the standby.')),
          instanceCreateTime: optional(
            z.string().meta({ format: 'date-time' }).describe('When the instance was created.'),
          ),
          endpoint: optional(z.object(endpoint).describe('The address of the instance.')),
          pendingModifiedValues: optional(
            z
              .array(text('The name of a field in the API of RDS.'))
              .describe('The fields that change now, or in the next maintenance window.'),
          ),
        })
        .describe('The state of the instance that RDS reports.'),
    ),
  },
);
export type RDSInstance = ObjectKind<typeof RDSInstanceKind>;

/** The parameters of RDS instances for claims. */
export const RDSInstanceClassKind = defineClass(
  {
    group,
    version,
    kind: 'RDSInstanceClass',
    plural: 'rdsinstanceclasses',
    shortNames: ['rdsclass'],
    description: 'A class of RDS instances for PostgreSQLInstance and MySQLInstance claims.',
  },
  z
    .object({
      engine: optional(
        z
          .enum(['postgres', 'mysql', 'mariadb'])
          .describe(
            'The database engine: postgres for PostgreSQLInstance claims, mysql or mariadb for MySQLInstance claims. Without it: the engine that the kind of the claim requires.',
          ),
      ),
      ...parameters,
    })
    .describe('The parameters of every instance of this class.'),
);
export type RDSInstanceClass = ObjectKind<typeof RDSInstanceClassKind>;
