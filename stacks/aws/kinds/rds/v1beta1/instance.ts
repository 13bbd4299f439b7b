import { z } from 'zod';
import type { ObjectKind } from '../../../../../package/schema.ts';
import {
  databaseConnection,
  defineManaged,
  optional,
  passwordRotation,
  text,
  texts,
} from '../../../../../package/schema.ts';
import {
  dbInstanceFields as db,
  dbInstanceCallOptions,
  engineVersion,
  region,
  requiredFields,
} from '../../db-instance-fields.ts';

/** A DB instance of Amazon RDS, with the Upbound provider's field names. No claim binds to it. */
export const InstanceKind = defineManaged(
  {
    group: 'rds.aws.upbound.io',
    version: 'v1beta1',
    kind: 'Instance',
    plural: 'instances',
    shortNames: ['dbi'],
    isClaimable: false,
    stack: 'aws',
    holdsData: true,
    description:
      'A DB instance of Amazon RDS: a PostgreSQL, MySQL or other database server. Its external name is the DB instance identifier.',
    connectionDetails: databaseConnection,
  },
  z
    .object({
      region,
      engine: requiredFields.Engine,
      instanceClass: requiredFields.DBInstanceClass,
      engineVersion,
      allocatedStorage: db.AllocatedStorage,
      allowMajorVersionUpgrade: dbInstanceCallOptions.AllowMajorVersionUpgrade,
      applyImmediately: dbInstanceCallOptions.ApplyImmediately,
      autoGeneratePassword: optional(
        z
          .literal(true)
          .describe(
            'The controllers always generate the password. It is in the connection Secret and nowhere else.',
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
      deleteAutomatedBackups: dbInstanceCallOptions.DeleteAutomatedBackups,
      deletionProtection: db.DeletionProtection,
      domain: db.Domain,
      domainIamRoleName: db.DomainIAMRoleName,
      enabledCloudwatchLogsExports: db.EnableCloudwatchLogsExports,
      finalSnapshotIdentifier: dbInstanceCallOptions.FinalDBSnapshotIdentifier,
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
      skipFinalSnapshot: dbInstanceCallOptions.SkipFinalSnapshot,
      storageEncrypted: db.StorageEncrypted,
      storageThroughput: db.StorageThroughput,
      storageType: db.StorageType,
      tags: optional(
        texts(
          'Tags of the instance, besides those that name its owner. A tag that is removed here stays in AWS. Tags that name the owner (crossplane-…) and tags of AWS itself (aws:…) have no effect here.',
        ),
      ),
      timezone: db.Timezone,
      username: db.MasterUsername,
      vpcSecurityGroupIds: db.VpcSecurityGroupIds,
    })
    .describe('The desired state of the instance. Changes made elsewhere are reverted.'),
  {
    atProvider: optional(
      z
        .object({
          id: optional(text('The DB instance identifier.')),
          arn: optional(text('The Amazon Resource Name.')),
          resourceId: optional(
            text('The identifier that RDS assigned; it is never used again in the region.'),
          ),
          status: optional(
            text('The state of the instance: creating, available, modifying, deleting and others.'),
          ),
          engineVersionActual: optional(text('The running version.')),
          address: optional(text('The DNS name of the instance.')),
          endpoint: optional(text('The DNS name with the port, as address:port.')),
          hostedZoneId: optional(text('The hosted zone of the DNS name, for an alias record of Route 53.')),
          port: optional(z.int().describe('The port of the instance.')),
          allocatedStorage: optional(z.int().describe('The allocated storage in GiB.')),
        })
        .describe('The state of the instance that RDS reports.'),
    ),
  },
);
export type Instance = ObjectKind<typeof InstanceKind>;
