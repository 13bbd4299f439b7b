import { X509Certificate } from 'node:crypto';
import type { SelfSignedCertificate } from '../../local/postgresql-certificate.ts';
import { selfSignedCertificate } from '../../local/postgresql-certificate.ts';
import {
  changedInstance,
  checkInstanceId,
  instanceShape,
  newInstance,
  upgradedInstance,
} from './memorystore-fields.ts';
import type { Message } from './message.ts';
import { readFieldMask, readMessage } from './message.ts';
import type { StoredOperation } from './operations.ts';
import { operationJson, timestamp } from './operations.ts';
import type { Status } from './problem.ts';
import { errorInfo, invalid, Problem } from './problem.ts';
import { projectNumber } from './project-number.ts';
import type { RedisBackend } from './redis-backend.ts';
import { zonesOf } from './regions.ts';
import type { Replica, SavedReplica } from './replica.ts';
import { createReplica } from './replica.ts';
import type { Call, Route, Service } from './service.ts';

/** An instance, as it is kept. */
export interface StoredInstance {
  /** As `projects/p/locations/l/instances/i`. */
  readonly name: string;
  readonly project: string;
  readonly region: string;
  /** What was asked for, with the cloud's defaults. */
  readonly fields: Message;
  readonly createdAtMs: number;
  readonly ipRange: string;
  /** Once it is there. */
  readonly host?: string;
  readonly port?: number;
  /** While clients have to say one. */
  readonly authString?: string;
  /** What it shows to clients when it takes TLS only; both PEM. */
  readonly tls?: SelfSignedCertificate;
}

export type InstanceOperation = StoredOperation<StoredInstance>;

/** All there is, as JSON can hold it. */
export interface SavedMemorystore {
  readonly instances: SavedReplica<StoredInstance>;
  readonly operations: readonly InstanceOperation[];
  /** How many instances there have ever been. */
  readonly made: number;
}

export interface MemorystoreOptions {
  /** Clock in milliseconds. */
  readonly now: () => number;
  readonly provisioningMs: number;
  readonly updateMs: number;
  readonly deletionMs: number;
  readonly readDelayMs: number;
  /** What a project may have in a region. */
  readonly quotas: { readonly instances?: number; readonly memoryGb?: number };
  /** Makes AUTH strings and names of operations. */
  readonly newId: () => string;
  /** Default: nothing is behind an instance. */
  readonly backend?: RedisBackend;
  readonly saved?: SavedMemorystore;
}

/** What goes wrong with an operation that the cloud has accepted. */
export interface OperationFault {
  /** Default: whichever comes next. */
  readonly verb?: InstanceOperation['verb'];
  /** Default: code 13, `Internal error`. */
  readonly error?: Status;
}

/** Memorystore for Redis, seen from the inside. */
export interface Memorystore {
  readonly service: Service;
  /** Ends the operations whose time has come, and forgets the old. Whether there were any. */
  settle(): boolean;
  /** Everything as it is. */
  readonly instances: Replica<StoredInstance>;
  operations(): readonly InstanceOperation[];
  /** The next operation of that kind is accepted, and ends with an error. */
  failOperation(fault: OperationFault): void;
  saved(): SavedMemorystore;
  /** Resolves when no Redis is being started, changed or ended. */
  idle(): Promise<void>;
}

/** How far a Redis behind an instance is. */
interface Work {
  place?: { readonly host: string; readonly port: number };
  error?: Status;
  isDone: boolean;
}

const apiName = 'redis.googleapis.com';
/** How long an operation is known after its end: a few hours, says the API. */
const rememberedMs = 3 * 60 * 60_000;
const empty = { '@type': 'type.googleapis.com/google.protobuf.Empty' };

export function createMemorystore(options: MemorystoreOptions): Memorystore {
  const { now, newId, backend, quotas, saved } = options;
  const instances = createReplica<StoredInstance>(options, saved?.instances);
  const operations = new Map(saved?.operations.map((operation) => [operation.name, operation]));
  const works = new Map<string, Work>();
  const underWay = new Set<Promise<unknown>>();
  let faults: readonly OperationFault[] = [];
  let made = saved?.made ?? 0;

  // What a former cloud had running runs again.
  if (backend !== undefined) {
    for (const instance of instances.all()) {
      void follow(backend.run(instance.name, redisOf(instance)).then((place) => move(instance.name, place)));
    }
    for (const operation of operations.values()) if (operation.endedAtMs === undefined) startWork(operation);
  }

  const runningOf = (target: string): InstanceOperation | undefined =>
    [...operations.values()].find(
      (operation) => operation.target === target && operation.endedAtMs === undefined,
    );

  function follow<T>(promise: Promise<T>): Promise<T | undefined> {
    const settled = promise.catch(() => undefined);
    underWay.add(settled);
    return settled.finally(() => underWay.delete(settled));
  }

  /** Says where an instance is, which may be elsewhere than before. */
  function move(name: string, place: { readonly host: string; readonly port: number }): void {
    const instance = instances.get(name);
    if (instance?.host !== undefined) instances.drift(name, { ...instance, ...place });
  }

  /** Has the Redis behind the target follow what the operation is about. */
  function startWork({ name, verb, target, outcome, willFail }: InstanceOperation): void {
    if (backend === undefined || willFail !== undefined) return;
    const work: Work = { isDone: false };
    works.set(name, work);
    const act =
      verb === 'delete' || outcome === undefined
        ? backend.remove(target)
        : backend.run(target, redisOf(outcome)).then((place) => {
            work.place = place;
          });
    void follow(
      act
        .catch((error: unknown) => {
          work.error = { code: 13, message: error instanceof Error ? error.message : 'Internal error' };
        })
        .finally(() => {
          work.isDone = true;
        }),
    );
  }

  function begin(
    verb: InstanceOperation['verb'],
    { project, region, name: target }: Pick<StoredInstance, 'project' | 'region' | 'name'>,
    { durationMs, outcome }: { readonly durationMs: number; readonly outcome?: StoredInstance },
  ): object {
    const fault = faults.find((one) => (one.verb ?? verb) === verb);
    faults = faults.filter((one) => one !== fault);
    const operation: InstanceOperation = {
      name: `projects/${project}/locations/${region}/operations/operation-${now()}-${newId()}`,
      verb,
      target,
      createdAtMs: now(),
      dueAtMs: now() + durationMs,
      ...(outcome !== undefined && { outcome }),
      ...(fault !== undefined && { willFail: fault.error ?? { code: 13, message: 'Internal error' } }),
    };
    operations.set(operation.name, operation);
    startWork(operation);
    return operationJson(operation);
  }

  function finish(operation: InstanceOperation): void {
    const { name, verb, target, outcome } = operation;
    const work = works.get(name);
    works.delete(name);
    const error = operation.willFail ?? work?.error;
    const ended = { ...operation, endedAtMs: Math.max(operation.dueAtMs, operation.createdAtMs) };
    if (error !== undefined) {
      // What could not be made is taken away again.
      if (verb === 'create') instances.remove(target);
      operations.set(name, { ...ended, error });
      return;
    }
    if (outcome === undefined) {
      instances.remove(target);
      operations.set(name, { ...ended, response: empty });
      return;
    }
    const there = { ...outcome, ...(work?.place ?? addressOf(outcome)) };
    instances.put(target, there);
    operations.set(name, ended); // so that it is ready
    const response = {
      '@type': 'type.googleapis.com/google.cloud.redis.v1.Instance',
      ...instanceJson(there),
    };
    operations.set(name, { ...ended, response });
  }

  const isRipe = ({ name, dueAtMs, endedAtMs }: InstanceOperation): boolean =>
    endedAtMs === undefined && now() >= dueAtMs && (works.get(name)?.isDone ?? true);

  function stateOf(name: string): string {
    const verb = runningOf(name)?.verb;
    if (verb === undefined) return 'READY';
    return { create: 'CREATING', update: 'UPDATING', upgrade: 'UPDATING', delete: 'DELETING' }[verb];
  }

  /** `Instance` of the API; what has its type's default value is left out, as in JSON of protocol buffers. */
  function instanceJson(instance: StoredInstance): Message {
    const { name, project, fields, createdAtMs, host, port, ipRange, tls } = instance;
    const zones = [fields.locationId, fields.alternativeLocationId].filter((zone) => zone !== undefined);
    const all = {
      name,
      ...fields,
      reservedIpRange: fields.reservedIpRange ?? ipRange,
      currentLocationId: fields.locationId,
      createTime: timestamp(createdAtMs),
      state: stateOf(name),
      host,
      port,
      persistenceIamIdentity: `serviceAccount:${projectNumber(project)}-compute@developer.gserviceaccount.com`,
      serverCaCerts: tls === undefined || host === undefined ? [] : [certificateJson(tls.certificate)],
      nodes: host === undefined ? [] : zones.map((zone, index) => ({ id: `node-${index}`, zone })),
    };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => !isDefault(value)));
  }

  const nameOf = ({ path }: Call): string =>
    `projects/${path.project}/locations/${path.location}/instances/${path.instance}`;

  function placeOf({ path }: Call): { readonly project: string; readonly region: string } {
    const { project = '', location = '' } = path;
    if (!Object.hasOwn(zonesOf, location)) throw noLocation(project, location);
    return { project, region: location };
  }

  /** As it is; throws Problem when it is not there, or has an operation under way. */
  function idleInstance(call: Call, verb: string): StoredInstance {
    placeOf(call);
    const instance = instances.get(nameOf(call));
    if (instance === undefined) throw notFound(nameOf(call));
    if (runningOf(instance.name) !== undefined) {
      throw new Problem(
        'FAILED_PRECONDITION',
        `Unable to ${verb} due to ongoing operations. Please wait until instance is in READY state.`,
      );
    }
    return instance;
  }

  function checkQuota(
    { project, region }: { project: string; region: string },
    fields: Message,
    but?: string,
  ): void {
    const others = instances
      .all()
      .filter((one) => one.project === project && one.region === region && one.name !== but);
    const gb = others.reduce((sum, one) => sum + Number(one.fields.memorySizeGb), 0);
    if (but === undefined && quotas.instances !== undefined && others.length >= quotas.instances) {
      throw overQuota('InstancesPerRegion', { limit: quotas.instances, project, region });
    }
    if (quotas.memoryGb !== undefined && gb + Number(fields.memorySizeGb) > quotas.memoryGb) {
      throw overQuota('TotalCapacityGbPerRegion', { limit: quotas.memoryGb, project, region });
    }
  }

  const under = '/v1/projects/{project}/locations';
  const one = `${under}/{location}/instances/{instance}`;
  const operationTemplate = `${under}/{location}/operations/{operation}`;

  const routes: readonly Route[] = [
    {
      verb: 'GET',
      template: under,
      permission: 'redis.locations.list',
      query: ['filter', 'pageSize', 'pageToken'],
      act: ({ path }) => ({
        locations: Object.keys(zonesOf).map((region) => locationJson(String(path.project), region)),
      }),
    },
    {
      verb: 'GET',
      template: `${under}/{location}`,
      permission: 'redis.locations.get',
      act(call) {
        const { project, region } = placeOf(call);
        return locationJson(project, region);
      },
    },
    {
      verb: 'GET',
      template: `${under}/{location}/instances`,
      permission: 'redis.instances.list',
      query: ['pageSize', 'pageToken'],
      act(call) {
        const { project, location } = call.path;
        if (location !== '-') placeOf(call);
        const found = instances
          .readAll()
          .filter((each) => each.project === project && (location === '-' || each.region === location));
        const { items, ...next } = pageOf(found, call.query);
        return { ...(items.length > 0 && { instances: items.map(instanceJson) }), ...next };
      },
    },
    {
      verb: 'POST',
      template: `${under}/{location}/instances`,
      permission: 'redis.instances.create',
      query: ['instanceId'],
      act(call) {
        const place = placeOf(call);
        const id = call.query.get('instanceId') ?? '';
        checkInstanceId(id);
        const fields = newInstance(readMessage(call.json(), instanceShape, 'instance'), place);
        const name = nameOf({ ...call, path: { ...call.path, instance: id } });
        if (instances.get(name) !== undefined) throw alreadyExists(name);
        checkQuota(place, fields);
        made += 1;
        const instance: StoredInstance = {
          ...place,
          name,
          fields,
          createdAtMs: now(),
          ipRange: `10.${(made >> 13) & 255}.${(made >> 5) & 255}.${(made & 31) * 8}/29`,
          ...(fields.authEnabled === true && { authString: newId() }),
          ...(fields.transitEncryptionMode === 'SERVER_AUTHENTICATION' && {
            tls: selfSignedCertificate(new Date(now())),
          }),
        };
        instances.put(name, instance);
        return begin('create', instance, { durationMs: options.provisioningMs, outcome: instance });
      },
    },
    {
      verb: 'GET',
      template: one,
      permission: 'redis.instances.get',
      act(call) {
        placeOf(call);
        const instance = instances.read(nameOf(call));
        if (instance === undefined) throw notFound(nameOf(call));
        return instanceJson(instance);
      },
    },
    {
      verb: 'GET',
      template: `${one}/authString`,
      permission: 'redis.instances.getAuthString',
      act(call) {
        placeOf(call);
        const instance = instances.read(nameOf(call));
        if (instance === undefined) throw notFound(nameOf(call));
        // Nothing while AUTH is off.
        return instance.authString === undefined ? {} : { authString: instance.authString };
      },
    },
    {
      verb: 'PATCH',
      template: one,
      permission: 'redis.instances.update',
      query: ['updateMask'],
      act(call) {
        const place = placeOf(call);
        const message = readMessage(call.json(), instanceShape, 'instance');
        const mask = readFieldMask(call.query.get('updateMask') ?? undefined);
        const instance = idleInstance(call, 'update');
        const fields = changedInstance(instance.fields, { message, mask, place });
        checkQuota(place, fields, instance.name);
        const { authString, ...rest } = instance;
        const outcome: StoredInstance = {
          ...rest,
          fields,
          ...(fields.authEnabled === true && { authString: authString ?? newId() }),
        };
        return begin('update', instance, { durationMs: options.updateMs, outcome });
      },
    },
    {
      verb: 'POST',
      template: `${one}:upgrade`,
      permission: 'redis.instances.upgrade',
      act(call) {
        const place = placeOf(call);
        const { redisVersion = '' } = readMessage(
          call.json(),
          { name: 'string', redisVersion: 'string' },
          '',
        );
        const instance = idleInstance(call, 'upgrade');
        const fields = upgradedInstance(instance.fields, String(redisVersion), place);
        return begin('upgrade', instance, { durationMs: options.updateMs, outcome: { ...instance, fields } });
      },
    },
    {
      verb: 'DELETE',
      template: one,
      permission: 'redis.instances.delete',
      act: (call) => begin('delete', idleInstance(call, 'delete'), { durationMs: options.deletionMs }),
    },
    {
      verb: 'GET',
      template: `${under}/{location}/operations`,
      permission: 'redis.operations.list',
      query: ['filter', 'pageSize', 'pageToken'],
      act(call) {
        const { project, region } = placeOf(call);
        const prefix = `projects/${project}/locations/${region}/operations/`;
        const found = [...operations.values()].filter(({ name }) => name.startsWith(prefix));
        const { items, ...next } = pageOf(found, call.query);
        return { ...(items.length > 0 && { operations: items.map(operationJson) }), ...next };
      },
    },
    {
      verb: 'GET',
      template: operationTemplate,
      permission: 'redis.operations.get',
      act: (call) => operationJson(operationOf(call)),
    },
    {
      verb: 'DELETE',
      template: operationTemplate,
      permission: 'redis.operations.delete',
      act(call) {
        const operation = operationOf(call);
        if (operation.endedAtMs !== undefined) operations.delete(operation.name);
        return {};
      },
    },
    {
      verb: 'POST',
      template: `${operationTemplate}:cancel`,
      permission: 'redis.operations.cancel',
      act(call) {
        // Best effort, says the API: here it is noted, and the operation goes on.
        const operation = operationOf(call);
        operations.set(operation.name, { ...operation, cancelRequested: true });
        return {};
      },
    },
  ];

  function operationOf(call: Call): InstanceOperation {
    const { project, region } = placeOf(call);
    const name = `projects/${project}/locations/${region}/operations/${call.path.operation}`;
    const operation = operations.get(name);
    if (operation === undefined) throw notFound(name);
    return operation;
  }

  return {
    instances,
    operations: () => [...operations.values()],
    failOperation(fault) {
      faults = [...faults, fault];
    },
    settle() {
      const ripe = [...operations.values()].filter(isRipe);
      ripe.forEach(finish);
      const old = [...operations.values()].filter(
        ({ endedAtMs = now() }) => now() - endedAtMs > rememberedMs,
      );
      for (const { name } of old) operations.delete(name);
      return ripe.length + old.length > 0;
    },
    saved: () => ({ instances: instances.saved(), operations: [...operations.values()], made }),
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    service: {
      name: apiName,
      title: 'Google Cloud Memorystore for Redis API',
      routes,
      scopes: {
        read: ['cloud-platform', 'redis.read-only', 'redis.read-write'],
        write: ['cloud-platform', 'redis.read-write'],
      },
      denied: (permission, resource) =>
        new Problem('PERMISSION_DENIED', `Permission '${permission}' denied on '${resource}'`, {
          details: [errorInfo('IAM_PERMISSION_DENIED', 'iam.googleapis.com', { permission, resource })],
        }),
      noProject: (project) =>
        new Problem('PERMISSION_DENIED', `Permission denied on resource project ${project}.`, {
          details: [
            errorInfo('CONSUMER_INVALID', 'googleapis.com', {
              consumer: `projects/${project}`,
              service: apiName,
            }),
          ],
        }),
    },
  };
}

/** Where an instance is reached that has nothing behind it: the fourth address of its range, and Memorystore's port. */
const addressOf = ({ ipRange, tls }: StoredInstance): { readonly host: string; readonly port: number } => {
  const [a, b, c, d] = ipRange.replace(/\/.*/, '').split('.').map(Number);
  return { host: `${a}.${b}.${c}.${(d ?? 0) + 3}`, port: tls === undefined ? 6379 : 6378 };
};

function redisOf({ fields, authString, port, tls }: StoredInstance): Parameters<RedisBackend['run']>[1] {
  const given = (fields.redisConfigs ?? {}) as Readonly<Record<string, string>>;
  const { 'maxmemory-gb': maxmemoryGb, ...configs } = given;
  return {
    ...(authString !== undefined && { authString }),
    memoryBytes: Math.floor(Number(maxmemoryGb ?? fields.memorySizeGb) * 2 ** 30),
    configs,
    ...(port !== undefined && { port }),
    ...(tls !== undefined && { tls }),
  };
}

/** `TlsCertificate` of the API. */
function certificateJson(cert: string): object {
  const { serialNumber, fingerprint, validFromDate, validToDate } = new X509Certificate(cert);
  return {
    serialNumber,
    cert,
    createTime: timestamp(validFromDate.getTime()),
    expireTime: timestamp(validToDate.getTime()),
    sha1Fingerprint: fingerprint.replaceAll(':', '').toLowerCase(),
  };
}

const isDefault = (value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

const locationJson = (project: string, region: string): object => ({
  name: `projects/${project}/locations/${region}`,
  locationId: region,
  metadata: {
    '@type': 'type.googleapis.com/google.cloud.redis.v1.LocationMetadata',
    availableZones: Object.fromEntries((zonesOf[region] ?? []).map((zone) => [zone, {}])),
  },
});

/** A page by number of its first item. Throws Problem for a size or a token that is none. */
function pageOf<T>(
  all: readonly T[],
  query: URLSearchParams,
): { readonly items: readonly T[]; readonly nextPageToken?: string } {
  const size = Number(query.get('pageSize') ?? 0);
  if (!Number.isInteger(size) || size < 0) throw invalid('page_size', 'Invalid page size.');
  const token = query.get('pageToken') || '0';
  if (!/^\d{1,9}$/.test(token)) throw invalid('page_token', 'Invalid page token.');
  const from = Number(token);
  const until = from + Math.min(size || 1000, 1000);
  return {
    items: all.slice(from, until),
    ...(until < all.length && { nextPageToken: String(until) }),
  };
}

const resourceInfo = (resourceName: string) => ({
  '@type': 'type.googleapis.com/google.rpc.ResourceInfo',
  resourceName,
});

const notFound = (name: string): Problem =>
  new Problem('NOT_FOUND', `Resource '${name}' was not found`, { details: [resourceInfo(name)] });

const alreadyExists = (name: string): Problem =>
  new Problem('ALREADY_EXISTS', `Resource '${name}' already exists`, { details: [resourceInfo(name)] });

const noLocation = (project: string, location: string): Problem =>
  new Problem('PERMISSION_DENIED', `Permission denied on 'locations/${location}' (or it may not exist).`, {
    details: [
      errorInfo('LOCATION_POLICY_VIOLATED', 'googleapis.com', {
        consumer: `projects/${project}`,
        location,
        service: apiName,
      }),
    ],
  });

function overQuota(
  name: string,
  { limit, project, region }: { readonly limit: number; readonly project: string; readonly region: string },
): Problem {
  const description = `Quota limit '${name}' has been exceeded. Limit: ${limit} in region ${region}.`;
  return new Problem('RESOURCE_EXHAUSTED', description, {
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [{ subject: `project:${project}`, description }],
      },
    ],
  });
}
