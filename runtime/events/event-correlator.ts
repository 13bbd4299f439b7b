import { hash } from 'node:crypto';
import mapValues from 'lodash/mapValues.js';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { printable } from '../../apis/core/v1alpha1/printable.ts';
import type { ObjectReference } from '../../apis/core/v1alpha1/reference.ts';
import { referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import { boundedCache } from '../bounded-cache.ts';
import type { TokenBucket, TokenRate } from '../time/token-bucket.ts';
import { fullBucket, refilled } from '../time/token-bucket.ts';
import type { EventFacts } from './event-facts.ts';

/** An Event as it is to be written to the API server. Times are milliseconds since 1970. */
export interface CorrelatedEvent extends EventFacts {
  /** The component that reports it. */
  readonly source: string;
  /** The name of the Event object. Names of an object's Events sort in the order in which they were first recorded. */
  readonly name: string;
  /** Events with the same key are written as one Event with a count. See {@link eventKey}. */
  readonly key: string;
  /** A key that is the same for all Events with this source, object, type and reason. */
  readonly similar: string;
  readonly object: KubernetesObject;
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** It was sent before, with a smaller count. */
  readonly isRepeated: boolean;
}

/** Combines similar Events, so that few are written. */
export interface EventCorrelator {
  /**
   * The Event to write for this record, with the count of all equal ones so far. Undefined if it was sent a moment ago or
   * its object has too many Events; it then counts in the next one that is sent.
   */
  observe(
    object: KubernetesObject,
    facts: EventFacts,
    source: string,
    nowMs: number,
  ): CorrelatedEvent | undefined;
  /**
   * The Event to write if the API server has an equal one from an earlier process: that one with a higher count.
   * Undefined if that one was written less than 10 minutes before; this one then counts in the next one that is sent.
   */
  resume(event: CorrelatedEvent, standing: StandingEvent): CorrelatedEvent | undefined;
}

/** An Event of the API server that an earlier process wrote. */
export type StandingEvent = Pick<CorrelatedEvent, 'name' | 'count' | 'firstMs' | 'lastMs'>;

interface Similar {
  readonly messages: ReadonlySet<string>;
  readonly lastMs: number;
}

/** How often an Event was recorded, and when it was last sent. */
interface Known {
  readonly name: string;
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly sentMs: number | undefined;
}

/** Within this time messages count as similar, and an equal Warning only raises the count. */
const intervalMs = 600_000;
/** After this time without a record the count starts again at 1; the API server has deleted the Event after an hour. */
const forgottenMs = 2 * 3_600_000;
const maxSimilar = 10;
/** Per object and source: one Event per 5 minutes in the long run. */
const rate: TokenRate = { perSecond: 1 / 300, burst: 25 };
const combinedPrefix = '(combined from similar events): ';
/** The limit of events.k8s.io for a message; core/v1 has none, but etcd has. */
const maxMessageBytes = 1024;
const maxNameLength = 253;

/** Events with the same source, object, type and reason. */
const similarKey = (
  { apiVersion, kind, namespace, name, uid }: ObjectReference,
  { source, type, reason }: Pick<CorrelatedEvent, 'source' | 'type' | 'reason'>,
): string => JSON.stringify([source, apiVersion, kind, namespace, name, uid, type, reason]);

/** Events with the same key are written as one Event with a count. */
export function eventKey(
  about: ObjectReference,
  event: Pick<CorrelatedEvent, 'source' | 'type' | 'reason' | 'message'>,
): string {
  const similar = similarKey(about, event);
  const { message } = event;
  return digest(message.startsWith(combinedPrefix) ? similar : JSON.stringify([similar, message]));
}

/** At most `maxBytes` bytes of UTF-8, cut between characters. */
function truncated(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const beginning = Buffer.from(text)
    .subarray(0, maxBytes - 3)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
  return `${beginning}…`;
}

/**
 * client-go's EventCorrelator (tools/record/events_cache.go). An equal Event raises a count. After 10 different messages
 * with the same source, object, type and reason within 10 minutes, one combined Event replaces them. An object gets 25
 * Events of a source at once and one more per 5 minutes. Unlike client-go, an equal Warning is sent at most once in 10
 * minutes: a failure is recorded at every attempt, and an attempt must not cost a write each time. A Normal Event says
 * that something was done, and is sent each time. Remembers the `capacity` last used objects (default 4096, client-go's)
 * and eight Events for each.
 */
export function createEventCorrelator({
  capacity = 4096,
}: {
  readonly capacity?: number;
} = {}): EventCorrelator {
  const buckets = boundedCache<TokenBucket>(capacity);
  const similars = boundedCache<Similar>(capacity);
  /** The entries are small and many. A failure that is forgotten too early would be sent at every attempt. */
  const known = boundedCache<Known>(8 * capacity);
  let lastNameUs = 0;

  function isSpam(key: string, nowMs: number): boolean {
    const { tokens, atMs } = refilled(buckets.get(key) ?? fullBucket(rate, nowMs), rate, nowMs);
    const isEmpty = tokens < 1;
    buckets.set(key, { tokens: isEmpty ? tokens : tokens - 1, atMs });
    return isEmpty;
  }

  /** Whether there are too many similar messages to show each. */
  function isCombined(key: string, message: string, nowMs: number): boolean {
    const before = similars.get(key);
    const messages = new Set(before && nowMs - before.lastMs <= intervalMs ? before.messages : []);
    messages.add(message);
    const isFull = messages.size >= maxSimilar;
    // Keep one fewer than the limit, so that the next new message fills it again.
    if (isFull) messages.delete(messages.values().next().value!);
    similars.set(key, { messages, lastMs: nowMs });
    return isFull;
  }

  /** Later names are greater, also within a millisecond. */
  function nameOf(objectName: string, key: string, nowMs: number): string {
    lastNameUs = Math.max(nowMs * 1_000, lastNameUs + 1);
    const suffix = `${lastNameUs.toString(16).padStart(13, '0')}${key.slice(0, 8)}`;
    const prefix = objectName.slice(0, maxNameLength - suffix.length - 1).replace(/[^a-z0-9]+$/, '');
    return `${prefix}.${suffix}`;
  }

  return {
    observe(object, { type, reason, message: given, annotations }, source, nowMs) {
      const about = referenceTo(object);
      const text = printable(given);
      const similar = similarKey(about, { source, type, reason });
      const combines = isCombined(similar, text, nowMs);
      const message = truncated(combines ? combinedPrefix + text : text, maxMessageBytes);
      const key = eventKey(about, { source, type, reason, message });
      const last = known.get(key);
      const isKnown = last !== undefined && nowMs - last.lastMs <= forgottenMs;
      const { name, count, firstMs, sentMs } = isKnown
        ? { ...last, count: last.count + 1 }
        : { name: nameOf(object.metadata.name, key, nowMs), count: 1, firstMs: nowMs, sentMs: undefined };
      const isRecentlySent = type === 'Warning' && sentMs !== undefined && nowMs - sentMs < intervalMs;
      const isSkipped = isRecentlySent || isSpam(JSON.stringify([source, about]), nowMs);
      known.set(key, { name, count, firstMs, lastMs: nowMs, sentMs: isSkipped ? sentMs : nowMs });
      if (isSkipped) return undefined;
      return {
        name,
        key,
        similar,
        object,
        source,
        type,
        reason,
        message,
        ...(annotations && { annotations: mapValues(annotations, printable) }),
        count,
        firstMs,
        lastMs: nowMs,
        isRepeated: sentMs !== undefined,
      };
    },
    resume(event, { name, count, firstMs, lastMs }) {
      const isRecentlySent = event.lastMs - lastMs < intervalMs;
      const own = known.get(event.key);
      // Skip this if an earlier attempt to write the Event has already resumed its count.
      if (own !== undefined && own.name !== name) {
        const sentMs = isRecentlySent ? lastMs : own.sentMs;
        known.set(event.key, { name, count: count + own.count, firstMs, lastMs: own.lastMs, sentMs });
      }
      if (isRecentlySent) return undefined;
      return { ...event, name, count: count + event.count, firstMs, isRepeated: true };
    },
  };
}

const digest = (text: string): string => hash('sha256', text, 'hex').slice(0, 16);
