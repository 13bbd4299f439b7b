import type { Definition } from '../../../package/schema.ts';
import type { Managed, ReportedStatus } from '../../../package/stack.ts';
import type { CreateDBInstanceMessage, DBInstance } from '../client/db-instances.ts';

/** The parameters of an instance and of its status, by their names in CreateDBInstance. */
export type Parameter = Extract<
  keyof CreateDBInstanceMessage,
  | 'AllocatedStorage'
  | 'AutoMinorVersionUpgrade'
  | 'AvailabilityZone'
  | 'BackupRetentionPeriod'
  | 'CACertificateIdentifier'
  | 'CharacterSetName'
  | 'CopyTagsToSnapshot'
  | 'DBInstanceClass'
  | 'DBName'
  | 'DBParameterGroupName'
  | 'DBSubnetGroupName'
  | 'DeletionProtection'
  | 'Domain'
  | 'DomainIAMRoleName'
  | 'EnableCloudwatchLogsExports'
  | 'EnableIAMDatabaseAuthentication'
  | 'EnablePerformanceInsights'
  | 'Engine'
  | 'EngineVersion'
  | 'Iops'
  | 'KmsKeyId'
  | 'LicenseModel'
  | 'MasterUsername'
  | 'MaxAllocatedStorage'
  | 'MonitoringInterval'
  | 'MonitoringRoleArn'
  | 'MultiAZ'
  | 'NetworkType'
  | 'OptionGroupName'
  | 'PerformanceInsightsKMSKeyId'
  | 'PerformanceInsightsRetentionPeriod'
  | 'Port'
  | 'PreferredBackupWindow'
  | 'PreferredMaintenanceWindow'
  | 'ProcessorFeatures'
  | 'PubliclyAccessible'
  | 'StorageEncrypted'
  | 'StorageThroughput'
  | 'StorageType'
  | 'Timezone'
  | 'VpcSecurityGroupIds'
>;

/** Parameters of ModifyDBInstance and DeleteDBInstance that RDS never reports. */
export type CallOption =
  | 'AllowMajorVersionUpgrade'
  | 'ApplyImmediately'
  | 'SkipFinalSnapshot'
  | 'FinalDBSnapshotIdentifier'
  | 'DeleteAutomatedBackups';

export type Tags = Readonly<Record<string, string>>;

type ForProvider<M extends Managed> = NonNullable<M['spec']['forProvider']>;
type FieldOf<M extends Managed> = keyof ForProvider<M> & string;

/** The field names of one kind for DB instances. */
export interface DBInstanceWords<M extends Managed> {
  readonly kind: Definition<M>;
  /** The fields of `forProvider` that are parameters of an instance. */
  readonly parameters: { readonly [P in Parameter]?: FieldOf<M> };
  readonly callOptions: { readonly [H in CallOption]?: FieldOf<M> };
  /** The tags in the spec, and the form in which existing tags would be written there. */
  readonly tags: {
    readonly field: FieldOf<M>;
    of(wanted: unknown): Tags;
    written(tags: Tags): unknown;
  };
  /** The status of an instance. */
  status(instance: DBInstance): ReportedStatus<M>;
  /** The id of the instance in the status. It does not change when the instance is renamed. */
  resourceId(managed: M): string | undefined;
}
