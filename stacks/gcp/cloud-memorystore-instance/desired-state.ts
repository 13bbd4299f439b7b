import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import type { Actual, Observation, OperationType, ReadyFacts, RedisAccess } from '../../../package/stack.ts';
import {
  changing,
  comparison,
  externalName,
  invalid,
  meaningOf,
  notNow,
  observing,
  outOfService,
  unavailable,
  withNeeded,
} from '../../../package/stack.ts';
import type { InstanceId, MemorystoreInstance, NewMemorystoreInstance } from '../client/memorystore.ts';
import { memorystoreStates as states } from '../client/memorystore.ts';
import type { CloudMemorystoreInstance } from '../kinds/cache/v1beta1/cloud-memorystore-instance.ts';
import { CloudMemorystoreInstanceKind } from '../kinds/cache/v1beta1/cloud-memorystore-instance.ts';
import { areLabelsEqual, changedLabels, newLabels, usersLabels } from '../labels.ts';
import { isLaterVersion } from './redis-version.ts';

/** The location and name of an instance. Throws an Error that names missing fields. */
export function idOf(managed: CloudMemorystoreInstance): InstanceId {
  const { initProvider, forProvider } = managed.spec;
  const region = forProvider.region ?? initProvider?.region;
  if (region === undefined) {
    throw invalid('spec.forProvider.region is needed to find an instance', changing('region'));
  }
  return { region, name: externalName(managed) ?? managed.metadata.name };
}

/** The instance that a managed resource asks for. Throws an Error that names missing fields. */
export function newInstance(managed: CloudMemorystoreInstance): NewMemorystoreInstance {
  const parameters = withNeeded(managed, 'instance', ['tier', 'memorySizeGb']);
  const sent = omit(parameters, 'region', 'authorizedNetwork') as NewMemorystoreInstance;
  const { authorizedNetwork: network } = parameters;
  return {
    ...sent,
    ...(network !== undefined && { authorizedNetwork: networkPath(network) }),
    labels: newLabels(managed, parameters.labels),
  };
}

const compare = comparison(CloudMemorystoreInstanceKind, {
  labels: { equals: areLabelsEqual },
  redisVersion: { mayChange: (from, to) => from === undefined || isLaterVersion(to, from) },
  authorizedNetwork: { equals: areNetworksEqual },
  // The cloud returns the addresses that it chose from the range of that name.
  reservedIpRange: { equals: (wanted, actual) => wanted === actual || !isRange(wanted) },
  secondaryIpRange: { equals: (wanted, actual) => wanted === actual || !isRange(wanted) },
  // These fields are sent as a whole.
  persistenceConfig: { equals: arePersistencesEqual },
  maintenancePolicy: { equals: (wanted, actual) => isEqual(settledPolicy(wanted), settledPolicy(actual)) },
});

/** The differences of an instance that we own, and the field mask of the possible changes. */
export function differenceOf(managed: CloudMemorystoreInstance, instance: MemorystoreInstance) {
  const { change: wanted, changed, refused, drifted, observation } = compare(managed, actualOf(instance));
  const labels = changedLabels(managed, {
    actual: instance.labels,
    wanted: wanted.labels,
    isChanging: changed.length > 0,
  });
  const { redisVersion, ...rest } = wanted;
  const change = { ...rest, ...(labels !== undefined && { labels }) } as NewMemorystoreInstance;
  const mask = changed.filter((path) => path !== 'redisVersion' && path !== 'labels');
  return {
    /** A later version, which is installed in a call of its own. */
    redisVersion,
    change,
    mask: labels === undefined ? mask : [...mask, 'labels'],
    refused,
    drifted,
    observation,
  };
}

const reportedFields = Object.keys(CloudMemorystoreInstanceKind.parameters?.shape ?? {}).filter(
  (field) => field !== 'region',
) as readonly (keyof NewMemorystoreInstance)[];

/** The cloud's values for the fields of `forProvider`. The cloud leaves out values that are false, 0 or empty. */
function actualOf(instance: MemorystoreInstance): Actual<CloudMemorystoreInstance> {
  const { displayName, labels, authEnabled = false, replicaCount = 0 } = instance;
  return {
    ...(Object.fromEntries(
      reportedFields.map((field) => [field, instance[field]]),
    ) as Actual<CloudMemorystoreInstance>),
    displayName: displayName || undefined,
    labels: usersLabels(labels),
    authEnabled,
    replicaCount,
  };
}

/** The observation of an instance, without its connection details. */
export function observationOf(
  managed: CloudMemorystoreInstance,
  instance: MemorystoreInstance,
): Observation<CloudMemorystoreInstance> {
  const { redisVersion, mask, ...compared } = differenceOf(managed, instance);
  const { name, state, statusMessage, host, port, readEndpoint, readEndpointPort } = instance;
  const { currentLocationId, createTime, persistenceIamIdentity } = instance;
  const its = meaning(instance);
  const differing = [...(redisVersion === undefined ? [] : ['redisVersion']), ...mask];
  return {
    // The cloud changes nothing during another operation.
    ...(state === states.ready
      ? observing(compared, differing)
      : notNow({ ...compared, changed: differing }, its, 'instance')),
    exists: true,
    ...its,
    status: {
      atProvider: {
        name,
        state,
        ...(statusMessage && { statusMessage }),
        ...(host && { host }),
        ...(port && { port }),
        ...(readEndpoint && { readEndpoint }),
        ...(readEndpointPort && { readEndpointPort }),
        ...(currentLocationId && { currentLocationId }),
        ...(createTime && { createTime }),
        ...(persistenceIamIdentity && { persistenceIamIdentity }),
      },
    },
  };
}

/** The states that Memorystore ends by itself. */
const passing = [states.updating, states.maintenance, 'REPAIRING', 'IMPORTING', 'FAILING_OVER'];

function meaning({ state, statusMessage, suspensionReasons = [] }: MemorystoreInstance): {
  readonly ready: ReadyFacts;
  readonly operation?: OperationType;
} {
  const busy = { creating: states.creating, online: states.ready, deleting: states.deleting };
  if (Object.values(busy).includes(state) && suspensionReasons.length === 0)
    return meaningOf(state, busy, 'instance');
  const why = `the instance is ${state}${statusMessage ? `: ${statusMessage}` : ''}`;
  return suspensionReasons.length > 0
    ? { ready: outOfService(`${why} (${suspensionReasons.toSorted().join(', ')})`) }
    : { ready: unavailable(why), ...(passing.includes(state) && { operation: 'update' }) };
}

/** The connection details of an instance without the password; undefined before it has an address. */
export function accessTo(instance: MemorystoreInstance): Omit<RedisAccess, 'password'> | undefined {
  const { host, port, transitEncryptionMode, serverCaCerts = [], redisVersion = '' } = instance;
  if (!host || !port) return undefined;
  const certificates = serverCaCerts.flatMap(({ cert }) => cert?.trim() || []).join('\n');
  const isEncrypted = transitEncryptionMode === 'SERVER_AUTHENTICATION';
  const knowsUsers = !/^REDIS_[345]_/.test(redisVersion);
  return {
    provider: 'google-cloud',
    host,
    port,
    // The user of the AUTH string.
    ...(knowsUsers && { username: 'default' }),
    ...(isEncrypted && { certificates }),
  };
}

const isRange = (text: string): boolean => /^[0-9a-f.:]+\/\d+$/i.test(text);

/** `projects/p/global/networks/n` for any form of a network's name: its URL, or the end of the URL. */
const networkPath = (network: string): string => network.replace(/^https?:\/\/.*?\/projects\//, 'projects/');

function areNetworksEqual(wanted: string, actual: string): boolean {
  const [one, other] = [networkPath(wanted), networkPath(actual)];
  return one.includes('/') ? one === other : other.endsWith(`/networks/${one}`);
}

type Parameters = CloudMemorystoreInstance['spec']['forProvider'];
type Persistence = NonNullable<Parameters['persistenceConfig']>;
type Policy = NonNullable<Parameters['maintenancePolicy']>;

function arePersistencesEqual(wanted: Persistence, actual: Persistence): boolean {
  const { rdbSnapshotStartTime: start, ...others } = wanted;
  const isSame = Object.entries(others).every(([key, value]) => actual[key as keyof Persistence] === value);
  const at = (time: string | undefined) => Date.parse(time ?? '');
  return isSame && (start === undefined || at(start) === at(actual.rdbSnapshotStartTime));
}

/** A policy with the zeros that the cloud leaves out. */
const settledPolicy = ({ description = '', weeklyMaintenanceWindow = [] }: Policy) => ({
  description,
  weeklyMaintenanceWindow: weeklyMaintenanceWindow.map(({ day, startTime: { hours = 0, minutes = 0 } }) => ({
    day,
    hours,
    minutes,
  })),
});
