import { z } from 'zod';
import { identity, immutable, late } from '../core/marks.ts';
import { optional, text } from '../core/schema.ts';
import { awsRegion } from './region.ts';

/*
 * What a DB instance of Amazon RDS can be asked for, by what the API calls it (CreateDBInstance, ModifyDBInstance and
 * DeleteDBInstance, version 2014-10-31). The kinds of two providers speak of it, in words of their own.
 */

const flag = (description: string) => z.boolean().describe(description);
const window = (pattern: RegExp, description: string) => z.string().regex(pattern).describe(description);
const hours = /(?:[01]\d|2[0-3]):[0-5]\d/.source;
const day = '(?:[Mm]on|[Tt]ue|[Ww]ed|[Tt]hu|[Ff]ri|[Ss]at|[Ss]un)';

export const region = optional(
  identity(
    awsRegion(
      'The region that it is made in, as us-east-1. It cannot be moved. Without it: that of the provider.',
    ),
  ),
);

const instanceClass = z
  .string()
  .regex(/^db\.[a-z0-9-]+(\.[a-z0-9-]+)+$/)
  .describe('Processors and memory of the instance, as db.t3.micro. Not every region and engine has each.');

export const requiredFields = {
  DBInstanceClass: instanceClass,
  Engine: immutable(
    text('The database engine: postgres, mysql, mariadb, or one of those of Oracle, SQL Server and Db2.'),
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
          'Storage in GiB. It can grow, and never shrink. With storage autoscaling, what it has grown to is left alone.',
        ),
    ),
  ),
  AutoMinorVersionUpgrade: optional(
    late(
      flag('Whether minor versions of the engine are taken over in the maintenance window. Default: true.'),
    ),
  ),
  AvailabilityZone: optional(
    immutable(
      late(
        text(
          'The availability zone, as us-east-1a. RDS chooses if it is absent; not to be given with several zones.',
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
        .describe('For how many days automated backups are kept; 0: there are none. Default: 1.'),
    ),
  ),
  CACertificateIdentifier: optional(
    late(text('The certificate authority of the server certificate, as rds-ca-rsa2048-g1.')),
  ),
  CharacterSetName: optional(
    immutable(
      late(text('The character set, of engines that are told at the creation: Oracle and SQL Server.')),
    ),
  ),
  CopyTagsToSnapshot: optional(late(flag('Whether snapshots get the tags of the instance. Default: false.'))),
  DBName: optional(
    immutable(
      late(
        text(
          'The database that is made with the instance. Without it, PostgreSQL has the one named postgres, and MySQL and MariaDB have none.',
        ),
      ),
    ),
  ),
  DBParameterGroupName: optional(
    late(text('The DB parameter group. Without it: the default one of the engine and its version.')),
  ),
  DBSubnetGroupName: optional(
    late(
      text(
        'The DB subnet group, which says in which VPC the instance is. Without it: that of the default VPC.',
      ),
    ),
  ),
  DeletionProtection: optional(
    late(
      flag('Whether RDS refuses to delete the instance, also when this resource is deleted. Default: false.'),
    ),
  ),
  Domain: optional(text('The directory of the Active Directory Service that the instance joins.')),
  DomainIAMRoleName: optional(text('The IAM role with which the directory is called.')),
  EnableCloudwatchLogsExports: optional(
    late(
      z
        .array(text('A type of log, as postgresql, upgrade, error, slowquery.'))
        .describe('Types of logs that are exported to CloudWatch Logs, these and no others.'),
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
        .describe('Provisioned I/O operations per second, of the storage types io1, io2 and gp3.'),
    ),
  ),
  KmsKeyId: optional(
    immutable(
      late(
        text('The KMS key that encrypts the storage: its ARN, id or alias. Default: that of the account.'),
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
            'The master user, as whom the connection secret logs in: 1 to 16 letters and digits, a letter first; PostgreSQL takes up to 63, underscores among them.',
          ),
      ),
    ),
  ),
  MaxAllocatedStorage: optional(
    late(
      z
        .int()
        .min(0)
        .describe('Up to how many GiB RDS lets the storage grow by itself. Without it: it does not.'),
    ),
  ),
  MonitoringInterval: optional(
    late(
      z
        .int()
        .min(0)
        .max(60)
        .describe(
          'Every how many seconds Enhanced Monitoring collects metrics: 1, 5, 10, 15, 30, 60, or 0 for never. Default: 0.',
        ),
    ),
  ),
  MonitoringRoleArn: optional(
    late(
      text(
        'The ARN of the IAM role with which Enhanced Monitoring writes. Needed unless monitoringInterval is 0.',
      ),
    ),
  ),
  MultiAZ: optional(late(flag('Whether there is a standby in another availability zone. Default: false.'))),
  NetworkType: optional(
    late(z.enum(['IPV4', 'DUAL']).describe('IPV4, or DUAL for IPv4 and IPv6. Default: IPV4.')),
  ),
  OptionGroupName: optional(
    late(text('The option group. Without it: the default one of the engine and its version.')),
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
        .describe('For how many days data of Performance Insights are kept: 7, 731, or a multiple of 31.'),
    ),
  ),
  Port: optional(
    late(
      z
        .int()
        .min(1150)
        .max(65_535)
        .describe(
          'The port that the database listens on. Default: 5432 for PostgreSQL, 3306 for MySQL and MariaDB.',
        ),
    ),
  ),
  PreferredBackupWindow: optional(
    late(
      window(
        new RegExp(`^${hours}-${hours}$`),
        'When automated backups are made, daily, in UTC: hh24:mi-hh24:mi, 30 minutes at least.',
      ),
    ),
  ),
  PreferredMaintenanceWindow: optional(
    late(
      window(
        new RegExp(`^${day}:${hours}-${day}:${hours}$`),
        'When maintenance may happen, weekly, in UTC: ddd:hh24:mi-ddd:hh24:mi, 30 minutes at least.',
      ),
    ),
  ),
  ProcessorFeatures: optional(
    z
      .array(
        z.object({
          name: z.enum(['coreCount', 'threadsPerCore']).describe('What is set.'),
          value: text('Its value, a number.'),
        }),
      )
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
      .describe('Cores and threads of the instance class, where it lets them be chosen.'),
  ),
  PubliclyAccessible: optional(
    late(
      flag('Whether the name of the instance resolves to a public address. Default: as the subnet group is.'),
    ),
  ),
  StorageEncrypted: optional(immutable(late(flag('Whether the storage is encrypted. Default: false.')))),
  StorageThroughput: optional(
    late(z.int().min(0).describe('Throughput of the storage in MiB per second, of the storage type gp3.')),
  ),
  StorageType: optional(
    late(
      z
        .enum(['standard', 'gp2', 'gp3', 'io1', 'io2'])
        .describe(
          'The type of the storage: magnetic, general purpose, or with provisioned operations (which iops gives).',
        ),
    ),
  ),
  Timezone: optional(immutable(late(text('The time zone, of SQL Server and Db2.')))),
  VpcSecurityGroupIds: optional(
    late(
      z
        .array(text('The id of a security group, as sg-0123456789abcdef0.'))
        .describe('The VPC security groups, these and no others. Without it: the default one of the VPC.'),
    ),
  ),
};

/** What RDS does not tell again: how changes are made, and how the instance is deleted. */
export const dbInstanceHabits = {
  AllowMajorVersionUpgrade: optional(
    flag('Whether engineVersion may name another major version than the instance has. Default: false.'),
  ),
  ApplyImmediately: optional(
    flag(
      'Whether changes that can cause an outage are made at once, and not in the maintenance window. Default: false.',
    ),
  ),
  SkipFinalSnapshot: optional(
    flag(
      'Whether the instance is deleted without a last snapshot. Default: false; then its deletion needs the identifier of one.',
    ),
  ),
  FinalDBSnapshotIdentifier: optional(
    z
      .string()
      .regex(/^[A-Za-z](?:-?[A-Za-z0-9]){0,254}$/)
      .describe('The identifier of the last snapshot, which is made when the instance is deleted.'),
  ),
  DeleteAutomatedBackups: optional(flag('Whether automated backups go with the instance. Default: true.')),
};

export const engineVersion = optional(
  late(
    text(
      'The version of the engine, as 16.4 or, for the newest of it, 16. It can rise, to another major version only if that is allowed; a minor version that RDS has taken over since is left alone.',
    ),
  ),
);

/** Where an instance is reached. */
export const endpoint = {
  address: optional(z.string().describe('The DNS name.')),
  hostedZoneId: optional(
    z.string().describe('The hosted zone of the DNS name, for an alias record of Route 53.'),
  ),
  port: optional(z.int().describe('The port.')),
};
