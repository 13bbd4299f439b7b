import { z } from 'zod';
import type { HttpClient, HttpRequest } from '../../../package/http.ts';
import { isMissing, nonsense } from '../../../package/http.ts';
import { pathOf } from './google-api.ts';
import type { Operation } from './operation.ts';
import { getOperation, operationFailure, operationIn } from './operation.ts';

/** The states of the cloud that this client knows. */
export const memorystoreStates = {
  creating: 'CREATING',
  ready: 'READY',
  updating: 'UPDATING',
  deleting: 'DELETING',
  maintenance: 'MAINTENANCE',
};

/** The fields of an instance that can be requested, as in the API. The cloud chooses absent fields. */
const settable = {
  tier: z.string().optional(),
  memorySizeGb: z.int().optional(),
  displayName: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  locationId: z.string().optional(),
  alternativeLocationId: z.string().optional(),
  redisVersion: z.string().optional(),
  reservedIpRange: z.string().optional(),
  secondaryIpRange: z.string().optional(),
  redisConfigs: z.record(z.string(), z.string()).optional(),
  authorizedNetwork: z.string().optional(),
  connectMode: z.string().optional(),
  authEnabled: z.boolean().optional(),
  transitEncryptionMode: z.string().optional(),
  replicaCount: z.int().optional(),
  readReplicasMode: z.string().optional(),
  customerManagedKey: z.string().optional(),
  persistenceConfig: z
    .object({
      persistenceMode: z.string().optional(),
      rdbSnapshotPeriod: z.string().optional(),
      rdbSnapshotStartTime: z.string().optional(),
    })
    .optional(),
  maintenancePolicy: z
    .object({
      description: z.string().optional(),
      weeklyMaintenanceWindow: z
        .array(
          z.object({
            day: z.string(),
            startTime: z.object({ hours: z.int().optional(), minutes: z.int().optional() }).default({}),
          }),
        )
        .optional(),
    })
    .optional(),
};

const instanceSchema = z.object({
  ...settable,
  /** `projects/p/locations/l/instances/i`. */
  name: z.string(),
  state: z.string(),
  statusMessage: z.string().optional(),
  /** Why the instance cannot work, such as `CUSTOMER_MANAGED_KEY_ISSUE`. */
  suspensionReasons: z.array(z.string()).optional(),
  /** The address of the instance; absent while it is being created. */
  host: z.string().optional(),
  port: z.int().optional(),
  readEndpoint: z.string().optional(),
  readEndpointPort: z.int().optional(),
  currentLocationId: z.string().optional(),
  createTime: z.string().optional(),
  persistenceIamIdentity: z.string().optional(),
  serverCaCerts: z.array(z.object({ cert: z.string().optional() })).optional(),
});
export type MemorystoreInstance = z.output<typeof instanceSchema>;

const settableSchema = z.object(settable);
export type NewMemorystoreInstance = z.output<typeof settableSchema>;

/** The location and name of an instance within a project. */
export interface InstanceId {
  readonly region: string;
  readonly name: string;
}

/** Memorystore for Redis, v1, in one project. All methods throw CloudError. Changes return the name of an operation. */
export interface Memorystore {
  /** Undefined if the cloud answers that there is no instance of that name. */
  get(id: InstanceId, signal?: AbortSignal): Promise<MemorystoreInstance | undefined>;
  /** The AUTH string that applications send; undefined if AUTH is disabled. */
  authString(id: InstanceId, signal?: AbortSignal): Promise<string | undefined>;
  /** Throws CloudError with status 409 if another instance has the name. */
  create(id: InstanceId, wanted: NewMemorystoreInstance, signal?: AbortSignal): Promise<string>;
  /** Changes the fields in the mask. A field that is in the mask and not in `change` is removed. */
  update(
    id: InstanceId,
    given: { readonly change: NewMemorystoreInstance; readonly mask: readonly string[] },
    signal?: AbortSignal,
  ): Promise<string>;
  /** Upgrades to a later version. */
  upgrade(id: InstanceId, redisVersion: string, signal?: AbortSignal): Promise<string>;
  /** Undefined if the instance was deleted before. */
  delete(id: InstanceId, signal?: AbortSignal): Promise<string | undefined>;
  /** Undefined if the cloud does not know an operation of that name (any more). */
  operation(name: string, signal?: AbortSignal): Promise<Operation | undefined>;
  /** The error of an operation; undefined: it has not failed. */
  failureOf(operation: Operation): Error | undefined;
}

export interface MemorystoreOptions {
  readonly http: HttpClient;
  readonly projectID: string;
  readonly account: string;
}

export function memorystoreClient({ http, projectID, account }: MemorystoreOptions): Memorystore {
  const parentOf = (region: string): readonly string[] => ['projects', projectID, 'locations', region];
  const pathTo = ({ region, name }: InstanceId): string => pathOf(...parentOf(region), 'instances', name);
  const begin = async (request: HttpRequest, signal?: AbortSignal): Promise<string> =>
    operationIn(request.what, await http.request(request, signal)).name;

  return {
    async get(id, signal) {
      const what = `get instance "${id.name}" in ${id.region}`;
      try {
        const answer = await http.request({ what, method: 'GET', path: pathTo(id) }, signal);
        const { success, data, error } = instanceSchema.safeParse(answer);
        if (!success) throw nonsense(what, `its ${error.issues[0]?.path.join('.')} is not as documented`);
        // guard: otherwise an answer about another instance counts
        if (!data.name.endsWith(`/instances/${id.name}`)) throw nonsense(what, `it is about "${data.name}"`);
        return data;
      } catch (error) {
        if (isMissing(error, 'NOT_FOUND')) return undefined;
        throw error;
      }
    },
    async authString(id, signal) {
      const what = `get the AUTH string of instance "${id.name}" in ${id.region}`;
      const answer = await http.request({ what, method: 'GET', path: `${pathTo(id)}/authString` }, signal);
      const { authString } = (answer ?? {}) as { readonly authString?: unknown };
      return typeof authString === 'string' && authString !== '' ? authString : undefined;
    },
    create: ({ region, name }, wanted, signal) =>
      begin(
        {
          what: `create instance "${name}" in ${region}`,
          method: 'POST',
          path: pathOf(...parentOf(region), 'instances'),
          query: { instanceId: name },
          body: wanted,
        },
        signal,
      ),
    update: (id, { change, mask }, signal) =>
      begin(
        {
          what: `update instance "${id.name}" in ${id.region}`,
          method: 'PATCH',
          path: pathTo(id),
          query: { updateMask: mask.join(',') },
          body: change,
        },
        signal,
      ),
    upgrade: (id, redisVersion, signal) =>
      begin(
        {
          what: `upgrade instance "${id.name}" in ${id.region} to ${redisVersion}`,
          method: 'POST',
          path: `${pathTo(id)}:upgrade`,
          body: { redisVersion },
        },
        signal,
      ),
    async delete(id, signal) {
      const what = `delete instance "${id.name}" in ${id.region}`;
      try {
        return await begin({ what, method: 'DELETE', path: pathTo(id) }, signal);
      } catch (error) {
        if (isMissing(error, 'NOT_FOUND')) return undefined;
        throw error;
      }
    },
    operation: (name, signal) => getOperation(http, name, signal),
    failureOf: (operation) => operationFailure(operation, account),
  };
}
