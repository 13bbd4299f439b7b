import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Subscription } from 'rxjs';
import { Observable, ReplaySubject, Subject } from 'rxjs';
import type { InformerState } from '../../../runtime/cache/informer-state.ts';
import type { Backlog } from '../../../runtime/controller/backlog.ts';
import { createBacklog } from '../../../runtime/controller/backlog.ts';
import type { Outcome } from '../../../runtime/controller/controller.ts';
import type { ControllerSpec } from '../../../runtime/controller/controller-spec.ts';
import type { Request, Result } from '../../../runtime/controller/reconcile.ts';
import { done } from '../../../runtime/controller/reconcile.ts';
import { triggerBy } from '../../../runtime/controller/triggers.ts';
import type { RunOptions } from '../../../runtime/process/run.ts';
import { LeadershipLost, run } from '../../../runtime/process/run.ts';
import type { TestClock } from '../../../testing/test-clock.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import { informerState, WidgetKind, widget } from '../widgets.ts';

/** A stream that never ends, and whether anybody listens. */
function background() {
  let listeners = 0;
  const run$ = new Observable<never>(() => {
    listeners += 1;
    return () => {
      listeners -= 1;
    };
  });
  return { run$, isHeard: () => listeners };
}

describe('the process', () => {
  let clock: TestClock;
  let wake$: Subject<Request>;
  let stop$: ReplaySubject<void>;
  let stateChange$: Subject<void>;
  /** The kinds that there are, and how they fare. */
  let kinds: Record<string, Pick<InformerState, 'isSynced' | 'isMissing'>>;
  let log: ReturnType<typeof recordedLog>;
  let informers: ReturnType<typeof background>;
  let others: ReturnType<typeof background>;
  let outcomes: Outcome[];
  let ends: unknown[];
  let backlog: Backlog;
  let running: Subscription | undefined;

  beforeEach(() => {
    clock = testClock();
    wake$ = new Subject();
    stop$ = new ReplaySubject(1);
    stateChange$ = new Subject();
    kinds = { widgets: { isSynced: false, isMissing: false } };
    log = recordedLog();
    informers = background();
    others = background();
    outcomes = [];
    ends = [];
    backlog = createBacklog();
  });
  afterEach(() => running?.unsubscribe());

  const begin = (spec: Partial<ControllerSpec>, options: Partial<RunOptions> = {}): void => {
    running = run({
      informers: {
        run$: informers.run$,
        stateChange$,
        states: () => Object.entries(kinds).map(([kind, state]) => informerState(kind, state)),
      },
      controllers: [
        {
          name: 'widgets',
          triggers: [triggerBy('a widget changed', wake$)],
          reconcile: async () => done,
          ...spec,
        },
      ],
      background: [others.run$],
      concurrency: 2,
      syncPeriodMs: 3_600_000,
      stop$,
      drainTimeoutMs: 1000,
      log,
      clock,
      random: () => 0,
      backlog,
      ...options,
    }).subscribe({
      next: (outcome) => outcomes.push(outcome),
      error: (error: unknown) => ends.push(error),
      complete: () => ends.push('complete'),
    });
  };
  /** Of the run. */
  let signal: AbortSignal | undefined;
  const runsUntil = (end: Promise<Result>): Partial<ControllerSpec> => ({
    reconcile(_request, given) {
      signal = given;
      return end;
    },
  });
  const hanging = runsUntil(new Promise(() => {}));
  /** These kinds become so. */
  const become = (state: Partial<InformerState>, ...names: readonly string[]): void => {
    for (const name of names) kinds[name] = { isSynced: false, isMissing: false, ...state };
    stateChange$.next();
  };
  const sync = (): void => become({ isSynced: true }, 'widgets');
  const listening = () => [informers.isHeard(), others.isHeard()];
  /** The stores are synced, and key `a` is asked for. */
  const wake = async (): Promise<void> => {
    sync();
    await clock.settle();
    wake$.next({ name: 'a' });
  };

  test('nothing is reconciled before every store is synced', async () => {
    begin({});
    assert.deepEqual(listening(), [1, 1]);
    assert.equal(wake$.observed, false);
    await wake();
    await clock.settle();
    assert.equal(outcomes[0]?.controller, 'widgets');
  });

  for (const [what, spec, most] of [
    ['of any sort', {}, 5],
    ['with at most 3 workers', { mostWorkers: 3 }, 3],
    ['with at most 10 workers', { mostWorkers: 10 }, 5],
  ] as const) {
    test(`of 5 keys at most ${most} run at a time in a controller ${what}`, async () => {
      const started: Request[] = [];
      const reconcile = (request: Request): Promise<Result> => {
        started.push(request);
        return new Promise(() => {});
      };
      const observed: [string, number][] = [];
      const observe = (name: string, concurrency: number) => {
        observed.push([name, concurrency]);
        const nothing = () => {};
        return {
          added: nothing,
          due: nothing,
          started: nothing,
          finished: nothing,
          retried: nothing,
          dropped: nothing,
        };
      };
      begin({ ...spec, reconcile }, { concurrency: 5, observe });
      sync();
      await clock.settle();
      for (const name of ['a', 'b', 'c', 'd', 'e']) wake$.next({ name });
      await clock.settle();
      assert.equal(started.length, most);
      assert.deepEqual(observed, [['widgets', most]], 'the metric shows the limit');
    });
  }

  test('the backlog has the keys that wait for a run, and none after a stop', async () => {
    begin(hanging);
    sync();
    await clock.settle();
    for (const name of ['a', 'b', 'c', 'c', 'd']) wake$.next({ name });
    assert.equal(backlog.size, 2, 'two run, and one key waits once');
    stop$.next();
    assert.equal(backlog.size, 0);
  });

  test('stopped before the stores are synced it completes and stops waiting', async () => {
    begin({});
    stop$.next();
    assert.deepEqual(ends, ['complete']);
    assert.deepEqual([listening(), stateChange$.observed], [[0, 0], false]);
  });

  test('a stop lets running reconciles finish while streams and events go on, then all ends', async () => {
    const finish = Promise.withResolvers<Result>();
    begin(runsUntil(finish.promise));
    await wake();
    stop$.next();
    assert.equal(wake$.observed, false);
    await clock.advance(999);
    assert.deepEqual([ends, listening(), signal?.aborted], [[], [1, 1], false]);
    finish.resolve(done);
    await clock.settle();
    assert.deepEqual([ends, listening(), outcomes.length], [['complete'], [0, 0], 1]);
  });

  test('a reconcile that does not finish in time is aborted', async () => {
    begin(hanging, { drainTimeoutMs: 30_000 });
    await wake();
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
        objects: { kind: WidgetKind, all: () => [widget('a'), widget('b')] },
        reconcile: async ({ name }) => {
          names.push(name);
          return done;
        },
      },
      { syncPeriodMs: 3_600_000, random: () => 0.5 },
    );
    sync();
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
    assert.equal(informers.isHeard(), 0);
  });

  test('unsubscribing ends it all', async () => {
    begin({});
    sync();
    await clock.settle();
    running?.unsubscribe();
    assert.deepEqual([listening(), wake$.observed, ends], [[0, 0], false, []]);
  });

  describe('with several stacks', () => {
    /** Runs two of them, and says which have begun. */
    const beginTwo = (options: Partial<RunOptions> = {}) => {
      const absent = { isSynced: false, isMissing: false };
      kinds = { a: absent, b: absent, shared: absent };
      const begun: string[] = [];
      const of = (name: string, own: readonly string[], others: readonly string[] = []): ControllerSpec => ({
        name,
        triggers: [triggerBy('it begins', new Observable(() => void begun.push(name)))],
        reconcile: async () => done,
        needs: { stacks: [{ name, own, others }] },
      });
      const controllers = [of('first', ['a', 'shared'], ['b']), of('second', ['b', 'shared'])];
      begin({}, { controllers, ...options });
      return begun;
    };
    const reported = () =>
      log.lines.map(({ level, message, fields: { stack, kinds: names } }) =>
        [level, message.split(/[,:;]/)[0], stack, names].filter((each) => each !== undefined),
      );

    test('each begins when its own kinds are complete, and those of others that it reads', async () => {
      const begun = beginTwo();
      become({ isSynced: true }, 'a', 'shared');
      await clock.settle();
      assert.deepEqual(begun, []);
      become({ isSynced: true }, 'b');
      await clock.settle();
      assert.deepEqual(begun, ['first', 'second']);
      assert.deepEqual(reported(), [['info', 'stores are synced', 3]]);
    });

    test('a stack whose kind does not exist waits until the kind appears, and the others do not wait', async () => {
      const begun = beginTwo();
      become({ isSynced: true }, 'a', 'shared');
      become({ isMissing: true }, 'b');
      await clock.settle();
      assert.deepEqual(begun, ['first']);
      await clock.advance(6_000);
      assert.deepEqual(reported(), [['warn', 'this stack waits', 'second', ['b']]]);
      await clock.advance(3_600_000);
      assert.equal(log.lines.length, 1, 'it is told once');
      become({ isSynced: true }, 'b');
      await clock.settle();
      assert.deepEqual(begun, ['first', 'second']);
      await clock.advance(6_000);
      assert.deepEqual(reported().slice(1), [
        ['info', 'stores are synced', 3],
        ['info', 'the API server has all kinds of this stack', 'second'],
      ]);
    });

    test('a missing definition keeps each stack that needs it from starting', async () => {
      const begun = beginTwo();
      become({ isSynced: true }, 'a', 'b');
      become({ isMissing: true }, 'shared');
      await clock.settle();
      assert.deepEqual(begun, []);
      stop$.next();
      assert.deepEqual(ends, ['complete']);
    });

    test('a kind that is removed while its stack works is reported, and the stack goes on', async () => {
      const begun = beginTwo();
      become({ isSynced: true }, 'a', 'b', 'shared');
      become({ isSynced: true, isMissing: true }, 'b');
      await clock.advance(5_999);
      become({ isSynced: true, isMissing: true }, 'b', 'shared');
      await clock.advance(6_000);
      assert.deepEqual([begun, ends], [['first', 'second'], []]);
      assert.deepEqual(reported().slice(1), [
        ['warn', 'the API server no longer has these kinds', 'first', ['shared']],
        ['warn', 'the API server no longer has these kinds', 'second', ['b', 'shared']],
      ]);
    });

    test('a long wait is reported once, until its reason changes', async () => {
      beginTwo();
      await clock.advance(9_999);
      assert.deepEqual(reported(), []);
      await clock.advance(60_000);
      become({ isSynced: true }, 'a');
      await clock.advance(60_000);
      const what = 'still waiting for the API server to list these kinds';
      assert.deepEqual(reported(), [
        ['warn', what, ['a', 'b', 'shared']],
        ['warn', what, ['b', 'shared']],
      ]);
    });

    test('the lease is asked for when the first of them may work, and the second begins under it', async () => {
      const leadership$ = new Subject<'leading' | 'lost'>();
      const begun = beginTwo({ election: { leadership$ } });
      become({ isMissing: true }, 'b');
      assert.equal(leadership$.observed, false);
      become({ isSynced: true }, 'a', 'shared');
      await clock.settle();
      assert.deepEqual([leadership$.observed, begun], [true, []]);
      leadership$.next('leading');
      await clock.settle();
      assert.deepEqual(begun, ['first']);
      become({ isSynced: true }, 'b');
      await clock.settle();
      assert.deepEqual(begun, ['first', 'second']);
      stop$.next();
      await clock.settle();
      assert.deepEqual([ends, leadership$.observed], [['complete'], false]);
    });

    test('stopped while one waits, the process ends as soon as the work of the others is done', async () => {
      beginTwo();
      become({ isSynced: true }, 'a', 'shared');
      become({ isMissing: true }, 'b');
      await clock.settle();
      stop$.next();
      await clock.settle();
      assert.deepEqual([ends, listening()], [['complete'], [0, 0]]);
    });
  });

  describe('with leader election', () => {
    let leadership$: Subject<'leading' | 'lost'>;
    beforeEach(() => {
      leadership$ = new Subject();
    });

    const standingBy = async (spec: Partial<ControllerSpec> = {}): Promise<void> => {
      begin(spec, { election: { leadership$ } });
      sync();
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
      await standingBy(hanging);
      leadership$.next('leading');
      wake$.next({ name: 'a' });
      leadership$.next('lost');
      assert.ok(ends[0] instanceof LeadershipLost);
      assert.deepEqual([signal?.aborted, listening()], [true, [0, 0]]);
    });
  });
});
