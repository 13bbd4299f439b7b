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
  const rows: Record<
    string,
    {
      concurrency?: number;
      /** Default: three frames, then the item. */
      runs?: Record<string, string>;
      source: string;
      drain?: string;
      unsubscribe?: string;
      hasUrgency?: boolean;
      want: string;
    }
  > = {
    'keys run side by side': { source: 'ab|', want: '---a(b|)' },
    'a key runs once at a time': { source: 'aA|', want: '---a--(A|)' },
    'an item that arrives during a run has its turn after it': { source: '--a-A-----', want: '-----a--A' },
    'a burst costs one run, of the newest item': {
      concurrency: 1,
      source: '(xabAB)|',
      want: '---x--A--(B|)',
    },
    'a waiting value keeps its place when it is replaced': {
      concurrency: 1,
      source: 'xabA|',
      want: '---x--A--(b|)',
    },
    'no more than allowed run at a time, oldest first': {
      concurrency: 2,
      source: 'abcde|',
      want: '---ab-cd-(e|)',
    },
    'a key that comes again takes its turn behind the others': {
      concurrency: 1,
      source: 'abA|',
      want: '---a--b--(A|)',
    },
    'a busy key does not keep the others from running': {
      concurrency: 2,
      runs: { a: '---------(a|)', A: '(A|)' },
      source: 'aAbc|',
      want: '-----b--c(aA|)',
    },
    'an urgent value has its turn first': {
      concurrency: 1,
      hasUrgency: true,
      source: '(xabC)|',
      want: '---x--C--a--(b|)',
    },
    'a waiting value becomes urgent when it is replaced by an urgent one': {
      concurrency: 1,
      hasUrgency: true,
      source: '(xabB)|',
      want: '---x--B--(a|)',
    },
    'and stays so when that is replaced': {
      concurrency: 1,
      hasUrgency: true,
      source: '(xaBb)|',
      want: '---x--b--(a|)',
    },
    'a value that arrives during a run has its turn after the run, by its urgency': {
      concurrency: 1,
      hasUrgency: true,
      source: 'aAb|',
      want: '---a--A--(b|)',
    },
    'all results of a run are delivered': { runs: { a: 'xyz|' }, source: 'a|', want: 'xyz|' },
    'an empty run frees its key': { runs: { a: '--|', A: '-(A|)' }, source: 'aA|', want: '---(A|)' },
    'a source without items completes': { source: '--|', want: '--|' },
    'a quiet source says nothing': { source: '------', want: '------' },
    'an error of the source ends it': { source: 'a#', want: '-#' },
    'an error of a run ends it': { runs: { a: '--#' }, source: 'a-----', want: '--#' },
    'a drain lets running ones finish and drops what waits': {
      source: 'aA-b-----',
      drain: '--x',
      want: '---(a|)',
    },
    'a drain with nothing running completes': { source: '-----', drain: '--x', want: '--|' },
    'a drain from the start lets nothing run': { source: '(ab)', drain: 'x', want: '|' },
    'a drain source that completes is no drain': { source: 'a-b|', drain: '-|', want: '---a-(b|)' },
    'an error of the drain source ends it': { source: 'a----', drain: '-#', want: '-#' },
    'nothing comes after unsubscribing': { source: 'ab---', unsubscribe: '----!', want: '---a' },
  };
  for (const [name, row] of Object.entries(rows)) {
    const { concurrency = 10, runs, source, drain = '', unsubscribe, hasUrgency = false, want } = row;
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

  for (const [name, options] of Object.entries({
    project: {
      project: () => {
        throw new Error('boom');
      },
      keyOf,
    },
    keyOf: {
      project: (item: string) => of(item),
      keyOf: () => {
        throw new Error('boom');
      },
    },
  })) {
    test(`an error that ${name} throws ends the stream`, () => {
      const seen: unknown[] = [];
      const { project } = options as { project: (item: string) => Observable<string> };
      concat(of('a'), NEVER)
        .pipe(mergeMapByKey(project, { keyOf: options.keyOf, concurrency: 1 }))
        .subscribe({ error: (error: Error) => seen.push(error.message) });
      assert.deepEqual(seen, ['boom']);
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
