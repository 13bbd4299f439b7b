/*
 *   record ──▶ event-correlator.ts ──▶ event-queue.ts  ──▶ run$: one request at a time ──▶ API server
 *              equal: a count;                             Normal: once no run waits
 *              too many: none                              flush: the whole queue, at the end
 */

import pick from 'lodash/pick.js';
import { Observable } from 'rxjs';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import { timestamp } from '../../apis/core/v1alpha1/timestamp.ts';
import { apiErrorIn, isAlreadyExists, isForbidden, isNotFound, isTransient } from '../client/errors.ts';
import type { KubernetesClient } from '../client/kubernetes-client.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import type { CorrelatedEvent } from './event-correlator.ts';
import { createEventCorrelator } from './event-correlator.ts';
import type { EventFacts } from './event-facts.ts';
import type { CoreEvent } from './event-kind.ts';
import { EventKind } from './event-kind.ts';
import { createEventQueue } from './event-queue.ts';
import { standingWarnings } from './standing-warnings.ts';

/**
 * Records Kubernetes Events without waiting for the API server. Never throws, and its memory is bounded. A failing
 * reconciler may record the same Warning at every attempt: it is sent at once and then every 10 minutes, with a count. A
 * restart of the process does not change that.
 */
export interface EventRecorder {
  record(object: KubernetesObject, event: EventFacts): void;
  /** A recorder with the same queue that reports under another name. */
  from(source: string): EventRecorder;
}

/** A recorder that sends what is recorded. */
export interface SendingEventRecorder extends EventRecorder {
  /** While subscribed to, sends Events one after the other. Never completes, never errors. */
  readonly run$: Observable<never>;
  /** Sends the whole queue at once. Resolves when the queue is empty or when the signal aborts. Never rejects. */
  flush(signal: AbortSignal): Promise<void>;
  /** How many Events were dropped because the queue was full, or because the API server does not allow them. */
  readonly droppedCount: number;
}

export interface EventRecorderOptions {
  readonly client: KubernetesClient;
  /** The name of the reporting component, as `kubectl describe` shows it; `from` overrides it. */
  readonly component: string;
  readonly log: Logger;
  readonly clock: Clock;
  /** Whether runs wait for their turn. Normal Events are then sent later. Default: none waits. */
  readonly isBusy?: () => boolean;
  /** How many Events may wait, each with about 1 KiB; default 20 000: a burst of 10,000 claims drops none. */
  readonly capacity?: number;
  /** How many objects' Events are remembered; default 4096. */
  readonly remembered?: number;
}

/** Events of cluster-scoped objects are in `default`, the only other namespace that the API server accepts. */
const namespaceOf = ({ metadata }: KubernetesObject): string => metadata.namespace ?? 'default';

/** As in client-go: an event that waits for an API server that restarts is sent up to 85 s later. */
const maxAttempts = 12;
const longestDelayMs = 10_000;
/** While Events wait for runs, the time between two checks. */
const checkMs = 100;
const identifying = ['namespace', 'name', 'uid', 'resourceVersion'] as const;

/**
 * Sends Events as client-go does (see `createEventCorrelator`): few, and with low priority. There is one request at a
 * time, in the order of `createEventQueue`. An Event that is repeated while it waits is sent once. Failures are retried a few
 * times if a retry can help, then logged at debug.
 */
export function createEventRecorder(options: EventRecorderOptions): SendingEventRecorder {
  const { client, component, log, clock, capacity = 20_000, remembered = 4096 } = options;
  const { isBusy = () => false } = options;
  const correlator = createEventCorrelator({ capacity: remembered });
  const sources = new Set<string>();
  const standing = standingWarnings({ client, log, sources });
  const queue = createEventQueue({ clock, isBusy, capacity });
  let droppedCount = 0;
  let sending: Promise<void> = Promise.resolve();
  let wake: () => void = () => {};

  function dropped(why: string, facts: object = {}): void {
    droppedCount += 1;
    // Log the first of a series only: a line for each would add to the load that caused the drops.
    if (droppedCount === 1 || droppedCount % 1000 === 0) log.warn(why, { droppedCount, ...facts });
  }

  async function write(recorded: CorrelatedEvent, signal: AbortSignal): Promise<void> {
    const namespace = namespaceOf(recorded.object);
    const isNew = recorded.type === 'Warning' && !recorded.isRepeated;
    const found = isNew ? await standing.find(namespace, recorded.key, signal) : undefined;
    const event = found === undefined ? recorded : correlator.resume(recorded, found);
    if (event === undefined) return;
    const key = { namespace, name: event.name };
    const { count, message, lastMs } = event;
    if (event.isRepeated) {
      try {
        const patch = { count, message, lastTimestamp: timestamp(new Date(lastMs)) };
        await client.patch(EventKind, key, patch, undefined, signal);
        return;
      } catch (error) {
        // The API server deletes Events after an hour, and may never have received this one.
        if (!isNotFound(error)) throw error;
      }
    }
    try {
      await client.create(EventKind, coreEvent(event), signal);
    } catch (error) {
      // The answer to an earlier attempt was lost.
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async function send(event: CorrelatedEvent, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await write(event, signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        const { retryAfterMs = 0 } = apiErrorIn(error) ?? {};
        if (isForbidden(error)) {
          dropped('the API server does not allow a Kubernetes Event: it is dropped', { error });
          return;
        }
        if (!isTransient(error) || attempt >= maxAttempts) {
          const { namespace, name } = event.object.metadata;
          log.debug('cannot write a Kubernetes Event; it is dropped', {
            namespace,
            name,
            reason: event.reason,
            error,
          });
          return;
        }
        const delayMs = Math.min(500 * 2 ** attempt, longestDelayMs);
        await clock.sleep(Math.max(retryAfterMs, delayMs), signal).catch(() => {});
      }
    }
  }

  /** Sends what waits. `isPatient`: except what waits for runs. */
  async function sendAll(signal: AbortSignal, isPatient: boolean): Promise<void> {
    const next = () => queue.next(isPatient);
    for (let event = next(); event !== undefined && !signal.aborted; event = next()) {
      queue.remove(event);
      await send(event, signal);
      // The request was aborted and no newer record has replaced the Event: put it back, so that `flush` sends it.
      if (signal.aborted && queue.waiting(event) === undefined) queue.keep(event);
    }
  }

  /** Runs one at a time, also with several callers. */
  function drain(signal: AbortSignal, isPatient: boolean): Promise<void> {
    sending = sending.then(() => sendAll(signal, isPatient));
    return sending;
  }

  function record(source: string, object: KubernetesObject, facts: EventFacts): void {
    if (facts.isWritten === false) return;
    try {
      // Keep only the identifying fields: the Event is remembered long after its object has changed or was deleted.
      const { apiVersion, kind, metadata } = object;
      const about = { apiVersion, kind, metadata: pick(metadata, identifying) };
      const event = correlator.observe(about, facts, source, clock.now().getTime());
      if (event === undefined) return;
      const isRepeated = event.isRepeated && queue.waiting(event)?.isRepeated !== false;
      queue.keep({ ...event, isRepeated });
      if (queue.shorten()) dropped('the queue of Kubernetes Events is full: some are dropped');
      wake();
    } catch (error) {
      log.debug('cannot record a Kubernetes Event; it is dropped', { reason: facts.reason, error });
    }
  }

  function recorderOf(source: string): EventRecorder {
    sources.add(source);
    return { record: (object, facts) => record(source, object, facts), from: recorderOf };
  }

  return {
    ...recorderOf(component),
    get droppedCount() {
      return droppedCount;
    },
    run$: new Observable<never>(() => {
      const abort = new AbortController();
      const run = async (): Promise<void> => {
        while (!abort.signal.aborted) {
          const woken = new Promise<void>((resolve) => {
            wake = resolve;
          });
          await drain(abort.signal, true);
          if (queue.isEmpty()) await woken;
          else await clock.sleep(checkMs, abort.signal).catch(() => {});
        }
      };
      run().catch((error: unknown) =>
        log.error('a bug stopped the sending of Kubernetes Events; restart the process', { error }),
      );
      return () => {
        abort.abort();
        wake();
      };
    }),
    async flush(signal) {
      const aborted = Promise.withResolvers<void>();
      const onAbort = (): void => aborted.resolve();
      if (signal.aborted) return;
      signal.addEventListener('abort', onAbort, { once: true });
      await Promise.race([drain(signal, false), aborted.promise]);
      signal.removeEventListener('abort', onAbort);
    },
  };
}

function coreEvent(event: CorrelatedEvent): CoreEvent {
  const { object, name, source: component, type, reason, message, annotations } = event;
  const { count, firstMs, lastMs } = event;
  const { resourceVersion } = object.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: namespaceOf(object), name, ...(annotations && { annotations }) },
    involvedObject: { ...referenceTo(object), ...(resourceVersion && { resourceVersion }) },
    type,
    reason,
    message,
    count,
    firstTimestamp: timestamp(new Date(firstMs)),
    lastTimestamp: timestamp(new Date(lastMs)),
    source: { component },
    reportingComponent: component,
    reportingInstance: '',
  };
}
