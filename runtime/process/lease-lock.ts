import { isConflict, isNotFound } from '../client/errors.ts';
import type { KubernetesClient } from '../client/kubernetes-client.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import type { Lease } from './lease.ts';
import { LeaseKind, microTime } from './lease.ts';
import { createLeaseNamespace } from './lease-namespace.ts';

export interface LeaseLockOptions {
  readonly client: KubernetesClient;
  /** The namespace of the Lease. */
  readonly namespace: string;
  readonly name: string;
  /** Whether to create the namespace if it does not exist; default false. */
  readonly createsNamespace?: boolean;
  /** Unique among all processes of this Lease, also after a restart. */
  readonly identity: string;
  readonly log: Logger;
  /** Dates in the Lease are for people. Expiry is measured in elapsed time, because a wall clock can be set. */
  readonly clock: Clock;
}

/** The Lease, as this process last observed it. All methods throw the API server's errors. */
export interface LeaseLock {
  /** The process that holds the Lease; undefined: none, or it is unknown. */
  holder(): string | undefined;
  isOurs(): boolean;
  /** True if this process holds the Lease for another duration. Throws a conflict if another process wrote it first. */
  acquireOrRenew(signal: AbortSignal): Promise<boolean>;
  /** Lets the next process lead at once. False if this process does not hold the Lease. */
  release(signal: AbortSignal): Promise<boolean>;
}

/** The first version of a cluster, which no Lease has. */
const noVersionOfALease = '1';

interface Observed {
  readonly lease: Lease;
  /** In our own elapsed time: clocks of other machines are not trusted. */
  readonly atMs: number;
}

export function createLeaseLock(options: LeaseLockOptions & { readonly leaseDurationMs: number }): LeaseLock {
  const {
    client,
    namespace,
    name,
    createsNamespace = false,
    identity,
    log,
    clock,
    leaseDurationMs,
  } = options;
  let observed: Observed | undefined;
  let mayWrite = false;

  const observe = (lease: Lease): void => {
    if (lease.metadata.resourceVersion === observed?.lease.metadata.resourceVersion) return;
    observed = { lease, atMs: clock.elapsedMs() };
  };
  const holder = (): string | undefined => observed?.lease.spec?.holderIdentity || undefined;
  const isOurs = (): boolean => holder() === identity;

  /** Creates the Lease and, if it may, its namespace. */
  async function create(spec: Lease['spec'], signal: AbortSignal): Promise<Lease> {
    const lease: Lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace, name },
      ...(spec && { spec }),
    };
    try {
      return await client.create(LeaseKind, lease, signal);
    } catch (error) {
      // The API server answers a creation with "not found" if the namespace does not exist.
      if (!isNotFound(error)) throw error;
      await createLeaseNamespace({ client, namespace, mayCreate: createsNamespace, signal });
      log.info('created the namespace of the Lease', { namespace, name, identity });
      return client.create(LeaseKind, lease, signal);
    }
  }

  /** The Lease; undefined if it does not exist. */
  async function read(signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await client.get(LeaseKind, { namespace, name }, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** After a conflict: the process that wrote the Lease may hold it now. */
  async function observeAgain(signal: AbortSignal): Promise<void> {
    observed = undefined; // for the next attempt, if this read fails
    const lease = await read(signal);
    if (lease) observe(lease);
  }

  /**
   * Throws if this process may not write a Lease that another process holds: otherwise a process that stands by learns
   * that only when it should lead. The API server checks rights before versions, so the answer is a conflict.
   */
  async function checkRight(lease: Lease, signal: AbortSignal): Promise<void> {
    if (mayWrite) return;
    const outdated = { ...lease, metadata: { ...lease.metadata, resourceVersion: noVersionOfALease } };
    await client.replace(LeaseKind, outdated, signal).catch((error: unknown) => {
      if (!isConflict(error)) throw error;
    });
    mayWrite = true;
  }

  /** Whether another process holds the Lease, and has renewed it within its duration. */
  function isHeldByAnother({ lease, atMs }: Observed): boolean {
    const { holderIdentity, leaseDurationSeconds } = lease.spec ?? {};
    const durationMs = leaseDurationSeconds === undefined ? leaseDurationMs : leaseDurationSeconds * 1000;
    return Boolean(holderIdentity) && holderIdentity !== identity && clock.elapsedMs() < atMs + durationMs;
  }

  return {
    holder,
    isOurs,
    async acquireOrRenew(signal) {
      const renewTime = microTime(clock.now());
      const leaseDurationSeconds = Math.ceil(leaseDurationMs / 1000);
      const mine = { holderIdentity: identity, leaseDurationSeconds, renewTime };
      if (observed === undefined || !isOurs()) {
        const found = await read(signal);
        if (found === undefined) {
          observe(await create({ ...mine, acquireTime: renewTime, leaseTransitions: 0 }, signal));
          return true;
        }
        observe(found);
      }
      const { lease } = observed!;
      if (isHeldByAnother(observed!)) {
        await checkRight(lease, signal);
        return false;
      }
      const { holderIdentity, leaseTransitions = 0 } = lease.spec ?? {};
      const isNew = holderIdentity !== identity;
      const spec = {
        ...lease.spec,
        ...mine,
        ...(isNew && { acquireTime: renewTime, leaseTransitions: leaseTransitions + 1 }),
      };
      try {
        observe(await client.replace(LeaseKind, { ...lease, spec }, signal));
      } catch (error) {
        if (isConflict(error)) await observeAgain(signal);
        throw error;
      }
      return true;
    },
    async release(signal) {
      const lease = await read(signal);
      if (lease?.spec?.holderIdentity !== identity) return false;
      const spec = {
        ...lease.spec,
        holderIdentity: '',
        leaseDurationSeconds: 1,
        renewTime: microTime(clock.now()),
      };
      await client.replace(LeaseKind, { ...lease, spec }, signal);
      return true;
    },
  };
}
