import type { Status } from '../problem.ts';
import type { Address, InstanceOperation, StoredInstance } from './instance.ts';
import { redisSettings } from './instance.ts';
import type { RedisBackend } from './redis-backend.ts';

/** The result of one operation on the real Redis behind an instance. */
interface ServerResult {
  readonly address?: Address;
  readonly error?: Status;
}

/** Applies operations to the real Redis servers behind the instances. Without a backend it does nothing. */
export interface RedisServers {
  /** Starts the Redis of an instance that a saved inventory contains, and reports its address, which may be new. */
  resume(instance: StoredInstance, report: (address: Address) => void): void;
  /** Starts, changes or stops the Redis of the operation's target. An operation that will fail changes nothing. */
  apply(operation: InstanceOperation): void;
  /** Whether the Redis still works on the operation with this name. */
  isBusy(operation: string): boolean;
  /** Returns the result of the operation with this name, and forgets it. */
  take(operation: string): ServerResult;
  /** Resolves when no Redis is being started, changed or stopped. */
  idle(): Promise<void>;
}

export function createRedisServers(backend: RedisBackend | undefined): RedisServers {
  /** By name of the operation; undefined: the Redis still works on it. */
  const results = new Map<string, ServerResult | undefined>();
  const running = new Set<Promise<unknown>>();

  function track(promise: Promise<unknown>): void {
    const settled = promise.catch(() => undefined);
    running.add(settled);
    void settled.finally(() => running.delete(settled));
  }

  return {
    resume(instance, report) {
      if (backend === undefined) return;
      track(backend.run(instance.name, redisSettings(instance)).then(report));
    },
    apply({ name, verb, target, outcome, willFail }) {
      if (backend === undefined || willFail !== undefined) return;
      results.set(name, undefined);
      const work =
        verb === 'delete' || outcome === undefined
          ? backend.remove(target).then(() => ({}))
          : backend.run(target, redisSettings(outcome)).then((address) => ({ address }));
      track(
        work
          .catch((error: unknown) => ({ error: { code: 13, message: messageOf(error) } }))
          .then((result) => results.set(name, result)),
      );
    },
    isBusy: (operation) => results.has(operation) && results.get(operation) === undefined,
    take(operation) {
      const result = results.get(operation) ?? {};
      results.delete(operation);
      return result;
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'Internal error');
