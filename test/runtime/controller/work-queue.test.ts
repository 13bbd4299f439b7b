import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { delay, map, NEVER, Observable, of, Subject, take, VirtualTimeScheduler } from 'rxjs';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Request } from '../../../runtime/controller/reconcile.ts';
import type { Asking, Stage } from '../../../runtime/controller/urgency.ts';
import type { Next, Wake } from '../../../runtime/controller/wake.ts';
import { returnReasons } from '../../../runtime/controller/wake.ts';
import type { Run, WorkQueueObserver, WorkQueueOptions } from '../../../runtime/controller/work-queue.ts';
import { workQueue } from '../../../runtime/controller/work-queue.ts';
import { testClock } from '../../../testing/test-clock.ts';

/** The same sentence for every request. */
const wokenBy = (asking: Asking) =>
  map((request: Request): Wake => ({ request, because: 'a widget changed', asking }));
const woken = wokenBy('change');

const done: Next = { type: 'done' };
const requeue: Next = { type: 'requeue' };
const conflict: Next = { type: 'conflict' };
const after = (delayMs: number): Next => ({ type: 'after', delayMs });
const unsettled = (delayMs: number): Next => ({ type: 'after', delayMs, keepsBackOff: true });

const silent: WorkQueueObserver = {
  added: () => {},
  due: () => {},
  started: () => {},
  finished: () => {},
  retried: () => {},
  dropped: () => {},
};

interface Script {
  /** When requests arrive, in ms, by key. */
  readonly arrivals: Readonly<Record<string, readonly number[]>>;
  /** The results of the runs of each key, in order; then `done`. */
  readonly runs?: Readonly<Record<string, readonly Next[]>>;
  readonly runMs?: number;
  readonly untilMs?: number;
  readonly drainAtMs?: number;
  readonly options?: Partial<WorkQueueOptions>;
  readonly asking?: Asking;
}

/** Plays a script in virtual time; `starts` are `key@ms`. */
function play({
  arrivals,
  runs = {},
  runMs = 0,
  untilMs = 200_000,
  drainAtMs,
  options,
  asking = 'change',
}: Script) {
  const scheduler = new VirtualTimeScheduler(undefined, untilMs);
  const starts: string[] = [];
  const counts = new Map<string, number>();
  const source = new Subject<Request>();
  const drain$ = new Subject<void>();
  const run = (request: Request): Observable<Run<string>> => {
    const key = objectKeyText(request);
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    starts.push(`${key}@${scheduler.now()}`);
    const next = runs[key]?.[count] ?? done;
    return of({ value: key, next }).pipe(delay(runMs, scheduler));
  };
  let completedAtMs: number | undefined;
  const values: string[] = [];
  const subscription = source
    .pipe(wokenBy(asking), workQueue(run, { concurrency: 10, clock: { scheduler }, drain$, ...options }))
    .subscribe({
      next: (value) => values.push(value),
      complete: () => {
        completedAtMs = scheduler.now();
      },
    });
  for (const [name, times] of Object.entries(arrivals)) {
    for (const time of times) scheduler.schedule(() => source.next({ name }), time);
  }
  if (drainAtMs !== undefined) scheduler.schedule(() => drain$.next(), drainAtMs);
  scheduler.flush();
  return { starts, values, completedAtMs, subscription, scheduler };
}

describe('work queue', () => {
  const many = <T>(count: number, each: (index: number) => T): readonly T[] =>
    Array.from({ length: count }, (_, index) => each(index));
  const aAt = (...ms: readonly number[]): string => ms.map((each) => `a@${each}`).join(' ');
  /** Key `a` arrives at 0 and its runs have these results, unless the script says otherwise. */
  const rows: Record<string, readonly [runs: readonly Next[], starts: string, script?: Partial<Script>]> = {
    'done: an event alone brings a key back': [[], aAt(0, 50), { arrivals: { a: [0, 50] } }],
    'a key that events bring back all the time: 30 times, and then once in 3 s': [
      [],
      `${aAt(...many(30, (count) => 10 * count))} a@3000 b@5000 a@6000 a@9000 a@12000`,
      { arrivals: { a: many(1_000, (count) => 10 * count), b: [5_000] } },
    ],
    'requests while a key waits for its run count as one': [
      [],
      aAt(0, 200, 400),
      { arrivals: { a: [0, ...many(100, (count) => 1 + count), 300] }, runMs: 200 },
    ],
    'a run that comes by itself costs no event': [
      many(40, () => after(1_000)),
      aAt(...many(41, (count) => 1_000 * count), 45_000, 46_000),
      { arrivals: { a: [0, 45_000, 46_000] }, untilMs: 47_500 },
    ],
    'after: again once the delay is over': [[after(60_000), after(500)], aAt(0, 60_000, 60_500)],
    'after: the rest of a millisecond is waited for, too': [[after(0.4), after(1.4)], aAt(0, 1, 3)],
    'requeue: the delay doubles from 5 ms': [many(4, () => requeue), aAt(0, 5, 15, 35, 75)],
    'requeue: no delay is longer than 30 s': [
      many(16, () => requeue),
      // 5 ms doubled 12 times is 20.48 s: 5 × (2^13 - 1) ms, then 30 s each.
      aAt(...many(14, (count) => 5 * (2 ** count - 1)), 70_955, 100_955, 130_955),
    ],
    'requeue: not before the wait that was asked for': [
      [{ type: 'requeue', atLeastMs: 7000 }, requeue],
      aAt(0, 7000, 7010),
    ],
    'conflict: 10 ms doubling to 5 s, a back-off of its own': [
      many(11, () => conflict),
      aAt(0, 10, 30, 70, 150, 310, 630, 1270, 2550, 5110, 10110, 15110),
    ],
    'conflicts do not lengthen the back-off of errors': [[conflict, conflict, requeue], aAt(0, 10, 30, 35)],
    'done forgets the back-off': [
      [requeue, requeue, done, requeue],
      aAt(0, 5, 15, 100, 105),
      { arrivals: { a: [0, 100] } },
    ],
    'after that settled nothing does not': [
      [requeue, unsettled(100), requeue, requeue],
      aAt(0, 5, 105, 115, 135),
    ],
    'after forgets the back-off': [[requeue, requeue, after(100), requeue], aAt(0, 5, 15, 115, 120)],
    'an event ends a delay, and causes no second run': [
      [after(1000)],
      aAt(0, 10),
      { arrivals: { a: [0, 10] } },
    ],
    'an event ends a back-off, which still grows': [
      [requeue, requeue],
      aAt(0, 2, 12),
      { arrivals: { a: [0, 2] }, asking: 'shared change' },
    ],
    'an edit of the object begins a new back-off': [
      [requeue, requeue, requeue, requeue],
      aAt(0, 5, 15, 20, 25),
      { arrivals: { a: [0, 20] } },
    ],
    'an edit that the rate limit holds back begins a new back-off when it runs': [
      [...many(29, () => done), { type: 'requeue', atLeastMs: 7000 }, requeue],
      aAt(...many(30, (count) => 10 * count), 3000, 3005),
      { arrivals: { a: many(31, (count) => 10 * count) } },
    ],
    'a delay that ends while an event waits is one run with it': [
      [after(5)],
      'a@0 x@9 a@15',
      { arrivals: { x: [9], a: [0, 10] }, runMs: 6, options: { concurrency: 1 } },
    ],
    'an event during a run is not lost to the delay the run asks for': [
      [after(1000)],
      aAt(0, 10),
      { arrivals: { a: [0, 5] }, runMs: 10 },
    ],
    'one key in back-off does not hold up another': [
      [requeue],
      'a@0 b@1 b@3 a@5',
      { arrivals: { a: [0], b: [1, 3] }, options: { concurrency: 1 } },
    ],
    'a negative delay is none': [[after(-5)], aAt(0, 0)],
    'nothing is started by a timer once drained': [[after(100)], aAt(0), { drainAtMs: 50 }],
    'nothing is started by a delay that a run asks for while it is drained': [
      [requeue],
      'a@0 b@0',
      { arrivals: { a: [0], b: [0] }, runs: { a: [requeue], b: [requeue] }, runMs: 100, drainAtMs: 50 },
    ],
  };
  for (const [name, [a, want, script]] of Object.entries(rows)) {
    test(name, () =>
      assert.equal(play({ arrivals: { a: [0] }, runs: { a }, ...script }).starts.join(' '), want),
    );
  }

  test('a drain completes when the running ones have ended, and tells what they yielded', () => {
    const { values, completedAtMs } = play({
      arrivals: { a: [0], b: [40], c: [60] },
      runMs: 100,
      drainAtMs: 50,
    });
    assert.deepEqual(values, ['a', 'b']);
    assert.equal(completedAtMs, 140);
  });

  test('after 10,000 keys that failed and then succeeded no timer is left', async () => {
    const source = new Subject<Request>();
    const counts = new Map<string, number>();
    const nexts = [requeue, conflict, done];
    let ended = 0;
    const run = ({ name }: Request) => {
      const count = counts.get(name) ?? 0;
      counts.set(name, count + 1);
      return of({ value: name, next: nexts[count]! });
    };
    const clock = testClock();
    source.pipe(woken, workQueue(run, { concurrency: 10, clock })).subscribe(() => {
      ended += 1;
    });
    for (let index = 0; index < 10_000; index += 1) source.next({ name: `k${index}` });
    assert.equal(clock.waitingCount, 10_000);
    await clock.advance(15);
    assert.deepEqual([ended, clock.waitingCount], [30_000, 0]);
  });

  test('unsubscribing ends runs and timers', () => {
    const clock = testClock();
    const source = new Subject<Request>();
    let aborted = 0;
    const run = ({ name }: Request): Observable<Run<string>> =>
      name === 'long'
        ? new Observable(() => () => {
            aborted += 1;
          })
        : of({ value: name, next: after(3_600_000) });
    const subscription = source.pipe(woken, workQueue(run, { concurrency: 2, clock })).subscribe();
    for (const name of ['long', 'a', 'b']) source.next({ name });
    assert.equal(clock.waitingCount, 2);
    subscription.unsubscribe();
    assert.equal(clock.waitingCount, 0);
    assert.equal(aborted, 1);
    assert.equal(source.observed, false);
  });

  test('a drain leaves no timer behind, however long the last run takes', () => {
    const clock = testClock();
    const source = new Subject<Request>();
    const drain$ = new Subject<void>();
    const run = ({ name }: Request): Observable<Run<string>> =>
      name === 'long' ? NEVER : of({ value: name, next: after(3_600_000) });
    source.pipe(woken, workQueue(run, { concurrency: 2, clock, drain$ })).subscribe();
    for (const name of ['long', 'a', 'b']) source.next({ name });
    assert.equal(clock.waitingCount, 2);
    drain$.next();
    assert.equal(clock.waitingCount, 0);
  });

  /** The report of an observer about a script. */
  const observed = (script: Script): readonly string[] => {
    const reported: string[] = [];
    const observer: WorkQueueObserver = {
      added: (key) => reported.push(`added ${key}`),
      due: (key) => reported.push(`due ${key}`),
      started: (key) => reported.push(`started ${key}`),
      finished: (key) => reported.push(`finished ${key}`),
      retried: () => reported.push('retried'),
      dropped: (key) => reported.push(`dropped ${key}`),
    };
    play({ ...script, options: { concurrency: 1, observer } });
    return reported;
  };
  const observations: Record<string, Script & { readonly want: string }> = {
    'each wait, start, end and retry': {
      arrivals: { a: [0], b: [1] },
      runs: { a: [requeue] },
      runMs: 10,
      drainAtMs: 12,
      want: 'added a, started a, added b, retried, finished a, started b, finished b',
    },
    'each drop': {
      arrivals: { a: [0], b: [1] },
      runMs: 10,
      drainAtMs: 5,
      want: 'added a, started a, added b, dropped b, finished a',
    },
    'that a timer brought a key back': {
      arrivals: { a: [0] },
      runs: { a: [after(5)] },
      runMs: 10,
      drainAtMs: 40,
      want: 'added a, started a, finished a, due a, added a, started a, finished a',
    },
    'the end of a run before the start of the next run of its key': {
      arrivals: { a: [0, 5] },
      runMs: 10,
      want: 'added a, started a, added a, finished a, started a, finished a',
    },
  };
  for (const [name, { want, ...script }] of Object.entries(observations)) {
    test(`the observer gets ${name}`, () => assert.equal(observed(script).join(', '), want));
  }

  test('a subscription has a queue of its own', () => {
    const source = new Subject<Request>();
    const started: string[] = [];
    const run = ({ name }: Request) => {
      started.push(name);
      return NEVER;
    };
    const queue$ = source.pipe(woken, workQueue(run, { concurrency: 1, clock: testClock() }));
    const subscriptions = [queue$.subscribe(), queue$.subscribe()];
    source.next({ name: 'a' });
    assert.deepEqual(started, ['a', 'a']);
    for (const subscription of subscriptions) subscription.unsubscribe();
  });
});

describe('a key at rest', () => {
  const rests: Pick<Script, 'asking' | 'options'> = {
    asking: 'appearance',
    options: { restMsOf: () => 500 },
  };
  const rows: Record<string, readonly [script: Script, starts: string]> = {
    'an appearance starts only the timer of a key at rest': [{ arrivals: { a: [0] }, ...rests }, 'a@500'],
    'later appearances do not start it again': [{ arrivals: { a: [0, 100, 400] }, ...rests }, 'a@500'],
    'an appearance leaves the delay that its last run asked for': [
      { arrivals: { a: [0, 600] }, runs: { a: [after(1_000)] }, ...rests },
      'a@500 a@1500',
    ],
    'any other wake runs it at once': [{ arrivals: { a: [0] }, ...rests, asking: 'shared change' }, 'a@0'],
    'a key that is not at rest runs at once': [
      { arrivals: { a: [0] }, ...rests, options: { restMsOf: () => undefined } },
      'a@0',
    ],
    'a key with a malformed object runs at once': [
      {
        arrivals: { a: [0] },
        ...rests,
        options: {
          restMsOf() {
            throw new TypeError('spec is undefined');
          },
        },
      },
      'a@0',
    ],
    'its timer is gone once drained': [{ arrivals: { a: [0] }, ...rests, drainAtMs: 50 }, ''],
  };
  for (const [name, [script, want]] of Object.entries(rows)) {
    test(name, () => assert.equal(play(script).starts.join(' '), want));
  }

  test('an event ends its rest, and an appearance during its run or its wait is not lost', () => {
    const scheduler = new VirtualTimeScheduler(undefined, 10_000);
    const wakes = new Subject<Wake>();
    const runs: string[] = [];
    const subscription = wakes
      .pipe(
        workQueue(
          (_, because) => {
            runs.push(`${because.join(', ')}@${scheduler.now()}`);
            return of({ value: 0, next: done }).pipe(delay(10, scheduler));
          },
          { concurrency: 1, clock: { scheduler }, restMsOf: () => 500 },
        ),
      )
      .subscribe();
    const wake = (because: string, asking: Asking, atMs: number) =>
      scheduler.schedule(() => wakes.next({ request: { name: 'a' }, because, asking }), atMs);
    wake('it is there', 'appearance', 0);
    wake('it changed', 'change', 100);
    wake('its class is there', 'appearance', 105);
    scheduler.flush();
    subscription.unsubscribe();
    assert.deepEqual(runs, ['it changed@100', 'its class is there@110']);
  });
});

describe('the order of the keys', () => {
  /** In the order of their names they ask while something else runs. */
  const order = (
    askings: Readonly<Record<string, readonly [asking: Asking, stage?: Stage]>>,
    stageOf = ({ name }: Request): Stage => askings[name]?.[1] ?? 'settled',
  ): string[] => {
    const source = new Subject<Wake>();
    const started: string[] = [];
    const ended = new Subject<void>();
    const run = ({ name }: Request): Observable<Run<string>> => {
      started.push(name);
      return ended.pipe(
        take(1),
        map(() => ({ value: name, next: done })),
      );
    };
    const subscription = source
      .pipe(workQueue(run, { concurrency: 1, clock: testClock(), stageOf }))
      .subscribe();
    source.next({ request: { name: 'first' }, because: 'it is there', asking: 'change' });
    for (const [name, [asking]] of Object.entries(askings)) {
      source.next({ request: { name }, because: 'it asks', asking });
    }
    for (let turn = 0; turn < started.length; turn += 1) ended.next();
    subscription.unsubscribe();
    return started.slice(1);
  };

  const rows: Record<string, Parameters<typeof order>[0]> = {
    'an edit of what is settled, before what is new': { b: ['change', 'new'], a: ['change', 'settled'] },
    'an edit, before what a process finds at its start': {
      b: ['appearance', 'settled'],
      a: ['change', 'settled'],
    },
    'an edit, before a poll': { b: ['return', 'settled'], a: ['change', 'settled'] },
    'an edit, before the end of a sync period': { b: ['sync period', 'begun'], a: ['change', 'settled'] },
    'resources that were begun, before new ones': { b: ['change', 'new'], a: ['change', 'begun'] },
    'resources that were begun, also at a start': {
      c: ['appearance', 'settled'],
      b: ['appearance', 'new'],
      a: ['appearance', 'begun'],
    },
    'resources that wait for another one, in turn with new ones, and after those that were begun': {
      b: ['change', 'waiting'],
      c: ['change', 'new'],
      d: ['change', 'waiting'],
      a: ['change', 'begun'],
    },
    'new resources, before a poll': { b: ['return', 'settled'], a: ['change', 'new'] },
    'an observation of a running operation, in turn with new resources': {
      a: ['return', 'begun'],
      b: ['change', 'new'],
      c: ['return', 'begun'],
    },
    'users of a shared object, in turn with new resources, and after those that were begun': {
      b: ['shared change', 'settled'],
      c: ['change', 'new'],
      a: ['change', 'begun'],
    },
  };
  for (const [name, askings] of Object.entries(rows)) {
    test(name, () => assert.deepEqual(order(askings), Object.keys(askings).toSorted()));
  }

  test('keys of unknown stage: edits run before the end of a sync period', () => {
    const askings = { b: ['sync period'], a: ['change'] } as const;
    assert.deepEqual(order(askings), ['a', 'b']);
  });

  test('keys whose stage cannot be read: edits run first, too, and the queue goes on', () => {
    const askings = { c: ['return'], b: ['sync period'], a: ['change'] } as const;
    const fails = (): never => {
      throw new TypeError('spec is undefined');
    };
    assert.deepEqual(order(askings, fails), ['a', 'c', 'b']);
  });

  /** 1,000 keys of namespace `many` wait before one of `few` asks; the runs that start until its run starts. */
  const startsUntilFew = (concurrency: number, options: Partial<WorkQueueOptions>, few: Request): number => {
    const source = new Subject<Request>();
    const started: Request[] = [];
    const ended = new Subject<void>();
    const run = (request: Request): Observable<Run<number>> => {
      started.push(request);
      return ended.pipe(
        take(1),
        map(() => ({ value: 0, next: done })),
      );
    };
    const subscription = source
      .pipe(woken, workQueue(run, { concurrency, clock: testClock(), ...options }))
      .subscribe();
    for (const key of Array(1_000).keys()) source.next({ namespace: 'many', name: `${key}` });
    source.next(few);
    const before = started.length;
    while (!started.includes(few)) ended.next();
    subscription.unsubscribe();
    return started.indexOf(few) + 1 - before;
  };
  const claimOf = ({ name }: Request): string => (name === 'few' ? 'few' : 'many');
  const namespaces: Record<string, readonly [few: Request, options: Partial<WorkQueueOptions>]> = {
    'of the object': [{ namespace: 'few', name: '0' }, {}],
    'that a cluster-scoped object counts for': [{ name: 'few' }, { groupOf: claimOf }],
    'of the object, if it is new and the waiting ones are urgent': [
      { namespace: 'few', name: '0' },
      { stageOf: ({ namespace }) => (namespace === 'few' ? 'new' : 'begun') },
    ],
  };
  for (const [which, [few, options]] of Object.entries(namespaces)) {
    test(`behind 1,000 keys of another namespace, a key starts within as many starts as there are workers: namespace ${which}`, () => {
      for (const concurrency of [2, 10]) {
        const starts = startsUntilFew(concurrency, options, few);
        assert.ok(starts <= concurrency, `${starts} starts with ${concurrency} workers`);
      }
    });
  }

  test('a key whose namespace cannot be read counts for none, and the queue goes on', () => {
    const groupOf = (): never => {
      throw new TypeError('spec is undefined');
    };
    assert.ok(startsUntilFew(10, { groupOf }, { name: 'few' }) > 900);
  });

  test('how far it has come counts when it asks, also by itself', () => {
    const scheduler = new VirtualTimeScheduler(undefined, 100);
    const source = new Subject<Wake>();
    const started: string[] = [];
    const nexts: Readonly<Record<string, Next>> = { polled: after(5), stale: conflict };
    const run = ({ name }: Request): Observable<Run<string>> => {
      const isFirst = !started.includes(name);
      started.push(name);
      const next = (isFirst ? nexts[name] : undefined) ?? done;
      return of({ value: name, next }).pipe(delay(name === 'long' ? 50 : 1, scheduler));
    };
    const subscription = source.pipe(workQueue(run, { concurrency: 1, clock: { scheduler } })).subscribe();
    for (const name of ['polled', 'stale', 'long']) {
      source.next({ request: { name }, because: 'it asks', asking: 'change' });
    }
    scheduler.flush();
    subscription.unsubscribe();
    assert.deepEqual(started, ['polled', 'stale', 'long', 'stale', 'polled']);
  });
});

describe('a run gets its reason', () => {
  test('of all that asked for it since the last one began, each once; and why it comes back', () => {
    const scheduler = new VirtualTimeScheduler(undefined, 100_000);
    const wakes = new Subject<Wake>();
    const reported: (readonly string[])[] = [];
    const nexts: Next[] = [done, requeue, conflict, after(50), done];
    const run = (_: Request, because: readonly string[]): Observable<Run<number>> => {
      reported.push(because);
      return of({ value: reported.length, next: nexts[reported.length - 1] ?? done }).pipe(
        delay(10, scheduler),
      );
    };
    const subscription = wakes.pipe(workQueue(run, { concurrency: 1, clock: { scheduler } })).subscribe();
    const request: Request = { name: 'a' };
    for (const [because, atMs] of Object.entries({ first: 0, second: 3, third: 4 })) {
      scheduler.schedule(() => wakes.next({ request, because, asking: 'change' }), atMs);
    }
    scheduler.schedule(() => wakes.next({ request, because: 'second', asking: 'change' }), 5);
    scheduler.flush();
    subscription.unsubscribe();
    assert.deepEqual(reported, [
      ['first'],
      ['second', 'third'],
      [returnReasons.requeue],
      [returnReasons.conflict],
      [returnReasons.after],
    ]);
  });
});

describe('a version that the run of a key wrote', () => {
  test('does not end its back-off: a run that fails and reports it is tried again more and more rarely', () => {
    const scheduler = new VirtualTimeScheduler(undefined, 60_000);
    const wakes = new Subject<Wake>();
    const wake = (version: string): void =>
      wakes.next({ request: { name: 'a' }, because: 'a widget changed', asking: 'change', version });
    let count = 0;
    const run = (): Observable<Run<number>> => {
      count += 1;
      const version = `report ${count}`;
      scheduler.schedule(() => wake(version), 5);
      return of({ value: count, next: requeue, wrote: new Set([version]) }).pipe(delay(10, scheduler));
    };
    const subscription = wakes.pipe(workQueue(run, { concurrency: 1, clock: { scheduler } })).subscribe();
    scheduler.schedule(() => wake('of a user'), 0);
    scheduler.flush();
    subscription.unsubscribe();
    assert.ok(count > 5 && count < 20, `${count} runs in a minute`);
  });

  interface Case {
    /** The versions of the wakes during the first run; undefined: of a change that names no version. */
    readonly versions: readonly (string | undefined)[];
    /** When they come; the run lasts from 0 to 10 ms. */
    readonly atMs?: number;
    readonly next?: Next;
    readonly key?: string;
    /** How many runs there are at last. */
    readonly runs: number;
  }
  const cases: Readonly<Record<string, Case>> = {
    'needs no other run': { versions: ['1', '2'], runs: 1 },
    'needs no other run, and the delay that the run asked for stays': {
      versions: ['1'],
      next: after(50),
      runs: 2,
    },
    'hides no version of others': { versions: ['1', '9', '2'], runs: 2 },
    'hides no change without a version': { versions: ['1', undefined], runs: 2 },
    'does not count before the run began': { versions: ['1'], atMs: -1, runs: 1 },
    'wakes its key again if the run failed': { versions: ['1'], next: requeue, runs: 2 },
    'wakes its key again if the run met a conflict': { versions: ['1'], next: conflict, runs: 2 },
    'wakes another key': { versions: ['1'], key: 'b', runs: 2 },
  };
  for (const [name, { versions, atMs = 5, next = done, key = 'a', runs }] of Object.entries(cases)) {
    test(name, () => {
      const scheduler = new VirtualTimeScheduler(undefined, 100_000);
      const wakes = new Subject<Wake>();
      const waiting = new Set<string>();
      let count = 0;
      const run = (): Observable<Run<number>> => {
        count += 1;
        const wrote = new Set(['1', '2']);
        return of({ value: count, next: count === 1 ? next : done, wrote }).pipe(delay(10, scheduler));
      };
      const observer = { ...silent, added: (one: string) => waiting.add(one) };
      const leaving = (one: string) => waiting.delete(one);
      const options = { concurrency: 1, clock: { scheduler } };
      const queue = workQueue(run, {
        ...options,
        observer: { ...observer, started: leaving, dropped: leaving },
      });
      const subscription = wakes.pipe(queue).subscribe();
      const wake = (of: string, version?: string) =>
        wakes.next({
          request: { name: of },
          because: 'a widget changed',
          asking: 'change',
          ...(version !== undefined && { version }),
        });
      if (atMs < 0) for (const version of versions) wake(key, version);
      else {
        wake('a');
        for (const version of versions) scheduler.schedule(() => wake(key, version), atMs);
      }
      scheduler.flush();
      subscription.unsubscribe();
      assert.deepEqual([count, [...waiting]], [runs, []]);
    });
  }
});
