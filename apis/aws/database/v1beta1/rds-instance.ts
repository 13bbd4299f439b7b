import { z } from 'zod';
import type { ObjectKind } from '../../../core/schema.ts';
import { optional, text } from '../../../core/schema.ts';
import { defineClass } from '../../../core/v1alpha1/define-class.ts';
import { defineManaged } from '../../../core/v1alpha1/define-managed.ts';
import { passwordRotation } from '../../../core/v1alpha1/fields.ts';
import {
  dbInstanceFields as db,
  dbInstanceHabits,
  endpoint,
  engineVersion,
  region,
  requiredFields,
} from '../../db-instance-fields.ts';

const group = 'database.aws.crossplane.io';
const version = 'v1beta1';

/** What instances and their classes have in common, as provider-aws calls it. */
const parameters = {
  region,
  dbInstanceClass: requiredFields.DBInstanceClass,
  engineVersion,
  allocatedStorage: db.AllocatedStorage,
  allowMajorVersionUpgrade: dbInstanceHabits.AllowMajorVersionUpgrade,
  applyModificationsImmediately: dbInstanceHabits.ApplyImmediately,
  autoMinorVersionUpgrade: db.AutoMinorVersionUpgrade,
  availabilityZone: db.AvailabilityZone,
  backupRetentionPeriod: db.BackupRetentionPeriod,
  caCertificateIdentifier: db.CACertificateIdentifier,
  characterSetName: db.CharacterSetName,
  copyTagsToSnapshot: db.CopyTagsToSnapshot,
  dbName: db.DBName,
  dbParameterGroupName: db.DBParameterGroupName,
  dbSubnetGroupName: db.DBSubnetGroupName,
  deleteAutomatedBackups: dbInstanceHabits.DeleteAutomatedBackups,
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
  skipFinalSnapshotBeforeDeletion: dbInstanceHabits.SkipFinalSnapshot,
  tags: optional(
    z
      .array(
        z.object({
          key: z.string().min(1).max(128).describe('The key; aws: and rds: are reserved beginnings.'),
          value: z.string().max(256).describe('The value.'),
        }),
      )
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['key'] })
      .describe(
        'Tags, beside those that say whose the instance is. One that is taken out here stays there. Those that say whose it is (crossplane-…), and those of AWS itself (aws:…), have no effect here.',
      ),
  ),
};

/** A DB instance of Amazon RDS, in the words of provider-aws. */
export const RDSInstanceKind = defineManaged(
  {
    group,
    version,
    kind: 'RDSInstance',
    plural: 'rdsinstances',
    shortNames: ['rds'],
    stack: 'aws',
    description:
      'A DB instance of Amazon RDS: a PostgreSQL, MySQL or other database server. Its external name is the DB instance identifier.',
  },
  z
    .object({
      engine: requiredFields.Engine,
      ...parameters,
      finalDBSnapshotIdentifier: dbInstanceHabits.FinalDBSnapshotIdentifier,
      passwordRotation,
    })
    .describe('The instance as it should be. Changes made elsewhere are reverted.'),
  {
    atProvider: optional(
      z
        .object({
          dbInstanceStatus: optional(
            text('The state of the instance: creating, available, modifying, deleting and others.'),
          ),
          dbInstanceArn: optional(text('Its Amazon Resource Name.')),
          dbResourceId: optional(
            text('The identifier that RDS gave it, which is never used again in the region.'),
          ),
          engineVersion: optional(text('The version that it runs.')),
          allocatedStorage: optional(z.int().describe('Its storage in GiB.')),
          secondaryAvailabilityZone: optional(text('Where its standby is.')),
          instanceCreateTime: optional(
            z.string().meta({ format: 'date-time' }).describe('When it was created.'),
          ),
          endpoint: optional(z.object(endpoint).describe('Where it is reached.')),
          pendingModifiedValues: optional(
            z
              .array(text('The name of a field, as the API of RDS calls it.'))
              .describe('What is to change in the next maintenance window, or is changing.'),
          ),
        })
        .describe('The instance as RDS tells of it.'),
    ),
  },
);
export type RDSInstance = ObjectKind<typeof RDSInstanceKind>;

/** What RDS instances that claims are given are like. */
export const RDSInstanceClassKind = defineClass(
  {
    group,
    version,
    kind: 'RDSInstanceClass',
    plural: 'rdsinstanceclasses',
    shortNames: ['rdsclass'],
    description:
      'A class of RDS instances, from which PostgreSQLInstance and MySQLInstance claims are satisfied.',
  },
  z
    .object({
      engine: optional(
        z
          .enum(['postgres', 'mysql', 'mariadb'])
          .describe(
            'The database engine: postgres for PostgreSQLInstance claims, mysql or mariadb for MySQLInstance claims. Without it: what the claim is for.',
          ),
      ),
      ...parameters,
    })
    .describe('What every instance of this class is like.'),
);
export type RDSInstanceClass = ObjectKind<typeof RDSInstanceClassKind>;
