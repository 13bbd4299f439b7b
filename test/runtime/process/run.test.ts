import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Subscription } from 'rxjs';
import { Observable, ReplaySubject, Subject } from 'rxjs';
import type { Outcome } from '../../../runtime/controller/controller.ts';
import type { ControllerSpec } from '../../../runtime/controller/controller-spec.ts';
import type { Request, Result } from '../../../runtime/controller/reconcile.ts';
import { done } from '../../../runtime/controller/reconcile.ts';
import type { RunOptions } from '../../../runtime/process/run.ts';
import { LeadershipLost, run } from '../../../runtime/process/run.ts';
import type { TestClock } from '../../../testing/test-clock.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import { ThingKind, thing } from '../things.ts';

/** A stream that never ends, and whether anybody listens. */
function background() {
  const stream = { listeners: 0, run$: new Observable<never>() };
  stream.run$ = new Observable(() => {
    stream.listeners += 1;
    return () => {
      stream.listeners -= 1;
    };
  });
  return stream;
}

describe('the process', () => {
  let clock: TestClock;
  let wake$: Subject<Request>;
  let stop$: ReplaySubject<void>;
  let synced: PromiseWithResolvers<void>;
  let wasSyncAborted: boolean;
  let informers: ReturnType<typeof background>;
  let others: ReturnType<typeof background>;
  let outcomes: Outcome[];
  let ends: unknown[];
  let running: Subscription | undefined;

  beforeEach(() => {
    clock = testClock();
    wake$ = new Subject();
    stop$ = new ReplaySubject(1);
    synced = Promise.withResolvers();
    wasSyncAborted = false;
    informers = background();
    others = background();
    outcomes = [];
    ends = [];
  });
  afterEach(() => running?.unsubscribe());

  const begin = (spec: Partial<ControllerSpec>, options: Partial<RunOptions> = {}): void => {
    running = run({
      informers: {
        run$: informers.run$,
        synced: (signal) => {
          signal.addEventListener('abort', () => {
            wasSyncAborted = true;
          });
          return synced.promise;
        },
        states: () => [],
      },
      controllers: [
        {
          name: 'things',
          triggers: [{ because: 'a thing changed', requests$: wake$ }],
          reconcile: async () => done,
          ...spec,
        },
      ],
      background: [others.run$],
      concurrency: 2,
      syncPeriodMs: 3_600_000,
      stop$,
      drainTimeoutMs: 1000,
      log: recordedLog(),
      clock,
      random: () => 0,
      ...options,
    }).subscribe({
      next: (outcome) => outcomes.push(outcome),
      error: (error: unknown) => ends.push(error),
      complete: () => ends.push('complete'),
    });
  };
  const listening = () => [informers.listeners, others.listeners];

  test('nothing is reconciled before every store is synced', async () => {
    begin({});
    assert.deepEqual(listening(), [1, 1]);
    assert.equal(wake$.observed, false);
    synced.resolve();
    await clock.settle();
    wake$.next({ name: 'a' });
    await clock.settle();
    assert.equal(outcomes[0]?.controller, 'things');
  });

  test('stopped before the stores are synced it completes and stops waiting', async () => {
    begin({});
    stop$.next();
    assert.deepEqual(ends, ['complete']);
    assert.deepEqual([listening(), wasSyncAborted], [[0, 0], true]);
  });

  test('a stop lets running reconciles finish while streams and events go on, then all ends', async () => {
    const finish = Promise.withResolvers<Result>();
    let signal: AbortSignal | undefined;
    begin({
      reconcile: (_request, given) => {
        signal = given;
        return finish.promise;
      },
    });
    synced.resolve();
    await clock.settle();
    wake$.next({ name: 'a' });
    stop$.next();
    assert.equal(wake$.observed, false);
    await clock.advance(999);
    assert.deepEqual([ends, listening(), signal?.aborted], [[], [1, 1], false]);
    finish.resolve(done);
    await clock.settle();
    assert.deepEqual([ends, listening(), outcomes.length], [['complete'], [0, 0], 1]);
  });

  test('a reconcile that does not finish in time is aborted', async () => {
    let signal: AbortSignal | undefined;
    begin(
      {
        reconcile: (_request, given) => {
          signal = given;
          return new Promise(() => {});
        },
      },
      { drainTimeoutMs: 30_000 },
    );
    synced.resolve();
    await clock.settle();
    wake$.next({ name: 'a' });
    stop$.next();
    await clock.advance(29_999);
    assert.deepEqual([ends, signal?.aborted], [[], false]);
    await clock.advance(1);
    assert.deepEqual([ends, signal?.aborted, listening()], [['complete'], true, [0, 0]]);
  });

  test('every object comes again each sync period', async () => {
    const names: string[] = [];
    begin(
      {
        triggers: [],
        objects: { kind: ThingKind, all: () => [thing('a'), thing('b')] },
        reconcile: async ({ name }) => {
          names.push(name);
          return done;
        },
      },
      { syncPeriodMs: 3_600_000, random: () => 0.5 },
    );
    synced.resolve();
    await clock.advance(0.95 * 3_600_000 - 1);
    assert.deepEqual(names, []);
    await clock.advance(1);
    assert.deepEqual(names, ['a', 'b']);
    await clock.advance(0.95 * 3_600_000);
    assert.deepEqual(names, ['a', 'b', 'a', 'b']);
  });

  test('an error of the background ends it all', async () => {
    const broken$ = new Subject<never>();
    begin({}, { background: [broken$] });
    broken$.error(new Error('cannot listen'));
    assert.match(String(ends[0]), /cannot listen/);
    assert.equal(informers.listeners, 0);
  });

  test('unsubscribing ends it all', async () => {
    begin({});
    synced.resolve();
    await clock.settle();
    running?.unsubscribe();
    assert.deepEqual([listening(), wake$.observed, ends], [[0, 0], false, []]);
  });

  describe('with leader election', () => {
    let leadership$: Subject<'leading' | 'lost'>;
    beforeEach(() => {
      leadership$ = new Subject();
    });

    const standingBy = async (spec: Partial<ControllerSpec> = {}): Promise<void> => {
      begin(spec, { election: { leadership$ } });
      synced.resolve();
      await clock.settle();
      assert.ok(leadership$.observed);
    };

    test('standing by it watches and reconciles nothing; leading it does', async () => {
      await standingBy();
      assert.deepEqual([listening(), wake$.observed], [[1, 1], false]);
      leadership$.next('leading');
      assert.equal(wake$.observed, true);
    });

    test('stopped while standing by it completes', async () => {
      await standingBy();
      stop$.next();
      assert.deepEqual([ends, leadership$.observed], [['complete'], false]);
    });

    test('stopped while leading it keeps the lease until the work is done', async () => {
      const finish = Promise.withResolvers<Result>();
      await standingBy({ reconcile: () => finish.promise });
      leadership$.next('leading');
      wake$.next({ name: 'a' });
      stop$.next();
      await clock.settle();
      assert.deepEqual([ends, leadership$.observed], [[], true]);
      finish.resolve(done);
      await clock.settle();
      assert.deepEqual([ends, leadership$.observed], [['complete'], false]);
    });

    test('a lost lease ends it at once with an error, running reconciles aborted', async () => {
      let signal: AbortSignal | undefined;
      await standingBy({
        reconcile: (_request, given) => {
          signal = given;
          return new Promise(() => {});
        },
      });
      leadership$.next('leading');
      wake$.next({ name: 'a' });
      leadership$.next('lost');
      assert.ok(ends[0] instanceof LeadershipLost);
      assert.deepEqual([signal?.aborted, listening()], [true, [0, 0]]);
    });
  });
});
