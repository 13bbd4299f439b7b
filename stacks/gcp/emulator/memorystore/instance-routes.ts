import { selfSignedCertificate } from '../../../../package/testing.ts';
import type { Message } from '../message.ts';
import { readFieldMask, readMessage } from '../message.ts';
import type { Replica } from '../replica.ts';
import type { Call, Route } from '../service.ts';
import type { Place } from './field-checks.ts';
import type { StoredInstance } from './instance.ts';
import { instanceJson, stateDuring } from './instance.ts';
import {
  changedInstance,
  checkInstanceId,
  instanceShape,
  newInstance,
  upgradedInstance,
} from './instance-fields.ts';
import type { InstanceOperations } from './instance-operations.ts';
import { locationsTemplate, placeOf } from './location-routes.ts';
import { pageOf } from './page.ts';
import { alreadyExists, notFound, operationRuns, overQuota } from './problems.ts';

/** The instances, and the dependencies of their methods. */
export interface InstanceMethods {
  readonly instances: Replica<StoredInstance>;
  readonly operations: InstanceOperations;
  /** The quotas of a project in a region. */
  readonly quotas: { readonly instances?: number; readonly memoryGb?: number };
  /** How long the operations take, in milliseconds. */
  readonly durations: {
    readonly provisioningMs: number;
    readonly updateMs: number;
    readonly deletionMs: number;
  };
  /** Clock in milliseconds. */
  readonly now: () => number;
  /** Creates AUTH strings. */
  readonly newId: () => string;
  /** Counts a new instance. Returns how many instances were created so far. */
  readonly countCreated: () => number;
}

const collection = `${locationsTemplate}/{location}/instances`;
const one = `${collection}/{instance}`;

/** The methods on instances. */
export const instanceRoutes = (methods: InstanceMethods): readonly Route[] => [
  {
    verb: 'GET',
    template: collection,
    permission: 'redis.instances.list',
    query: ['pageSize', 'pageToken'],
    act: (call) => listInstances(methods, call),
  },
  {
    verb: 'POST',
    template: collection,
    permission: 'redis.instances.create',
    query: ['instanceId'],
    act: (call) => createInstance(methods, call),
  },
  {
    verb: 'GET',
    template: one,
    permission: 'redis.instances.get',
    act: (call) => described(methods, readInstance(methods, call)),
  },
  {
    verb: 'GET',
    template: `${one}/authString`,
    permission: 'redis.instances.getAuthString',
    act(call) {
      const { authString } = readInstance(methods, call);
      return authString === undefined ? {} : { authString };
    },
  },
  {
    verb: 'PATCH',
    template: one,
    permission: 'redis.instances.update',
    query: ['updateMask'],
    act: (call) => updateInstance(methods, call),
  },
  {
    verb: 'POST',
    template: `${one}:upgrade`,
    permission: 'redis.instances.upgrade',
    act: (call) => upgradeInstance(methods, call),
  },
  {
    verb: 'DELETE',
    template: one,
    permission: 'redis.instances.delete',
    act: (call) =>
      methods.operations.begin('delete', idleInstance(methods, call, 'delete'), {
        durationMs: methods.durations.deletionMs,
      }),
  },
];

function listInstances(methods: InstanceMethods, call: Call): object {
  const { project, location } = call.path;
  if (location !== '-') placeOf(call);
  const found = methods.instances
    .readAll()
    .filter((each) => each.project === project && (location === '-' || each.region === location));
  const { items, ...next } = pageOf(found, call.query);
  return { ...(items.length > 0 && { instances: items.map((each) => described(methods, each)) }), ...next };
}

function createInstance(methods: InstanceMethods, call: Call): object {
  const { instances, operations, now, newId } = methods;
  const place = placeOf(call);
  const id = call.query.get('instanceId') ?? '';
  checkInstanceId(id);
  const fields = newInstance(readMessage(call.json(), instanceShape, 'instance'), place);
  const name = instanceName(call, id);
  if (instances.get(name) !== undefined) throw alreadyExists(name);
  checkQuota(methods, place, { fields });
  const instance: StoredInstance = {
    ...place,
    name,
    fields,
    createdAtMs: now(),
    ipRange: ipRangeOf(methods.countCreated()),
    ...(fields.authEnabled === true && { authString: newId() }),
    ...(fields.transitEncryptionMode === 'SERVER_AUTHENTICATION' && {
      tls: selfSignedCertificate(new Date(now())),
    }),
  };
  instances.put(name, instance);
  const durationMs = methods.durations.provisioningMs;
  return operations.begin('create', instance, { durationMs, outcome: instance });
}

function updateInstance(methods: InstanceMethods, call: Call): object {
  const place = placeOf(call);
  const message = readMessage(call.json(), instanceShape, 'instance');
  const mask = readFieldMask(call.query.get('updateMask') ?? undefined);
  const instance = idleInstance(methods, call, 'update');
  const fields = changedInstance(instance.fields, { message, mask, place });
  checkQuota(methods, place, { fields, name: instance.name });
  const { authString, ...rest } = instance;
  const outcome: StoredInstance = {
    ...rest,
    fields,
    ...(fields.authEnabled === true && { authString: authString ?? methods.newId() }),
  };
  return methods.operations.begin('update', instance, { durationMs: methods.durations.updateMs, outcome });
}

function upgradeInstance(methods: InstanceMethods, call: Call): object {
  const place = placeOf(call);
  const shape = { name: 'string', redisVersion: 'string' } as const;
  const { redisVersion = '' } = readMessage(call.json(), shape, '');
  const instance = idleInstance(methods, call, 'upgrade');
  const fields = upgradedInstance(instance.fields, String(redisVersion), place);
  const outcome = { ...instance, fields };
  return methods.operations.begin('upgrade', instance, { durationMs: methods.durations.updateMs, outcome });
}

const instanceName = ({ path }: Call, id = path.instance): string =>
  `projects/${path.project}/locations/${path.location}/instances/${id}`;

const described = ({ operations }: InstanceMethods, instance: StoredInstance): Message =>
  instanceJson(instance, stateDuring(operations.runningOn(instance.name)?.verb));

/** The instance that the path names, as readers see it. Throws Problem. */
function readInstance({ instances }: InstanceMethods, call: Call): StoredInstance {
  placeOf(call);
  const instance = instances.read(instanceName(call));
  if (instance === undefined) throw notFound(instanceName(call));
  return instance;
}

/** The instance that the path names. Throws Problem if there is none, and if an operation runs on the instance. */
function idleInstance({ instances, operations }: InstanceMethods, call: Call, verb: string): StoredInstance {
  placeOf(call);
  const instance = instances.get(instanceName(call));
  if (instance === undefined) throw notFound(instanceName(call));
  if (operations.runningOn(instance.name) !== undefined) throw operationRuns(verb);
  return instance;
}

/** Throws Problem if the project cannot have an instance with these fields. `name` is that of an existing instance. */
function checkQuota(
  { instances, quotas }: InstanceMethods,
  { project, region }: Place,
  { fields, name }: { readonly fields: Message; readonly name?: string },
): void {
  const others = instances
    .all()
    .filter((each) => each.project === project && each.region === region && each.name !== name);
  const gb = others.reduce((sum, each) => sum + Number(each.fields.memorySizeGb), 0);
  if (name === undefined && quotas.instances !== undefined && others.length >= quotas.instances) {
    throw overQuota('InstancesPerRegion', { limit: quotas.instances, project, region });
  }
  if (quotas.memoryGb !== undefined && gb + Number(fields.memorySizeGb) > quotas.memoryGb) {
    throw overQuota('TotalCapacityGbPerRegion', { limit: quotas.memoryGb, project, region });
  }
}

/** A range of its own for each instance: eight addresses after those of the previous instance. */
const ipRangeOf = (count: number): string =>
  `10.${(count >> 13) & 255}.${(count >> 5) & 255}.${(count & 31) * 8}/29`;
