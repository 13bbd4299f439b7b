import type { Status } from './problem.ts';

export const operationVerbs = ['create', 'update', 'upgrade', 'delete'] as const;

/** A long-running operation of an API, as it is kept. */
export interface StoredOperation<T> {
  /** As `projects/p/locations/l/operations/o`. */
  readonly name: string;
  readonly verb: (typeof operationVerbs)[number];
  /** The full name of what it is about. */
  readonly target: string;
  readonly createdAtMs: number;
  /** When it ends at the earliest. */
  readonly dueAtMs: number;
  /** What its target is from then on; undefined: gone. */
  readonly outcome?: T;
  /** Decided at its beginning: what it ends with instead. */
  readonly willFail?: Status;
  readonly cancelRequested?: boolean;
  readonly endedAtMs?: number;
  readonly error?: Status;
  /** What it has led to, as JSON with `@type`. */
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
