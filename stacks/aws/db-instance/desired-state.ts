import isEmpty from 'lodash/isEmpty.js';
import isEqual from 'lodash/isEqual.js';
import isNil from 'lodash/isNil.js';
import omit from 'lodash/omit.js';
import omitBy from 'lodash/omitBy.js';
import type {
  Actual,
  FieldRule,
  FieldRules,
  Managed,
  ObservedDatabase,
  OperationType,
  ReadyFacts,
  Wanted,
} from '../../../package/stack.ts';
import {
  available,
  creating,
  deleting,
  inAnyCase,
  inAnyOrder,
  neededFields,
  outOfService,
  unavailable,
} from '../../../package/stack.ts';
import type {
  DBInstance,
  DBInstanceChange,
  DeleteDBInstanceMessage,
  ModifyDBInstanceMessage,
  NewDBInstance,
} from '../client/db-instances.ts';
import { tagsOf } from '../client/db-instances.ts';
import { ownTags } from '../tags.ts';
import { isAtLeast } from './engine-version.ts';
import type { CallOption, DBInstanceWords, Parameter, Tags } from './words.ts';

type Values = Readonly<Record<string, unknown>>;

const entriesOf = <K extends string>(
  fields: { readonly [P in K]?: string },
): readonly (readonly [K, string])[] => Object.entries(fields) as [K, string][];

/** The parameters in `forProvider`, by the API's names. Absent fields stay absent. */
function parametersOf<M extends Managed>(
  { parameters }: Pick<DBInstanceWords<M>, 'parameters'>,
  forProvider: object,
): { readonly [P in Parameter]?: unknown } {
  const values = entriesOf<Parameter>(parameters).map(([parameter, field]) => {
    const value = (forProvider as Values)[field];
    return [parameter, parameter === 'ProcessorFeatures' ? features(value) : value];
  });
  return omitBy(Object.fromEntries(values), isNil);
}

const features = (value: unknown): unknown =>
  (value as readonly { readonly name: string; readonly value: string }[] | undefined)?.map((feature) => ({
    Name: feature.name,
    Value: feature.value,
  }));

type CallOptions = Pick<ModifyDBInstanceMessage & DeleteDBInstanceMessage, CallOption>;

/** The options of a change and of a deletion, from `forProvider`. */
export function callOptionsOf<M extends Managed>(
  { callOptions }: Pick<DBInstanceWords<M>, 'callOptions'>,
  forProvider: object,
): CallOptions {
  const values = entriesOf<CallOption>(callOptions).map(([option, field]) => [
    option,
    (forProvider as Values)[field],
  ]);
  return omitBy(Object.fromEntries(values), isNil);
}

/**
 * The instance that a managed resource asks for. Only here `initProvider` counts. Throws an Error that names missing
 * fields.
 */
export function newDBInstance<M extends Managed>(
  words: DBInstanceWords<M>,
  { spec }: M,
  its: { readonly name: string; readonly tags: Tags; readonly password: string },
): NewDBInstance {
  const forProvider = { ...spec.initProvider, ...spec.forProvider };
  const { DBInstanceClass, Engine, ...rest } = parametersOf(words, forProvider);
  const lacking = Object.entries({ DBInstanceClass, Engine }).find(([, value]) => value === undefined);
  if (lacking !== undefined) {
    throw neededFields([words.parameters[lacking[0] as Parameter] ?? lacking[0]], 'instance');
  }
  return {
    ...(omitBy(rest, isNone) as Partial<NewDBInstance>),
    DBInstanceIdentifier: its.name,
    DBInstanceClass: DBInstanceClass as string,
    Engine: Engine as string,
    MasterUserPassword: its.password,
    Tags: { ...ownTags(words.tags.of((forProvider as Values)[words.tags.field])), ...its.tags },
  };
}

/** The names of parameters in ModifyDBInstance, where they differ. */
const changedNames: { readonly [P in Parameter]?: keyof DBInstanceChange } = { Port: 'DBPortNumber' };

/** A change, by the names of ModifyDBInstance. */
export function changeOf<M extends Managed>(
  words: DBInstanceWords<M>,
  wanted: Wanted<M>,
  { actual }: Pick<ObservedDatabase<M>, 'actual'>,
): DBInstanceChange {
  const values = parametersOf(words, wanted);
  const parameters = Object.entries(values).map(([parameter, value]) =>
    unsetting(parameter as Parameter, value, { ...parametersOf(words, actual), ...values }),
  );
  const tags = (wanted as Values)[words.tags.field];
  return {
    ...(Object.fromEntries(parameters) as DBInstanceChange),
    ...(tags !== undefined && { OwnTags: ownTags(words.tags.of(tags)) }),
  };
}

type ParameterValues = ReturnType<typeof parametersOf>;

/** A parameter of a change. RDS removes some values by a special one. */
function unsetting(parameter: Parameter, value: unknown, all: ParameterValues): readonly [string, unknown] {
  // RDS stops the growth of the storage if its limit equals its size.
  if (parameter === 'MaxAllocatedStorage' && value === 0) return [parameter, all.AllocatedStorage ?? 0];
  if (parameter === 'ProcessorFeatures' && isEmpty(value)) return ['UseDefaultProcessorFeatures', true];
  return [changedNames[parameter] ?? parameter, value];
}

/** The change that allows RDS to delete an instance whose managed resource no longer asks for protection. */
export function unprotecting<M extends Managed>(
  words: DBInstanceWords<M>,
  { spec }: M,
  { actual }: Pick<ObservedDatabase<M>, 'actual'>,
): DBInstanceChange | undefined {
  const { DeletionProtection } = parametersOf(words, spec.forProvider ?? {});
  const isProtected = parametersOf(words, actual).DeletionProtection === true;
  return isProtected && DeletionProtection === false ? { DeletionProtection } : undefined;
}

/** The instance after its pending changes. */
function settled(db: DBInstance): DBInstance {
  const { Port, PendingCloudwatchLogsExports: logs, ...pending } = db.PendingModifiedValues ?? {};
  const exported = db.EnabledCloudwatchLogsExports ?? [];
  const rest = omitBy(
    omit(pending, ['MasterUserPassword', 'DBInstanceIdentifier', 'DBSubnetGroupName']),
    isNil,
  );
  return {
    ...db,
    ...(rest as Partial<DBInstance>),
    ...(pending.DBSubnetGroupName && { DBSubnetGroup: { DBSubnetGroupName: pending.DBSubnetGroupName } }),
    ...(Port !== undefined && { Endpoint: { ...db.Endpoint, Port } }),
    ...(logs !== undefined && {
      EnabledCloudwatchLogsExports: [
        ...exported.filter((log) => !logs.LogTypesToDisable?.includes(log)),
        ...(logs.LogTypesToEnable ?? []),
      ],
    }),
  };
}

/** The places of the parameters in RDS's answers. Undefined: RDS has no value. */
const reported: { readonly [P in Parameter]: (db: DBInstance) => unknown } = {
  AllocatedStorage: (db) => db.AllocatedStorage,
  AutoMinorVersionUpgrade: (db) => db.AutoMinorVersionUpgrade,
  AvailabilityZone: (db) => db.AvailabilityZone,
  BackupRetentionPeriod: (db) => db.BackupRetentionPeriod,
  CACertificateIdentifier: (db) => db.CACertificateIdentifier,
  CharacterSetName: (db) => db.CharacterSetName,
  CopyTagsToSnapshot: (db) => db.CopyTagsToSnapshot,
  DBInstanceClass: (db) => db.DBInstanceClass,
  DBName: (db) => db.DBName,
  DBParameterGroupName: (db) => db.DBParameterGroups?.[0]?.DBParameterGroupName,
  DBSubnetGroupName: (db) => db.DBSubnetGroup?.DBSubnetGroupName,
  DeletionProtection: (db) => db.DeletionProtection,
  Domain: (db) => db.DomainMemberships?.[0]?.Domain,
  DomainIAMRoleName: (db) => db.DomainMemberships?.[0]?.IAMRoleName,
  EnableCloudwatchLogsExports: (db) => db.EnabledCloudwatchLogsExports,
  EnableIAMDatabaseAuthentication: (db) => db.IAMDatabaseAuthenticationEnabled,
  EnablePerformanceInsights: (db) => db.PerformanceInsightsEnabled,
  Engine: (db) => db.Engine,
  EngineVersion: (db) => db.EngineVersion,
  Iops: (db) => db.Iops,
  KmsKeyId: (db) => db.KmsKeyId,
  LicenseModel: (db) => db.LicenseModel,
  MasterUsername: (db) => db.MasterUsername,
  MaxAllocatedStorage: (db) => db.MaxAllocatedStorage,
  MonitoringInterval: (db) => db.MonitoringInterval,
  MonitoringRoleArn: (db) => db.MonitoringRoleArn,
  MultiAZ: (db) => db.MultiAZ,
  NetworkType: (db) => db.NetworkType,
  OptionGroupName: (db) =>
    db.OptionGroupMemberships?.find(({ Status }) => Status !== 'removing')?.OptionGroupName,
  PerformanceInsightsKMSKeyId: (db) => db.PerformanceInsightsKMSKeyId,
  PerformanceInsightsRetentionPeriod: (db) => db.PerformanceInsightsRetentionPeriod,
  // DbInstancePort is 0 for all instances outside a cluster.
  Port: (db) => db.Endpoint?.Port,
  PreferredBackupWindow: (db) => db.PreferredBackupWindow,
  PreferredMaintenanceWindow: (db) => db.PreferredMaintenanceWindow,
  ProcessorFeatures: (db) => db.ProcessorFeatures?.map(({ Name, Value }) => ({ name: Name, value: Value })),
  PubliclyAccessible: (db) => db.PubliclyAccessible,
  StorageEncrypted: (db) => db.StorageEncrypted,
  StorageThroughput: (db) => db.StorageThroughput,
  StorageType: (db) => db.StorageType,
  Timezone: (db) => db.Timezone,
  VpcSecurityGroupIds: (db) => db.VpcSecurityGroups?.map(({ VpcSecurityGroupId }) => VpcSecurityGroupId),
};

/** The values of fields that ask for none. */
const none: { readonly [P in Parameter]?: unknown } = {
  Domain: 'none',
  Iops: 0,
  MaxAllocatedStorage: 0,
  StorageThroughput: 0,
};
const isNone = (value: unknown, parameter: string): boolean =>
  value !== undefined && none[parameter as Parameter] === value;

/** Fields that are not compared, because RDS or another service of AWS changes them. */
function decidedElsewhere(
  db: DBInstance,
  wanted: { readonly [P in Parameter]?: unknown },
): readonly Parameter[] {
  const isGrowing = !isNil(wanted.MaxAllocatedStorage) && wanted.MaxAllocatedStorage !== 0;
  const hasGrown = isGrowing && Number(wanted.AllocatedStorage) <= (db.AllocatedStorage ?? 0);
  return [
    // After a failover the instance is in the other zone.
    ...(db.MultiAZ === true ? (['AvailabilityZone'] as const) : []),
    ...(hasGrown ? (['AllocatedStorage'] as const) : []),
    ...(db.AwsBackupRecoveryPointArn === undefined
      ? []
      : (['BackupRetentionPeriod', 'PreferredBackupWindow'] as const)),
    // RDS reports no port before the instance has an address.
    ...(db.Endpoint?.Port === undefined ? (['Port'] as const) : []),
    // RDS reports the role with the directory; without a directory the role has no effect.
    ...(db.DomainMemberships?.length || !isNil(wanted.Domain) ? [] : (['DomainIAMRoleName'] as const)),
    // The instance was removed from the directory, or is joining it.
    ...(db.DomainMemberships?.some(({ Status }) => Status !== 'joined') ? (['Domain'] as const) : []),
  ];
}

/** RDS's values for the fields of `forProvider`. Pending values count, unless changes are to be applied at once. */
export function actualOf<M extends Managed>(
  words: DBInstanceWords<M>,
  { spec }: M,
  db: DBInstance,
): Actual<M> {
  const forProvider = spec.forProvider ?? {};
  const wanted = parametersOf(words, forProvider);
  const isImmediate = callOptionsOf(words, forProvider).ApplyImmediately === true;
  const source = isImmediate && canBeChanged(db) ? db : settled(db);
  const left = decidedElsewhere(db, wanted);
  const values = entriesOf<Parameter>(words.parameters)
    .filter(([parameter]) => !left.includes(parameter))
    .map(([parameter, field]) => {
      const value = reported[parameter](source);
      return [field, value ?? (isNone(wanted[parameter], parameter) ? wanted[parameter] : undefined)];
    });
  return {
    ...Object.fromEntries(values),
    [words.tags.field]: words.tags.written(tagsOf(db)),
  } as Actual<M>;
}

/** RDS reports a key by its ARN. A spec may name it by its ARN, its id, or an alias, which only KMS can resolve. */
const isSameKey = (wanted: string, actual: string): boolean =>
  wanted === actual || wanted.includes('alias/') || actual.endsWith(`/${wanted}`);

const rules: { readonly [P in Parameter]?: FieldRule<never> } = {
  AllocatedStorage: { mayChange: (from: number | undefined, to: number) => from === undefined || to > from },
  EngineVersion: {
    equals: (wanted: string, actual: string) => isAtLeast(actual, wanted),
    mayChange: (from: string | undefined, to: string) => from === undefined || isAtLeast(to, from, 'any'),
  },
  DBParameterGroupName: { equals: inAnyCase },
  DBSubnetGroupName: { equals: inAnyCase },
  EnableCloudwatchLogsExports: { equals: inAnyOrder },
  KmsKeyId: { equals: isSameKey },
  OptionGroupName: { equals: inAnyCase },
  PerformanceInsightsKMSKeyId: { equals: isSameKey },
  PreferredMaintenanceWindow: { equals: inAnyCase },
  ProcessorFeatures: { equals: inAnyOrder },
  // An instance always has a group: an empty list asks for none in particular.
  VpcSecurityGroupIds: {
    equals: (wanted: readonly string[], actual: readonly string[]) =>
      isEmpty(wanted) || inAnyOrder(wanted, actual),
  },
};

/** The exceptions of RDS for single fields. */
export function fieldRulesOf<M extends Managed>({ parameters, tags }: DBInstanceWords<M>): FieldRules<M> {
  const fields = entriesOf<Parameter>(parameters).flatMap(([parameter, field]) => {
    const rule = rules[parameter];
    return rule === undefined ? [] : [[field, rule]];
  });
  // Other roles of the instance may belong to another user.
  const hasAll = (wanted: unknown, actual: unknown): boolean => {
    const present = tags.of(actual);
    return Object.entries(ownTags(tags.of(wanted))).every(([key, value]) => isEqual(present[key], value));
  };
  return { ...Object.fromEntries(fields), [tags.field]: { equals: hasAll } } as FieldRules<M>;
}

/** States in which RDS accepts changes. */
const changeable = ['available', 'storage-optimization', 'storage-initialization', 'storage-full'];
export const canBeChanged = ({ DBInstanceStatus: state = '' }: DBInstance): boolean =>
  changeable.includes(state);

/** States in which the database stays usable during an operation of RDS. */
const usable =
  /^(available|backing-up|modifying|maintenance|resetting-master-credentials|storage-\w+|configuring-[\w-]+)$/;
/** Temporary states. */
const passing =
  /^(backing-up|modifying|maintenance|resetting-master-credentials|configuring-[\w-]+|upgrading|rebooting|renaming|starting|stopping|moving-to-vpc|converting-to-vpc|storage-config-upgrade)$/;

/** The states that only a person ends, with the reason or the remedy. */
const remedies: Readonly<Record<string, string>> = {
  failed: 'RDS cannot recover it; restore its last snapshot, or a point in time, to another instance',
  stopped: 'start it in AWS',
  'inaccessible-encryption-credentials': 'RDS cannot use its KMS key; restore a snapshot after the key works',
  'inaccessible-encryption-credentials-recoverable': 'let RDS use its KMS key again, then start it in AWS',
  'incompatible-create': 'RDS could not create it with these settings',
  'incompatible-network': 'its subnets have no free address, or its network does not exist any more',
  'incompatible-option-group': 'correct its option group in AWS',
  'incompatible-parameters': 'correct its parameter group in AWS, then reboot it',
  'incompatible-restore': 'RDS cannot restore it to that point in time',
  'insufficient-capacity': 'AWS has no capacity for its instance class there',
  'restore-error': 'RDS cannot restore it to that point in time',
  'storage-full': 'its storage is full: raise its allocated storage',
};

/** Whether RDS accepted a password that it does not use yet. Until then the previous password works. */
export const isPasswordPending = ({
  DBInstanceStatus: state,
  PendingModifiedValues: pending,
}: Pick<DBInstance, 'DBInstanceStatus' | 'PendingModifiedValues'>): boolean =>
  state === 'resetting-master-credentials' || pending?.MasterUserPassword !== undefined;

/** Maps the state of an instance to Ready and to the operation in progress. */
export function meaningOfState(db: Pick<DBInstance, 'DBInstanceStatus' | 'PendingModifiedValues'>): {
  readonly ready: ReadyFacts;
  readonly operation?: OperationType;
} {
  const { DBInstanceStatus: state = '' } = db;
  if (state === 'creating') return { ready: creating(), operation: 'create' };
  if (state === 'deleting' || state === 'delete-precheck') return { ready: deleting(), operation: 'delete' };
  const isUsable = usable.test(state) && state !== 'storage-full';
  const message = `the DB instance is ${state}`;
  const remedy = remedies[state];
  if (remedy !== undefined) return { ready: outOfService(`${message}: ${remedy}`) };
  return {
    ready: isUsable ? available() : unavailable(message),
    ...((passing.test(state) || isPasswordPending(db)) && { operation: 'update' }),
  };
}

/** The connection details of an instance; undefined before it has an address. */
export function accessOf(db: DBInstance): ObservedDatabase<Managed>['access'] {
  const { Endpoint: { Address: host, Port: port } = {}, MasterUsername: username, Engine: engine = '' } = db;
  if (host === undefined || port === undefined || username === undefined) return undefined;
  const isPostgresql = engine === 'postgres';
  const type = isPostgresql ? 'postgresql' : engine === 'mariadb' ? 'mysql' : engine;
  const database = db.DBName ?? (isPostgresql ? 'postgres' : undefined);
  return { type, provider: 'aws', host, port, username, ...(database !== undefined && { database }) };
}
