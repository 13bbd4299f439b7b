import assert from 'node:assert/strict';
import { getActiveResourcesInfo } from 'node:process';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import filter from 'lodash/filter.js';
import find from 'lodash/find.js';
import map from 'lodash/map.js';
import type { Subscription } from 'rxjs';
import { NEVER, throwError } from 'rxjs';
import type { StreamedStore } from '../../../runtime/cache/store.ts';
import { createStore } from '../../../runtime/cache/store.ts';
import type { StreamEvent } from '../../../runtime/cache/stream-event.ts';
import { watchStream } from '../../../runtime/cache/watch.ts';
import type { StreamState, WatchStreamOptions } from '../../../runtime/cache/watch-session.ts';
import { ApiError, apiErrorIn } from '../../../runtime/client/errors.ts';
import { kubernetesClient } from '../../../runtime/client/http-kubernetes-client.ts';
import type { KubernetesClient } from '../../../runtime/client/kubernetes-client.ts';
import type { Clock } from '../../../runtime/time/clock.ts';
import { realClock } from '../../../runtime/time/clock.ts';
import type { TestClock } from '../../../testing/test-clock.ts';
import { testClock } from '../../../testing/test-clock.ts';
import type { Fault } from '../../fakes/api-server.ts';
import { FakeApiServer } from '../../fakes/api-server.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import type { Widget } from '../widgets.ts';
import { untilAnswered, WidgetKind, widget } from '../widgets.ts';

/** Short delays, each recorded by having been asked for. */
function quickBackoff(delayMs = 1) {
  const backoff = {
    calls: 0,
    next: () => {
      backoff.calls += 1;
      return delayMs;
    },
  };
  return backoff;
}

describe('watch stream over HTTP', () => {
  let clock: TestClock;
  let server: FakeApiServer;
  let client: ReturnType<typeof kubernetesClient>;
  let log: ReturnType<typeof recordedLog>;
  let store: StreamedStore<Widget>;
  let events: StreamEvent<Widget>['type'][];
  let changes: string[];
  let states: StreamState[];
  let backoff: ReturnType<typeof quickBackoff>;
  let subscription: Subscription | undefined;

  const start = (options: Partial<WatchStreamOptions> = {}): void => {
    const given = { log, clock, random: () => 0.5, backoff, shortWatchMs: 0 };
    const onState = (state: StreamState) => states.push(state);
    subscription = watchStream(client, WidgetKind, {}, { ...given, onState, ...options }).subscribe({
      next(event) {
        events.push(event.type);
        store.apply(event);
      },
      error: (error) => assert.fail(`the stream failed: ${error}`),
      complete: () => assert.fail('the stream completed'),
    });
  };
  const until = (what: string, isSo: () => boolean) => untilAnswered(clock, what, isSo);
  const watching = (opened = 1) =>
    until('it watches', () => server.openWatches === 1 && server.requestsWith('WATCH').length >= opened);
  const watchingWith = async (options: Partial<WatchStreamOptions> = {}): Promise<void> => {
    start(options);
    await watching();
  };
  const names = () => map(store.all(), 'metadata.name').toSorted();
  const warnings = () => filter(log.lines, { level: 'warn' });
  const restarts = () => events.filter((type) => type === 'restart').length;
  /** How many lists are complete. */
  const lists = () => events.filter((type) => type === 'synced').length;
  const resumedFrom = () => server.requestsWith('WATCH').map(({ query }) => query.resourceVersion);

  beforeEach(async () => {
    clock = testClock();
    server = await new FakeApiServer(WidgetKind).start();
    log = recordedLog();
    client = kubernetesClient({
      kubeConfig: server.kubeConfig(),
      log,
      clock: { ...realClock(), sleep: async () => {} },
    });
    store = createStore(WidgetKind, { clock: testClock() });
    events = [];
    changes = [];
    states = [];
    backoff = quickBackoff();
    store.changes$.subscribe(({ type, object }) => changes.push(`${type} ${object.metadata.name}`));
  });
  afterEach(async () => {
    subscription?.unsubscribe();
    await client.close();
    await server.stop();
  });

  test('lists in pages, tells when it is complete, watches from there', async () => {
    for (let n = 0; n < 25; n += 1) server.put(WidgetKind, widget(`t${n}`));
    await watchingWith({ pageSize: 10 });
    assert.deepEqual(events, ['restart', 'listed', 'listed', 'listed', 'synced']);
    assert.equal(store.all().length, 25);
    assert.ok(store.isSynced);
    assert.deepEqual(resumedFrom(), ['125']);
    const { timeoutSeconds } = server.requestsWith('WATCH')[0]!.query;
    assert.equal(timeoutSeconds, '440');
    server.put(WidgetKind, widget('t0', { spec: { size: 1 } }));
    server.remove(WidgetKind, 't1', 'ns');
    await until('both arrive', () => events.length === 7);
    assert.deepEqual(events.slice(5), ['applied', 'deleted']);
    assert.deepEqual(changes.slice(25), ['modified t0', 'deleted t1']);
    assert.deepEqual(map(states, 'phase'), ['listing', 'watching']);
  });

  test('a watch that the server ends resumes where it was, without backoff', async () => {
    await watchingWith();
    server.put(WidgetKind, widget('a'));
    await until('a arrives', () => names().includes('a'));
    server.endWatches();
    server.put(WidgetKind, widget('b'));
    await until('b arrives', () => names().includes('b'));
    assert.deepEqual(resumedFrom(), ['100', '101']);
    assert.equal(backoff.calls, 0);
    assert.deepEqual(changes, ['added a', 'added b']);
  });

  test('a watch that ends right after it opened waits', async () => {
    await watchingWith({ shortWatchMs: 150 });
    server.endWatches();
    await until('it waits', () => backoff.calls === 1);
    await clock.advance(140);
    assert.equal(server.requestsWith('WATCH').length, 1);
    await clock.advance(10);
    await watching(2);
    assert.equal(backoff.calls, 1);
  });

  test('bookmarks move the point to resume from', async () => {
    const confirmedBy: string[] = [];
    await watchingWith({ onConfirmed: (by) => confirmedBy.push(by) });
    server.skipVersions(50);
    server.bookmark();
    await until('it is told', () => confirmedBy.at(-1) === 'watch');
    server.endWatches();
    await watching(2);
    assert.deepEqual(resumedFrom(), ['100', '150']);
    assert.deepEqual(events, ['restart', 'listed', 'synced'], 'nobody is told of a bookmark');
  });

  test('a connection cut mid-line resumes and nothing is lost or repeated', async () => {
    await watchingWith();
    server.put(WidgetKind, widget('a'));
    await until('a arrives', () => names().includes('a'));
    server.dropWatches('{"type":"ADDED","object":{"metadata":{"name":"half');
    server.put(WidgetKind, widget('b'));
    await until('b arrives', () => names().includes('b'));
    assert.deepEqual(changes, ['added a', 'added b']);
    assert.equal(restarts(), 1);
    assert.equal(backoff.calls, 1);
  });

  const expiries: Record<string, () => void> = {
    'in band': () => server.errorInBand(410, 'Expired'),
    'as a status': () => server.endWatches(),
  };
  for (const [name, expire] of Object.entries(expiries)) {
    test(`410 ${name} lists again, and objects that were deleted during that time are removed`, async () => {
      server.put(WidgetKind, widget('goes'));
      server.put(WidgetKind, widget('replaced'));
      // The newest stays as it is, by which nothing seems to have been missed: the 410 alone says otherwise.
      server.put(WidgetKind, widget('stays'));
      start();
      await watching();
      server.blackHoleWatches();
      server.remove(WidgetKind, 'goes', 'ns');
      server.remove(WidgetKind, 'replaced', 'ns');
      server.put(WidgetKind, widget('replaced'));
      server.put(WidgetKind, widget('new'));
      server.skipVersions(1);
      server.compact();
      changes.length = 0;
      expire();
      await until('it has listed again', () => lists() === 2);
      assert.equal(backoff.calls, 0);
      assert.deepEqual(names(), ['new', 'replaced', 'stays']);
      const wanted = ['added new', 'added replaced', 'deleted goes', 'deleted replaced'];
      assert.deepEqual(changes.toSorted(), wanted);
      await watching(2);
      assert.equal(resumedFrom().at(-1), server.resourceVersion);
      assert.ok(!log.lines.some(({ level }) => level === 'warn' || level === 'error'), 'that is no fault');
    });
  }

  test('410 of a proxy is no word about our version: it resumes where it was', async () => {
    server.put(WidgetKind, widget('a'));
    await watchingWith();
    server.fail({ status: 410, body: 'Gone', method: 'WATCH', times: 2 });
    server.endWatches();
    await until(
      'it watches again',
      () => server.requestsWith('WATCH').length === 4 && server.openWatches === 1,
    );
    assert.deepEqual(resumedFrom(), ['101', '101', '101', '101']);
    assert.deepEqual(events, ['restart', 'listed', 'synced']);
  });

  test('404 of a proxy lists again, and the present objects stay during that time', async () => {
    server.put(WidgetKind, widget('a'));
    await watchingWith();
    server.fail({ status: 404, body: '404 page not found', times: 3 });
    server.endWatches();
    await until('it has listed again', () => lists() === 2);
    assert.deepEqual(changes, ['added a']);
    assert.equal(backoff.calls, 3);
  });

  test('an answer that is no list is no empty cluster: the list is asked for again, and nothing is dropped', async () => {
    server.put(WidgetKind, widget('a'));
    await watchingWith();
    server.fail({ status: 200, body: '{}', method: 'GET', times: 2 });
    server.errorInBand(410, 'Expired');
    await until('it has listed again', () => lists() === 2);
    assert.deepEqual(changes, ['added a']);
    assert.equal(backoff.calls, 2);
  });

  test('a watch event with nothing but metadata makes no ghost: what happened is read from a list', async () => {
    await watchingWith();
    server.blackHoleWatches();
    server.put(WidgetKind, widget('a'));
    server.writeToWatches('{"type":"ADDED","object":{"metadata":{"name":"ghost","namespace":"ns"}}}\n');
    await until('a arrives', () => names().includes('a'));
    assert.deepEqual(changes, ['added a']);
  });

  test('a continue token that expires restarts the list, whose first half does not count', async () => {
    for (let n = 0; n < 9; n += 1) server.put(WidgetKind, widget(`t${n}`));
    server.expireContinueTokens();
    start({ pageSize: 4 });
    await until('it is synced', () => store.isSynced);
    assert.deepEqual(events, ['restart', 'listed', 'restart', 'listed', 'listed', 'listed', 'synced']);
    assert.equal(store.all().length, 9);
  });

  test('a list that keeps expiring is asked for whole', async () => {
    for (let n = 0; n < 9; n += 1) server.put(WidgetKind, widget(`t${n}`));
    server.expireContinueTokens(100);
    start({ pageSize: 4 });
    await until('it is synced', () => store.isSynced);
    assert.equal(store.all().length, 9);
    const whole = server.requestsWith('GET').filter(({ query }) => query.limit === undefined);
    assert.equal(whole.length, 1);
    assert.deepEqual(events.slice(-3), ['restart', 'listed', 'synced']);
  });

  test('429 waits as long as the server asks, then resumes', async () => {
    await watchingWith();
    server.fail({ status: 429, retryAfter: 1, method: 'WATCH' });
    server.endWatches();
    await until('it is refused', () => states.some(({ phase }) => phase === 'waiting'));
    await clock.advance(990);
    assert.equal(server.requestsWith('WATCH').length, 2);
    await clock.advance(10);
    await watching(3);
    assert.deepEqual(resumedFrom(), ['100', '100', '100']);
    const waiting = { phase: 'waiting', code: 429, message: 'told to fail', delayMs: 1000 };
    assert.deepEqual(find(states, { phase: 'waiting' }), waiting);
  });

  test('server errors are retried from the same point, and complained of once', async () => {
    await watchingWith();
    server.fail({ status: 500, times: 5, method: 'WATCH' });
    server.endWatches();
    server.put(WidgetKind, widget('a'));
    await until('a arrives', () => names().includes('a'));
    assert.equal(backoff.calls, 5);
    assert.deepEqual(new Set(resumedFrom()), new Set(['100']));
    assert.equal(warnings().length, 1);
    assert.equal(restarts(), 1);
  });

  test('each cause of a failure is logged once, also if it follows another one', async () => {
    server.put(WidgetKind, widget('a'));
    await watchingWith();
    for (const status of [0, 401, 403, 503, 401]) {
      server.fail({ status, reason: `Reason${status}`, times: 3, method: 'WATCH' });
    }
    server.endWatches();
    await until('all were met', () => backoff.calls === 15 && server.openWatches === 1);
    const codes = warnings().map(({ fields }) => apiErrorIn(fields.error)?.code);
    assert.deepEqual(codes, [0, 401, 403, 503]);
  });

  test('a server that answers every watch with 410 is not asked without delays', async () => {
    await watchingWith();
    server.fail({ status: 410, reason: 'Expired', times: 4, method: 'WATCH' });
    server.endWatches();
    await until('it watches', () => server.openWatches === 1);
    assert.deepEqual([lists(), backoff.calls], [5, 3]);
  });

  test('a server that goes away and comes back is found again', async () => {
    await watchingWith();
    server.put(WidgetKind, widget('a'));
    server.put(WidgetKind, widget('stays'));
    await until('both arrive', () => names().join() === 'a,stays');
    await server.stop();
    await until('it has tried', () => backoff.calls > 5);
    assert.equal(states.at(-1)?.phase, 'waiting');
    server.put(WidgetKind, widget('b'));
    server.remove(WidgetKind, 'a', 'ns');
    await server.start();
    await until('b arrives and a goes', () => names().join() === 'b,stays');
    assert.deepEqual(changes, ['added a', 'added stays', 'added b', 'deleted a']);
    assert.equal(restarts(), 1);
  });

  test('a server that was restored from a backup and has used our versions again is listed', async () => {
    server.put(WidgetKind, widget('a'));
    await watchingWith();
    for (const size of [1, 2]) server.put(WidgetKind, widget('a', { spec: { size } }));
    await until('the last change arrives', () => store.get({ namespace: 'ns', name: 'a' })?.spec?.size === 2);
    await server.stop();
    server.rewind(100);
    for (const name of ['a', 'b', 'c', 'd']) server.put(WidgetKind, widget(name));
    await server.start();
    await until('all arrive', () => names().join() === 'a,b,c,d');
    assert.equal(restarts(), 2);
  });

  test('a kind that is not installed is said once, retried at most 5 s apart, and found when it comes', async () => {
    const bare = await new FakeApiServer().start();
    const other = kubernetesClient({ kubeConfig: bare.kubeConfig(), log, clock: realClock() });
    const waits: number[] = [];
    const given = { log, clock, random: () => 0.5, backoff: quickBackoff(30_000), notInstalledDelayMs: 5 };
    const onState = (state: StreamState) => state.phase === 'waiting' && waits.push(state.delayMs);
    const stream = watchStream(other, WidgetKind, {}, { ...given, onState }).subscribe(store.apply);
    await until('it has tried', () => waits.length > 4);
    bare.install(WidgetKind);
    await until('it is synced', () => store.isSynced);
    assert.deepEqual(new Set(waits), new Set([5]));
    const [warning = assert.fail(), ...others] = warnings();
    assert.match(warning.message, /not installed.*kubectl apply -f crds\/.*--install-crds/);
    assert.deepEqual([warning.fields.kind, others], ['widgets.v1.test.example.org', []]);
    stream.unsubscribe();
    await other.close();
    await bare.stop();
  });

  test('missing permission is said once, with what to grant', async () => {
    server.fail({ status: 403, reason: 'Forbidden', times: 4 });
    start();
    await until('it is synced', () => store.isSynced);
    const [warning = assert.fail(), ...others] = warnings();
    assert.match(warning.message, /not allowed.*get, list and watch.*RBAC/);
    assert.deepEqual(others, []);
  });

  test('a black-holed watch is noticed by the deadline and replaced', async () => {
    await watchingWith({ watchSeconds: [1, 1], idleMarginMs: 200 });
    server.blackHoleWatches();
    server.put(WidgetKind, widget('a'));
    await clock.advance(1100);
    assert.equal(server.requestsWith('WATCH').length, 1);
    await clock.advance(100);
    await until('a arrives', () => names().includes('a'));
    assert.equal(backoff.calls, 0, 'that is no failure of the server');
    await until('the dead connection is closed', () => server.openWatches === 1);
  });

  describe('a watch that is open and silent', () => {
    const silenceMs = 70_000;
    let confirmedBy: string[];
    let silences: number;
    const startChecked = (options: Partial<WatchStreamOptions> = {}): void => {
      confirmedBy = [];
      silences = 0;
      const onConfirmed: WatchStreamOptions['onConfirmed'] = (by) => confirmedBy.push(by);
      const onSilence = () => {
        silences += 1;
      };
      start({ silenceMs, graceMs: 5, onConfirmed, onSilence, ...options });
    };
    const checkedWith = async (options: Partial<WatchStreamOptions> = {}): Promise<void> => {
      startChecked(options);
      await watching();
    };
    const checks = () => server.requestsWith('GET').filter(({ query }) => query.resourceVersion === '0');

    test('is asked after, by a question whose answer is small; nothing to tell: it stays', async () => {
      for (let n = 0; n < 5; n += 1) server.put(WidgetKind, widget(`t${n}`));
      await checkedWith();
      server.skipVersions(100);
      for (let count = 1; count <= 3; count += 1) {
        await clock.advance(silenceMs);
        await until('it was checked', () => confirmedBy.filter((by) => by === 'check').length === count);
      }
      assert.equal(server.requestsWith('WATCH').length, 1);
      assert.equal(lists(), 1);
      assert.deepEqual(checks()[0]?.query, { fieldSelector: 'metadata.name=-', resourceVersion: '0' });
      assert.deepEqual([silences, backoff.calls], [0, 0]);
    });

    test('a watch with events is not checked, even if they are only bookmarks', async () => {
      await checkedWith();
      for (let n = 1; n <= 10; n += 1) {
        server.bookmark();
        await until('it is told', () => confirmedBy.filter((by) => by === 'watch').length === n);
        await clock.advance(40_000);
      }
      assert.equal(checks().length, 0);
    });

    test('is replaced when it has kept something back, which a list brings', async () => {
      await checkedWith();
      server.blackHoleWatches();
      server.put(WidgetKind, widget('a'));
      await clock.advance(silenceMs);
      await until('a arrives', () => names().includes('a'));
      await watching(2);
      assert.deepEqual([lists(), silences, backoff.calls], [2, 1, 0]);
      assert.match(log.lines.at(-1)?.message ?? '', /did not deliver changes/);
      server.put(WidgetKind, widget('b'));
      await until('b arrives', () => names().includes('b'));
      assert.equal(confirmedBy.at(-1), 'watch');
    });

    test('is replaced three times in a row, and no event is missed', async () => {
      await checkedWith();
      server.muteWatches();
      for (const name of ['a', 'b', 'c']) {
        server.put(WidgetKind, widget(name));
        await clock.advance(silenceMs);
        await until(`${name} arrives`, () => names().includes(name));
        await watching();
      }
      server.remove(WidgetKind, 'a', 'ns');
      await clock.advance(silenceMs);
      await until('a goes', () => !names().includes('a'));
      assert.equal(silences, 3);
      assert.deepEqual(changes, ['added a', 'added b', 'added c', 'deleted a']);
    });

    test('a restored backup is noticed, whose versions lie behind', async () => {
      server.put(WidgetKind, widget('stays'));
      server.put(WidgetKind, widget('goes'));
      await checkedWith();
      server.remove(WidgetKind, 'goes', 'ns');
      await until('it goes', () => !names().includes('goes'));
      server.rewind(50);
      server.put(WidgetKind, widget('back'));
      server.blackHoleWatches();
      await clock.advance(silenceMs);
      await until('it has listed', () => names().join() === 'back,stays');
    });

    test('an answer that arrives before its watch event does not count as a missed change', async () => {
      await checkedWith({ graceMs: 150 });
      server.blackHoleWatches();
      const object = server.put(WidgetKind, widget('a'));
      await clock.advance(silenceMs);
      await until('it was checked', () => checks().length === 1);
      server.writeToWatches(`${JSON.stringify({ type: 'ADDED', object })}\n`);
      await until('a arrives', () => names().includes('a'));
      await clock.advance(150);
      assert.deepEqual([lists(), silences], [1, 0]);
    });

    test('a question without an answer is a failure, put again until there is one', async () => {
      await checkedWith({ checkTimeoutMs: 1000 });
      server.muteWatches();
      server.fail({ status: -1, method: 'GET' });
      server.fail({ status: 503, method: 'GET' });
      server.put(WidgetKind, widget('a'));
      await clock.advance(silenceMs);
      await until('it was asked', () => checks().length === 1);
      await clock.advance(1000);
      await until('a arrives', () => names().includes('a'));
      assert.deepEqual(map(filter(states, { phase: 'waiting' }), 'code'), [0, 503]);
      assert.equal(lists(), 2);
    });

    const useless: Record<string, Fault> = {
      'are refused': { status: 502, body: 'no streaming here' },
      'end at once without an event': { status: 200, body: '' },
      'cannot be read': { status: 200, body: '<html>' },
    };
    for (const [name, fault] of Object.entries(useless)) {
      test(`where watches ${name}, lists take their place`, async () => {
        startChecked({ shortWatchMs: 10, backoff: quickBackoff(10) });
        await watching();
        server.fail({ ...fault, method: 'WATCH', times: 1_000_000 });
        server.endWatches();
        for (const object of ['a', 'b']) {
          server.put(WidgetKind, widget(object));
          await clock.advance(silenceMs);
          await until(`${object} arrives`, () => names().includes(object));
        }
        assert.ok(lists() >= 2);
      });
    }

    test('a failure that lasts is not waited out for longer than may be unknown', async () => {
      await checkedWith({ backoff: quickBackoff(600_000) });
      server.fail({ status: 502, body: 'down', method: 'WATCH' });
      server.endWatches();
      server.put(WidgetKind, widget('a'));
      await until('it waits', () => states.at(-1)?.phase === 'waiting');
      await clock.advance(silenceMs - 1000);
      assert.deepEqual(names(), []);
      await clock.advance(1000);
      await until('a arrives', () => names().includes('a'));
    });

    test('a question that is refused is replaced by a list', async () => {
      await checkedWith();
      server.fail({ status: 400, reason: 'BadRequest', method: 'GET' });
      await clock.advance(silenceMs);
      await until('it has listed', () => lists() === 2);
      assert.deepEqual([silences, backoff.calls], [0, 0]);
    });
  });

  test('unsubscribing closes the connection, in every phase', async () => {
    await watchingWith();
    subscription?.unsubscribe();
    await until('the watch is closed', () => server.openWatches === 0);
    server.fail({ status: -1 });
    start();
    await until('it lists', () => server.requestsWith('GET').length === 2);
    subscription?.unsubscribe();
    await server.stop();
    start();
    await until('it waits', () => backoff.calls > 0);
    subscription?.unsubscribe();
    const before = backoff.calls;
    await clock.advance(60_000);
    assert.equal(backoff.calls, before);
  });

  test('thousands of reconnects leave nothing behind', async () => {
    const reconnect = async (times: number) => {
      for (let n = 0; n < times; n += 1) {
        const opened = server.requestsWith('WATCH').length;
        if (n % 3 === 0) server.endWatches();
        else if (n % 3 === 1) server.dropWatches();
        else server.errorInBand(410, 'Expired');
        const isOpen = () => server.requestsWith('WATCH').length > opened && server.openWatches >= 1;
        await until('it watches again', isOpen);
      }
      await until('one watch is open', () => server.openWatches === 1);
      for (const noted of [server.requests, log.lines, states, events]) noted.length = 0;
    };
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const heapBytes = async () => {
      await sleep(50);
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const warnings: string[] = [];
    const onWarning = (warning: Error) => warnings.push(warning.name);
    process.on('warning', onWarning);
    const resources = () => getActiveResourcesInfo().filter((name) => name !== 'Immediate').length;
    await watchingWith({ shortWatchMs: 0, backoff: quickBackoff(0) });
    await reconnect(60);
    const before = { sockets: server.sockets.size, resources: resources() };
    const heapBefore = await heapBytes();
    await reconnect(2000);
    await until('the sockets are closed', () => server.sockets.size <= before.sockets);
    const left = `${resources()} handles and timers, ${before.resources} before`;
    assert.ok(resources() <= before.resources + 2, left);
    const grownBytes = (await heapBytes()) - heapBefore;
    assert.ok(grownBytes < 3e6, `${grownBytes} bytes for 2000 reconnects`);
    process.off('warning', onWarning);
    assert.deepEqual(warnings, [], 'no listener too many');
    server.put(WidgetKind, widget('alive'));
    await until('it still works', () => names().includes('alive'));
    assert.deepEqual(changes, ['added alive'], 'one subscription, not thousands');
  });
});

describe('watch stream over a scripted client', () => {
  const log = recordedLog();
  const random = () => 0.5;
  let clock: TestClock;
  beforeEach(() => {
    clock = testClock();
  });
  const scripted = (script: Pick<KubernetesClient, 'list' | 'watch'>): KubernetesClient =>
    script as KubernetesClient;

  test('a client that answers at once does not keep the event loop', async () => {
    let pages = 0;
    const client = scripted({
      list: async () => ({ items: [], resourceVersion: '7', ...(++pages < 50 && { continueToken: 'x' }) }),
      watch: () => NEVER,
    });
    let turns = 0;
    const nextTurn = () => {
      turns += 1;
      return clock.nextTurn();
    };
    const counted: Clock = { ...clock, nextTurn };
    const subscription = watchStream(client, WidgetKind, {}, { log, clock: counted, random }).subscribe();
    await clock.settle();
    subscription.unsubscribe();
    assert.deepEqual([pages, turns], [50, 50]);
  });

  test('the backoff of client-go: 0.8 s doubling to 30 s, jittered', async () => {
    const delays: number[] = [];
    let attempts = 0;
    const error = new ApiError('down', { code: 0, reason: 'ECONNREFUSED' });
    const client = scripted({
      list: () => {
        attempts += 1;
        return Promise.reject(error);
      },
      watch: () => throwError(() => error),
    });
    const onState = (state: StreamState) => state.phase === 'waiting' && delays.push(state.delayMs);
    const subscription = watchStream(client, WidgetKind, {}, { log, clock, random, onState }).subscribe();
    await clock.settle();
    for (let n = 1; n <= 7; n += 1) {
      assert.deepEqual([delays.length, attempts], [n, n]);
      await clock.advance(delays[n - 1]!);
    }
    subscription.unsubscribe();
    assert.deepEqual(delays.slice(0, 7).map(Math.round), [1200, 2400, 4800, 9600, 19_200, 22_500, 22_500]);
  });
});
