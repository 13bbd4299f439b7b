import { timestamp } from '../../../package/schema.ts';
import type { RDSInstance } from '../kinds/database/v1beta1/rds-instance.ts';
import { RDSInstanceKind } from '../kinds/database/v1beta1/rds-instance.ts';
import type { DBInstanceWords, Tags } from './words.ts';

type TagField = readonly { readonly key: string; readonly value: string }[];

/** The field names of provider-aws. */
export const rdsInstanceWords: DBInstanceWords<RDSInstance> = {
  kind: RDSInstanceKind,
  parameters: {
    AllocatedStorage: 'allocatedStorage',
    AutoMinorVersionUpgrade: 'autoMinorVersionUpgrade',
    AvailabilityZone: 'availabilityZone',
    BackupRetentionPeriod: 'backupRetentionPeriod',
    CACertificateIdentifier: 'caCertificateIdentifier',
    CharacterSetName: 'characterSetName',
    CopyTagsToSnapshot: 'copyTagsToSnapshot',
    DBInstanceClass: 'dbInstanceClass',
    DBName: 'dbName',
    DBParameterGroupName: 'dbParameterGroupName',
    DBSubnetGroupName: 'dbSubnetGroupName',
    DeletionProtection: 'deletionProtection',
    Domain: 'domain',
    DomainIAMRoleName: 'domainIAMRoleName',
    EnableCloudwatchLogsExports: 'enableCloudwatchLogsExports',
    EnableIAMDatabaseAuthentication: 'enableIAMDatabaseAuthentication',
    EnablePerformanceInsights: 'enablePerformanceInsights',
    Engine: 'engine',
    EngineVersion: 'engineVersion',
    Iops: 'iops',
    KmsKeyId: 'kmsKeyId',
    LicenseModel: 'licenseModel',
    MasterUsername: 'masterUsername',
    MaxAllocatedStorage: 'maxAllocatedStorage',
    MonitoringInterval: 'monitoringInterval',
    MonitoringRoleArn: 'monitoringRoleArn',
    MultiAZ: 'multiAZ',
    OptionGroupName: 'optionGroupName',
    PerformanceInsightsKMSKeyId: 'performanceInsightsKMSKeyId',
    PerformanceInsightsRetentionPeriod: 'performanceInsightsRetentionPeriod',
    Port: 'port',
    PreferredBackupWindow: 'preferredBackupWindow',
    PreferredMaintenanceWindow: 'preferredMaintenanceWindow',
    ProcessorFeatures: 'processorFeatures',
    PubliclyAccessible: 'publiclyAccessible',
    StorageEncrypted: 'storageEncrypted',
    StorageThroughput: 'storageThroughput',
    StorageType: 'storageType',
    Timezone: 'timezone',
    VpcSecurityGroupIds: 'vpcSecurityGroupIds',
  },
  callOptions: {
    AllowMajorVersionUpgrade: 'allowMajorVersionUpgrade',
    ApplyImmediately: 'applyModificationsImmediately',
    SkipFinalSnapshot: 'skipFinalSnapshotBeforeDeletion',
    FinalDBSnapshotIdentifier: 'finalDBSnapshotIdentifier',
    DeleteAutomatedBackups: 'deleteAutomatedBackups',
  },
  tags: {
    field: 'tags',
    of: (wanted): Tags =>
      Object.fromEntries(((wanted ?? []) as TagField).map(({ key, value }) => [key, value])),
    written: (tags): TagField => Object.entries(tags).map(([key, value]) => ({ key, value })),
  },
  status(db) {
    const { Endpoint: endpoint, InstanceCreateTime: created } = db;
    const pending = Object.keys(db.PendingModifiedValues ?? {}).toSorted();
    return {
      atProvider: {
        ...(db.DBInstanceStatus && { dbInstanceStatus: db.DBInstanceStatus }),
        ...(db.DBInstanceArn && { dbInstanceArn: db.DBInstanceArn }),
        ...(db.DbiResourceId && { dbResourceId: db.DbiResourceId }),
        ...(db.EngineVersion && { engineVersion: db.EngineVersion }),
        ...(db.AllocatedStorage !== undefined && { allocatedStorage: db.AllocatedStorage }),
        ...(db.SecondaryAvailabilityZone && { secondaryAvailabilityZone: db.SecondaryAvailabilityZone }),
        ...(created !== undefined && { instanceCreateTime: timestamp(created) }),
        ...(endpoint !== undefined && {
          endpoint: {
            ...(endpoint.Address && { address: endpoint.Address }),
            ...(endpoint.HostedZoneId && { hostedZoneId: endpoint.HostedZoneId }),
            ...(endpoint.Port !== undefined && { port: endpoint.Port }),
          },
        }),
        ...(pending.length > 0 && { pendingModifiedValues: pending }),
      },
    };
  },
  resourceId: ({ status }) => status?.atProvider?.dbResourceId,
};
