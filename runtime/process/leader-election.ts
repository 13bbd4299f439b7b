import { Observable } from 'rxjs';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import {
  isAlreadyExists,
  isConflict,
  isNotFound,
  isRefused,
  leaseExpired,
  messageOf,
} from '../client/errors.ts';
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
  readonly random: Random;
  /** How long other processes wait after the Lease was last renewed before they take over; default 15 000. */
  readonly leaseDurationMs?: number;
  /** After this long without a renewal a leader stops, well before another process takes over; default 10 000. */
  readonly renewDeadlineMs?: number;
  /** The time between attempts; default 2000. */
  readonly retryPeriodMs?: number;
}

export interface LeaderElection {
  /**
   * Contends for the Lease while subscribed to. Emits `leading` when this process holds the Lease. Emits `lost` and
   * completes when that is no longer certain: the leader must stop at once. Errors only with LeaseNamespaceMissing.
   * Unsubscribing stops the renewals, so that the Lease expires.
   */
  readonly leadership$: Observable<'leading' | 'lost'>;
  /**
   * The milliseconds that a call which starts now may take; after that another process may lead. Infinity if this process
   * has not led yet. Throws `leaseExpired` if the last renewal is longer ago than the renew deadline, because another
   * process may lead. A process that was suspended learns it here. Call it right before each action that only the leader
   * may take.
   */
  check(): number;
  /** For an administrator: which process holds the Lease, while this process waits for it. */
  notes(): readonly string[];
  /** Why the API server refused the last attempt, for example for want of rights: this process cannot lead. */
  whyRefused(): string | undefined;
  /** Stops contending and releases the Lease if this process holds it: the next process leads at once. Never rejects. */
  release(signal: AbortSignal): Promise<void>;
}

/** metav1.MicroTime: the API server accepts exactly six fraction digits. */
const microTime = (date: Date): string => date.toISOString().replace(/\.(\d{3})Z$/, '.$1000Z');

/** The first version of a cluster, which no Lease has. */
const noVersionOfALease = '1';

interface Observed {
  readonly lease: Lease;
  /** In our own elapsed time: clocks of other machines are not trusted. */
  readonly atMs: number;
}

/**
 * Leader election by client-go's rules (tools/leaderelection). A Lease is free when its holder has not renewed it for its
 * duration, measured with our own clock. The API server's resourceVersion decides races.
 */
export function leaderElection(options: LeaderElectionOptions): LeaderElection {
  const { client, namespace, name, createsNamespace = false, identity, log, clock, random } = options;
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2000 } = options;
  const facts = { namespace, name, identity };
  const failures = createKnownFailures(clock);
  let observed: Observed | undefined;
  let isReleased = false;
  let isWaiting = false;
  let refusal: string | undefined;
  let mayWrite = false;
  /** When the last successful request to renew the Lease began; undefined: this process has not led. */
  let renewedMs: number | undefined;
  const releasing = new AbortController();
  /** The current attempt. */
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
      // The API server answers a creation with "not found" if the namespace does not exist.
      if (!isNotFound(error)) throw error;
      await createLeaseNamespace({ client, namespace, mayCreate: createsNamespace, signal });
      log.info('created the namespace of the Lease', facts);
      return client.create(LeaseKind, lease, signal);
    }
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

  /** True if this process holds the Lease for another duration. Throws the API server's errors, including conflicts. */
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
    if (holderIdentity && holderIdentity !== identity && clock.elapsedMs() < atMs + durationMs) {
      await checkRight(lease, signal);
      return false;
    }
    const isNew = holderIdentity !== identity;
    const spec = {
      ...lease.spec,
      ...mine,
      ...(isNew && { acquireTime: renewTime, leaseTransitions: leaseTransitions + 1 }),
    };
    observe(await client.replace(LeaseKind, { ...lease, spec }, signal));
    return true;
  }

  /** Like `acquireOrRenew`, but with a deadline. Logs an error and returns false instead of throwing it. */
  async function tryOnce(deadlineMs: number, outer: AbortSignal): Promise<boolean> {
    const { signal, cancel } = deadlineAfter(clock, deadlineMs, {
      reason: () => new Error('the Lease was not renewed in time'),
      outer,
    });
    // A client that ignores its signal must not delay the end of our leadership.
    const over = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      signal.throwIfAborted();
      attempt = acquireOrRenew(signal);
      const isHeld = await Promise.race([attempt, over]);
      failures.over({ name });
      refusal = undefined;
      return isHeld;
    } catch (error) {
      if (outer.aborted) return false;
      if (error instanceof LeaseNamespaceMissing) throw error;
      if (isConflict(error) || isAlreadyExists(error)) {
        // Another process wrote the Lease: the observed state is outdated.
        observed = undefined;
        log.debug('another process wrote the Lease', facts);
        return false;
      }
      refusal = isRefused(error) ? messageOf(error) : undefined;
      // A process that stands by retries every 2 s while the failure lasts: do not log each attempt.
      const times = failures.met({ name }, messageOf(error));
      const shown = { ...facts, ...(times !== undefined && times > 1 && { times }), error };
      log[times === undefined ? 'debug' : 'warn']('cannot write the Lease: trying again', shown);
      return false;
    } finally {
      cancel();
    }
  }

  async function contend(tell: (state: 'leading' | 'lost') => void, signal: AbortSignal): Promise<void> {
    const pause = (delayMs: number) => clock.sleep(delayMs, signal).catch(() => {});
    log.info('waiting for the Lease', facts);
    isWaiting = true;
    let startedMs = clock.elapsedMs();
    let known: string | undefined;
    while (!(await tryOnce(renewDeadlineMs, signal))) {
      if (signal.aborted) return;
      if (holder() !== undefined && holder() !== known) {
        known = holder();
        log.info('standing by: another process holds the Lease', { ...facts, holder: known });
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
      // At least one attempt: a process that was suspended would otherwise never learn whether it still leads.
      if (await tryOnce(Math.max(leftMs, 1000), signal)) {
        const sinceMs = clock.elapsedMs() - renewedMs;
        renewedMs = startedMs;
        if (sinceMs < renewDeadlineMs) continue;
        // Work that was held back during that time continues.
        log.warn('leading again after an interruption: no other process has led during that time', {
          ...facts,
          sinceMs,
        });
      } else if (signal.aborted) return;
      else {
        const isTaken = holder() !== undefined && !isOurs();
        if (isTaken || clock.elapsedMs() >= renewedMs + renewDeadlineMs) {
          log.error('lost the Lease: this process exits, so that it can be restarted', {
            ...facts,
            reason: isTaken ? 'another process holds the Lease' : 'the Lease was not renewed in time',
            ...(isTaken && { holder: holder() }),
          });
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
      const why = isReleased ? 'the Lease was released' : 'the Lease was not renewed in time';
      throw leaseExpired(`${why}: another process may lead`);
    },
    notes: () =>
      isWaiting ? [`standing by: ${holder() ?? 'no process yet'} holds the Lease ${namespace}/${name}`] : [],
    whyRefused: () =>
      refusal === undefined ? undefined : `the API server refuses the Lease ${namespace}/${name}: ${refusal}`,
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
          log.error('a bug ended the leader election: this process stops', { ...facts, error });
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
        // The API server may have executed the attempt although we aborted it.
        const lease = await client.get(LeaseKind, { namespace, name }, signal);
        if (lease.spec?.holderIdentity !== identity) return;
        const spec = {
          ...lease.spec,
          holderIdentity: '',
          leaseDurationSeconds: 1,
          renewTime: microTime(clock.now()),
        };
        await client.replace(LeaseKind, { ...lease, spec }, signal);
        log.info('released the Lease', facts);
      } catch (error) {
        if (!isNotFound(error))
          log.warn('cannot release the Lease: the next process leads when it expires', { ...facts, error });
      }
    },
  };
}
