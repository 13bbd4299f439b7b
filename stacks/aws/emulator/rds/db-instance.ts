import type { Snapshot } from '../collection.ts';

type Tags = Readonly<Record<string, string>>;

/** The settings of a DB instance, by their names in DescribeDBInstances. */
export interface Settings {
  readonly AllocatedStorage: number;
  readonly AutoMinorVersionUpgrade: boolean;
  readonly AvailabilityZone: string;
  readonly BackupRetentionPeriod: number;
  readonly CACertificateIdentifier: string;
  readonly CharacterSetName?: string;
  readonly CopyTagsToSnapshot: boolean;
  readonly DBInstanceClass: string;
  readonly DBName?: string;
  readonly DBParameterGroupName: string;
  readonly DBSubnetGroupName: string;
  readonly DeletionProtection: boolean;
  readonly Domain?: string;
  readonly DomainIAMRoleName?: string;
  readonly EnabledCloudwatchLogsExports: readonly string[];
  readonly Engine: string;
  readonly EngineVersion: string;
  readonly IAMDatabaseAuthenticationEnabled: boolean;
  readonly Iops?: number;
  readonly KmsKeyId?: string;
  readonly LicenseModel: string;
  readonly MasterUsername: string;
  readonly MaxAllocatedStorage?: number;
  readonly MonitoringInterval: number;
  readonly MonitoringRoleArn?: string;
  readonly MultiAZ: boolean;
  readonly NetworkType: string;
  readonly OptionGroupName: string;
  readonly PerformanceInsightsEnabled: boolean;
  readonly PerformanceInsightsKMSKeyId?: string;
  readonly PerformanceInsightsRetentionPeriod?: number;
  readonly Port: number;
  readonly PreferredBackupWindow: string;
  readonly PreferredMaintenanceWindow: string;
  readonly ProcessorFeatures: readonly { readonly Name: string; readonly Value: string }[];
  readonly PubliclyAccessible: boolean;
  readonly StorageEncrypted: boolean;
  readonly StorageThroughput?: number;
  readonly StorageType: string;
  readonly Timezone?: string;
  readonly VpcSecurityGroupIds: readonly string[];
}

/** A DB instance, as the emulator stores it. */
export interface StoredInstance {
  readonly resourceId: string;
  /** The settings in effect, without pending changes. */
  readonly settings: Settings;
  readonly pending: Partial<Settings>;
  /** When pending changes take effect, by the cloud's clock. Absent: in the maintenance window, which never comes. */
  readonly changesAtMs?: number;
  /** Until when the instance is `modifying` for a change that is in effect, such as a new password. */
  readonly busyUntilMs?: number;
  /** The API never returns it. */
  readonly password: string;
  readonly tags: Tags;
}

/** The address and the state of the database of an instance. */
export type Reach =
  | { readonly state: 'starting' | 'restarting' }
  | { readonly state: 'up'; readonly address: string; readonly port: number }
  | { readonly state: 'failed' };

/** The instance at this time: pending changes take effect when their time is reached. */
export function settledInstance(instance: StoredInstance, nowMs: number): StoredInstance {
  const { changesAtMs, settings, pending, ...rest } = instance;
  if (changesAtMs === undefined || nowMs < changesAtMs) return instance;
  return { ...rest, settings: { ...settings, ...pending }, pending: {} };
}

/** The state of an instance in DescribeDBInstances. */
export function stateOf({ item, phase }: Snapshot<StoredInstance>, reach: Reach, nowMs: number): string {
  if (phase === 'deleting' || phase === 'gone') return 'deleting';
  if (reach.state === 'failed') return 'failed';
  if (phase === 'creating' || reach.state === 'starting') return 'creating';
  if (reach.state === 'restarting') return 'rebooting';
  const isBusy = [item.changesAtMs, item.busyUntilMs].some(
    (untilMs) => untilMs !== undefined && nowMs < untilMs,
  );
  return isBusy ? 'modifying' : 'available';
}

/** The parts of a description that are not settings. */
export interface InstanceFacts {
  readonly id: string;
  readonly arn: string;
  readonly state: string;
  readonly reach: Reach;
  readonly createdAtMs: number;
}

/** A DB instance in the format of DescribeDBInstances. */
export function describedInstance(instance: StoredInstance, facts: InstanceFacts): object {
  const { settings, pending, tags } = instance;
  const {
    DBParameterGroupName,
    DBSubnetGroupName,
    Domain,
    DomainIAMRoleName,
    OptionGroupName,
    EnabledCloudwatchLogsExports,
    ProcessorFeatures,
    VpcSecurityGroupIds,
    Port,
    ...plain
  } = settings;
  const { EnabledCloudwatchLogsExports: logs, Port: port, ...plainPending } = pending;
  const isThere = facts.state !== 'creating' || facts.reach.state === 'up';
  return {
    DBInstanceIdentifier: facts.id,
    DBInstanceArn: facts.arn,
    DbiResourceId: instance.resourceId,
    DBInstanceStatus: facts.state,
    ...plain,
    DbInstancePort: 0,
    ...(isThere && {
      InstanceCreateTime: new Date(facts.createdAtMs).toISOString(),
      Endpoint: endpointOf(facts, Port),
    }),
    DBParameterGroups: { DBParameterGroup: [{ DBParameterGroupName, ParameterApplyStatus: 'in-sync' }] },
    OptionGroupMemberships: { OptionGroupMembership: [{ OptionGroupName, Status: 'in-sync' }] },
    DBSubnetGroup: {
      DBSubnetGroupName,
      DBSubnetGroupDescription: DBSubnetGroupName,
      SubnetGroupStatus: 'Complete',
      VpcId: 'vpc-00000000000000000',
    },
    VpcSecurityGroups: {
      VpcSecurityGroupMembership: VpcSecurityGroupIds.map((VpcSecurityGroupId) => ({
        VpcSecurityGroupId,
        Status: 'active',
      })),
    },
    ...(Domain !== undefined && {
      DomainMemberships: {
        DomainMembership: [
          { Domain, Status: 'joined', FQDN: `${Domain}.example.com`, IAMRoleName: DomainIAMRoleName },
        ],
      },
    }),
    ...(EnabledCloudwatchLogsExports.length > 0 && {
      EnabledCloudwatchLogsExports: { member: EnabledCloudwatchLogsExports },
    }),
    ...(ProcessorFeatures.length > 0 && { ProcessorFeatures: { ProcessorFeature: ProcessorFeatures } }),
    PendingModifiedValues: {
      ...plainPending,
      ...(port !== undefined && { Port: port }),
      ...(logs !== undefined && {
        PendingCloudwatchLogsExports: {
          LogTypesToEnable: { member: logs.filter((log) => !EnabledCloudwatchLogsExports.includes(log)) },
          LogTypesToDisable: { member: EnabledCloudwatchLogsExports.filter((log) => !logs.includes(log)) },
        },
      }),
    },
    TagList: { Tag: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) },
  };
}

function endpointOf({ reach, id }: InstanceFacts, port: number): object | undefined {
  if (reach.state === 'up')
    return { Address: reach.address, Port: reach.port, HostedZoneId: 'Z2R2ITUGPM61AM' };
  return reach.state === 'failed' ? { Address: `${id}.rds.invalid`, Port: port } : undefined;
}
