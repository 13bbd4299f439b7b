import { Observable } from 'rxjs';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { isAlreadyExists, isConflict, isNotFound, leaseExpired, messageOf } from '../client/errors.ts';
import type { KubernetesClient } from '../client/kubernetes-client.ts';
import { createKnownFailures } from '../controller/known-failures.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import { deadlineAfter } from '../time/deadline.ts';
import type { Random } from '../time/random.ts';
import { createLeaseNamespace, LeaseNamespaceMissing } from './lease-namespace.ts';

/** coordination.k8s.io/v1 Lease. Times are RFC 3339 with six fraction digits. */
export interface Lease extends KubernetesObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

export const LeaseKind: Kind<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
};

export interface LeaderElectionOptions {
  readonly client: KubernetesClient;
  /** Of the Lease. */
  readonly namespace: string;
  readonly name: string;
  /** Whether the namespace is created where it does not exist; default false. */
  readonly createsNamespace?: boolean;
  /** Unique among the contenders, also after a restart. */
  readonly identity: string;
  readonly log: Logger;
  /** A lease's times are dates for people; leases expire by the clock that nobody sets. */
  readonly clock: Clock;
  readonly random: Random;
  /** How long others wait after the last renewal before they take over; default 15 000. */
  readonly leaseDurationMs?: number;
  /** After this long without a renewal a leader gives up, well before others take over; default 10 000. */
  readonly renewDeadlineMs?: number;
  /** Between attempts; default 2000. */
  readonly retryPeriodMs?: number;
}

export interface LeaderElection {
  /**
   * Contends for the lease while subscribed to. `leading` once it is ours; `lost`, and completion, when it no
   * longer surely is: whoever led must stop at once. Errors only with LeaseNamespaceMissing. Unsubscribing stops
   * renewing and lets the lease run out.
   */
  readonly leadership$: Observable<'leading' | 'lost'>;
  /**
   * How many milliseconds a call that begins now may take: afterwards another process may lead. Infinity if this process
   * has not led yet. Throws `leaseExpired` if it has led and its last renewal is longer ago than the renew deadline:
   * another process may lead, and a process that was stopped for a while has not noticed yet. To be asked right before
   * whatever only the leader may do.
   */
  check(): number;
  /** Says to an administrator which process holds the lease, while this one waits for it. */
  told(): readonly string[];
  /** Stops contending and gives the lease, if ours, free for the next at once. Never rejects. */
  release(signal: AbortSignal): Promise<void>;
}

/** metav1.MicroTime: the API server takes exactly six digits. */
const microTime = (date: Date): string => date.toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');

interface Observed {
  readonly lease: Lease;
  /** By our own clock: clocks of other machines are not trusted. */
  readonly atMs: number;
}

/**
 * Leader election by client-go's rules (tools/leaderelection): a lease is free when its holder has not renewed
 * it, as seen by our own clock, for its duration. The API server's resourceVersion settles races.
 */
export function leaderElection(options: LeaderElectionOptions): LeaderElection {
  const { client, namespace, name, createsNamespace = false, identity, log, clock, random } = options;
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2000 } = options;
  const facts = { namespace, name, identity };
  const failures = createKnownFailures(clock);
  let observed: Observed | undefined;
  let isReleased = false;
  let isWaiting = false;
  /** When the renewal that was last successful began; undefined: we have not led. */
  let renewedMs: number | undefined;
  const releasing = new AbortController();
  /** The attempt under way. */
  let attempt = Promise.resolve(false);

  const observe = (lease: Lease): void => {
    if (lease.metadata.resourceVersion === observed?.lease.metadata.resourceVersion) return;
    observed = { lease, atMs: clock.elapsedMs() };
  };
  const holder = (): string | undefined => observed?.lease.spec?.holderIdentity || undefined;
  const isOurs = (): boolean => holder() === identity;

  async function create(lease: Lease, signal: AbortSignal): Promise<Lease> {
    try {
      return await client.create(LeaseKind, lease, signal);
    } catch (error) {
      // A creation answers "not found" if the namespace does not exist.
      if (!isNotFound(error)) throw error;
      await createLeaseNamespace({ client, namespace, mayCreate: createsNamespace, signal });
      log.info('created the namespace of the lease', facts);
      return client.create(LeaseKind, lease, signal);
    }
  }

  /** True if the lease is ours for another duration. Throws what the API server says, conflicts included. */
  async function acquireOrRenew(signal: AbortSignal): Promise<boolean> {
    const renewTime = microTime(clock.now());
    const leaseDurationSeconds = Math.ceil(leaseDurationMs / 1000);
    const mine = { holderIdentity: identity, leaseDurationSeconds, renewTime };
    if (observed === undefined || !isOurs()) {
      try {
        observe(await client.get(LeaseKind, { namespace, name }, signal));
      } catch (error) {
        if (!isNotFound(error)) throw error;
        const lease: Lease = {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { namespace, name },
          spec: { ...mine, acquireTime: renewTime, leaseTransitions: 0 },
        };
        observe(await create(lease, signal));
        return true;
      }
    }
    const { lease, atMs } = observed!;
    const { holderIdentity, leaseDurationSeconds: theirs, leaseTransitions = 0 } = lease.spec ?? {};
    const durationMs = theirs === undefined ? leaseDurationMs : theirs * 1000;
    if (holderIdentity && holderIdentity !== identity && clock.elapsedMs() < atMs + durationMs) return false;
    const isNew = holderIdentity !== identity;
    const spec = {
      ...lease.spec,
      ...mine,
      ...(isNew && { acquireTime: renewTime, leaseTransitions: leaseTransitions + 1 }),
    };
    observe(await client.replace(LeaseKind, { ...lease, spec }, signal));
    return true;
  }

  /** The same, as a value: `false` also for an error, of which the log knows. */
  async function tryOnce(deadlineMs: number, outer: AbortSignal): Promise<boolean> {
    const { signal, cancel } = deadlineAfter(clock, deadlineMs, {
      reason: () => new Error('the lease was not renewed in time'),
      outer,
    });
    // A client that does not heed its signal must not keep us leading.
    const over = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      signal.throwIfAborted();
      attempt = acquireOrRenew(signal);
      const isHeld = await Promise.race([attempt, over]);
      failures.over({ name });
      return isHeld;
    } catch (error) {
      if (outer.aborted) return false;
      if (error instanceof LeaseNamespaceMissing) throw error;
      if (isConflict(error) || isAlreadyExists(error)) {
        // Somebody else wrote it: what we know of it is old.
        observed = undefined;
        log.debug('another contender wrote the lease', facts);
        return false;
      }
      // Who stands by tries every 2 s, for as long as it lasts.
      const times = failures.met({ name }, messageOf(error));
      const told = { ...facts, ...(times !== undefined && times > 1 && { times }), error };
      log[times === undefined ? 'debug' : 'warn']('cannot write the lease, trying again', told);
      return false;
    } finally {
      cancel();
    }
  }

  async function contend(tell: (state: 'leading' | 'lost') => void, signal: AbortSignal): Promise<void> {
    const pause = (delayMs: number) => clock.sleep(delayMs, signal).catch(() => {});
    log.info('waiting for the lease', facts);
    isWaiting = true;
    let startedMs = clock.elapsedMs();
    let known: string | undefined;
    while (!(await tryOnce(renewDeadlineMs, signal))) {
      if (signal.aborted) return;
      if (holder() !== undefined && holder() !== known) {
        known = holder();
        log.info('standing by: another process holds the lease', { ...facts, holder: known });
      }
      await pause(retryPeriodMs * (1 + 1.2 * random()));
      if (signal.aborted) return;
      startedMs = clock.elapsedMs();
    }
    if (signal.aborted) return;
    isWaiting = false;
    log.info('leading', facts);
    renewedMs = startedMs;
    tell('leading');
    for (;;) {
      await pause(retryPeriodMs);
      if (signal.aborted) return;
      startedMs = clock.elapsedMs();
      const leftMs = renewedMs + renewDeadlineMs - startedMs;
      // At least one attempt, or a process that was stopped for a while would never find out whether it leads.
      if (await tryOnce(Math.max(leftMs, 1000), signal)) {
        const sinceMs = clock.elapsedMs() - renewedMs;
        renewedMs = startedMs;
        if (sinceMs < renewDeadlineMs) continue;
        // For all that was kept back meanwhile.
        log.warn('leading again, after an interruption: nobody else has led', { ...facts, sinceMs });
      } else if (signal.aborted) return;
      else {
        const isTaken = holder() !== undefined && !isOurs();
        if (isTaken || clock.elapsedMs() >= renewedMs + renewDeadlineMs) {
          log.error('lost the lease', { ...facts, ...(isTaken && { holder: holder() }) });
          tell('lost');
          return;
        }
      }
    }
  }

  return {
    check() {
      const sinceMs = renewedMs === undefined ? undefined : clock.elapsedMs() - renewedMs;
      if (!isReleased) {
        if (sinceMs === undefined) return Number.POSITIVE_INFINITY;
        if (sinceMs < renewDeadlineMs) return leaseDurationMs - sinceMs;
      }
      const why = isReleased ? 'the lease was released' : 'the lease was not renewed in time';
      throw leaseExpired(`${why}: another process may lead`);
    },
    told: () =>
      isWaiting ? [`standing by: ${holder() ?? 'no process yet'} holds the lease ${namespace}/${name}`] : [],
    leadership$: new Observable((subscriber) => {
      const abort = new AbortController();
      const signal = AbortSignal.any([abort.signal, releasing.signal]);
      contend((state) => subscriber.next(state), signal).then(
        () => subscriber.complete(),
        (error: unknown) => {
          if (error instanceof LeaseNamespaceMissing) {
            subscriber.error(error);
            return;
          }
          log.error('leader election failed', { ...facts, error });
          subscriber.next('lost');
          subscriber.complete();
        },
      );
      return () => abort.abort();
    }),
    async release(signal) {
      if (isReleased) return;
      isReleased = true;
      releasing.abort();
      try {
        await attempt.catch(() => {});
        // The attempt that was cut off may have been written all the same.
        const lease = await client.get(LeaseKind, { namespace, name }, signal);
        if (lease.spec?.holderIdentity !== identity) return;
        const spec = {
          ...lease.spec,
          holderIdentity: '',
          leaseDurationSeconds: 1,
          renewTime: microTime(clock.now()),
        };
        await client.replace(LeaseKind, { ...lease, spec }, signal);
        log.info('released the lease', facts);
      } catch (error) {
        if (!isNotFound(error))
          log.warn('cannot release the lease, it runs out by itself', { ...facts, error });
      }
    },
  };
}
