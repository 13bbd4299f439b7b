import type { Replica, SavedReplica } from '../replica.ts';
import { createReplica } from '../replica.ts';
import type { Service } from '../service.ts';
import type { InstanceOperation, StoredInstance } from './instance.ts';
import type { OperationFault } from './instance-operations.ts';
import { createInstanceOperations } from './instance-operations.ts';
import type { InstanceMethods } from './instance-routes.ts';
import { instanceRoutes } from './instance-routes.ts';
import { locationRoutes } from './location-routes.ts';
import { operationRoutes } from './operation-routes.ts';
import { apiName, denied, noProject } from './problems.ts';
import type { RedisBackend } from './redis-backend.ts';
import { createRedisServers } from './redis-servers.ts';

/** The whole inventory, as JSON. */
export interface SavedMemorystore {
  readonly instances: SavedReplica<StoredInstance>;
  readonly operations: readonly InstanceOperation[];
  /** How many instances were created so far. */
  readonly made: number;
}

export interface MemorystoreOptions {
  /** Clock in milliseconds. */
  readonly now: () => number;
  readonly provisioningMs: number;
  readonly updateMs: number;
  readonly deletionMs: number;
  readonly readDelayMs: number;
  readonly quotas: InstanceMethods['quotas'];
  /** Creates AUTH strings and names of operations. */
  readonly newId: () => string;
  /** Default: an instance has no real Redis. */
  readonly backend?: RedisBackend;
  readonly saved?: SavedMemorystore;
}

/** Memorystore for Redis, with direct access to its inventory. */
export interface Memorystore {
  readonly service: Service;
  /** Ends the operations that have run long enough, and deletes the records of old ones. Returns whether there were any. */
  settle(): boolean;
  readonly instances: Replica<StoredInstance>;
  operations(): readonly InstanceOperation[];
  /** The next operation with the verb of the fault is accepted and ends with an error. */
  failOperation(fault: OperationFault): void;
  saved(): SavedMemorystore;
  /** Resolves when no Redis is being started, changed or stopped. */
  idle(): Promise<void>;
}

export function createMemorystore(options: MemorystoreOptions): Memorystore {
  const { now, newId, quotas, saved } = options;
  const instances = createReplica<StoredInstance>(options, saved?.instances);
  const servers = createRedisServers(options.backend);
  for (const instance of instances.all()) {
    servers.resume(instance, (address) => {
      const current = instances.get(instance.name);
      if (current?.host !== undefined) instances.drift(instance.name, { ...current, ...address });
    });
  }
  const operations = createInstanceOperations({
    now,
    newId,
    instances,
    servers,
    ...(saved !== undefined && { saved: saved.operations }),
  });
  let made = saved?.made ?? 0;
  const countCreated = (): number => {
    made += 1;
    return made;
  };
  const methods: InstanceMethods = {
    instances,
    operations,
    quotas,
    now,
    newId,
    countCreated,
    durations: options,
  };

  return {
    instances,
    operations: operations.all,
    failOperation: operations.failNext,
    settle: operations.settle,
    saved: () => ({ instances: instances.saved(), operations: operations.all(), made }),
    idle: servers.idle,
    service: {
      name: apiName,
      title: 'Google Cloud Memorystore for Redis API',
      routes: [...locationRoutes, ...instanceRoutes(methods), ...operationRoutes(operations)],
      scopes: {
        read: ['cloud-platform', 'redis.read-only', 'redis.read-write'],
        write: ['cloud-platform', 'redis.read-write'],
      },
      denied,
      noProject,
    },
  };
}
