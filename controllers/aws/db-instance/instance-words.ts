import type { Instance } from '../../../apis/aws/rds/v1beta1/instance.ts';
import { InstanceKind } from '../../../apis/aws/rds/v1beta1/instance.ts';
import type { DBInstanceWords, Tags } from './words.ts';

/** The field names of the Upbound provider. */
export const instanceWords: DBInstanceWords<Instance> = {
  kind: InstanceKind,
  parameters: {
    AllocatedStorage: 'allocatedStorage',
    AutoMinorVersionUpgrade: 'autoMinorVersionUpgrade',
    AvailabilityZone: 'availabilityZone',
    BackupRetentionPeriod: 'backupRetentionPeriod',
    CACertificateIdentifier: 'caCertIdentifier',
    CharacterSetName: 'characterSetName',
    CopyTagsToSnapshot: 'copyTagsToSnapshot',
    DBInstanceClass: 'instanceClass',
    DBName: 'dbName',
    DBParameterGroupName: 'parameterGroupName',
    DBSubnetGroupName: 'dbSubnetGroupName',
    DeletionProtection: 'deletionProtection',
    Domain: 'domain',
    DomainIAMRoleName: 'domainIamRoleName',
    EnableCloudwatchLogsExports: 'enabledCloudwatchLogsExports',
    EnableIAMDatabaseAuthentication: 'iamDatabaseAuthenticationEnabled',
    EnablePerformanceInsights: 'performanceInsightsEnabled',
    Engine: 'engine',
    EngineVersion: 'engineVersion',
    Iops: 'iops',
    KmsKeyId: 'kmsKeyId',
    LicenseModel: 'licenseModel',
    MasterUsername: 'username',
    MaxAllocatedStorage: 'maxAllocatedStorage',
    MonitoringInterval: 'monitoringInterval',
    MonitoringRoleArn: 'monitoringRoleArn',
    MultiAZ: 'multiAz',
    NetworkType: 'networkType',
    OptionGroupName: 'optionGroupName',
    PerformanceInsightsKMSKeyId: 'performanceInsightsKmsKeyId',
    PerformanceInsightsRetentionPeriod: 'performanceInsightsRetentionPeriod',
    Port: 'port',
    PreferredBackupWindow: 'backupWindow',
    PreferredMaintenanceWindow: 'maintenanceWindow',
    PubliclyAccessible: 'publiclyAccessible',
    StorageEncrypted: 'storageEncrypted',
    StorageThroughput: 'storageThroughput',
    StorageType: 'storageType',
    Timezone: 'timezone',
    VpcSecurityGroupIds: 'vpcSecurityGroupIds',
  },
  callOptions: {
    AllowMajorVersionUpgrade: 'allowMajorVersionUpgrade',
    ApplyImmediately: 'applyImmediately',
    SkipFinalSnapshot: 'skipFinalSnapshot',
    FinalDBSnapshotIdentifier: 'finalSnapshotIdentifier',
    DeleteAutomatedBackups: 'deleteAutomatedBackups',
  },
  tags: {
    field: 'tags',
    of: (wanted) => (wanted ?? {}) as Tags,
    written: (tags) => tags,
  },
  status(db) {
    const { Address: address, Port: port, HostedZoneId: hostedZoneId } = db.Endpoint ?? {};
    return {
      atProvider: {
        ...(db.DBInstanceIdentifier && { id: db.DBInstanceIdentifier }),
        ...(db.DBInstanceArn && { arn: db.DBInstanceArn }),
        ...(db.DbiResourceId && { resourceId: db.DbiResourceId }),
        ...(db.DBInstanceStatus && { status: db.DBInstanceStatus }),
        ...(db.EngineVersion && { engineVersionActual: db.EngineVersion }),
        ...(address && { address }),
        ...(address && port !== undefined && { endpoint: `${address}:${port}` }),
        ...(hostedZoneId && { hostedZoneId }),
        ...(port !== undefined && { port }),
        ...(db.AllocatedStorage !== undefined && { allocatedStorage: db.AllocatedStorage }),
      },
    };
  },
  isKnown: ({ status }, { DbiResourceId }) =>
    DbiResourceId !== undefined && status?.atProvider?.resourceId === DbiResourceId,
};
