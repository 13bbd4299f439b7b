import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Observable } from 'rxjs';
import { concat, from, NEVER, of, Subject, take } from 'rxjs';
import type { RunHelpers } from 'rxjs/internal/testing/TestScheduler';
import { TestScheduler } from 'rxjs/testing';
import { mergeMapByKey } from '../../../runtime/controller/merge-map-by-key.ts';
import type { Urgency } from '../../../runtime/controller/urgency.ts';

const marbles = (draw: (helpers: RunHelpers) => void): void =>
  new TestScheduler((actual, expected) => assert.deepEqual(actual, expected)).run(draw);

/** `a` and `A` are two items of one key. */
const keyOf = (item: string): string => item.toLowerCase();
/** An upper-case item is urgent. */
const urgencyOf = (item: string): Urgency => (item === item.toLowerCase() ? 'normal' : 'urgent');

describe('mergeMapByKey', () => {
  interface Given {
    readonly concurrency?: number;
    /** Default: three frames, then the item. */
    readonly runs?: Readonly<Record<string, string>>;
    readonly drain?: string;
    readonly unsubscribe?: string;
    readonly hasUrgency?: boolean;
  }
  const one = { concurrency: 1 };
  const urgent = { ...one, hasUrgency: true };
  const rows: Record<string, readonly [source: string, want: string, given?: Given]> = {
    'keys run side by side': ['ab|', '---a(b|)'],
    'a key runs once at a time': ['aA|', '---a--(A|)'],
    'an item that arrives during a run has its turn after it': ['--a-A-----', '-----a--A'],
    'a burst costs one run, of the newest item': ['(xabAB)|', '---x--A--(B|)', one],
    'a waiting value keeps its place when it is replaced': ['xabA|', '---x--A--(b|)', one],
    'no more than allowed run at a time, oldest first': ['abcde|', '---ab-cd-(e|)', { concurrency: 2 }],
    'a key that comes again takes its turn behind the others': ['abA|', '---a--b--(A|)', one],
    'a busy key does not keep the others from running': [
      'aAbc|',
      '-----b--c(aA|)',
      { concurrency: 2, runs: { a: '---------(a|)', A: '(A|)' } },
    ],
    'an urgent value has its turn first': ['(xabC)|', '---x--C--a--(b|)', urgent],
    'a waiting value becomes urgent when it is replaced by an urgent one': [
      '(xabB)|',
      '---x--B--(a|)',
      urgent,
    ],
    'and stays so when that is replaced': ['(xaBb)|', '---x--b--(a|)', urgent],
    'a value that arrives during a run has its turn after the run, by its urgency': [
      'aAb|',
      '---a--A--(b|)',
      urgent,
    ],
    'all results of a run are delivered': ['a|', 'xyz|', { runs: { a: 'xyz|' } }],
    'an empty run frees its key': ['aA|', '---(A|)', { runs: { a: '--|', A: '-(A|)' } }],
    'a source without items completes': ['--|', '--|'],
    'a quiet source says nothing': ['------', '------'],
    'an error of the source ends it': ['a#', '-#'],
    'an error of a run ends it': ['a-----', '--#', { runs: { a: '--#' } }],
    'a drain lets running ones finish and drops what waits': ['aA-b-----', '---(a|)', { drain: '--x' }],
    'a drain with nothing running completes': ['-----', '--|', { drain: '--x' }],
    'a drain from the start lets nothing run': ['(ab)', '|', { drain: 'x' }],
    'a drain source that completes is no drain': ['a-b|', '---a-(b|)', { drain: '-|' }],
    'an error of the drain source ends it': ['a----', '-#', { drain: '-#' }],
    'nothing comes after unsubscribing': ['ab---', '---a', { unsubscribe: '----!' }],
  };
  for (const [name, [source, want, given = {}]] of Object.entries(rows)) {
    const { concurrency = 10, runs, drain = '', unsubscribe, hasUrgency = false } = given;
    test(name, () =>
      marbles(({ hot, cold, expectObservable }) => {
        const run = (item: string): Observable<string> =>
          cold(runs?.[item] ?? `---(${item}|)`) as Observable<string>;
        const options = {
          keyOf,
          concurrency,
          ...(hasUrgency && { urgencyOf }),
          ...(drain !== '' && { drain$: drain === 'x' ? of('x') : hot(drain) }),
        };
        expectObservable(hot(source).pipe(mergeMapByKey(run, options)), unsubscribe).toBe(want);
      }),
    );
  }

  test('an item that was urgent only during a run waits with the others', () => {
    const source = new Subject<string>();
    const end = new Subject<string>();
    const started: string[] = [];
    let isUrgent = true;
    const run = (item: string): Observable<string> => {
      started.push(item);
      return end.pipe(take(1));
    };
    const options = {
      keyOf,
      concurrency: 1,
      urgencyOf: (item: string): Urgency => (item === 'A' && isUrgent ? 'urgent' : 'normal'),
    };
    source.pipe(mergeMapByKey(run, options)).subscribe();
    for (const item of ['a', 'b', 'A']) source.next(item);
    isUrgent = false;
    for (let turn = 0; turn < 3; turn += 1) end.next('');
    assert.deepEqual(started, ['a', 'b', 'A']);
  });

  test('unsubscribing unsubscribes from the source, the drain and every run', () =>
    marbles(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const runs = { a: cold('-------a|'), b: cold('-------b|') };
      const source = hot('a-b------');
      const drain = hot('---------');
      const run = (item: string) => runs[item as 'a' | 'b'];
      const result = source.pipe(mergeMapByKey(run, { keyOf, concurrency: 2, drain$: drain }));
      expectObservable(result, '----!').toBe('-----');
      expectSubscriptions(source.subscriptions).toBe('^---!');
      expectSubscriptions(drain.subscriptions).toBe(' ^---!');
      expectSubscriptions(runs.a.subscriptions).toBe('^---!');
      expectSubscriptions(runs.b.subscriptions).toBe('--^-!');
    }));

  test('a drain unsubscribes from the source at once', () =>
    marbles(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const source = hot('a--------');
      const drain$ = hot(' --x------');
      const result = source.pipe(mergeMapByKey(() => cold('----a|'), { keyOf, concurrency: 2, drain$ }));
      expectObservable(result).toBe('----a|');
      expectSubscriptions(source.subscriptions).toBe('^-!');
    }));

  const fails = (): never => {
    throw new Error('boom');
  };
  const itself = (item: string): Observable<string> => of(item);
  for (const [name, project, key] of [
    ['project', fails as typeof itself, keyOf],
    ['keyOf', itself, fails],
  ] as const) {
    test(`an error that ${name} throws ends the stream`, () => {
      const observed: unknown[] = [];
      concat(of('a'), NEVER)
        .pipe(mergeMapByKey(project, { keyOf: key, concurrency: 1 }))
        .subscribe({ error: (error: Error) => observed.push(error.message) });
      assert.deepEqual(observed, ['boom']);
    });
  }

  test('runs that end at once need no stack, however many', () => {
    const items = Array.from({ length: 50_000 }, (_, index) => `${index}`);
    let count = 0;
    from(items)
      .pipe(mergeMapByKey((item) => of(item), { keyOf: (item) => item, concurrency: 1 }))
      .subscribe(() => {
        count += 1;
      });
    assert.equal(count, items.length);
  });
});
