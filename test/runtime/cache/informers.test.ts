import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Subscription } from 'rxjs';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { whyRefused } from '../../../runtime/cache/informer-state.ts';
import type { Informers } from '../../../runtime/cache/informers.ts';
import { createInformers } from '../../../runtime/cache/informers.ts';
import { causeOf, definitionOutdated } from '../../../runtime/client/errors.ts';
import { kubernetesClient } from '../../../runtime/client/http-kubernetes-client.ts';
import { storesSynced } from '../../../runtime/probes/health.ts';
import { realClock } from '../../../runtime/time/clock.ts';
import type { TestClock } from '../../../testing/test-clock.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { FakeApiServer } from '../../fakes/api-server.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import { untilAnswered, WidgetKind, widget } from '../widgets.ts';

const secret = (name: string, type: string): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type,
  metadata: { name, namespace: 'ns' },
});

describe('informers', () => {
  let clock: TestClock;
  let server: FakeApiServer;
  let client: ReturnType<typeof kubernetesClient>;
  let log: ReturnType<typeof recordedLog>;
  let informers: Informers;
  let running: Subscription | undefined;
  const forever = new AbortController().signal;
  const run = () => {
    running = informers.run$.subscribe({ error: (error) => assert.fail(`run$ failed: ${error}`) });
  };
  const until = (what: string, isSo: () => boolean) => untilAnswered(clock, what, isSo);
  const synced = async (signal = forever): Promise<void> => {
    let isSynced = false;
    const whenSynced = informers.synced(signal).then(() => {
      isSynced = true;
    });
    await until('they are synced', () => isSynced);
    await whenSynced;
  };
  const createBackoff = () => ({ next: () => 2 });
  const options = () => ({ client, log, clock, random: () => 0.5, createBackoff });
  beforeEach(async () => {
    clock = testClock();
    server = await new FakeApiServer(WidgetKind, SecretKind).start();
    log = recordedLog();
    client = kubernetesClient({ kubeConfig: server.kubeConfig(), log, clock: realClock() });
    informers = createInformers({ ...options(), shortWatchMs: 0 });
  });
  afterEach(async () => {
    running?.unsubscribe();
    await client.close();
    await server.stop();
  });

  test('one resource and one watch per kind, however often it is asked for', async () => {
    const widgets = informers.resource(WidgetKind);
    assert.equal(informers.resource(WidgetKind, {}), widgets);
    run();
    await synced();
    assert.equal(informers.resource(WidgetKind), widgets);
    await until('it watches', () => server.openWatches === 1);
    await clock.advance(60_000);
    assert.equal(server.requestsWith('WATCH').length, 1);
  });

  test('another selection is an error', () => {
    informers.resource(SecretKind, { fieldSelector: 'type=a' });
    informers.resource(SecretKind, { fieldSelector: 'type=a' });
    assert.throws(() => informers.resource(SecretKind, { fieldSelector: 'type=b' }), /another selection/);
    assert.throws(() => informers.resource(SecretKind), /another selection/);
  });

  test('the selection limits list, watch and what reads bring in', async () => {
    server.put(SecretKind, secret('mine', 'a'));
    server.put(SecretKind, secret('other', 'b'));
    const secrets = informers.resource(SecretKind, { fieldSelector: 'type=a' });
    run();
    await synced();
    await until('it watches', () => server.openWatches === 1);
    server.put(SecretKind, secret('other-2', 'b'));
    server.put(SecretKind, secret('mine-2', 'a'));
    await until('the second arrives', () => secrets.store.all().length === 2);
    assert.equal((await secrets.fetch({ namespace: 'ns', name: 'other' }))?.type, 'b');
    assert.equal(secrets.get({ namespace: 'ns', name: 'other' }), undefined, 'nobody would update it');
  });

  test('an outage of the API server is one line of the log, however many kinds are watched', async () => {
    informers.resource(WidgetKind);
    informers.resource(SecretKind);
    run();
    await synced();
    await until('both are watched', () => server.openWatches === 2);
    const hasFailed = (times: number) => informers.states().every(({ failureCount }) => failureCount > times);
    await server.stop();
    await until('both have failed', () => hasFailed(3));
    const warned = () => log.lines.flatMap(({ level, fields }) => (level === 'warn' ? [fields.error] : []));
    assert.deepEqual(warned().map(causeOf), ['0 no connection']);
    server.fail({ status: 401, reason: 'Unauthorized', times: 40 });
    await server.start();
    await until('both are refused', () => hasFailed(8));
    assert.deepEqual(warned().map(causeOf), ['0 no connection', '401 Unauthorized']);
  });

  test('a kind that is not admitted is not read, until it is admitted', async () => {
    server.put(WidgetKind, widget('a'));
    let isAdmitted = false;
    informers = createInformers({
      ...options(),
      async admit() {
        if (!isAdmitted) throw definitionOutdated(['spec.guard']);
      },
    });
    const widgets = informers.resource(WidgetKind);
    run();
    const isRefused = () => informers.states().every((state) => whyRefused(state) !== undefined);
    await until('it is refused', isRefused);
    await clock.advance(60_000);
    assert.deepEqual([widgets.store.isSynced, server.requests], [false, []]);
    assert.equal(
      storesSynced(informers.states)(),
      'waiting for the API server to list: widgets.v1.test.example.org; not acting on widgets.v1.test.example.org: ' +
        'its definition on the API server lacks spec.guard: install the definitions of this version',
    );
    assert.equal(log.lines.filter(({ level }) => level === 'warn').length, 1);
    isAdmitted = true;
    await synced();
    assert.deepEqual([widgets.store.all().length, isRefused()], [1, false]);
  });

  test('a kind that still fails when another works again is logged', async () => {
    informers.resource(WidgetKind);
    informers.resource(SecretKind);
    for (const plural of ['widgets', 'secrets']) server.fail({ status: 500, times: 3, plural });
    server.fail({ status: 500, times: 20, plural: 'secrets' });
    run();
    await synced();
    const warned = log.lines.flatMap(({ level, fields }) => (level === 'warn' ? [fields.kind] : []));
    assert.equal(warned.at(-1), 'secrets.v1.core');
  });

  test('nothing runs before run$ is subscribed to, nor after', async ({ mock }) => {
    const lists = mock.method(client, 'list').mock;
    informers.resource(WidgetKind);
    await clock.advance(60_000);
    assert.equal(lists.callCount(), 0);
    assert.equal(informers.states()[0]?.stream.phase, 'stopped');
    run();
    await synced();
    await until('it watches', () => server.openWatches === 1);
    running?.unsubscribe();
    await until('no watch is open', () => server.openWatches === 0);
    assert.equal(informers.states()[0]?.stream.phase, 'stopped');
  });

  test('a kind asked for later starts at once', async () => {
    informers.resource(WidgetKind);
    run();
    await synced();
    const secrets = informers.resource(SecretKind);
    server.put(SecretKind, secret('s', 't'));
    await synced();
    assert.equal(secrets.store.isSynced, true);
    assert.equal(secrets.store.all()[0]?.kind, 'Secret');
  });

  test('a kind asked for while others are waited for is waited for as well', async () => {
    server.fail({ status: 500, times: 10, plural: 'widgets' });
    server.fail({ status: 500, times: 30, plural: 'secrets' });
    informers.resource(WidgetKind);
    run();
    const whenSynced = synced();
    const secrets = informers.resource(SecretKind);
    await whenSynced;
    assert.equal(secrets.store.isSynced, true);
  });

  test('a kind that fails leaves the others alone, and shows', async () => {
    server.fail({ status: 403, reason: 'Forbidden', message: 'no way', times: 1e9, plural: 'secrets' });
    const widgets = informers.resource(WidgetKind);
    informers.resource(SecretKind);
    run();
    await until('widgets are synced', () => widgets.store.isSynced);
    server.put(WidgetKind, widget('a'));
    await until('a arrives', () => widgets.store.all().length === 1);
    await until('secrets wait', () => informers.states()[1]?.stream.phase === 'waiting');
    const [first, second] = informers.states();
    const shown = [first?.kind, first?.isSynced, first?.objectCount];
    assert.deepEqual(shown, ['widgets.v1.test.example.org', true, 1]);
    const { message } = second!.stream as { message: string };
    assert.deepEqual([second?.isSynced, message], [false, 'no way']);
  });

  test('waiting for a kind that never comes ends with the signal', async () => {
    server.fail({ status: 500, times: 1e9 });
    informers.resource(WidgetKind);
    run();
    const abort = new AbortController();
    const whenSynced = informers.synced(abort.signal);
    const refused = assert.rejects(whenSynced, /enough/);
    await until('it has tried', () => server.requests.length > 3);
    abort.abort(new Error('enough'));
    await refused;
    await assert.rejects(informers.synced(AbortSignal.abort(new Error('before'))), /before/);
  });

  test('10,000 objects do not hold up the event loop', async ({ mock }) => {
    const text = 'x'.repeat(2000);
    for (let n = 0; n < 10_000; n += 1) {
      const metadata = { labels: { n: `${n % 7}` } };
      server.put(WidgetKind, widget(`t${n}`, { spec: { text, size: n }, metadata }));
    }
    const widgets = informers.resource(WidgetKind);
    widgets.store.addIndex('n', ({ metadata }) => [metadata.labels?.n ?? '']);
    let reported = 0;
    widgets.store.changes$.subscribe(() => {
      reported += 1;
    });
    const turns = mock.method(clock, 'nextTurn').mock;
    run();
    await synced();
    assert.equal(widgets.store.all().length, 10_000);
    assert.equal(reported, 10_000);
    assert.equal(server.requestsWith('GET').length, 20);
    assert.equal(turns.callCount(), 20, 'others have a turn after each page');
  });
});
