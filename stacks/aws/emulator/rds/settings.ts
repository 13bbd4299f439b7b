import type { Settings } from './db-instance.ts';
import type { Engine } from './engines.ts';
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

/** The account and region of a request. */
export interface SettingsContext {
  readonly account: string;
  readonly region: string;
  /** Uniform in [0, 1). */
  random(): number;
}

/** The settings of a new DB instance, with the defaults of RDS. Throws AwsProblem for invalid parameters. */
export function newSettings(parameters: Parameters, context: SettingsContext): Settings {
  const Engine = parameters.needed('Engine');
  const engine = engines[Engine];
  if (engine === undefined) throw invalidValue('Invalid DB engine');
  const version = parameters.text('EngineVersion');
  const EngineVersion = versionOf(engine, version);
  if (EngineVersion === undefined) throw invalidCombination(`Cannot find version ${version} for ${Engine}`);
  const MasterUsername = masterUsernameIn(parameters, engine);
  const DBName = parameters.text('DBName');
  if (DBName !== undefined && !engine.databaseName.test(DBName)) {
    throw invalidValue('DBName must begin with a letter and contain only alphanumeric characters.');
  }
  checkEncryption(parameters);
  checkZone(parameters);
  const AllocatedStorage = parameters.number('AllocatedStorage');
  if (AllocatedStorage === undefined) throw missingParameter('AllocatedStorage');
  const windows = windowsIn(parameters, context);
  return checked(
    {
      ...plain(parameters),
      ...flagsIn(parameters),
      ...storageIn(parameters, context),
      ...groupsIn(parameters, Engine, EngineVersion),
      ...windows,
      AllocatedStorage,
      AvailabilityZone:
        parameters.text('AvailabilityZone') ?? `${context.region}${'abc'[Math.floor(context.random() * 3)]}`,
      BackupRetentionPeriod: parameters.number('BackupRetentionPeriod') ?? 1,
      CACertificateIdentifier: parameters.text('CACertificateIdentifier') ?? 'rds-ca-rsa2048-g1',
      DBInstanceClass: parameters.needed('DBInstanceClass'),
      ...(DBName !== undefined && { DBName }),
      EnabledCloudwatchLogsExports: parameters.list('EnableCloudwatchLogsExports', 'member') ?? [],
      Engine,
      EngineVersion,
      LicenseModel: parameters.text('LicenseModel') ?? engine.licence,
      MasterUsername,
      MonitoringInterval: parameters.number('MonitoringInterval') ?? 0,
      NetworkType: parameters.text('NetworkType') ?? 'IPV4',
      Port: parameters.number('Port') ?? engine.port,
      ProcessorFeatures: [],
      VpcSecurityGroupIds: ['sg-00000000000000000'],
      ...lists(parameters),
    },
    context,
  );
}

function masterUsernameIn(parameters: Parameters, engine: Engine): string {
  const name = parameters.text('MasterUsername');
  if (!name) throw invalidValue('The parameter MasterUsername must be provided and must not be blank.');
  if (engine.reserved.includes(name.toLowerCase())) {
    throw invalidValue(`MasterUsername ${name} cannot be used as it is a reserved word used by the engine`);
  }
  if (!/^[A-Za-z]\w*$/.test(name) || name.length > engine.longestUsername) {
    throw invalidValue('Invalid master user name');
  }
  return name;
}

function checkEncryption(parameters: Parameters): void {
  if (parameters.text('KmsKeyId') === undefined || parameters.flag('StorageEncrypted') === true) return;
  throw invalidCombination(
    'A KMS key can be specified only for an instance with encrypted storage (StorageEncrypted).',
  );
}

function checkZone(parameters: Parameters): void {
  if (parameters.flag('MultiAZ') !== true || parameters.text('AvailabilityZone') === undefined) return;
  throw invalidCombination('Requesting a specific availability zone is not valid for Multi-AZ instances.');
}

const flagsIn = (parameters: Parameters) => ({
  AutoMinorVersionUpgrade: parameters.flag('AutoMinorVersionUpgrade') ?? true,
  CopyTagsToSnapshot: parameters.flag('CopyTagsToSnapshot') ?? false,
  DeletionProtection: parameters.flag('DeletionProtection') ?? false,
  IAMDatabaseAuthenticationEnabled: parameters.flag('EnableIAMDatabaseAuthentication') ?? false,
  MultiAZ: parameters.flag('MultiAZ') ?? false,
  PerformanceInsightsEnabled: parameters.flag('EnablePerformanceInsights') ?? false,
  PubliclyAccessible: parameters.flag('PubliclyAccessible') ?? false,
});

function storageIn(parameters: Parameters, context: SettingsContext) {
  const Iops = parameters.number('Iops');
  const StorageEncrypted = parameters.flag('StorageEncrypted') ?? false;
  const key = parameters.text('KmsKeyId') ?? 'aws-rds-default';
  return {
    ...(Iops !== undefined && { Iops }),
    ...(StorageEncrypted && { KmsKeyId: keyArn(key, context) }),
    StorageEncrypted,
    StorageType: parameters.text('StorageType') ?? (Iops === undefined ? 'gp2' : 'io1'),
  };
}

function groupsIn(parameters: Parameters, engine: string, version: string) {
  const major = majorOf(version);
  const name = (parameter: string): string | undefined => parameters.text(parameter)?.toLowerCase();
  return {
    DBParameterGroupName: name('DBParameterGroupName') ?? `default.${engine}${major}`,
    DBSubnetGroupName: name('DBSubnetGroupName') ?? 'default',
    OptionGroupName: name('OptionGroupName') ?? `default:${engine}-${major.replace('.', '-')}`,
  };
}

/** The windows for backup and maintenance: by default half an hour each, two hours apart, at a random hour. */
function windowsIn(parameters: Parameters, { random }: SettingsContext) {
  const hour = Math.floor(random() * 24);
  const [backup, maintenance] = [two(hour), two((hour + 2) % 24)];
  const maintenanceWindow =
    parameters.text('PreferredMaintenanceWindow') ?? `sun:${maintenance}:00-sun:${maintenance}:30`;
  return {
    PreferredBackupWindow: parameters.text('PreferredBackupWindow') ?? `${backup}:00-${backup}:30`,
    PreferredMaintenanceWindow: maintenanceWindow.toLowerCase(),
  };
}

const two = (number: number): string => String(number).padStart(2, '0');

const keyArn = (key: string, { account, region }: SettingsContext): string =>
  key.startsWith('arn:') ? key : `arn:aws:kms:${region}:${account}:key/${key}`;

/** Parameters that become settings without a change. */
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

/** The settings that a ModifyDBInstance request changes. Throws AwsProblem for invalid parameters. */
export function changedSettings(
  parameters: Parameters,
  before: Settings,
  context: SettingsContext,
): Partial<Settings> {
  const engine = engines[before.Engine];
  const requested = parameters.text('EngineVersion');
  const version = requested === undefined || engine === undefined ? undefined : versionOf(engine, requested);
  if (requested !== undefined && version === undefined) {
    throw invalidCombination(`Cannot find version ${requested} for ${before.Engine}`);
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
  const remaining = before.EnabledCloudwatchLogsExports.filter((log) => !off.includes(log));
  const changes: Partial<Settings> = Object.fromEntries([
    ...flags.flatMap(([name, as = name]) => given(as, parameters.flag(name))),
    ...['AllocatedStorage', 'BackupRetentionPeriod', 'Iops', 'MonitoringInterval'].flatMap((name) =>
      given(name, parameters.number(name)),
    ),
    ...changeableTexts.flatMap((name) => given(name, parameters.text(name))),
    ...given('Port', parameters.number('DBPortNumber')),
    ...given('EngineVersion', version),
    ...(on.length + off.length > 0 ? [['EnabledCloudwatchLogsExports', [...remaining, ...on]]] : []),
    ...Object.entries({ ...plain(parameters), ...lists(parameters) }),
  ]);
  // Storage does not grow any more if its limit equals its size.
  const allocated = changes.AllocatedStorage ?? before.AllocatedStorage;
  const isLimited = changes.MaxAllocatedStorage !== allocated;
  const all = {
    ...changes,
    ...(!isLimited && { MaxAllocatedStorage: undefined }),
    ...(parameters.flag('UseDefaultProcessorFeatures') && { ProcessorFeatures: [] }),
    ...(changes.Domain === 'none' && { Domain: undefined, DomainIAMRoleName: undefined }),
  } as Partial<Settings>;
  if (version !== undefined)
    checkUpgrade(before, version, parameters.flag('AllowMajorVersionUpgrade') ?? false);
  checked({ ...before, ...all }, context);
  return Object.fromEntries(
    Object.entries(all).filter(([name, value]) => before[name as keyof Settings] !== value),
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

/** Returns the settings. Throws AwsProblem if RDS refuses them. */
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
  if (max !== undefined && max < AllocatedStorage * 1.1) {
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
