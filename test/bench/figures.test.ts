import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiRequestsIn } from './api-requests.ts';
import { memoryLimit } from './budgets.ts';
import type { Figure } from './figures.ts';
import { isBroken, table, verdictOf } from './figures.ts';
import { inTurns } from './in-turns.ts';
import { cpuSecondsIn, machineCpuSecondsIn, peakMemoryMiBIn } from './process-usage.ts';
import { quantile } from './statistics.ts';

describe('a figure is judged by its limit', () => {
  const limit = { budget: 10, goal: 8 };
  const rows = [
    [{ value: 8, limit }, 'goal'],
    [{ value: 8.1, limit }, 'ok'],
    [{ value: 10, limit }, 'ok'],
    [{ value: 10.1, limit }, 'over'],
    [{ value: 9, limit: { budget: 10 } }, 'ok'],
    [{ value: 1_000 }, '-'],
    [{ value: Number.NaN, limit }, '-'],
  ] as const;
  for (const [figure, verdict] of rows) {
    test(`${JSON.stringify(figure)}: ${verdict}`, () => assert.equal(verdictOf(figure), verdict));
  }

  test('only a count that is over fails the run', () => {
    const over: Figure = { name: 'writes', value: 11, unit: 'count', limit };
    assert.ok(isBroken(over));
    assert.ok(!isBroken({ ...over, unit: 'ms' }));
    assert.ok(!isBroken({ ...over, value: 10 }));
  });

  test('the table has a line for each, in columns', () => {
    const text = table([
      { name: 'writes', value: 8.004, unit: 'count', limit },
      { name: 'a longer name', value: Number.NaN, unit: 'MiB', note: 'why' },
    ]);
    assert.deepEqual(text.split('\n'), [
      'figure         measured      budget  goal      note',
      'writes         8             10      8     ok',
      'a longer name  not measured                -   why',
    ]);
  });

  test('memory is allowed to grow with the claims', () => {
    assert.deepEqual(memoryLimit(50), { budget: 160, goal: 120 });
    assert.deepEqual(memoryLimit(1_000), { budget: 160, goal: 120 });
    assert.deepEqual(memoryLimit(10_000), { budget: 450, goal: 300 });
  });
});

describe('quantiles are samples', () => {
  const samples = [5, 1, 4, 2, 3];
  const rows = [
    [0, 1],
    [0.5, 3],
    [0.95, 5],
    [1, 5],
  ] as const;
  for (const [share, value] of rows)
    test(`${share} of 1 to 5: ${value}`, () => assert.equal(quantile(samples, share), value));
  test('of nothing: no number', () => assert.ok(Number.isNaN(quantile([], 0.5))));
});

describe('the operating system reports the memory and CPU of processes', () => {
  test('CPU time, whatever the command is called', () => {
    const stat = '4711 (a) b (c) S 1 4711 4711 0 -1 4194304 1 2 3 4 250 50 7 8 20 0 1 0 100 200 300';
    assert.equal(cpuSecondsIn(stat), 3);
  });
  test('peak memory', () => {
    assert.equal(peakMemoryMiBIn('Name:\tnode\nVmPeak:\t  99 kB\nVmHWM:\t  2048 kB\nVmRSS:\t  1024 kB\n'), 2);
  });
  test('CPU time of all, without waiting', () => {
    assert.equal(machineCpuSecondsIn('cpu  100 20 30 9999 888 4 5 1 0 0\ncpu0 1 1 1 1\n'), 1.6);
  });
});

test('writes of Events and conflicts are counted apart from other requests', () => {
  const metrics = [
    'apiserver_request_total{code="201",group="",resource="events",verb="POST",version="v1"} 7',
    'apiserver_request_total{code="200",group="",resource="events",verb="PATCH",version="v1"} 2',
    'apiserver_request_total{code="200",group="",resource="events",verb="LIST",version="v1"} 100',
    'apiserver_request_total{code="409",group="x.org",resource="things",verb="PATCH",version="v1"} 3',
    'apiserver_request_total{code="200",group="x.org",resource="things",verb="PATCH",version="v1"} 50',
    'apiserver_request_total{code="404",group="",resource="secrets",verb="GET",version="v1"} 4',
    'apiserver_request_total{code="200",group="",resource="",verb="GET",version=""} 500',
    'other_total{code="409",resource="events",verb="POST"} 1000',
  ].join('\n');
  assert.deepEqual(apiRequestsIn(metrics), { eventWrites: 9, conflicts: 3, reads: 4 });
});

describe('work in turns', () => {
  test('every turn once, in order, so many at a time', async () => {
    const started: number[] = [];
    let running = 0;
    let most = 0;
    await inTurns(7, 3, async (index) => {
      started.push(index);
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    });
    assert.deepEqual(started, [0, 1, 2, 3, 4, 5, 6]);
    assert.equal(most, 3);
  });
  test('the first error ends it', async () => {
    const failing = inTurns(3, 1, (index) =>
      index === 1 ? Promise.reject(new Error('no')) : Promise.resolve(),
    );
    await assert.rejects(failing, /no/);
  });
});
