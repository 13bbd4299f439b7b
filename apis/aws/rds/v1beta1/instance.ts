import { z } from 'zod';
import type { ObjectKind } from '../../../core/schema.ts';
import { optional, text, texts } from '../../../core/schema.ts';
import { defineManaged } from '../../../core/v1alpha1/define-managed.ts';
import { passwordRotation } from '../../../core/v1alpha1/fields.ts';
import {
  dbInstanceFields as db,
  dbInstanceHabits,
  engineVersion,
  region,
  requiredFields,
} from '../../db-instance-fields.ts';

/** A DB instance of Amazon RDS, in the words of the Upbound provider. No claim asks for one. */
export const InstanceKind = defineManaged(
  {
    group: 'rds.aws.upbound.io',
    version: 'v1beta1',
    kind: 'Instance',
    plural: 'instances',
    shortNames: ['dbi'],
    isClaimable: false,
    stack: 'aws',
    description:
      'A DB instance of Amazon RDS: a PostgreSQL, MySQL or other database server. Its external name is the DB instance identifier.',
  },
  z
    .object({
      region,
      engine: requiredFields.Engine,
      instanceClass: requiredFields.DBInstanceClass,
      engineVersion,
      allocatedStorage: db.AllocatedStorage,
      allowMajorVersionUpgrade: dbInstanceHabits.AllowMajorVersionUpgrade,
      applyImmediately: dbInstanceHabits.ApplyImmediately,
      autoGeneratePassword: optional(
        z
          .literal(true)
          .describe(
            'That the password is generated. It always is: it is in the connection secret, and nowhere else.',
          ),
      ),
      autoMinorVersionUpgrade: db.AutoMinorVersionUpgrade,
      availabilityZone: db.AvailabilityZone,
      backupRetentionPeriod: db.BackupRetentionPeriod,
      backupWindow: db.PreferredBackupWindow,
      caCertIdentifier: db.CACertificateIdentifier,
      characterSetName: db.CharacterSetName,
      copyTagsToSnapshot: db.CopyTagsToSnapshot,
      dbName: db.DBName,
      dbSubnetGroupName: db.DBSubnetGroupName,
      deleteAutomatedBackups: dbInstanceHabits.DeleteAutomatedBackups,
      deletionProtection: db.DeletionProtection,
      domain: db.Domain,
      domainIamRoleName: db.DomainIAMRoleName,
      enabledCloudwatchLogsExports: db.EnableCloudwatchLogsExports,
      finalSnapshotIdentifier: dbInstanceHabits.FinalDBSnapshotIdentifier,
      iamDatabaseAuthenticationEnabled: db.EnableIAMDatabaseAuthentication,
      iops: db.Iops,
      kmsKeyId: db.KmsKeyId,
      licenseModel: db.LicenseModel,
      maintenanceWindow: db.PreferredMaintenanceWindow,
      maxAllocatedStorage: db.MaxAllocatedStorage,
      monitoringInterval: db.MonitoringInterval,
      monitoringRoleArn: db.MonitoringRoleArn,
      multiAz: db.MultiAZ,
      networkType: db.NetworkType,
      optionGroupName: db.OptionGroupName,
      parameterGroupName: db.DBParameterGroupName,
      passwordRotation,
      performanceInsightsEnabled: db.EnablePerformanceInsights,
      performanceInsightsKmsKeyId: db.PerformanceInsightsKMSKeyId,
      performanceInsightsRetentionPeriod: db.PerformanceInsightsRetentionPeriod,
      port: db.Port,
      publiclyAccessible: db.PubliclyAccessible,
      skipFinalSnapshot: dbInstanceHabits.SkipFinalSnapshot,
      storageEncrypted: db.StorageEncrypted,
      storageThroughput: db.StorageThroughput,
      storageType: db.StorageType,
      tags: optional(
        texts(
          'Tags, beside those that say whose the instance is. One that is taken out here stays there. Those that say whose it is (crossplane-…), and those of AWS itself (aws:…), have no effect here.',
        ),
      ),
      timezone: db.Timezone,
      username: db.MasterUsername,
      vpcSecurityGroupIds: db.VpcSecurityGroupIds,
    })
    .describe('The instance as it should be. Changes made elsewhere are reverted.'),
  {
    atProvider: optional(
      z
        .object({
          id: optional(text('The DB instance identifier.')),
          arn: optional(text('Its Amazon Resource Name.')),
          resourceId: optional(
            text('The identifier that RDS gave it, which is never used again in the region.'),
          ),
          status: optional(
            text('The state of the instance: creating, available, modifying, deleting and others.'),
          ),
          engineVersionActual: optional(text('The version that it runs.')),
          address: optional(text('The DNS name that it is reached at.')),
          endpoint: optional(text('The same with the port: address:port.')),
          hostedZoneId: optional(text('The hosted zone of the DNS name, for an alias record of Route 53.')),
          port: optional(z.int().describe('The port that it listens on.')),
          allocatedStorage: optional(z.int().describe('Its storage in GiB.')),
        })
        .describe('The instance as RDS tells of it.'),
    ),
  },
);
export type Instance = ObjectKind<typeof InstanceKind>;
