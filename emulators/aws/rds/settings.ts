import type { Settings } from './db-instance.ts';
import { engines, hasClass, majorOf, storageSizes, versionOf } from './engines.ts';
import type { Parameters } from './parameters.ts';
import {
  invalidCombination,
  invalidValue,
  missingParameter,
  optionGroupNotFound,
  parameterGroupNotFound,
  subnetGroupNotFound,
} from './problems.ts';

/** What a request is made in. */
export interface SettingsContext {
  readonly account: string;
  readonly region: string;
  /** Uniform in [0, 1). */
  random(): number;
}

/** The settings of a new instance, with RDS's defaults. Throws AwsProblem for what RDS refuses. */
export function newSettings(parameters: Parameters, context: SettingsContext): Settings {
  const Engine = parameters.needed('Engine');
  const engine = engines[Engine];
  if (engine === undefined) throw invalidValue('Invalid DB engine');
  const asked = parameters.text('EngineVersion');
  const EngineVersion = versionOf(engine, asked);
  if (EngineVersion === undefined) throw invalidCombination(`Cannot find version ${asked} for ${Engine}`);
  const MasterUsername = parameters.text('MasterUsername');
  if (!MasterUsername)
    throw invalidValue('The parameter MasterUsername must be provided and must not be blank.');
  if (engine.reserved.includes(MasterUsername.toLowerCase())) {
    throw invalidValue(
      `MasterUsername ${MasterUsername} cannot be used as it is a reserved word used by the engine`,
    );
  }
  if (!/^[A-Za-z]\w*$/.test(MasterUsername) || MasterUsername.length > engine.longestUsername) {
    throw invalidValue('Invalid master user name');
  }
  const DBName = parameters.text('DBName');
  if (DBName !== undefined && !engine.databaseName.test(DBName)) {
    throw invalidValue('DBName must begin with a letter and contain only alphanumeric characters.');
  }
  const encrypted = parameters.flag('StorageEncrypted') ?? false;
  const key = parameters.text('KmsKeyId');
  if (key !== undefined && !encrypted) {
    throw invalidCombination(
      'A KMS key can be specified only for an instance with encrypted storage (StorageEncrypted).',
    );
  }
  const MultiAZ = parameters.flag('MultiAZ') ?? false;
  const zone = parameters.text('AvailabilityZone');
  if (MultiAZ && zone !== undefined) {
    throw invalidCombination('Requesting a specific availability zone is not valid for Multi-AZ instances.');
  }
  const AllocatedStorage = parameters.number('AllocatedStorage');
  if (AllocatedStorage === undefined) throw missingParameter('AllocatedStorage');
  const Iops = parameters.number('Iops');
  const hour = Math.floor(context.random() * 24);
  return checked(
    {
      ...plain(parameters),
      AllocatedStorage,
      AutoMinorVersionUpgrade: parameters.flag('AutoMinorVersionUpgrade') ?? true,
      AvailabilityZone: zone ?? `${context.region}${'abc'[Math.floor(context.random() * 3)]}`,
      BackupRetentionPeriod: parameters.number('BackupRetentionPeriod') ?? 1,
      CACertificateIdentifier: parameters.text('CACertificateIdentifier') ?? 'rds-ca-rsa2048-g1',
      CopyTagsToSnapshot: parameters.flag('CopyTagsToSnapshot') ?? false,
      DBInstanceClass: parameters.needed('DBInstanceClass'),
      ...(DBName !== undefined && { DBName }),
      DBParameterGroupName:
        parameters.text('DBParameterGroupName')?.toLowerCase() ??
        `default.${Engine}${majorOf(EngineVersion)}`,
      DBSubnetGroupName: parameters.text('DBSubnetGroupName')?.toLowerCase() ?? 'default',
      DeletionProtection: parameters.flag('DeletionProtection') ?? false,
      EnabledCloudwatchLogsExports: parameters.list('EnableCloudwatchLogsExports', 'member') ?? [],
      Engine,
      EngineVersion,
      IAMDatabaseAuthenticationEnabled: parameters.flag('EnableIAMDatabaseAuthentication') ?? false,
      ...(Iops !== undefined && { Iops }),
      ...(encrypted && { KmsKeyId: keyArn(key ?? 'aws-rds-default', context) }),
      LicenseModel: parameters.text('LicenseModel') ?? engine.licence,
      MasterUsername,
      MonitoringInterval: parameters.number('MonitoringInterval') ?? 0,
      MultiAZ,
      NetworkType: parameters.text('NetworkType') ?? 'IPV4',
      OptionGroupName:
        parameters.text('OptionGroupName')?.toLowerCase() ??
        `default:${Engine}-${majorOf(EngineVersion).replace('.', '-')}`,
      PerformanceInsightsEnabled: parameters.flag('EnablePerformanceInsights') ?? false,
      Port: parameters.number('Port') ?? engine.port,
      PreferredBackupWindow: parameters.text('PreferredBackupWindow') ?? `${two(hour)}:00-${two(hour)}:30`,
      PreferredMaintenanceWindow: (
        parameters.text('PreferredMaintenanceWindow') ??
        `sun:${two((hour + 2) % 24)}:00-sun:${two((hour + 2) % 24)}:30`
      ).toLowerCase(),
      ProcessorFeatures: [],
      PubliclyAccessible: parameters.flag('PubliclyAccessible') ?? false,
      StorageEncrypted: encrypted,
      StorageType: parameters.text('StorageType') ?? (Iops === undefined ? 'gp2' : 'io1'),
      VpcSecurityGroupIds: ['sg-00000000000000000'],
      ...lists(parameters),
    },
    context,
  );
}

const two = (number: number): string => String(number).padStart(2, '0');

const keyArn = (key: string, { account, region }: SettingsContext): string =>
  key.startsWith('arn:') ? key : `arn:aws:kms:${region}:${account}:key/${key}`;

/** What is taken as it comes. */
const texts = [
  ...(['CharacterSetName', 'Domain', 'DomainIAMRoleName', 'MonitoringRoleArn'] as const),
  ...(['PerformanceInsightsKMSKeyId', 'Timezone'] as const),
];
const numbers = ['MaxAllocatedStorage', 'PerformanceInsightsRetentionPeriod', 'StorageThroughput'] as const;

const plain = (parameters: Parameters): Partial<Settings> =>
  Object.fromEntries([
    ...texts.flatMap((name) => given(name, parameters.text(name))),
    ...numbers.flatMap((name) => given(name, parameters.number(name))),
  ]);

const given = (name: string, value: unknown): [string, unknown][] =>
  value === undefined ? [] : [[name, value]];

function lists(parameters: Parameters): Partial<Settings> {
  const groups = parameters.list('VpcSecurityGroupIds', 'VpcSecurityGroupId');
  const features = parameters
    .records('ProcessorFeatures', 'ProcessorFeature')
    ?.map(({ Name, Value }) => ({ Name: String(Name), Value: String(Value) }));
  return {
    ...(groups !== undefined && { VpcSecurityGroupIds: groups }),
    ...(features !== undefined && { ProcessorFeatures: features }),
  };
}

/** What ModifyDBInstance may change, as it is asked: settings, by the names of DescribeDBInstances. */
export function changedSettings(
  parameters: Parameters,
  before: Settings,
  context: SettingsContext,
): Partial<Settings> {
  const engine = engines[before.Engine];
  const asked = parameters.text('EngineVersion');
  const version = asked === undefined || engine === undefined ? undefined : versionOf(engine, asked);
  if (asked !== undefined && version === undefined) {
    throw invalidCombination(`Cannot find version ${asked} for ${before.Engine}`);
  }
  const size = parameters.number('AllocatedStorage');
  if (size !== undefined && size < before.AllocatedStorage) {
    throw invalidCombination(
      `Requested storage size (${size}) cannot be less than the current storage size (${before.AllocatedStorage}).`,
    );
  }
  const logs = parameters.within('CloudwatchLogsExportConfiguration');
  const [on, off] = [
    logs.list('EnableLogTypes', 'member') ?? [],
    logs.list('DisableLogTypes', 'member') ?? [],
  ];
  const kept = before.EnabledCloudwatchLogsExports.filter((log) => !off.includes(log));
  const changes: Partial<Settings> = Object.fromEntries([
    ...flags.flatMap(([name, as = name]) => given(as, parameters.flag(name))),
    ...['AllocatedStorage', 'BackupRetentionPeriod', 'Iops', 'MonitoringInterval'].flatMap((name) =>
      given(name, parameters.number(name)),
    ),
    ...changeableTexts.flatMap((name) => given(name, parameters.text(name))),
    ...given('Port', parameters.number('DBPortNumber')),
    ...given('EngineVersion', version),
    ...(on.length + off.length > 0 ? [['EnabledCloudwatchLogsExports', [...kept, ...on]]] : []),
    ...Object.entries({ ...plain(parameters), ...lists(parameters) }),
  ]);
  if (version !== undefined)
    checkUpgrade(before, version, parameters.flag('AllowMajorVersionUpgrade') ?? false);
  checked({ ...before, ...changes }, context);
  return Object.fromEntries(
    Object.entries(changes).filter(([name, value]) => before[name as keyof Settings] !== value),
  );
}

const flags: readonly (readonly [name: string, as?: keyof Settings])[] = [
  ...([['AutoMinorVersionUpgrade'], ['CopyTagsToSnapshot'], ['DeletionProtection'], ['MultiAZ']] as const),
  ['PubliclyAccessible'],
  ['EnableIAMDatabaseAuthentication', 'IAMDatabaseAuthenticationEnabled'],
  ['EnablePerformanceInsights', 'PerformanceInsightsEnabled'],
];
const changeableTexts = [
  ...[
    'CACertificateIdentifier',
    'DBInstanceClass',
    'DBParameterGroupName',
    'DBSubnetGroupName',
    'LicenseModel',
  ],
  ...['NetworkType', 'OptionGroupName', 'PreferredBackupWindow', 'PreferredMaintenanceWindow', 'StorageType'],
];

function checkUpgrade({ Engine, EngineVersion }: Settings, version: string, allowsMajor: boolean): void {
  const { versions = [] } = engines[Engine] ?? {};
  if (versions.indexOf(version) < versions.indexOf(EngineVersion)) {
    throw invalidCombination(`Cannot upgrade ${Engine} from ${EngineVersion} to ${version}`);
  }
  if (majorOf(version) !== majorOf(EngineVersion) && !allowsMajor) {
    throw invalidCombination(
      'The AllowMajorVersionUpgrade flag must be present when upgrading to a new major version.',
    );
  }
}

/** The settings, unless RDS refuses them. */
function checked(settings: Settings, { region }: SettingsContext): Settings {
  const { Engine, DBInstanceClass, StorageType, AllocatedStorage, Iops } = settings;
  if (!hasClass(DBInstanceClass)) throw invalidValue(`Invalid DB Instance class: ${DBInstanceClass}`);
  const [least, most] = storageSizes[StorageType] ?? [];
  if (least === undefined || most === undefined) throw invalidValue(`Invalid storage type: ${StorageType}`);
  if (AllocatedStorage < least || AllocatedStorage > most) {
    throw invalidCombination(
      `Invalid storage size for engine name ${Engine} and storage type ${StorageType}: ${AllocatedStorage}`,
    );
  }
  if (StorageType.startsWith('io') && Iops === undefined) {
    throw invalidCombination(`You must specify IOPS for the storage type ${StorageType}.`);
  }
  if (Iops !== undefined && Iops > 0 && !/^(io|gp3)/.test(StorageType)) {
    throw invalidCombination(`Iops are not applicable for storage type ${StorageType}`);
  }
  const { MaxAllocatedStorage: max } = settings;
  if (max !== undefined && max > 0 && max < AllocatedStorage * 1.1) {
    throw invalidCombination(
      'Invalid max storage size: it must exceed the allocated storage by 10 % at least.',
    );
  }
  if (settings.BackupRetentionPeriod < 0 || settings.BackupRetentionPeriod > 35) {
    throw invalidValue('Invalid backup retention period. Retention period must be between 0 and 35');
  }
  if (![0, 1, 5, 10, 15, 30, 60].includes(settings.MonitoringInterval)) {
    throw invalidValue('Invalid monitoring interval: it must be one of 0, 1, 5, 10, 15, 30, 60.');
  }
  if (settings.MonitoringInterval > 0 && settings.MonitoringRoleArn === undefined) {
    throw invalidCombination(
      'A MonitoringRoleARN value is required if you specify a MonitoringInterval value other than 0.',
    );
  }
  if (settings.Port < 1150 || settings.Port > 65_535) throw invalidValue(`Invalid port: ${settings.Port}`);
  if (!settings.AvailabilityZone.startsWith(region)) {
    throw invalidValue(`Invalid availability zone: ${settings.AvailabilityZone}`);
  }
  if (settings.DBSubnetGroupName !== 'default') throw subnetGroupNotFound(settings.DBSubnetGroupName);
  if (!/^default\./.test(settings.DBParameterGroupName)) {
    throw parameterGroupNotFound(settings.DBParameterGroupName);
  }
  if (!/^default:/.test(settings.OptionGroupName)) throw optionGroupNotFound(settings.OptionGroupName);
  for (const group of settings.VpcSecurityGroupIds) {
    if (!/^sg-[0-9a-f]{8,17}$/.test(group)) {
      throw invalidValue(`Invalid security group , groupId= ${group}, groupName=.`);
    }
  }
  const unknown = settings.EnabledCloudwatchLogsExports.find((log) => !engines[Engine]?.logs.includes(log));
  if (unknown !== undefined) {
    throw invalidCombination(
      `You cannot use the log types '${unknown}' with engine version ${Engine} ${settings.EngineVersion}. For supported log types, see the documentation.`,
    );
  }
  return settings;
}
