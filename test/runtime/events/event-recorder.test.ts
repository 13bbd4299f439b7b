import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import map from 'lodash/map.js';
import partition from 'lodash/partition.js';
import range from 'lodash/range.js';
import sortBy from 'lodash/sortBy.js';
import type { Subscription } from 'rxjs';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { ApiError, terminatingReason } from '../../../runtime/client/errors.ts';
import type { KubernetesClient } from '../../../runtime/client/kubernetes-client.ts';
import type { CoreEvent } from '../../../runtime/events/event-kind.ts';
import type { EventRecorderOptions, SendingEventRecorder } from '../../../runtime/events/event-recorder.ts';
import { createEventRecorder } from '../../../runtime/events/event-recorder.ts';
import type { TestClock } from '../../../testing/test-clock.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import { stored } from '../widgets.ts';

interface Write {
  readonly method: 'create' | 'patch';
  readonly event: Partial<CoreEvent>;
}

const apiError = (code: number, rest: { reason?: string; retryAfterMs?: number } = {}) =>
  new ApiError(`told to fail with ${code}`, { code, reason: 'Fault', ...rest });

/** A client that keeps what it is sent; `fail` are the errors of the next requests, `gate` holds them up. */
function eventSink(takeTime: () => Promise<void>) {
  const sink = {
    writes: [] as Write[],
    fail: [] as (ApiError | undefined)[],
    gate: Promise.resolve(),
    inFlight: 0,
    mostInFlight: 0,
    /** The Warnings of an earlier process, or the error of the list. */
    standing: [] as CoreEvent[] | ApiError,
    client: {} as KubernetesClient,
  };
  const take = async (write: Write, signal: AbortSignal | undefined): Promise<object> => {
    sink.inFlight += 1;
    sink.mostInFlight = Math.max(sink.mostInFlight, sink.inFlight);
    const aborted = Promise.withResolvers<never>();
    signal?.addEventListener('abort', () => aborted.reject(apiError(0, { reason: 'Aborted' })));
    try {
      await Promise.race([sink.gate, aborted.promise]);
      await takeTime();
      const error = sink.fail.shift();
      if (error !== undefined) throw error;
      sink.writes.push(write);
      return write.event;
    } finally {
      sink.inFlight -= 1;
    }
  };
  sink.client = {
    async list() {
      if (sink.standing instanceof ApiError) throw sink.standing;
      return { items: sink.standing, resourceVersion: '1' };
    },
    create: (_kind: unknown, event: Partial<CoreEvent>, signal?: AbortSignal) =>
      take({ method: 'create', event }, signal),
    patch: (_kind: unknown, key: object, patch: object, _options: unknown, signal?: AbortSignal) =>
      take({ method: 'patch', event: { metadata: key, ...patch } as Partial<CoreEvent> }, signal),
  } as unknown as KubernetesClient;
  return sink;
}

const forever = new AbortController().signal;

describe('event recorder', () => {
  let sink: ReturnType<typeof eventSink>;
  let log: ReturnType<typeof recordedLog>;
  let recorder: SendingEventRecorder;
  let running: Subscription | undefined;
  let clock: TestClock;
  let slept: number[];
  /** How long each request takes. */
  let requestMs: number;

  const create = (options: Partial<EventRecorderOptions> = {}): void => {
    recorder = createEventRecorder({
      client: sink.client,
      component: 'services-stack',
      log,
      clock: {
        ...clock,
        sleep(delayMs, signal) {
          slept.push(delayMs);
          return clock.sleep(delayMs, signal);
        },
      },
      ...options,
    });
  };
  const run = (): void => {
    running = recorder.run$.subscribe();
  };
  const record = (name: string, message = 'm', type: 'Normal' | 'Warning' = 'Normal'): void =>
    recorder.record(stored(name, 7), { type, reason: 'Tested', message });
  /** Time goes by until so many Events were written. */
  const sent = (count: number) => clock.advanceUntil(() => sink.writes.length === count);
  const methods = () => map(sink.writes, 'method');
  const reportsOfDrops = () =>
    log.lines.filter(({ message }) => message === 'the queue of Kubernetes Events is full: some are dropped')
      .length;
  const levels = () => map(log.lines, 'level');
  const objects = () =>
    sink.writes.map(({ event }) => (event.involvedObject as { name?: string } | undefined)?.name);

  beforeEach(() => {
    clock = testClock('2026-01-02T03:04:05.678Z');
    requestMs = 0;
    sink = eventSink(() => clock.sleep(requestMs));
    log = recordedLog();
    slept = [];
    create();
  });
  afterEach(() => running?.unsubscribe());

  test('annotations are those of the Event object, from its first occurrence on', async () => {
    run();
    const annotations = { 'managed-name': 'db' };
    recorder.record(stored('a', 7), { type: 'Normal', reason: 'Tested', message: 'm', annotations });
    await sent(1);
    assert.deepEqual(sink.writes[0]?.event.metadata?.annotations, annotations);
    record('b');
    await sent(2);
    assert.ok(!('annotations' in (sink.writes[1]?.event.metadata ?? {})));
  });

  test('an Event that another one stands for is not sent', async () => {
    run();
    recorder.record(stored('a', 7), { type: 'Normal', reason: 'Tested', message: 'm', isWritten: false });
    record('b');
    await sent(1);
    assert.deepEqual(objects(), ['b']);
  });

  test('sends what kubectl describe reads', async () => {
    run();
    record('a', 'it happened', 'Warning');
    await sent(1);
    const [{ method, event }] = sink.writes as [Write];
    const { metadata, ...rest } = event;
    assert.equal(method, 'create');
    assert.equal(metadata?.namespace, 'ns');
    assert.match(metadata?.name ?? '', /^a\.[0-9a-f]{21}$/);
    const about = { apiVersion: 'test.example.org/v1', kind: 'Widget' };
    assert.deepEqual(rest, {
      apiVersion: 'v1',
      kind: 'Event',
      involvedObject: { ...about, namespace: 'ns', name: 'a', uid: 'uid-a', resourceVersion: '7' },
      type: 'Warning',
      reason: 'Tested',
      message: 'it happened',
      count: 1,
      firstTimestamp: '2026-01-02T03:04:05Z',
      lastTimestamp: '2026-01-02T03:04:05Z',
      source: { component: 'services-stack' },
      reportingComponent: 'services-stack',
      reportingInstance: '',
    });
  });

  test('an event of a cluster-scoped object goes to the namespace default', async () => {
    run();
    const object: KubernetesObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', uid: 'u' } };
    recorder.record(object, { type: 'Normal', reason: 'Tested', message: 'm' });
    await sent(1);
    assert.equal(sink.writes[0]?.event.metadata?.namespace, 'default');
    assert.equal('namespace' in (sink.writes[0]?.event.involvedObject ?? {}), false);
  });

  test('a failure that lasts is patched every 10 minutes: count and last time', async () => {
    run();
    record('a', 'm', 'Warning');
    await sent(1);
    for (let minute = 1; minute <= 10; minute += 1) {
      clock.stall(60_000);
      record('a', 'm', 'Warning');
    }
    await sent(2);
    const { method, event } = sink.writes[1]!;
    assert.deepEqual(
      [method, event.count, event.lastTimestamp, event.metadata?.name],
      ['patch', 11, '2026-01-02T03:14:05Z', sink.writes[0]?.event.metadata?.name],
    );
  });

  test('an Event that the API server has forgotten is created again', async () => {
    run();
    record('a');
    await sent(1);
    sink.fail = [apiError(404, { reason: 'NotFound' })];
    clock.stall(600_000);
    record('a');
    await sent(2);
    assert.deepEqual([sink.writes[1]?.method, sink.writes[1]?.event.count], ['create', 2]);
  });

  test('an Event that exists already was created by an attempt whose answer was lost', async () => {
    run();
    sink.fail = [apiError(0), apiError(409, { reason: 'AlreadyExists' })];
    record('a');
    await clock.advanceUntil(() => sink.fail.length === 0);
    clock.stall(600_000);
    record('a');
    await sent(1);
    assert.deepEqual([sink.writes[0]?.method, sink.writes[0]?.event.count], ['patch', 2]);
  });

  describe('after a restart', () => {
    /** The process ends after two attempts and one Event, and another begins. */
    const restarted = async (): Promise<CoreEvent> => {
      record('a', 'm', 'Warning');
      run();
      await sent(1);
      const event = sink.writes.splice(0)[0]?.event as CoreEvent;
      running?.unsubscribe();
      sink.standing = [event];
      clock.stall(1_000);
      create();
      run();
      return event;
    };
    const written = ({ method, event }: Write) => [method, event.metadata?.name, event.count];
    const attempts = async (minutes: number): Promise<void> => {
      for (let minute = 0; minute < minutes; minute += 1) {
        record('a', 'm', 'Warning');
        await clock.advance(60_000);
      }
    };

    test('a Warning that an earlier process wrote is repeated 10 minutes after that, with the whole count', async () => {
      const event = await restarted();
      await attempts(10);
      assert.deepEqual(sink.writes, []);
      await attempts(1);
      assert.deepEqual(sink.writes.map(written), [['patch', event.metadata.name, 12]]);
    });

    test('a Warning whose last Event is older than 10 minutes is repeated at once', async () => {
      const event = await restarted();
      clock.stall(600_000);
      await attempts(5);
      assert.deepEqual(sink.writes.map(written), [['patch', event.metadata.name, 2]]);
    });

    test('a Warning with another message, reason, object or source is new', async () => {
      await restarted();
      const facts = { type: 'Warning', reason: 'Tested', message: 'm' } as const;
      recorder.record(stored('a', 8), { ...facts, message: 'other' });
      recorder.record(stored('a', 8), { ...facts, reason: 'Other' });
      recorder.record(stored('b', 8), facts);
      recorder.from('managed/widget').record(stored('a', 8), facts);
      await sent(4);
      assert.deepEqual(methods(), ['create', 'create', 'create', 'create']);
    });

    test('without the right to list Events each Warning is written again', async () => {
      await restarted();
      sink.standing = apiError(403, { reason: 'Forbidden' });
      await attempts(1);
      assert.deepEqual(methods(), ['create']);
    });

    test('a list without an answer is tried again', async () => {
      const event = await restarted();
      sink.standing = apiError(0);
      record('a', 'm', 'Warning');
      await clock.settle();
      sink.standing = [event];
      await clock.advance(60_000);
      assert.deepEqual(sink.writes, []);
    });
  });

  test('Events of one second sort by name in the order in which they happened', async () => {
    const happened = ['selected', 'created', 'bound', 'copied', 'failed'];
    for (const message of happened) record('a', message, message === 'failed' ? 'Warning' : 'Normal');
    run();
    await sent(happened.length);
    const byName = sortBy(sink.writes, 'event.metadata.name');
    assert.deepEqual(map(byName, 'event.message'), happened);
  });

  test('repeated while it waits, it is sent once', async () => {
    for (let times = 0; times < 20; times += 1) record('a');
    run();
    await sent(1);
    await clock.settle();
    assert.deepEqual(map(sink.writes, 'event.count'), [20]);
  });

  test('a controller with its own recorder is named, and its Events are counted separately', async () => {
    run();
    const facts = { type: 'Warning', reason: 'Tested', message: 'm' } as const;
    recorder.from('managed/widget.test.example.org').record(stored('a', 7), facts);
    recorder.record(stored('a', 7), facts);
    await sent(2);
    for (const [index, name] of ['managed/widget.test.example.org', 'services-stack'].entries()) {
      const { source, reportingComponent, count } = sink.writes[index]?.event ?? {};
      assert.deepEqual([source?.component, reportingComponent, count], [name, name, 1]);
    }
  });

  test('repeated while it waits, it keeps its turn', async () => {
    record('a');
    record('b');
    record('a');
    run();
    await sent(2);
    assert.deepEqual(objects(), ['a', 'b']);
  });

  test('one request at a time, first the Warnings, each type in order, however many wait', async () => {
    const [even, odd] = partition(range(50), (index) => index % 2 === 0);
    for (const index of range(50)) record(`k${index}`, 'm', even.includes(index) ? 'Normal' : 'Warning');
    run();
    await sent(50);
    const names = [...odd, ...even].map((index) => `k${index}`);
    assert.deepEqual([objects(), sink.mostInFlight], [names, 1]);
  });

  test('recording never waits, and what does not fit is dropped, Normal before Warning', async () => {
    create({ capacity: 3 });
    record('w1', 'm', 'Warning');
    for (const name of ['n1', 'n2', 'n3', 'n4']) record(name);
    record('w2', 'm', 'Warning');
    assert.equal(recorder.droppedCount, 3);
    run();
    await sent(3);
    assert.deepEqual(objects(), ['w1', 'w2', 'n4']);
    assert.equal(reportsOfDrops(), 1);
  });

  test('Events that the API server forbids count as dropped, and are logged once', async () => {
    sink.fail = ['n1', 'n2'].map(() => apiError(403, { reason: 'Forbidden' }));
    for (const name of ['n1', 'n2', 'n3']) record(name);
    run();
    await sent(1);
    assert.deepEqual([objects(), recorder.droppedCount], [['n3'], 2]);
    assert.deepEqual(levels(), ['warn']);
  });

  test('an Event in a namespace that is being deleted does not count as dropped', async () => {
    sink.fail = [apiError(403, { reason: terminatingReason })];
    for (const name of ['n1', 'n2']) record(name);
    run();
    await sent(1);
    assert.deepEqual([objects(), recorder.droppedCount], [['n2'], 0]);
  });

  test('an Event with a newer one of its object and reason is dropped before all others', async () => {
    create({ capacity: 3 });
    record('first');
    record('w', 'old', 'Warning');
    record('w', 'new', 'Warning');
    record('last');
    assert.equal(recorder.droppedCount, 1);
    run();
    await sent(3);
    assert.deepEqual(objects(), ['w', 'first', 'last']);
    assert.deepEqual(map(sink.writes, 'event.message'), ['new', 'm', 'm']);
  });

  describe('while runs wait', () => {
    let isBusy: boolean;
    beforeEach(() => {
      isBusy = true;
      create({ isBusy: () => isBusy });
    });

    /** Half a minute after an Event of `a`, there is one more, and one of `b`. */
    const waiting = async (): Promise<void> => {
      run();
      record('a');
      await clock.advance(30_000);
      record('a');
      record('b');
    };

    test('Normal Events wait until no run waits', async () => {
      await waiting();
      assert.deepEqual(objects(), []);
      isBusy = false;
      await clock.advance(100);
      assert.deepEqual(objects(), ['a', 'b']);
      assert.equal(sink.writes[0]?.event.count, 2, 'repeated while it waits, it is sent once');
    });

    test('a Normal Event waits a minute at most', async () => {
      await waiting();
      await clock.advance(29_900);
      assert.deepEqual(objects(), []);
      await clock.advance(100);
      assert.deepEqual(objects(), ['a']);
      await clock.advance(30_000);
      assert.deepEqual(objects(), ['a', 'b']);
    });

    test('a Warning is sent at once, alone', async () => {
      run();
      record('a');
      await clock.advance(1_000);
      record('w', 'm', 'Warning');
      await clock.advance(100);
      assert.deepEqual(objects(), ['w']);
    });

    test('a flush sends all', async () => {
      run();
      record('a');
      await clock.advance(1_000);
      running?.unsubscribe();
      const flushed = recorder.flush(forever);
      await clock.settle();
      await flushed;
      assert.deepEqual(objects(), ['a']);
    });
  });

  const whileServerHangs: Record<number, number> = { 10000: 0, 26000: 6_000 };
  for (const [count, dropped] of Object.entries(whileServerHangs)) {
    test(`${count} objects while the API server hangs: 20,000 wait, ${dropped} are dropped`, async () => {
      sink.gate = new Promise(() => {});
      run();
      for (let index = 0; index < Number(count); index += 1) record(`k${index}`);
      await clock.settle();
      assert.equal(recorder.droppedCount, dropped);
      assert.ok(reportsOfDrops() <= 10);
    });
  }

  const failures: Record<
    string,
    readonly [isSent: boolean, errors: readonly ApiError[], slept: readonly number[]]
  > = {
    'no answer: tried again': [true, [apiError(0), apiError(0)], [1000, 2000]],
    '5xx: tried again': [true, [apiError(503)], [1000]],
    '429: not before the server wants it': [true, [apiError(429, { retryAfterMs: 9000 })], [9000]],
    'twelve failures: dropped': [
      false,
      Array.from({ length: 12 }, () => apiError(500)),
      [1000, 2000, 4000, 8000, ...Array.from({ length: 7 }, () => 10_000)],
    ],
    'forbidden: dropped': [false, [apiError(403)], []],
    'namespace gone: dropped': [false, [apiError(404, { reason: 'NotFound' })], []],
    'a 404 of a proxy: tried again': [true, [apiError(404, { reason: 'Unknown' })], [1000]],
  };
  for (const [name, [isSent, errors, delays]] of Object.entries(failures)) {
    test(name, async () => {
      run();
      sink.fail = [...errors];
      record('a');
      await clock.advanceUntil(() => sink.fail.length === 0);
      record('b');
      await clock.advanceUntil(() => objects().includes('b'));
      assert.equal(objects().includes('a'), isSent);
      assert.deepEqual(slept, delays);
      assert.deepEqual(levels(), isSent ? [] : ['debug']);
    });
  }

  test('unsubscribing in the middle loses nothing that a flush can still send', async () => {
    sink.gate = Promise.withResolvers<void>().promise;
    run();
    record('a');
    record('b');
    await clock.advanceUntil(() => sink.inFlight === 1);
    running?.unsubscribe();
    sink.gate = Promise.resolve();
    const flushed = recorder.flush(forever);
    await clock.settle();
    await flushed;
    assert.deepEqual(objects().toSorted(), ['a', 'b']);
  });

  test('a flush gives up when its signal aborts', async () => {
    sink.gate = Promise.withResolvers<void>().promise;
    record('a');
    const abort = new AbortController();
    const flushed = recorder.flush(abort.signal);
    await clock.settle();
    assert.equal(sink.inFlight, 1);
    abort.abort();
    await flushed;
    await clock.settle();
    assert.equal(sink.inFlight, 0);
    assert.deepEqual(sink.writes, []);
    await recorder.flush(AbortSignal.abort());
  });

  test('remembers what an event is about, not what the object holds', async () => {
    run();
    const secret = { ...stored('s', 1), data: { password: 'hunter2' } };
    recorder.record(secret, { type: 'Normal', reason: 'Tested', message: 'm' });
    await sent(1);
    assert.equal(JSON.stringify(sink.writes).includes('hunter2'), false);
  });

  test('recording never throws', () => {
    recorder.record(undefined as unknown as KubernetesObject, { type: 'Normal', reason: 'R', message: 'm' });
    assert.deepEqual(levels(), ['debug']);
  });
});
