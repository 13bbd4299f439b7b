import type { Message, MessageShape } from './message.ts';
import { snakeCase } from './message.ts';
import { invalid, Problem } from './problem.ts';
import { zonesOf } from './regions.ts';

const enumOf = (name: string, ...values: readonly string[]) => ({
  enum: values,
  of: `google.cloud.redis.v1.${name}`,
});

const maintenancePolicy: MessageShape = {
  createTime: 'timestamp',
  updateTime: 'timestamp',
  description: 'string',
  weeklyMaintenanceWindow: {
    list: {
      message: {
        day: enumOf(
          'DayOfWeek',
          ...['DAY_OF_WEEK_UNSPECIFIED', 'MONDAY', 'TUESDAY', 'WEDNESDAY'],
          ...['THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'],
        ),
        startTime: { message: { hours: 'int32', minutes: 'int32', seconds: 'int32', nanos: 'int32' } },
        duration: 'duration',
      },
    },
  },
};

const persistenceConfig: MessageShape = {
  persistenceMode: enumOf(
    'PersistenceConfig.PersistenceMode',
    ...['PERSISTENCE_MODE_UNSPECIFIED', 'DISABLED', 'RDB'],
  ),
  rdbSnapshotPeriod: enumOf(
    'PersistenceConfig.SnapshotPeriod',
    ...['SNAPSHOT_PERIOD_UNSPECIFIED', 'ONE_HOUR', 'SIX_HOURS', 'TWELVE_HOURS', 'TWENTY_FOUR_HOURS'],
  ),
  rdbNextSnapshotTime: 'timestamp',
  rdbSnapshotStartTime: 'timestamp',
};

/** What a caller may set when an instance is made. */
const settable: MessageShape = {
  displayName: 'string',
  labels: 'labels',
  locationId: 'string',
  alternativeLocationId: 'string',
  redisVersion: 'string',
  reservedIpRange: 'string',
  secondaryIpRange: 'string',
  redisConfigs: 'labels',
  tier: enumOf('Instance.Tier', 'TIER_UNSPECIFIED', 'BASIC', 'STANDARD_HA'),
  memorySizeGb: 'int32',
  authorizedNetwork: 'string',
  connectMode: enumOf(
    'Instance.ConnectMode',
    ...['CONNECT_MODE_UNSPECIFIED', 'DIRECT_PEERING', 'PRIVATE_SERVICE_ACCESS'],
  ),
  authEnabled: 'bool',
  transitEncryptionMode: enumOf(
    'Instance.TransitEncryptionMode',
    ...['TRANSIT_ENCRYPTION_MODE_UNSPECIFIED', 'SERVER_AUTHENTICATION', 'DISABLED'],
  ),
  maintenancePolicy: { message: maintenancePolicy },
  replicaCount: 'int32',
  readReplicasMode: enumOf(
    'Instance.ReadReplicasMode',
    ...['READ_REPLICAS_MODE_UNSPECIFIED', 'READ_REPLICAS_DISABLED', 'READ_REPLICAS_ENABLED'],
  ),
  customerManagedKey: 'string',
  persistenceConfig: { message: persistenceConfig },
  maintenanceVersion: 'string',
};

/** What the cloud says of an instance and takes from nobody; it is accepted and passed over, as by the real one. */
const outputOnly: MessageShape = {
  name: 'string',
  host: 'string',
  port: 'int32',
  currentLocationId: 'string',
  createTime: 'timestamp',
  state: 'string',
  statusMessage: 'string',
  persistenceIamIdentity: 'string',
  serverCaCerts: {
    list: {
      message: {
        serialNumber: 'string',
        cert: 'string',
        createTime: 'timestamp',
        expireTime: 'timestamp',
        sha1Fingerprint: 'string',
      },
    },
  },
  maintenanceSchedule: {
    message: {
      startTime: 'timestamp',
      endTime: 'timestamp',
      canReschedule: 'bool',
      scheduleDeadlineTime: 'timestamp',
    },
  },
  nodes: { list: { message: { id: 'string', zone: 'string' } } },
  readEndpoint: 'string',
  readEndpointPort: 'int32',
  suspensionReasons: { list: 'string' },
  availableMaintenanceVersions: { list: 'string' },
  satisfiesPzs: 'bool',
  satisfiesPzi: 'bool',
};

/** `Instance` of the Memorystore for Redis API, v1. */
export const instanceShape: MessageShape = { ...settable, ...outputOnly };

/** What can be changed once an instance is there; the docs name the configuration without its s. */
const updatable: readonly string[] = [
  ...['displayName', 'labels', 'memorySizeGb', 'redisConfigs', 'replicaCount', 'readReplicasMode'],
  ...['secondaryIpRange', 'authEnabled', 'maintenancePolicy', 'persistenceConfig', 'maintenanceVersion'],
];

/** By the version that brought each; values that are no free text. */
const redisConfigs: Readonly<Record<string, { readonly since: number; readonly value: RegExp }>> = {
  'maxmemory-policy': {
    since: 3.2,
    value: /^(noeviction|(allkeys|volatile)-(lru|random)|volatile-ttl|(allkeys|volatile)-lfu)$/,
  },
  'notify-keyspace-events': { since: 3.2, value: /^[AKEg$lshzxetdmn]*$/ },
  activedefrag: { since: 4, value: /^(yes|no)$/ },
  'lfu-decay-time': { since: 4, value: /^\d+$/ },
  'lfu-log-factor': { since: 4, value: /^\d+$/ },
  'maxmemory-gb': { since: 4, value: /^\d+(\.\d+)?$/ },
  'stream-node-max-bytes': { since: 5, value: /^\d+$/ },
  'stream-node-max-entries': { since: 5, value: /^\d+$/ },
};

const versions: Readonly<Record<string, number>> = {
  REDIS_3_2: 3.2,
  REDIS_4_0: 4,
  REDIS_5_0: 5,
  REDIS_6_X: 6,
  REDIS_7_0: 7,
  REDIS_7_2: 7.2,
};
const defaultVersion = 'REDIS_7_0';

/** What is asked for, without what the cloud says itself and without what is not set. */
const wanted = (message: Message): Message =>
  Object.fromEntries(
    Object.entries(message).filter(
      ([name, value]) =>
        Object.hasOwn(settable, name) && !(typeof value === 'string' && /^$|_UNSPECIFIED$/.test(value)),
    ),
  );

export interface Place {
  readonly project: string;
  readonly region: string;
}

/**
 * An instance as it is made: what was asked for, and the cloud's defaults for the rest.
 *
 * @param message of `instanceShape`.
 * @throws Problem INVALID_ARGUMENT that names the field.
 */
export function newInstance(message: Message, { project, region }: Place): Message {
  const given = wanted(message);
  if (given.tier === undefined) throw invalidField('tier', 'Tier must be specified.');
  const isStandard = given.tier === 'STANDARD_HA';
  const hasReadReplicas = given.readReplicasMode === 'READ_REPLICAS_ENABLED';
  const made: Message = {
    locationId: zonesOf[region]?.[0],
    redisVersion: defaultVersion,
    authorizedNetwork: `projects/${project}/global/networks/default`,
    connectMode: 'DIRECT_PEERING',
    transitEncryptionMode: 'DISABLED',
    readReplicasMode: 'READ_REPLICAS_DISABLED',
    replicaCount: isStandard ? (hasReadReplicas ? 2 : 1) : 0,
    persistenceConfig: { persistenceMode: 'DISABLED' },
    ...given,
  };
  if (isStandard && made.alternativeLocationId === undefined) {
    const other = zonesOf[region]?.find((zone) => zone !== made.locationId);
    return checked({ ...made, alternativeLocationId: other }, { project, region });
  }
  return checked(made, { project, region });
}

/**
 * An instance after a change.
 *
 * @param mask what to take from `message`; what is not set there is taken away.
 * @throws Problem INVALID_ARGUMENT for an empty mask, for what cannot be changed and for a value that cannot be had.
 */
export function changedInstance(
  instance: Message,
  {
    message,
    mask,
    place,
  }: { readonly message: Message; readonly mask: readonly string[]; readonly place: Place },
): Message {
  if (mask.length === 0) throw invalid('update_mask', 'update_mask must be specified');
  const given = wanted(message);
  const changed: Record<string, unknown> = { ...instance };
  for (const path of mask.map((name) => (name === 'redisConfig' ? 'redisConfigs' : name))) {
    if (!updatable.includes(path)) {
      throw invalid('update_mask', `Update of field ${snakeCase(path)} is not supported.`);
    }
    changed[path] = given[path];
  }
  return checked(changed, place);
}

/** An instance with another version of Redis. Throws Problem if that is not a later one. */
export function upgradedInstance(instance: Message, redisVersion: string, place: Place): Message {
  const changed = checked({ ...instance, redisVersion }, place);
  if ((versions[redisVersion] ?? 0) <= (versions[String(instance.redisVersion)] ?? 0)) {
    throw new Problem(
      'INVALID_ARGUMENT',
      `Cannot upgrade from ${instance.redisVersion} to ${redisVersion}: the target must be a later version.`,
    );
  }
  return changed;
}

/** Throws Problem for a name that no instance can have. */
export function checkInstanceId(id: string): void {
  if (!/^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$/.test(id)) {
    throw invalid(
      'instance_id',
      'Instance ID must start with a letter, contain only lowercase letters, numbers, and hyphens, be between 1 and 40 characters, and end with a number or a letter.',
      `Invalid value: ${id}`,
    );
  }
}

const invalidField = (field: string, message: string, value?: unknown): Problem =>
  invalid(`instance.${snakeCase(field)}`, message, value === undefined ? message : `Invalid value: ${value}`);

function checked(instance: Message, { project, region }: Place): Message {
  const { tier, memorySizeGb, redisVersion, locationId, alternativeLocationId, replicaCount } = instance;
  const isStandard = tier === 'STANDARD_HA';
  const hasReadReplicas = instance.readReplicasMode === 'READ_REPLICAS_ENABLED';
  const zones = zonesOf[region] ?? [];
  const size = Number(memorySizeGb ?? 0);
  if (size < 1 || size > 300) {
    throw invalidField('memorySizeGb', 'Memory size must be between 1 and 300 GB.', size);
  }
  if (!Object.hasOwn(versions, String(redisVersion))) {
    const supported = Object.keys(versions).join(', ');
    throw invalidField(
      'redisVersion',
      `Redis version is not supported; it must be one of ${supported}.`,
      redisVersion,
    );
  }
  if (!zones.includes(String(locationId))) {
    throw invalidField(
      'locationId',
      `Zone must be one of region ${region}: ${zones.join(', ')}.`,
      locationId,
    );
  }
  if (alternativeLocationId !== undefined) {
    if (!isStandard) {
      throw invalidField(
        'alternativeLocationId',
        'Alternative zone is only applicable to the standard tier.',
        alternativeLocationId,
      );
    }
    if (alternativeLocationId === locationId || !zones.includes(String(alternativeLocationId))) {
      throw invalidField(
        'alternativeLocationId',
        `Alternative zone must be another one of region ${region}.`,
        alternativeLocationId,
      );
    }
  }
  if (hasReadReplicas && !isStandard) {
    throw invalidField(
      'readReplicasMode',
      'Read replicas are not valid for the basic tier.',
      instance.readReplicasMode,
    );
  }
  if (hasReadReplicas && size < 5) {
    throw invalidField('memorySizeGb', 'Memory size must be at least 5 GB for read replicas.', size);
  }
  const replicas = Number(replicaCount ?? 0);
  const [fewest, most] = isStandard ? (hasReadReplicas ? [1, 5] : [1, 1]) : [0, 0];
  if (replicas < fewest || replicas > most) {
    throw invalidField('replicaCount', `Replica count must be between ${fewest} and ${most}.`, replicas);
  }
  const network = String(instance.authorizedNetwork);
  if (!/^projects\/[^/]+\/global\/networks\/[a-z]([a-z0-9-]*[a-z0-9])?$/.test(network)) {
    throw invalidField(
      'authorizedNetwork',
      'authorized_network must be of the form projects/{project}/global/networks/{network}',
      network,
    );
  }
  if (network.split('/')[1] !== project && instance.connectMode === 'DIRECT_PEERING') {
    throw invalidField(
      'authorizedNetwork',
      'authorized_network must exist in the same project as redis instance',
      network,
    );
  }
  const range = instance.reservedIpRange;
  if (
    typeof range === 'string' &&
    instance.connectMode === 'DIRECT_PEERING' &&
    !/^[\d.]+\/2[89]$/.test(range)
  ) {
    throw invalidField(
      'reservedIpRange',
      'Reserved IP range must be a CIDR range of size /29 or /28.',
      range,
    );
  }
  checkLabels(instance.labels as Readonly<Record<string, string>> | undefined);
  checkConfigs(instance);
  const policy = instance.maintenancePolicy as
    | { readonly description?: string; readonly weeklyMaintenanceWindow?: readonly unknown[] }
    | undefined;
  if ((policy?.description?.length ?? 0) > 512) {
    throw invalidField('maintenancePolicy', 'Description must not be longer than 512 characters.');
  }
  if ((policy?.weeklyMaintenanceWindow?.length ?? 0) > 1) {
    throw invalidField('maintenancePolicy', 'At most one weekly maintenance window is supported.');
  }
  return instance;
}

function checkLabels(labels: Readonly<Record<string, string>> = {}): void {
  for (const [key, value] of Object.entries(labels)) {
    if (!/^(?!goog-)[a-z][a-z0-9_-]{0,62}$/.test(key) || !/^[a-z0-9_-]{0,63}$/.test(value)) {
      throw invalidField(
        'labels',
        'Labels must consist of lowercase letters, numbers, dashes and underscores, of at most 63 characters, and keys must start with a letter, and not with goog-.',
        `${key}=${value}`,
      );
    }
  }
  if (Object.keys(labels).length > 64) throw invalidField('labels', 'There must be at most 64 labels.');
}

function checkConfigs({ redisConfigs: configs, redisVersion, memorySizeGb }: Message): void {
  for (const [name, value] of Object.entries((configs ?? {}) as Readonly<Record<string, string>>)) {
    const known = Object.hasOwn(redisConfigs, name) ? redisConfigs[name] : undefined;
    const isThere = known !== undefined && known.since <= (versions[String(redisVersion)] ?? 0);
    const isFine =
      isThere &&
      known.value.test(value) &&
      !(name === 'maxmemory-gb' && Number(value) > Number(memorySizeGb));
    if (!isThere) {
      throw invalidField(
        'redisConfigs',
        `Redis configuration ${name} is not supported by ${redisVersion}.`,
        name,
      );
    }
    if (!isFine) {
      throw invalidField('redisConfigs', `Redis configuration ${name} cannot have this value.`, value);
    }
  }
}
