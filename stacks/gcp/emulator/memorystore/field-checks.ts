import type { Message } from '../message.ts';
import { snakeCase } from '../message.ts';
import type { Problem } from '../problem.ts';
import { invalid } from '../problem.ts';
import { zonesOf } from '../regions.ts';

/** Where an instance is. */
export interface Place {
  readonly project: string;
  readonly region: string;
}

/** The versions of Redis, by the name that the API gives them. */
export const versions: Readonly<Record<string, number>> = {
  REDIS_3_2: 3.2,
  REDIS_4_0: 4,
  REDIS_5_0: 5,
  REDIS_6_X: 6,
  REDIS_7_0: 7,
  REDIS_7_2: 7.2,
};

/** The supported configurations: the first version of Redis that has each, and the form of its values. */
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

/** Throws Problem INVALID_ARGUMENT if the field of the instance is invalid. */
type Check = (instance: Message, place: Place) => void;

/** Returns the fields of an instance if the API accepts them. The first check that fails throws Problem. */
export function checked(instance: Message, place: Place): Message {
  for (const check of checks) check(instance, place);
  return instance;
}

const checkMemorySize: Check = ({ memorySizeGb }) => {
  const size = Number(memorySizeGb ?? 0);
  if (size < 1 || size > 300) {
    throw invalidField('memorySizeGb', 'Memory size must be between 1 and 300 GB.', size);
  }
};

const checkVersion: Check = ({ redisVersion }) => {
  if (Object.hasOwn(versions, String(redisVersion))) return;
  const supported = Object.keys(versions).join(', ');
  throw invalidField(
    'redisVersion',
    `Redis version is not supported; it must be one of ${supported}.`,
    redisVersion,
  );
};

const checkZone: Check = ({ locationId }, { region }) => {
  const zones = zonesOf[region] ?? [];
  if (zones.includes(String(locationId))) return;
  throw invalidField('locationId', `Zone must be one of region ${region}: ${zones.join(', ')}.`, locationId);
};

const checkAlternativeZone: Check = (instance, { region }) => {
  const { alternativeLocationId: zone, locationId } = instance;
  if (zone === undefined) return;
  if (!isStandard(instance)) {
    throw invalidField(
      'alternativeLocationId',
      'Alternative zone is only applicable to the standard tier.',
      zone,
    );
  }
  if (zone === locationId || !(zonesOf[region] ?? []).includes(String(zone))) {
    throw invalidField(
      'alternativeLocationId',
      `Alternative zone must be another one of region ${region}.`,
      zone,
    );
  }
};

const checkReadReplicas: Check = (instance) => {
  if (!hasReadReplicas(instance)) return;
  if (!isStandard(instance)) {
    throw invalidField(
      'readReplicasMode',
      'Read replicas are not valid for the basic tier.',
      instance.readReplicasMode,
    );
  }
  const size = Number(instance.memorySizeGb ?? 0);
  if (size < 5) {
    throw invalidField('memorySizeGb', 'Memory size must be at least 5 GB for read replicas.', size);
  }
};

const checkReplicaCount: Check = (instance) => {
  const replicas = Number(instance.replicaCount ?? 0);
  const [fewest, most] = isStandard(instance) ? (hasReadReplicas(instance) ? [1, 5] : [1, 1]) : [0, 0];
  if (replicas < fewest || replicas > most) {
    throw invalidField('replicaCount', `Replica count must be between ${fewest} and ${most}.`, replicas);
  }
};

const checkNetwork: Check = (instance, { project }) => {
  const network = String(instance.authorizedNetwork);
  if (!/^projects\/[^/]+\/global\/networks\/[a-z]([a-z0-9-]*[a-z0-9])?$/.test(network)) {
    throw invalidField(
      'authorizedNetwork',
      'authorized_network must be of the form projects/{project}/global/networks/{network}',
      network,
    );
  }
  if (network.split('/')[1] !== project && isDirectlyPeered(instance)) {
    throw invalidField(
      'authorizedNetwork',
      'authorized_network must exist in the same project as redis instance',
      network,
    );
  }
};

const checkIpRange: Check = (instance) => {
  const range = instance.reservedIpRange;
  if (typeof range === 'string' && isDirectlyPeered(instance) && !/^[\d.]+\/2[89]$/.test(range)) {
    throw invalidField(
      'reservedIpRange',
      'Reserved IP range must be a CIDR range of size /29 or /28.',
      range,
    );
  }
};

const checkLabels: Check = (instance) => {
  const labels = (instance.labels ?? {}) as Readonly<Record<string, string>>;
  for (const [key, value] of Object.entries(labels)) {
    if (!/^(?!goog-)[a-z][a-z0-9_-]{0,62}$/.test(key) || !/^[a-z0-9_-]{0,63}$/.test(value)) {
      throw invalidField(
        'labels',
        'Labels must consist of lowercase letters, numbers, dashes and underscores, of at most 63 characters. Keys must start with a letter, and not with goog-.',
        `${key}=${value}`,
      );
    }
  }
  if (Object.keys(labels).length > 64) throw invalidField('labels', 'There must be at most 64 labels.');
};

const checkConfigs: Check = ({ redisConfigs: configs, redisVersion, memorySizeGb }) => {
  for (const [name, value] of Object.entries((configs ?? {}) as Readonly<Record<string, string>>)) {
    const known = Object.hasOwn(redisConfigs, name) ? redisConfigs[name] : undefined;
    if (known === undefined || known.since > (versions[String(redisVersion)] ?? 0)) {
      throw invalidField(
        'redisConfigs',
        `Redis configuration ${name} is not supported by ${redisVersion}.`,
        name,
      );
    }
    if (!known.value.test(value) || (name === 'maxmemory-gb' && Number(value) > Number(memorySizeGb))) {
      throw invalidField('redisConfigs', `Redis configuration ${name} cannot have this value.`, value);
    }
  }
};

const checkMaintenance: Check = ({ maintenancePolicy }) => {
  const policy = maintenancePolicy as
    | { readonly description?: string; readonly weeklyMaintenanceWindow?: readonly unknown[] }
    | undefined;
  if ((policy?.description?.length ?? 0) > 512) {
    throw invalidField('maintenancePolicy', 'Description must not be longer than 512 characters.');
  }
  if ((policy?.weeklyMaintenanceWindow?.length ?? 0) > 1) {
    throw invalidField('maintenancePolicy', 'At most one weekly maintenance window is supported.');
  }
};

const checks: readonly Check[] = [
  ...[checkMemorySize, checkVersion, checkZone, checkAlternativeZone, checkReadReplicas, checkReplicaCount],
  ...[checkNetwork, checkIpRange, checkLabels, checkConfigs, checkMaintenance],
];

const isStandard = ({ tier }: Message): boolean => tier === 'STANDARD_HA';
const hasReadReplicas = ({ readReplicasMode }: Message): boolean =>
  readReplicasMode === 'READ_REPLICAS_ENABLED';
const isDirectlyPeered = ({ connectMode }: Message): boolean => connectMode === 'DIRECT_PEERING';

/** A refusal that names a field of the instance. */
export const invalidField = (field: string, message: string, value?: unknown): Problem =>
  invalid(`instance.${snakeCase(field)}`, message, value === undefined ? message : `Invalid value: ${value}`);
