import { z } from 'zod';
import { identity, immutable, late, optional, text } from '../../../package/schema.ts';
import { awsRegion } from './region.ts';

/*
 * The parameters of a DB instance of Amazon RDS, by their names in the API (CreateDBInstance, ModifyDBInstance and
 * DeleteDBInstance, version 2014-10-31). The kinds of two providers use them under other names.
 */

const flag = (description: string) => z.boolean().describe(description);
const window = (pattern: RegExp, description: string) => z.string().regex(pattern).describe(description);
const hours = /(?:[01]\d|2[0-3]):[0-5]\d/.source;
const day = '(?:[Mm]on|[Tt]ue|[Ww]ed|[Tt]hu|[Ff]ri|[Ss]at|[Ss]un)';

export const region = optional(
  identity(
    awsRegion('The region of the instance, for example us-east-1. Without it: the region of the Provider.'),
  ),
);

const instanceClass = z
  .string()
  .regex(/^db\.[a-z0-9-]+(\.[a-z0-9-]+)+$/)
  .describe(
    'The instance class, for example db.t3.micro. Regions and engines differ in the classes that they offer.',
  );

export const requiredFields = {
  DBInstanceClass: instanceClass,
  Engine: immutable(
    text('The database engine: postgres, mysql, mariadb, or an engine of Oracle, SQL Server or Db2.'),
  ),
};

export const dbInstanceFields = {
  AllocatedStorage: optional(
    late(
      z
        .int()
        .min(5)
        .max(65_536)
        .describe(
          'Storage in GiB. It can grow, but not shrink. With storage autoscaling, a larger actual size is kept.',
        ),
    ),
  ),
  AutoMinorVersionUpgrade: optional(
    late(flag('Whether RDS installs minor versions of the engine in the maintenance window. Default: true.')),
  ),
  AvailabilityZone: optional(
    immutable(
      late(
        text(
          'The availability zone, for example us-east-1a. Absent: RDS chooses. It must be absent with multiAZ.',
        ),
      ),
    ),
  ),
  BackupRetentionPeriod: optional(
    late(
      z
        .int()
        .min(0)
        .max(35)
        .describe('For how many days automated backups are kept; 0: no backups. Default: 1.'),
    ),
  ),
  CACertificateIdentifier: optional(
    late(text('The certificate authority of the server certificate, for example rds-ca-rsa2048-g1.')),
  ),
  CharacterSetName: optional(
    immutable(
      late(text('The character set, for engines that need it at the creation: Oracle and SQL Server.')),
    ),
  ),
  CopyTagsToSnapshot: optional(late(flag('Whether snapshots get the tags of the instance. Default: false.'))),
  DBName: optional(
    immutable(
      late(
        text(
          'The database that is created with the instance. Without it, PostgreSQL has the database postgres, and MySQL and MariaDB have none.',
        ),
      ),
    ),
  ),
  DBParameterGroupName: optional(
    late(text('The DB parameter group. Without it: the default group of the engine and its version.')),
  ),
  DBSubnetGroupName: optional(
    late(
      text(
        'The DB subnet group, which decides the VPC of the instance. Without it: the group of the default VPC.',
      ),
    ),
  ),
  DeletionProtection: optional(
    late(
      flag('Whether RDS refuses to delete the instance, even if this resource is deleted. Default: false.'),
    ),
  ),
  Domain: optional(text('The Active Directory Service directory that the instance joins.')),
  DomainIAMRoleName: optional(text('The IAM role for calls to the directory.')),
  EnableCloudwatchLogsExports: optional(
    late(
      z
        .array(text('A type of log, for example postgresql, upgrade, error or slowquery.'))
        .describe('The types of logs that are exported to CloudWatch Logs; no others are.'),
    ),
  ),
  EnableIAMDatabaseAuthentication: optional(
    late(flag('Whether IAM accounts may log in to the database. Default: false.')),
  ),
  EnablePerformanceInsights: optional(late(flag('Whether Performance Insights is on. Default: false.'))),
  Iops: optional(
    late(
      z
        .int()
        .min(0)
        .describe('Provisioned I/O operations per second, for the storage types io1, io2 and gp3.'),
    ),
  ),
  KmsKeyId: optional(
    immutable(
      late(
        text('The KMS key that encrypts the storage: its ARN, id or alias. Default: the key of the account.'),
      ),
    ),
  ),
  LicenseModel: optional(
    late(
      z
        .enum([
          'license-included',
          'bring-your-own-license',
          'general-public-license',
          'postgresql-license',
          'marketplace-license',
        ])
        .describe('The model of the licence. The engine has a default.'),
    ),
  ),
  MasterUsername: optional(
    immutable(
      late(
        z
          .string()
          .regex(/^[A-Za-z][A-Za-z0-9_]{0,62}$/)
          .describe(
            'The name of the master user, which is in the connection Secret. 1 to 16 letters and digits, a letter first. PostgreSQL accepts up to 63 characters, including underscores.',
          ),
      ),
    ),
  ),
  MaxAllocatedStorage: optional(
    late(
      z
        .int()
        .min(0)
        .describe('The maximum storage in GiB for storage autoscaling. Without it: no autoscaling.'),
    ),
  ),
  MonitoringInterval: optional(
    late(
      z
        .int()
        .min(0)
        .max(60)
        .describe(
          'The interval in seconds at which Enhanced Monitoring collects metrics: 1, 5, 10, 15, 30, 60, or 0 for never. Default: 0.',
        ),
    ),
  ),
  MonitoringRoleArn: optional(
    late(text('The ARN of the IAM role of Enhanced Monitoring. Required unless monitoringInterval is 0.')),
  ),
  MultiAZ: optional(late(flag('Whether there is a standby in another availability zone. Default: false.'))),
  NetworkType: optional(
    late(
      z.enum(['IPV4', 'DUAL']).describe('The network type: IPV4, or DUAL for IPv4 and IPv6. Default: IPV4.'),
    ),
  ),
  OptionGroupName: optional(
    late(text('The option group. Without it: the default group of the engine and its version.')),
  ),
  PerformanceInsightsKMSKeyId: optional(
    immutable(
      late(text('The KMS key that encrypts the data of Performance Insights: its ARN, id or alias.')),
    ),
  ),
  PerformanceInsightsRetentionPeriod: optional(
    late(
      z
        .int()
        .min(7)
        .max(731)
        .describe('For how many days the data of Performance Insights is kept: 7, 731, or a multiple of 31.'),
    ),
  ),
  Port: optional(
    late(
      z
        .int()
        .min(1150)
        .max(65_535)
        .describe('The port of the database. Default: 5432 for PostgreSQL, 3306 for MySQL and MariaDB.'),
    ),
  ),
  PreferredBackupWindow: optional(
    late(
      window(
        new RegExp(`^${hours}-${hours}$`),
        'The daily window for automated backups, in UTC: hh24:mi-hh24:mi, at least 30 minutes.',
      ),
    ),
  ),
  PreferredMaintenanceWindow: optional(
    late(
      window(
        new RegExp(`^${day}:${hours}-${day}:${hours}$`),
        'The weekly window for maintenance, in UTC: ddd:hh24:mi-ddd:hh24:mi, at least 30 minutes.',
      ),
    ),
  ),
  ProcessorFeatures: optional(
    z
      .array(
        z.object({
          name: z.enum(['coreCount', 'threadsPerCore']).describe('The name of the feature.'),
          value: text('The value of the feature, a number.'),
        }),
      )
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
      .describe('The cores and threads of the instance, if its class allows a choice.'),
  ),
  PubliclyAccessible: optional(
    late(
      flag(
        'Whether the name of the instance resolves to a public address. Default: depends on the subnet group.',
      ),
    ),
  ),
  StorageEncrypted: optional(immutable(late(flag('Whether the storage is encrypted. Default: false.')))),
  StorageThroughput: optional(
    late(z.int().min(0).describe('Throughput of the storage in MiB per second, for the storage type gp3.')),
  ),
  StorageType: optional(
    late(
      z
        .enum(['standard', 'gp2', 'gp3', 'io1', 'io2'])
        .describe(
          'The type of the storage: magnetic (standard), general purpose (gp2, gp3), or with provisioned operations (io1, io2; see iops).',
        ),
    ),
  ),
  Timezone: optional(immutable(late(text('The time zone, for SQL Server and Db2.')))),
  VpcSecurityGroupIds: optional(
    late(
      z
        .array(text('The id of a security group, for example sg-0123456789abcdef0.'))
        .describe(
          'The VPC security groups; all others are removed. Without it: the default group of the VPC.',
        ),
    ),
  ),
};

/** Parameters that RDS does not report: how changes are applied, and how the instance is deleted. */
export const dbInstanceCallOptions = {
  AllowMajorVersionUpgrade: optional(
    flag('Whether engineVersion may change to another major version. Default: false.'),
  ),
  ApplyImmediately: optional(
    flag(
      'Whether changes that can cause an outage are applied at once, instead of in the maintenance window. Default: false.',
    ),
  ),
  SkipFinalSnapshot: optional(
    flag(
      'Whether the instance is deleted without a final snapshot. Default: false; then the deletion requires the identifier of a final snapshot.',
    ),
  ),
  FinalDBSnapshotIdentifier: optional(
    z
      .string()
      .regex(/^[A-Za-z](?:-?[A-Za-z0-9]){0,254}$/)
      .describe('The identifier of the final snapshot, which is created when the instance is deleted.'),
  ),
  DeleteAutomatedBackups: optional(
    flag('Whether automated backups are deleted with the instance. Default: true.'),
  ),
};

export const engineVersion = optional(
  late(
    text(
      'The version of the engine, for example 16.4, or 16 for its newest minor version. It can be raised, to another major version only if that is allowed. A minor version that RDS has installed since is kept.',
    ),
  ),
);

/** The address of an instance. */
export const endpoint = {
  address: optional(z.string().describe('The DNS name.')),
  hostedZoneId: optional(
    z.string().describe('The hosted zone of the DNS name, for an alias record of Route 53.'),
  ),
  port: optional(z.int().describe('The port.')),
};
