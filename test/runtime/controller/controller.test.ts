import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import map from 'lodash/map.js';
import omit from 'lodash/omit.js';
import type { Observable, Subscription } from 'rxjs';
import { concat, of, Subject, tap, throwError } from 'rxjs';
import { ApiError, annotate, causeOf, leaseExpired } from '../../../runtime/client/errors.ts';
import type { ControllerOptions, Outcome } from '../../../runtime/controller/controller.ts';
import { controller } from '../../../runtime/controller/controller.ts';
import type { Request, Result } from '../../../runtime/controller/reconcile.ts';
import { after, done, requeue } from '../../../runtime/controller/reconcile.ts';
import type { Trigger } from '../../../runtime/controller/triggers.ts';
import { triggerBy } from '../../../runtime/controller/triggers.ts';
import { randomUuid, seededRandom } from '../../../runtime/time/random.ts';
import type { TestClock } from '../../../testing/test-clock.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import { WidgetKind } from '../widgets.ts';

const eachMinute = { baseMs: 60_000, maxMs: 60_000 };
const conflictError = () => new ApiError('object was modified', { code: 409, reason: 'Conflict' });

const wokenBy = (requests$: Observable<Request>): Trigger => triggerBy('a widget changed', requests$);

describe('controller', () => {
  let clock: TestClock;
  let log: ReturnType<typeof recordedLog>;
  let wake$: Subject<Request>;
  let outcomes: Outcome[];
  let isCompleted: boolean;
  let running: Subscription | undefined;

  const run = (reconcile: ControllerOptions['reconcile'], options: Partial<ControllerOptions> = {}): void => {
    running = controller({
      name: 'widgets',
      triggers: [wokenBy(wake$)],
      reconcile,
      concurrency: 2,
      clock,
      random: seededRandom(1),
      log,
      backoff: { baseMs: 1, maxMs: 5 },
      ...options,
    }).subscribe({
      next: (outcome) => outcomes.push(outcome),
      complete: () => {
        isCompleted = true;
      },
    });
  };
  const bugOf = (message: string): Error => {
    const bug = new TypeError(message);
    bug.stack = `TypeError: ${message}\n    at f (a.ts:1:2)`;
    return bug;
  };
  const atLevel = (level: string) => log.lines.filter((line) => line.level === level);

  beforeEach(() => {
    clock = testClock();
    log = recordedLog();
    wake$ = new Subject();
    outcomes = [];
    isCompleted = false;
  });
  afterEach(() => running?.unsubscribe());

  test('an outcome says after how long its key comes back by itself, if it does', async () => {
    const endings = [after(5_000), done];
    run(async () => endings.shift() ?? done);
    wake$.next({ name: 'a' });
    await clock.advance(5_000);
    assert.deepEqual(map(outcomes, 'againInMs'), [5_000, undefined]);
  });

  test('a bug that a run throws is reported as a bug', async () => {
    const bug = new TypeError('x is not a function');
    run(async () => {
      throw new Error('cannot go on', { cause: bug });
    });
    wake$.next({ name: 'a' });
    await clock.settle();
    assert.deepEqual([map(outcomes, 'result'), map(outcomes, 'bug')], [['error'], [bug]]);
  });

  test('a bug that comes back with each retry is counted each time, and logged once', async () => {
    let runs = 0;
    const endings: (() => Promise<Result>)[] = [
      async () => ({ ...requeue, bug: bugOf('x') }),
      async () => {
        throw bugOf('x');
      },
      async () => ({ ...requeue, bug: bugOf('y') }),
      async () => requeue,
      async () => ({ ...done, bug: bugOf('y') }),
    ];
    run(async () => endings[runs++]!());
    wake$.next({ name: 'a' });
    await clock.advance(1_000);
    const errors = atLevel('error').map(({ message, fields }) => `${message}: ${fields?.error}`);
    const wanted = ['x', 'y', 'y'].map((bug) => `reconcile met a bug: TypeError: ${bug}`);
    assert.deepEqual(errors, wanted);
    assert.equal(outcomes.filter(({ bug }) => bug !== undefined).length, 4);
    const again = 'reconcile failed for the same reason again';
    assert.equal(atLevel('debug').filter(({ message }) => message === again).length, 1);
  });

  test('a failure that a run tells on its object is an error, logged once and then less and less often', async () => {
    const failure = 'observe failed: the cloud does not answer';
    run(async () => ({ ...requeue, decision: 'r', failure }), { backoff: eachMinute });
    wake$.next({ name: 'a' });
    await clock.advance(40 * 60_000);
    assert.deepEqual(new Set(outcomes.map(({ result }) => result)), new Set(['error']));
    for (const { message, fields } of atLevel('warn')) {
      const logged = [message, fields.decision, fields.error];
      assert.deepEqual(logged, ['reconcile failed', 'r', { message: failure }]);
    }
    assert.deepEqual(map(atLevel('warn'), 'fields.times'), [undefined, 10, 20]);
    assert.deepEqual(atLevel('error'), []);
  });

  test('an outage of the API server is one line, with the first object that meets it', async () => {
    const outage = () => new ApiError('cannot reach the API server', { code: 0, reason: 'ECONNREFUSED' });
    const refusal = () => new ApiError('denied', { code: 500, reason: 'InternalError' });
    let failing: () => Error = outage;
    run(() => annotate('cannot write', Promise.reject(failing())), { backoff: eachMinute });
    for (const name of ['a', 'b', 'c']) wake$.next({ name });
    await clock.advance(20 * 60_000);
    const logged = () => atLevel('error').map(({ fields }) => [fields.name, causeOf(fields.error)]);
    assert.deepEqual(logged(), [['a', '0 no connection']]);
    // A failure of one request is logged for each object.
    failing = refusal;
    await clock.advance(60_000);
    const each = ['a', 'b', 'c'].map((name) => [name, '500 InternalError']);
    assert.deepEqual(logged().slice(1), each);
  });

  test('lines say what is known about their object, which is asked for where a line is written', async () => {
    let calls = 0;
    const about = () => {
      calls += 1;
      return { claim: 'team/orders' };
    };
    run(
      async (_request, _signal, runLog) => {
        assert.equal(calls, 0);
        runLog.info('changed');
        return done;
      },
      { about },
    );
    wake$.next({ name: 'a' });
    await clock.advance(1_000);
    const [{ fields } = assert.fail(), ...others] = atLevel('info');
    assert.deepEqual([fields.claim, fields.name, others], ['team/orders', 'a', []]);
  });

  test('a run that waits for its turn is not begun when the controller stops', async () => {
    const waiting = new Set<() => void>();
    const turns = {
      run(task: () => void) {
        waiting.add(task);
        return () => void waiting.delete(task);
      },
    };
    let runs = 0;
    run(
      async () => {
        runs += 1;
        return done;
      },
      { clock: { ...clock, turns } },
    );
    wake$.next({ name: 'a' });
    wake$.next({ name: 'b' });
    assert.deepEqual([runs, waiting.size], [0, 2]);
    const [first] = waiting;
    assert.ok(first);
    first();
    await clock.settle();
    assert.equal(outcomes.length, 1);
    running?.unsubscribe();
    assert.equal(runs, 1);
    assert.equal(waiting.size, 0);
  });

  test('each run has a name of its own, by which its lines are found; the last says why it ran and what it decided', async () => {
    let count = 0;
    run(
      async ({ name }, _signal, logOfRun) => {
        logOfRun.debug('at work', { looked: name });
        count += 1;
        if (count === 1) throw new Error('no');
        return { ...done, decision: 'CopySecret' };
      },
      { objects: { kind: WidgetKind, all: () => [] } },
    );
    wake$.next({ namespace: 'ns', name: 'a' });
    await clock.advance(1);
    const random = seededRandom(1);
    const [first, second] = [randomUuid(random), randomUuid(random)];
    const where = { controller: 'widgets', kind: 'Widget', namespace: 'ns', name: 'a' };
    const firstRun = { ...where, reconcileID: first, because: ['a widget changed'] };
    const secondRun = { ...where, reconcileID: second, because: ['the last attempt failed'] };
    const fields = log.lines.map((line) => omit(line.fields, 'looked', 'durationMs', 'error', 'result'));
    assert.deepEqual(fields, [firstRun, firstRun, secondRun, { ...secondRun, decision: 'CopySecret' }]);
    const messages = ['at work', 'reconcile failed', 'at work', 'reconciled'];
    assert.deepEqual(map(log.lines, 'message'), messages);
  });

  const boom = (): never => {
    throw new Error('boom');
  };
  const ends: Record<string, readonly [end: () => Promise<Result>, result: Outcome['result']]> = {
    done: [async () => done, 'success'],
    after: [async () => after(1), 'requeue_after'],
    requeue: [async () => requeue, 'requeue'],
    'a thrown error': [() => Promise.reject(new Error('boom')), 'error'],
    'an error thrown before the first await': [boom, 'error'],
    'a thrown conflict': [
      () => annotate('cannot update widget', Promise.reject(conflictError())),
      'conflict',
    ],
    'a write that an interruption of the leadership prevented': [
      () => annotate('cannot update widget', Promise.reject(leaseExpired('another may lead'))),
      'interrupted',
    ],
    'AlreadyExists, which is no conflict': [
      () => Promise.reject(new ApiError('exists', { code: 409, reason: 'AlreadyExists' })),
      'error',
    ],
    'nothing thrown': [() => Promise.reject(), 'error'],
    'no result': [async () => undefined as unknown as Result, 'error'],
    'the delay of a timer is not a number': [async () => after(Number.NaN), 'error'],
    'a result of an unknown type': [async () => ({ type: 'toString' }) as unknown as Result, 'error'],
  };
  for (const [name, [end, result]] of Object.entries(ends)) {
    const [again, logged] = [result !== 'success', result === 'error' ? 'error' : 'debug'];
    test(`${name}: ${result}, ${again ? 'and again' : 'once'}, logged at ${logged}`, async () => {
      let runs = 0;
      run(() => {
        runs += 1;
        return runs === 1 ? end() : Promise.resolve(done);
      });
      wake$.next({ namespace: 'ns', name: 'a' });
      await clock.advance(10);
      assert.equal(outcomes[0]?.result, result);
      assert.deepEqual(outcomes[0]?.request, { namespace: 'ns', name: 'a' });
      assert.equal(runs, again ? 2 : 1);
      assert.equal(log.lines[0]?.level, logged);
      const { controller: name, namespace, name: object } = log.lines[0]?.fields ?? {};
      assert.deepEqual([name, namespace, object], ['widgets', 'ns', 'a']);
      assert.equal('error' in outcomes[0]!, ['error', 'conflict', 'interrupted'].includes(result));
    });
  }

  test('an error of one key leaves the others alone', async () => {
    run(async ({ name }) => {
      if (name === 'bad') throw new Error('boom');
      return done;
    });
    for (const name of ['bad', 'a', 'bad', 'b']) wake$.next({ name });
    await clock.settle();
    assert.equal(outcomes.filter(({ result }) => result === 'success').length, 2);
    assert.equal(isCompleted, false);
  });

  test('a wait that the server asked for is kept', async () => {
    let runs = 0;
    run(async () => {
      runs += 1;
      if (runs > 1) return done;
      throw new ApiError('slow down', { code: 429, reason: 'TooManyRequests', retryAfterMs: 80 });
    });
    wake$.next({ name: 'a' });
    await clock.advance(79);
    assert.equal(runs, 1);
    await clock.advance(1);
    assert.equal(runs, 2);
  });

  test('a run that takes too long is aborted and logged, and runs again', async () => {
    let runs = 0;
    run(
      (_request, signal) => {
        runs += 1;
        if (runs > 1) return Promise.resolve(done);
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      },
      { timeoutMs: 20 },
    );
    wake$.next({ name: 'a' });
    await clock.advance(19);
    assert.equal(outcomes.length, 0);
    await clock.advance(2);
    assert.deepEqual(map(outcomes, 'result'), ['error', 'success']);
    assert.deepEqual(map(outcomes, 'isTimedOut'), [true, false]);
    assert.match(String(outcomes[0]?.error), /the reconcile took longer than 0.02 s/);
    assert.equal(atLevel('warn').length, 1);
  });

  test('a run that ignores its abort keeps its key and one worker, the others go on', async () => {
    const hanging = Promise.withResolvers<Result>();
    const started: string[] = [];
    run(
      ({ name }) => {
        started.push(name);
        return name === 'deaf' ? hanging.promise : Promise.resolve(done);
      },
      { timeoutMs: 10, concurrency: 2 },
    );
    wake$.next({ name: 'deaf' });
    await clock.advance(10);
    assert.equal(atLevel('warn').length, 1);
    for (const name of ['deaf', 'a', 'b']) wake$.next({ name });
    await clock.settle();
    assert.equal(outcomes.length, 2);
    assert.deepEqual(started, ['deaf', 'a', 'b']);
    hanging.resolve(done);
    await clock.settle();
    assert.equal(started.length, 4);
  });

  test('a drain lets running ones finish unaborted, starts nothing new, and completes', async () => {
    const drain$ = new Subject<void>();
    const finish = Promise.withResolvers<void>();
    const started: string[] = [];
    let wasAborted: boolean | undefined;
    run(
      async ({ name }, signal) => {
        started.push(name);
        await finish.promise;
        wasAborted = signal.aborted;
        throw new Error('boom');
      },
      { drain$, concurrency: 1 },
    );
    for (const name of ['a', 'b']) wake$.next({ name });
    drain$.next();
    wake$.next({ name: 'c' });
    assert.equal(isCompleted, false);
    finish.resolve();
    await clock.advance(60_000);
    assert.deepEqual([isCompleted, started, wasAborted, outcomes.length], [true, ['a'], false, 1]);
  });

  test('unsubscribing aborts what runs and swallows what that leads to', async () => {
    let reason: unknown;
    run(
      (_request, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            reject(signal.reason);
          });
        }),
    );
    wake$.next({ name: 'a' });
    await clock.settle();
    running?.unsubscribe();
    await clock.advance(60_000);
    assert.match(String(reason), /controller was stopped/);
    assert.deepEqual([outcomes, log.lines], [[], []]);
  });

  test('a trigger that fails is logged and subscribed to again, the others stay', async () => {
    let subscriptions = 0;
    const failure$ = throwError(() => new Error('odd object'));
    const fragile$ = concat(of({ name: 'a' }), failure$).pipe(
      tap(() => {
        subscriptions += 1;
      }),
    );
    run(async () => done, { triggers: [fragile$, wake$].map(wokenBy) });
    await clock.settle();
    wake$.next({ name: 'b' });
    await clock.settle();
    assert.equal(outcomes.length, 2);
    assert.equal(atLevel('error').length, 1);
    assert.match(String(atLevel('error')[0]?.fields.error), /odd object/);
    await clock.advance(999);
    assert.equal(subscriptions, 1);
    await clock.advance(1);
    assert.equal(subscriptions, 2);
  });

  test('a run takes as long as the clock says', async () => {
    run(async () => {
      await clock.sleep(1500);
      return done;
    });
    wake$.next({ name: 'a' });
    await clock.advance(1500);
    assert.equal(outcomes[0]?.durationMs, 1500);
  });
});
