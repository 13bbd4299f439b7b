import { createHash } from 'node:crypto';
import type { KubernetesObject } from '../apis/core/v1alpha1/kind.ts';
import type { EventFacts } from './event-recorder.ts';
import { createLruMap } from './lru-map.ts';

/** An event as it shall be on the API server. Times in milliseconds since 1970. */
export interface CorrelatedEvent extends EventFacts {
  /** Of the Event object. */
  readonly name: string;
  readonly object: KubernetesObject;
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Turns what is recorded into few events. */
export interface EventCorrelator {
  /** The event that stands for this record, with all like it so far; undefined: it is spam. */
  observe(object: KubernetesObject, facts: EventFacts, nowMs: number): CorrelatedEvent | undefined;
}

interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

interface Similar {
  readonly messages: ReadonlySet<string>;
  readonly lastMs: number;
}

const intervalMs = 600_000;
const maxSimilar = 10;
const burst = 25;
const refillMs = 300_000;
const combinedPrefix = '(combined from similar events): ';
/** What events.k8s.io allows for a message; core/v1 has no limit of its own, etcd has. */
const maxMessageBytes = 1024;
const maxNameLength = 253;

/** At most so many bytes of UTF-8, cut between characters. */
function truncated(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const kept = Buffer.from(text)
    .subarray(0, maxBytes - 3)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
  return `${kept}…`;
}

/**
 * client-go's EventCorrelator (tools/record/events_cache.go): the same event again within 10 minutes raises a
 * count; after 10 different messages of one object, type and reason within 10 minutes they become one combined
 * event; an object has 25 events at once and one more per 5 minutes. Remembers the `capacity` last used keys
 * of each (default 4096, client-go's).
 */
export function createEventCorrelator({
  capacity = 4096,
}: {
  readonly capacity?: number;
} = {}): EventCorrelator {
  const buckets = createLruMap<string, Bucket>(capacity);
  const similars = createLruMap<string, Similar>(capacity);
  const known = createLruMap<string, CorrelatedEvent>(capacity);

  function isSpam(key: string, nowMs: number): boolean {
    const bucket = buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    const refilled = Math.min(burst, bucket.tokens + Math.max(0, nowMs - bucket.atMs) / refillMs);
    const isEmpty = refilled < 1;
    buckets.set(key, { tokens: isEmpty ? refilled : refilled - 1, atMs: nowMs });
    return isEmpty;
  }

  /** Whether there are too many messages like this one to show each. */
  function isCombined(key: string, message: string, nowMs: number): boolean {
    const before = similars.get(key);
    const messages = new Set(before && nowMs - before.lastMs <= intervalMs ? before.messages : []);
    messages.add(message);
    const isFull = messages.size >= maxSimilar;
    // As many as tell that it is full.
    if (isFull) messages.delete(messages.values().next().value!);
    similars.set(key, { messages, lastMs: nowMs });
    return isFull;
  }

  return {
    observe(object, { type, reason, message: given, annotations }, nowMs) {
      const { apiVersion, kind, metadata } = object;
      const objectKey = JSON.stringify([apiVersion, kind, metadata.namespace, metadata.name, metadata.uid]);
      const similarKey = JSON.stringify([objectKey, type, reason]);
      const combines = isCombined(similarKey, given, nowMs);
      const message = truncated(combines ? combinedPrefix + given : given, maxMessageBytes);
      const key = combines ? similarKey : JSON.stringify([similarKey, message]);
      const last = known.get(key);
      const isRepeated = last !== undefined && nowMs - last.lastMs <= intervalMs;
      const hash = createHash('sha256').update(`${key}|${nowMs}`).digest('hex').slice(0, 16);
      const event: CorrelatedEvent = {
        name: isRepeated
          ? last.name
          : `${metadata.name.slice(0, maxNameLength - hash.length - 1).replace(/[^a-z0-9]+$/, '')}.${hash}`,
        object,
        type,
        reason,
        message,
        ...(annotations && { annotations }),
        count: isRepeated ? last.count + 1 : 1,
        firstMs: isRepeated ? last.firstMs : nowMs,
        lastMs: nowMs,
      };
      known.set(key, event);
      return isSpam(objectKey, nowMs) ? undefined : event;
    },
  };
}
