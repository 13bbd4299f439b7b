import type { Message, MessageShape } from '../message.ts';
import { snakeCase } from '../message.ts';
import { invalid, Problem } from '../problem.ts';
import { zonesOf } from '../regions.ts';
import type { Place } from './field-checks.ts';
import { checked, invalidField, versions } from './field-checks.ts';

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

/** The fields that a caller may set when creating an instance. */
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

/** Fields that only the cloud sets. The API accepts them in requests and ignores them. */
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

/** The fields that a caller may update. The documentation also spells `redisConfigs` as `redis_config`. */
const updatable: readonly string[] = [
  ...['displayName', 'labels', 'memorySizeGb', 'redisConfigs', 'replicaCount', 'readReplicasMode'],
  ...['secondaryIpRange', 'authEnabled', 'maintenancePolicy', 'persistenceConfig', 'maintenanceVersion'],
];

const defaultVersion = 'REDIS_7_0';

/** The settable fields that have a value. */
const setFields = (message: Message): Message =>
  Object.fromEntries(
    Object.entries(message).filter(
      ([name, value]) =>
        Object.hasOwn(settable, name) && !(typeof value === 'string' && /^$|_UNSPECIFIED$/.test(value)),
    ),
  );

/**
 * The fields of a new instance: those of the request, and defaults for the rest.
 *
 * @param message of `instanceShape`.
 * @throws Problem INVALID_ARGUMENT that names the field.
 */
export function newInstance(message: Message, { project, region }: Place): Message {
  const given = setFields(message);
  if (given.tier === undefined) throw invalidField('tier', 'Tier must be specified.');
  const isStandard = given.tier === 'STANDARD_HA';
  const hasReadReplicas = given.readReplicasMode === 'READ_REPLICAS_ENABLED';
  const created: Message = {
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
  if (isStandard && created.alternativeLocationId === undefined) {
    const other = zonesOf[region]?.find((zone) => zone !== created.locationId);
    return checked({ ...created, alternativeLocationId: other }, { project, region });
  }
  return checked(created, { project, region });
}

/**
 * The fields of an instance after an update.
 *
 * @param mask the fields to copy from `message`. A field without a value there is removed.
 * @throws Problem INVALID_ARGUMENT for an empty mask, a field that cannot be updated or an invalid value.
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
  const given = setFields(message);
  const changed: Record<string, unknown> = { ...instance };
  for (const path of mask.map((name) => (name === 'redisConfig' ? 'redisConfigs' : name))) {
    if (!updatable.includes(path)) {
      throw invalid('update_mask', `Update of field ${snakeCase(path)} is not supported.`);
    }
    changed[path] = given[path];
  }
  return checked(changed, place);
}

/** The fields of an instance with another version of Redis. Throws Problem unless the version is later. */
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

/** Throws Problem for an invalid ID. */
export function checkInstanceId(id: string): void {
  if (!/^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$/.test(id)) {
    throw invalid(
      'instance_id',
      'Instance ID must have 1 to 40 lowercase letters, numbers, and hyphens. It must start with a letter and end with a number or a letter.',
      `Invalid value: ${id}`,
    );
  }
}
