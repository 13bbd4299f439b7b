import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apiRequestsIn } from './api-requests.ts';
import { verdictOf } from './figures.ts';

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
