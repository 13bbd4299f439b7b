import type { Managed } from '../../../package/stack.ts';
import type { CallOption, DBInstanceWords, Parameter } from './words.ts';

/** The names of fields in RDS's refusals, in codes and sentences. The first match is reported. */
const names: readonly (readonly [Parameter | CallOption, RegExp])[] = [
  ['FinalDBSnapshotIdentifier', /FinalDBSnapshotIdentifier/],
  ['DeletionProtection', /deletion protection|protected DB Instance/i],
  ['AllowMajorVersionUpgrade', /AllowMajorVersionUpgrade/],
  ['EngineVersion', /Cannot (find|upgrade)\b.*version|EngineVersion|engine version/i],
  ['DBInstanceClass', /DB ?Instance ?Class|InsufficientDBInstanceCapacity/i],
  ['Engine', /Invalid DB engine/i],
  ['DBParameterGroupName', /DB ?Parameter ?Group/i],
  ['DBSubnetGroupName', /DB ?Subnet ?Group|InvalidSubnet/i],
  ['VpcSecurityGroupIds', /security group|InvalidVPCNetworkState/i],
  ['OptionGroupName', /Option ?Group/i],
  ['KmsKeyId', /KMSKeyNotAccessible|KMS key/i],
  ['MaxAllocatedStorage', /max(imum)? ?allocated ?storage|max storage size/i],
  ['AllocatedStorage', /StorageQuotaExceeded|allocated ?storage|storage size/i],
  ['StorageType', /StorageTypeNotSupported|storage ?type/i],
  ['Iops', /\biops\b/i],
  ['MasterUsername', /MasterUsername|master user ?name/i],
  ['DBName', /\bDBName\b|database name/i],
  ['Port', /\bport\b/i],
  ['BackupRetentionPeriod', /backup ?retention/i],
  ['PreferredBackupWindow', /backup ?window/i],
  ['PreferredMaintenanceWindow', /maintenance ?window/i],
  ['MonitoringRoleArn', /MonitoringRole/i],
  ['MonitoringInterval', /monitoring ?interval/i],
  ['AvailabilityZone', /availability ?zone/i],
  ['LicenseModel', /license/i],
  ['PerformanceInsightsRetentionPeriod', /insights ?retention/i],
  ['EnablePerformanceInsights', /PerformanceInsights|\binsights\b/i],
  ['CACertificateIdentifier', /CertificateNotFound/],
  ['DomainIAMRoleName', /DomainIAMRole/i],
  ['Domain', /DomainNotFound/],
];

/** The fields of a kind, by the patterns for RDS's refusals. */
export function refusalFields<M extends Managed>({
  parameters,
  callOptions,
}: Pick<DBInstanceWords<M>, 'parameters' | 'callOptions'>): Readonly<Record<string, RegExp>> {
  const fields: Readonly<Record<string, string | undefined>> = { ...parameters, ...callOptions };
  return Object.fromEntries(
    names.flatMap(([name, pattern]): readonly (readonly [string, RegExp])[] => {
      const field = fields[name];
      return field === undefined ? [] : [[field, pattern]];
    }),
  );
}
