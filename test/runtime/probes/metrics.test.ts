import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StackState } from '../../../runtime/controller/stack-needs.ts';
import { createMetrics } from '../../../runtime/probes/metrics.ts';
import { serveHttp } from '../../../runtime/probes/serve-http.ts';
import type { StateSources } from '../../../runtime/probes/state-metrics.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { informerState } from '../widgets.ts';

function metricsAt({ withProcess = false, ...sources }: StateSources & { withProcess?: boolean } = {}) {
  const clock = testClock();
  const metrics = createMetrics({ version: '1.2.3', clock, withProcess });
  metrics.states(sources);
  /** The samples whose names begin so, as `name{labels} value`. */
  const samples = async (prefix: string): Promise<readonly string[]> =>
    (await metrics.page()).body.split('\n').filter((line) => line.startsWith(prefix));
  /** The same without that name: `{labels} value`. */
  const valuesOf = async (name: string): Promise<readonly string[]> =>
    (await samples(name)).map((line) => line.slice(name.length));
  return { metrics, samples, valuesOf, clock };
}

describe('metrics', () => {
  test('a controller shows with zeros before its first run', async () => {
    const { metrics, samples, valuesOf } = metricsAt();
    metrics.controller('c', 10);
    const results = ['success', 'error', 'requeue', 'requeue_after', 'conflict', 'interrupted'];
    const zeros = results.map((result) => `{controller="c",result="${result}"} 0`);
    assert.deepEqual(await valuesOf('controller_runtime_reconcile_total'), zeros);
    assert.deepEqual(await valuesOf('controller_runtime_max_concurrent_reconciles'), ['{controller="c"} 10']);
    assert.deepEqual(await samples('workqueue_depth'), ['workqueue_depth{name="c"} 0']);
  });

  test('outcomes count by controller and result, with their time', async () => {
    const { metrics, samples, valuesOf } = metricsAt();
    const run = { controller: 'c', request: { name: 'a' }, because: ['it changed'] };
    const outcome = { ...run, durationMs: 120, isTimedOut: false };
    metrics.outcome({ ...outcome, result: 'success' });
    metrics.outcome({ ...outcome, result: 'error', isTimedOut: true, bug: new TypeError('x') });
    metrics.outcome({ ...outcome, result: 'conflict', because: ['it changed', 'its class changed'] });
    assert.deepEqual(await valuesOf('controller_runtime_reconcile_total'), [
      '{controller="c",result="success"} 1',
      '{controller="c",result="error"} 1',
      '{controller="c",result="conflict"} 1',
    ]);
    assert.deepEqual(await valuesOf('controller_runtime_reconcile_errors_total'), ['{controller="c"} 1']);
    assert.deepEqual(await valuesOf('controller_runtime_reconcile_timeouts_total'), ['{controller="c"} 1']);
    assert.deepEqual(await valuesOf('controller_runtime_reconcile_panics_total'), ['{controller="c"} 1']);
    assert.deepEqual(await samples('services_stack_reconcile_reasons_total'), [
      'services_stack_reconcile_reasons_total{controller="c",because="it changed"} 3',
      'services_stack_reconcile_reasons_total{controller="c",because="its class changed"} 1',
    ]);
    const times = await samples('controller_runtime_reconcile_time_seconds');
    assert.ok(times.includes('controller_runtime_reconcile_time_seconds_bucket{le="0.1",controller="c"} 0'));
    assert.ok(times.includes('controller_runtime_reconcile_time_seconds_bucket{le="0.15",controller="c"} 3'));
    assert.ok(times.includes('controller_runtime_reconcile_time_seconds_count{controller="c"} 3'));
  });

  test('a queue shows what waits, what runs, and for how long', async () => {
    const { metrics, samples, valuesOf, clock } = metricsAt();
    const queue = metrics.controller('c', 1);
    queue.added('a');
    queue.added('b');
    clock.stall(500);
    queue.started('a');
    clock.stall(2000);
    const during = await samples('workqueue_');
    for (const sample of [
      'workqueue_depth{name="c"} 1',
      'workqueue_adds_total{name="c"} 2',
      'workqueue_queue_duration_seconds_sum{name="c"} 0.5',
      'workqueue_unfinished_work_seconds{name="c"} 2',
      'workqueue_longest_running_processor_seconds{name="c"} 2',
    ]) {
      assert.ok(during.includes(sample), sample);
    }
    assert.deepEqual(await valuesOf('controller_runtime_active_workers'), ['{controller="c"} 1']);
    queue.retried();
    queue.finished('a');
    queue.dropped('b');
    const afterwards = await samples('workqueue_');
    for (const sample of [
      'workqueue_depth{name="c"} 0',
      'workqueue_retries_total{name="c"} 1',
      'workqueue_work_duration_seconds_sum{name="c"} 2',
      'workqueue_unfinished_work_seconds{name="c"} 0',
      'workqueue_longest_running_processor_seconds{name="c"} 0',
    ]) {
      assert.ok(afterwards.includes(sample), sample);
    }
  });

  test('polls are pending until they run, and late after ten seconds', async () => {
    const { metrics, samples, clock } = metricsAt();
    const queue = metrics.controller('c', 1);
    const polls = () => samples('services_stack_polls');
    const counts = (due: number, late: number) => [
      `services_stack_polls_due{controller="c"} ${due}`,
      `services_stack_polls_late{controller="c"} ${late}`,
    ];
    assert.deepEqual(await polls(), counts(0, 0));
    queue.due('a');
    clock.stall(9_999);
    queue.due('b');
    queue.due('c');
    clock.stall(1);
    assert.deepEqual(await polls(), counts(3, 1));
    queue.started('a');
    queue.started('not polled');
    queue.dropped('b');
    assert.deepEqual(await polls(), counts(1, 0));
    const name = 'services_stack_poll_delay_seconds';
    const delays = (await samples(name)).filter((line) => !line.includes('_bucket'));
    assert.deepEqual(delays, [`${name}_sum{controller="c"} 10`, `${name}_count{controller="c"} 1`]);
  });

  test('requests count by code, method, host and resource; without an answer as <error>', async () => {
    const { metrics, samples } = metricsAt();
    const request = { method: 'PATCH', resource: 'widgets.test.example.org', host: 'h:1' };
    for (const code of [200, 200, 409, 0]) metrics.request({ ...request, code });
    const labels = 'method="PATCH",resource="widgets.test.example.org",host="h:1"';
    assert.deepEqual(await samples('rest_client_requests_total'), [
      `rest_client_requests_total{${labels},code="200"} 2`,
      `rest_client_requests_total{${labels},code="409"} 1`,
      `rest_client_requests_total{${labels},code="<error>"} 1`,
    ]);
  });

  test('watch streams, dropped events and the lease show as they are at the scrape', async () => {
    const confirmedAtMs = testClock().elapsedMs();
    const states = [
      informerState('widgets', { isSynced: false, stream: { phase: 'listing' }, confirmedAtMs }),
    ];
    let dropped = 0;
    const { metrics, samples, clock } = metricsAt({
      informers: () => states,
      droppedEvents: () => dropped,
    });
    clock.stall(5000);
    metrics.leading('stack', false);
    const own = async () => [
      ...(await samples('services_stack_watch')),
      ...(await samples('services_stack_store')),
      ...(await samples('services_stack_events')),
      ...(await samples('leader_election')),
    ];
    assert.deepEqual(await own(), [
      'services_stack_watch_up{kind="widgets"} 0',
      'services_stack_watch_lists_total{kind="widgets"} 1',
      'services_stack_watch_failures_total{kind="widgets"} 0',
      'services_stack_watch_unconfirmed_seconds{kind="widgets"} 5',
      'services_stack_watch_silences_total{kind="widgets"} 0',
      'services_stack_store_synced{kind="widgets"} 0',
      'services_stack_store_objects{kind="widgets"} 0',
      'services_stack_events_dropped_total 0',
      'leader_election_master_status{name="stack"} 0',
    ]);
    states[0] = {
      ...states[0]!,
      isSynced: true,
      objectCount: 7,
      stream: { phase: 'watching' },
      listCount: 2,
      failureCount: 3,
      confirmedAtMs: clock.elapsedMs() - 1000,
      silenceCount: 2,
    };
    dropped = 5;
    metrics.leading('stack', true);
    assert.deepEqual(await own(), [
      'services_stack_watch_up{kind="widgets"} 1',
      'services_stack_watch_lists_total{kind="widgets"} 2',
      'services_stack_watch_failures_total{kind="widgets"} 3',
      'services_stack_watch_unconfirmed_seconds{kind="widgets"} 1',
      'services_stack_watch_silences_total{kind="widgets"} 2',
      'services_stack_store_synced{kind="widgets"} 1',
      'services_stack_store_objects{kind="widgets"} 7',
      'services_stack_events_dropped_total 5',
      'leader_election_master_status{name="stack"} 1',
    ]);
  });

  test('stacks show, and which of their kinds the API server does not have while it has not', async () => {
    const ocp = { name: 'ocp', isComplete: false, missing: ['a', 'b'], awaited: ['c'] };
    let states: readonly StackState[] = [{ name: 'fcp', isComplete: true, missing: [], awaited: [] }, ocp];
    const { samples } = metricsAt({ stacks: () => states });
    const own = async () => [
      ...(await samples('services_stack_stack')),
      ...(await samples('services_stack_definition')),
    ];
    assert.deepEqual(await own(), [
      'services_stack_stack_complete{stack="fcp"} 1',
      'services_stack_stack_complete{stack="ocp"} 0',
      'services_stack_definition_missing{stack="ocp",kind="a"} 1',
      'services_stack_definition_missing{stack="ocp",kind="b"} 1',
    ]);
    states = [{ ...ocp, isComplete: true, missing: [] }];
    assert.deepEqual((await own()).slice(1), ['services_stack_stack_complete{stack="ocp"} 1']);
  });

  test('build and process show too, and two registries do not meet', async () => {
    const first = metricsAt({ withProcess: true });
    const second = metricsAt();
    assert.deepEqual(await first.samples('services_stack_build_info'), [
      `services_stack_build_info{version="1.2.3",node_version="${process.version}"} 1`,
    ]);
    assert.equal((await first.samples('process_resident_memory_bytes')).length, 1);
    assert.equal((await second.samples('process_')).length, 0);
  });

  test('a page of metrics is served as Prometheus reads it', async () => {
    const { metrics } = metricsAt();
    const address = { host: '127.0.0.1', port: 0 };
    const server$ = serveHttp({ flag: '--metrics', address, pages: { '/metrics': metrics.page } });
    const served = Promise.withResolvers<string>();
    const serving = server$.subscribe((url) => served.resolve(url));
    try {
      const response = await fetch(`${await served.promise}/metrics`);
      assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
      assert.match(await response.text(), /^# HELP services_stack_build_info /);
    } finally {
      serving.unsubscribe();
    }
  });
});
