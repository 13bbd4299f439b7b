import { Observable } from 'rxjs';
import { isAlreadyExists, isConflict, isNotFound, isRefused, messageOf } from '../client/errors.ts';
import { createKnownFailures } from '../controller/known-failures.ts';
import { deadlineAfter } from '../time/deadline.ts';
import type { Random } from '../time/random.ts';
import type { LeaseLock, LeaseLockOptions } from './lease-lock.ts';
import { createLeaseLock } from './lease-lock.ts';
import { LeaseNamespaceMissing } from './lease-namespace.ts';
import type { Tenure } from './tenure.ts';

export interface LeaderElectionOptions extends LeaseLockOptions {
  /** Is renewed with the Lease. */
  readonly tenure: Tenure;
  readonly random: Random;
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
  /** For an administrator: which process holds the Lease, while this process waits for it. */
  notes(): readonly string[];
  /** Why the API server refused the last attempt, for example because rights are missing: this process cannot lead. */
  whyRefused(): string | undefined;
  /** Stops contending and releases the Lease if this process holds it: the next process leads at once. Never rejects. */
  release(signal: AbortSignal): Promise<void>;
}

/** At least one attempt: a process that was suspended would otherwise never learn whether it still leads. */
const leastAttemptMs = 1000;

/**
 * Leader election by client-go's rules (tools/leaderelection). A Lease is free when its holder has not renewed it for its
 * duration, measured with our own clock. The API server's resourceVersion decides races.
 */
export function leaderElection(options: LeaderElectionOptions): LeaderElection {
  const { namespace, name, identity, log, tenure } = options;
  const facts = { namespace, name, identity };
  const lock = createLeaseLock({ ...options, leaseDurationMs: tenure.leaseDurationMs });
  const attempts = createAttempts(lock, options);
  const releasing = new AbortController();
  let isWaiting = false;

  /** Leads as soon as the Lease is free, until it is lost or `signal` aborts. */
  async function contend(tell: (state: 'leading' | 'lost') => void, signal: AbortSignal): Promise<void> {
    log.info('waiting for the Lease', facts);
    isWaiting = true;
    if (!(await acquire(lock, attempts, options, signal)) || signal.aborted) return;
    isWaiting = false;
    log.info('leading', facts);
    tell('leading');
    if (await untilLost(lock, attempts, options, signal)) tell('lost');
  }

  return {
    notes: () =>
      isWaiting
        ? [`standing by: ${lock.holder() ?? 'no process yet'} holds the Lease ${namespace}/${name}`]
        : [],
    whyRefused() {
      const refusal = attempts.refusal();
      return refusal && `the API server refuses the Lease ${namespace}/${name}: ${refusal}`;
    },
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
      if (releasing.signal.aborted) return;
      tenure.end();
      releasing.abort();
      try {
        // The API server may have executed the attempt although we aborted it.
        await attempts.settled();
        if (await lock.release(signal)) log.info('released the Lease', facts);
      } catch (error) {
        if (isNotFound(error) || tenure.sinceMs() === undefined) return; // it has not led
        log.warn('cannot release the Lease: the next process leads when it expires', { ...facts, error });
      }
    },
  };
}

/** Attempts to acquire or renew the Lease. */
interface Attempts {
  /** Logs an error and returns false instead of throwing it. Throws only LeaseNamespaceMissing. */
  tryOnce(deadlineMs: number, signal: AbortSignal): Promise<boolean>;
  /** Why the API server refused the last attempt. */
  refusal(): string | undefined;
  /** Resolves when the last attempt has ended, also after its deadline. */
  settled(): Promise<void>;
}

function createAttempts(
  lock: LeaseLock,
  { namespace, name, identity, log, clock }: LeaseLockOptions,
): Attempts {
  const facts = { namespace, name, identity };
  const failures = createKnownFailures(clock);
  let refusal: string | undefined;
  let attempt = Promise.resolve(false);

  function failed(error: unknown): void {
    if (isConflict(error) || isAlreadyExists(error)) {
      log.debug('another process wrote the Lease', facts);
      return;
    }
    refusal = isRefused(error) ? messageOf(error) : undefined;
    // A process that stands by retries every 2 s while the failure lasts: do not log each attempt.
    const times = failures.met({ name }, messageOf(error));
    const shown = { ...facts, ...(times !== undefined && times > 1 && { times }), error };
    log[times === undefined ? 'debug' : 'warn']('cannot write the Lease: trying again', shown);
  }

  return {
    async tryOnce(deadlineMs, outer) {
      const { signal, cancel } = deadlineAfter(clock, deadlineMs, {
        reason: () => new Error('the API server did not answer in time'),
        outer,
      });
      // A client that ignores its signal must not delay the end of our leadership.
      const over = new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      try {
        signal.throwIfAborted();
        attempt = lock.acquireOrRenew(signal);
        const isHeld = await Promise.race([attempt, over]);
        failures.over({ name });
        refusal = undefined;
        return isHeld;
      } catch (error) {
        if (outer.aborted) return false;
        if (error instanceof LeaseNamespaceMissing) throw error;
        failed(error);
        return false;
      } finally {
        cancel();
      }
    },
    refusal: () => refusal,
    settled: () => attempt.then(noop, noop),
  };
}

/** Stands by until this process holds the Lease. False if `signal` aborted. */
async function acquire(
  lock: LeaseLock,
  { tryOnce }: Attempts,
  options: LeaderElectionOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace, name, identity, log, clock, random, tenure, retryPeriodMs = 2000 } = options;
  let known: string | undefined;
  for (;;) {
    const startedMs = clock.elapsedMs();
    const isHeld = await tryOnce(tenure.renewDeadlineMs, signal);
    if (signal.aborted) return false;
    if (isHeld) {
      tenure.renewed(startedMs);
      return true;
    }
    const holder = lock.holder();
    if (holder !== undefined && holder !== known) {
      known = holder;
      log.info('standing by: another process holds the Lease', { namespace, name, identity, holder });
    }
    await clock.sleep(retryPeriodMs * (1 + 1.2 * random()), signal).catch(noop);
    if (signal.aborted) return false;
  }
}

/** Renews the Lease until that fails for too long. False if `signal` aborted. */
async function untilLost(
  lock: LeaseLock,
  { tryOnce }: Attempts,
  options: LeaderElectionOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace, name, identity, log, clock, tenure, retryPeriodMs = 2000 } = options;
  const { renewDeadlineMs } = tenure;
  const facts = { namespace, name, identity };
  for (;;) {
    await clock.sleep(retryPeriodMs, signal).catch(noop);
    if (signal.aborted) return false;
    const startedMs = clock.elapsedMs();
    const isHeld = await tryOnce(Math.max(renewDeadlineMs - tenure.sinceMs()!, leastAttemptMs), signal);
    const sinceMs = tenure.sinceMs()!;
    if (isHeld) {
      tenure.renewed(startedMs);
      // Work that was held back during that time continues.
      if (sinceMs >= renewDeadlineMs)
        log.warn('leading again after an interruption: no other process has led during that time', {
          ...facts,
          sinceMs,
        });
      continue;
    }
    if (signal.aborted) return false;
    const holder = lock.isOurs() ? undefined : lock.holder();
    if (holder === undefined && sinceMs < renewDeadlineMs) continue;
    log.error('lost the Lease: this process exits, so that it can be restarted', {
      ...facts,
      reason: holder === undefined ? 'the Lease was not renewed in time' : 'another process holds the Lease',
      ...(holder !== undefined && { holder }),
    });
    return true;
  }
}

const noop = (): void => {};
