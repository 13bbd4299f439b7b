/*
 *   record ──▶ event-correlator.ts ──▶ what waits, bounded ──▶ run$: one request at a time ──▶ API server
 *              the same again: a count;                        flush: all of it, at the end
 *              too many: none
 */

import pick from 'lodash/pick.js';
import { Observable } from 'rxjs';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import { timestamp } from '../../apis/core/v1alpha1/timestamp.ts';
import { apiErrorIn, isAlreadyExists, isNotFound, isTransient } from '../client/errors.ts';
import type { KubernetesClient } from '../client/kubernetes-client.ts';
import type { Logger } from '../log/log.ts';
import type { Clock } from '../time/clock.ts';
import type { CorrelatedEvent } from './event-correlator.ts';
import { createEventCorrelator } from './event-correlator.ts';
import type { EventFacts } from './event-facts.ts';

/**
 * Records Kubernetes Events without waiting for them; never throws, never fills the process's memory. Who fails records
 * that at every attempt: the same Warning is told at once and then every 10 minutes, with a count, so that whoever looks
 * later sees it, too.
 */
export interface EventRecorder {
  record(object: KubernetesObject, event: EventFacts): void;
  /** A recorder of the same queue that reports as somebody else. */
  from(source: string): EventRecorder;
}

/** A recorder that sends what it is told. */
export interface SendingEventRecorder extends EventRecorder {
  /** Sends events, one after the other, with rests, while subscribed to. Never completes, never errors. */
  readonly run$: Observable<never>;
  /** Sends what waits, without rests, and resolves when nothing does, or when the signal aborts. Never rejects. */
  flush(signal: AbortSignal): Promise<void>;
  /** How many events were dropped for lack of room. */
  readonly droppedCount: number;
}

export interface EventRecorderOptions {
  readonly client: KubernetesClient;
  /** Who reports, as `kubectl describe` shows it, unless `from` says otherwise. */
  readonly component: string;
  readonly log: Logger;
  readonly clock: Clock;
  /** How many events may wait; default 4000. */
  readonly capacity?: number;
  /** How many objects it remembers having told of; default 4096. */
  readonly remembered?: number;
}

/** A core/v1 Event, as far as we write it. */
export interface CoreEvent extends KubernetesObject {
  readonly involvedObject: object;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly source: { readonly component: string };
  readonly reportingComponent: string;
  readonly reportingInstance: string;
}

export const EventKind: Kind<CoreEvent> = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  scope: 'Namespaced',
};

/** Events of cluster-scoped objects live in `default`, the only other place the API server accepts. */
const namespaceOf = ({ metadata }: KubernetesObject): string => metadata.namespace ?? 'default';

/** As in client-go: an event that waits for an API server that restarts is sent up to 85 s later. */
const maxAttempts = 12;
const longestDelayMs = 10_000;
/** After a request, nothing is sent for this many times as long as it took. */
const restPerSend = 4;
const longestRestMs = 2_000;
/** So few that wait are sent without rests. */
const promptCount = 10;
const identifying = ['namespace', 'name', 'uid', 'resourceVersion'] as const;

/**
 * Sends events as client-go does (see `createEventCorrelator`): few, and never at the cost of anything else. There is
 * one request at a time, with a rest after each while many wait, so that a burst of events takes at most a fifth of one
 * connection's time, and makes way when the API server is busy. What waits is bounded, and the oldest Normal event gives
 * way first; an event that is repeated while it waits is sent once. Failures are retried a few times where that can
 * help, then logged at debug.
 */
export function createEventRecorder(options: EventRecorderOptions): SendingEventRecorder {
  const { client, component, log, clock, capacity = 4000, remembered = 4096 } = options;
  const correlator = createEventCorrelator({ capacity: remembered });
  /** Events that wait, oldest first. A Map each, so that the oldest of a type is at hand. */
  const waiting = { Normal: new Map<string, Waiting>(), Warning: new Map<string, Waiting>() };
  let sequence = 0;
  let droppedCount = 0;
  let sending: Promise<void> = Promise.resolve();
  let wake: () => void = () => {};

  const size = (): number => waiting.Normal.size + waiting.Warning.size;

  function drop(): void {
    const from = waiting.Normal.size > 0 ? waiting.Normal : waiting.Warning;
    from.delete(from.keys().next().value!);
    droppedCount += 1;
    // The first of a series says it; the rest would only add to the load that caused it.
    if (droppedCount === 1 || droppedCount % 1000 === 0) log.warn('dropping events', { droppedCount });
  }

  function oldest(): Waiting | undefined {
    const [normal] = waiting.Normal.values();
    const [warning] = waiting.Warning.values();
    if (normal === undefined || warning === undefined) return normal ?? warning;
    return normal.sequence < warning.sequence ? normal : warning;
  }

  async function write(event: CorrelatedEvent, signal: AbortSignal): Promise<void> {
    const key = { namespace: namespaceOf(event.object), name: event.name };
    const { count, message, lastMs } = event;
    if (event.isRepeated) {
      try {
        const patch = { count, message, lastTimestamp: timestamp(new Date(lastMs)) };
        await client.patch(EventKind, key, patch, undefined, signal);
        return;
      } catch (error) {
        // The API server forgets events after an hour, and may never have got this one.
        if (!isNotFound(error)) throw error;
      }
    }
    try {
      await client.create(EventKind, coreEvent(event), signal);
    } catch (error) {
      // An attempt whose answer was lost.
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
        if (!isTransient(error) || attempt >= maxAttempts) {
          const { namespace, name } = event.object.metadata;
          log.debug('cannot send event', { namespace, name, reason: event.reason, error });
          return;
        }
        const delayMs = Math.min(500 * 2 ** attempt, longestDelayMs);
        await clock.sleep(Math.max(retryAfterMs, delayMs), signal).catch(() => {});
      }
    }
  }

  async function sendAll(signal: AbortSignal, rests: boolean): Promise<void> {
    for (let next = oldest(); next !== undefined && !signal.aborted; next = oldest()) {
      const { event } = next;
      waiting[event.type].delete(event.name);
      const startedAtMs = clock.elapsedMs();
      await send(event, signal);
      // Cut off, and not yet superseded: whoever flushes sends it again.
      if (signal.aborted && !waiting[event.type].has(event.name)) waiting[event.type].set(event.name, next);
      const restMs = Math.min(Math.round((clock.elapsedMs() - startedAtMs) * restPerSend), longestRestMs);
      if (rests && restMs > 0 && size() > promptCount) await clock.sleep(restMs, signal).catch(() => {});
    }
  }

  /** One at a time, whoever asks. */
  function drain(signal: AbortSignal, rests: boolean): Promise<void> {
    sending = sending.then(() => sendAll(signal, rests));
    return sending;
  }

  function record(source: string, object: KubernetesObject, facts: EventFacts): void {
    try {
      // Events are remembered long after the object has changed or gone: without what it holds.
      const { apiVersion, kind, metadata } = object;
      const about = { apiVersion, kind, metadata: pick(metadata, identifying) };
      const event = correlator.observe(about, facts, source, clock.now().getTime());
      if (event === undefined) return;
      const queue = waiting[event.type];
      sequence += 1;
      const unsent = queue.get(event.name);
      const isRepeated = event.isRepeated && unsent?.event.isRepeated !== false;
      queue.set(event.name, { event: { ...event, isRepeated }, sequence: unsent?.sequence ?? sequence });
      if (size() > capacity) drop();
      wake();
    } catch (error) {
      log.debug('cannot record event', { reason: facts.reason, error });
    }
  }

  const recorderOf = (source: string): EventRecorder => ({
    record: (object, facts) => record(source, object, facts),
    from: recorderOf,
  });

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
          if (size() === 0) await woken;
        }
      };
      run().catch((error: unknown) => log.error('sending events has stopped', { error }));
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

interface Waiting {
  readonly event: CorrelatedEvent;
  readonly sequence: number;
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
