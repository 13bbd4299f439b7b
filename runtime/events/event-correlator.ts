import { hash } from 'node:crypto';
import mapValues from 'lodash/mapValues.js';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { printable } from '../../apis/core/v1alpha1/printable.ts';
import { boundedCache } from '../bounded-cache.ts';
import type { TokenBucket, TokenRate } from '../time/token-bucket.ts';
import { fullBucket, refilled } from '../time/token-bucket.ts';
import type { EventFacts } from './event-facts.ts';

/** An event as it shall be on the API server. Times in milliseconds since 1970. */
export interface CorrelatedEvent extends EventFacts {
  /** Who reports. */
  readonly source: string;
  /** Of the Event object. */
  readonly name: string;
  readonly object: KubernetesObject;
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** It was told before, with a smaller count. */
  readonly isRepeated: boolean;
}

/** Turns what is recorded into few events. */
export interface EventCorrelator {
  /**
   * The event that stands for this record, with all like it so far; undefined: it was told a moment ago, or is spam, and
   * counts in the next that is told.
   */
  observe(
    object: KubernetesObject,
    facts: EventFacts,
    source: string,
    nowMs: number,
  ): CorrelatedEvent | undefined;
}

interface Similar {
  readonly messages: ReadonlySet<string>;
  readonly lastMs: number;
}

/** How often the same was recorded, and when it was told. */
interface Known {
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly toldMs: number | undefined;
}

/** For so long messages count as similar, and the same Warning is only counted. */
const intervalMs = 600_000;
/** What was not recorded for so long begins anew; the API server has forgotten it after an hour. */
const forgottenMs = 2 * 3_600_000;
const maxSimilar = 10;
/** Per object and source: one event per 5 minutes in the long run. */
const rate: TokenRate = { perSecond: 1 / 300, burst: 25 };
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
 * client-go's EventCorrelator (tools/record/events_cache.go): the same event again raises a count; after 10 different
 * messages of one source, object, type and reason within 10 minutes they become one combined event; an object has 25
 * events of a source at once and one more per 5 minutes. Unlike there, the same Warning is told at most once in 10
 * minutes: what fails is recorded at every attempt, for as long as it lasts, and an attempt shall not cost a write. A
 * Normal event says that something was done, and is told each time.
 * Remembers the `capacity` last used objects (default 4096, client-go's), and eight events for each.
 */
export function createEventCorrelator({
  capacity = 4096,
}: {
  readonly capacity?: number;
} = {}): EventCorrelator {
  const buckets = boundedCache<TokenBucket>(capacity);
  const similars = boundedCache<Similar>(capacity);
  /** Small entries, and many: a failure that is forgotten too early is told at every attempt. */
  const known = boundedCache<Known>(8 * capacity);

  function isSpam(key: string, nowMs: number): boolean {
    const { tokens, atMs } = refilled(buckets.get(key) ?? fullBucket(rate, nowMs), rate, nowMs);
    const isEmpty = tokens < 1;
    buckets.set(key, { tokens: isEmpty ? tokens : tokens - 1, atMs });
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
    observe(object, { type, reason, message: given, annotations }, source, nowMs) {
      const { apiVersion, kind, metadata } = object;
      const { namespace, name, uid } = metadata;
      const text = printable(given);
      const objectKey = JSON.stringify([source, apiVersion, kind, namespace, name, uid]);
      const similarKey = JSON.stringify([objectKey, type, reason]);
      const combines = isCombined(similarKey, text, nowMs);
      const message = truncated(combines ? combinedPrefix + text : text, maxMessageBytes);
      const key = digest(combines ? similarKey : JSON.stringify([similarKey, message]));
      const last = known.get(key);
      const isKnown = last !== undefined && nowMs - last.lastMs <= forgottenMs;
      const { count, firstMs, toldMs } = isKnown
        ? { ...last, count: last.count + 1 }
        : { count: 1, firstMs: nowMs, toldMs: undefined };
      const isTold = type === 'Warning' && toldMs !== undefined && nowMs - toldMs < intervalMs;
      const isLeftOut = isTold || isSpam(objectKey, nowMs);
      known.set(key, { count, firstMs, lastMs: nowMs, toldMs: isLeftOut ? toldMs : nowMs });
      if (isLeftOut) return undefined;
      const suffix = digest(`${key}|${firstMs}`);
      return {
        name: `${name.slice(0, maxNameLength - suffix.length - 1).replace(/[^a-z0-9]+$/, '')}.${suffix}`,
        object,
        source,
        type,
        reason,
        message,
        ...(annotations && { annotations: mapValues(annotations, printable) }),
        count,
        firstMs,
        lastMs: nowMs,
        isRepeated: toldMs !== undefined,
      };
    },
  };
}

const digest = (text: string): string => hash('sha256', text, 'hex').slice(0, 16);
