import type { Status } from './problem.ts';

export const operationVerbs = ['create', 'update', 'upgrade', 'delete'] as const;

/** A long-running operation of an API, as the emulator stores it. */
export interface StoredOperation<T> {
  /** For example `projects/p/locations/l/operations/o`. */
  readonly name: string;
  readonly verb: (typeof operationVerbs)[number];
  /** The full name of the resource. */
  readonly target: string;
  readonly createdAtMs: number;
  /** The earliest time of its end. */
  readonly dueAtMs: number;
  /** The resource after the operation. Undefined: it is deleted. */
  readonly outcome?: T;
  /** An injected error, with which the operation will end. */
  readonly willFail?: Status;
  readonly cancelRequested?: boolean;
  readonly endedAtMs?: number;
  readonly error?: Status;
  /** The result, as JSON with `@type`. */
  readonly response?: object;
}

/** RFC 3339 with nine digits, as Google writes it. */
export const timestamp = (atMs: number): string =>
  new Date(atMs).toISOString().replace(/(\.\d{3})Z$/, '$1000000Z');

/** google.longrunning.Operation. */
export function operationJson<T>(operation: StoredOperation<T>): object {
  const { name, verb, target, createdAtMs, endedAtMs, error, response, cancelRequested = false } = operation;
  return {
    name,
    metadata: {
      '@type': 'type.googleapis.com/google.cloud.redis.v1.OperationMetadata',
      createTime: timestamp(createdAtMs),
      ...(endedAtMs !== undefined && { endTime: timestamp(endedAtMs) }),
      target,
      verb,
      cancelRequested,
      apiVersion: 'v1',
    },
    done: endedAtMs !== undefined,
    ...(error !== undefined && { error }),
    ...(response !== undefined && { response }),
  };
}
