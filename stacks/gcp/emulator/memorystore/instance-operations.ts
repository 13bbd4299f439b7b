import { operationJson } from '../operations.ts';
import type { Status } from '../problem.ts';
import type { Replica } from '../replica.ts';
import type { InstanceOperation, StoredInstance } from './instance.ts';
import { instanceJson, plannedAddress } from './instance.ts';
import type { RedisServers } from './redis-servers.ts';

/** An error with which an accepted operation ends. */
export interface OperationFault {
  /** Default: the next operation, whatever its verb. */
  readonly verb?: InstanceOperation['verb'];
  /** Default: code 13, `Internal error`. */
  readonly error?: Status;
}

export interface InstanceOperationsOptions {
  /** Clock in milliseconds. */
  readonly now: () => number;
  /** Creates the last part of a name. */
  readonly newId: () => string;
  readonly instances: Replica<StoredInstance>;
  readonly servers: RedisServers;
  readonly saved?: readonly InstanceOperation[];
}

interface Beginning {
  readonly durationMs: number;
  /** The instance after the operation; absent: the instance is deleted. */
  readonly outcome?: StoredInstance;
}

/** The long-running operations on instances. */
export interface InstanceOperations {
  /** Starts an operation on an instance and returns `Operation` of the API. */
  begin(verb: InstanceOperation['verb'], instance: StoredInstance, beginning: Beginning): object;
  /** The operation that runs on the instance with this name. */
  runningOn(target: string): InstanceOperation | undefined;
  get(name: string): InstanceOperation | undefined;
  all(): readonly InstanceOperation[];
  /** Deletes the record of an operation that ended; one that runs stays. */
  forget(operation: InstanceOperation): void;
  /** Records that cancellation was requested. The API promises best effort only: here the operation continues. */
  cancel(operation: InstanceOperation): void;
  /** The next operation with the verb of the fault is accepted and ends with an error. */
  failNext(fault: OperationFault): void;
  /** Ends the operations that have run long enough, and deletes the records of old ones. Returns whether there were any. */
  settle(): boolean;
}

/** The API says that it keeps the record of an operation for a few hours after its end. */
const retentionMs = 3 * 60 * 60_000;
const internalError: Status = { code: 13, message: 'Internal error' };
const emptyResponse = { '@type': 'type.googleapis.com/google.protobuf.Empty' };

const instanceResponse = (instance: StoredInstance): object => ({
  '@type': 'type.googleapis.com/google.cloud.redis.v1.Instance',
  ...instanceJson(instance, 'READY'),
});

export function createInstanceOperations(options: InstanceOperationsOptions): InstanceOperations {
  const { now, newId, instances, servers, saved } = options;
  const operations = new Map(saved?.map((operation) => [operation.name, operation]));
  let faults: readonly OperationFault[] = [];

  for (const operation of operations.values()) {
    if (operation.endedAtMs === undefined) servers.apply(operation);
  }

  function takeFault(verb: InstanceOperation['verb']): OperationFault | undefined {
    const fault = faults.find((one) => (one.verb ?? verb) === verb);
    faults = faults.filter((one) => one !== fault);
    return fault;
  }

  const isDue = ({ name, dueAtMs, endedAtMs }: InstanceOperation): boolean =>
    endedAtMs === undefined && now() >= dueAtMs && !servers.isBusy(name);

  function finish(operation: InstanceOperation): void {
    const { name, verb, target, outcome } = operation;
    const result = servers.take(name);
    const error = operation.willFail ?? result.error;
    const ended = { ...operation, endedAtMs: Math.max(operation.dueAtMs, operation.createdAtMs) };
    if (error !== undefined) {
      // A failed creation leaves no instance.
      if (verb === 'create') instances.remove(target);
      operations.set(name, { ...ended, error });
      return;
    }
    if (outcome === undefined) {
      instances.remove(target);
      operations.set(name, { ...ended, response: emptyResponse });
      return;
    }
    const provisioned = { ...outcome, ...(result.address ?? plannedAddress(outcome)) };
    instances.put(target, provisioned);
    operations.set(name, { ...ended, response: instanceResponse(provisioned) });
  }

  return {
    begin(verb, { project, region, name: target }, { durationMs, outcome }) {
      const fault = takeFault(verb);
      const operation: InstanceOperation = {
        name: `projects/${project}/locations/${region}/operations/operation-${now()}-${newId()}`,
        verb,
        target,
        createdAtMs: now(),
        dueAtMs: now() + durationMs,
        ...(outcome !== undefined && { outcome }),
        ...(fault !== undefined && { willFail: fault.error ?? internalError }),
      };
      operations.set(operation.name, operation);
      servers.apply(operation);
      return operationJson(operation);
    },
    runningOn: (target) =>
      [...operations.values()].find((one) => one.target === target && one.endedAtMs === undefined),
    get: (name) => operations.get(name),
    all: () => [...operations.values()],
    forget({ name, endedAtMs }) {
      if (endedAtMs !== undefined) operations.delete(name);
    },
    cancel(operation) {
      operations.set(operation.name, { ...operation, cancelRequested: true });
    },
    failNext(fault) {
      faults = [...faults, fault];
    },
    settle() {
      const due = [...operations.values()].filter(isDue);
      due.forEach(finish);
      const old = [...operations.values()].filter(({ endedAtMs = now() }) => now() - endedAtMs > retentionMs);
      for (const { name } of old) operations.delete(name);
      return due.length + old.length > 0;
    },
  };
}
