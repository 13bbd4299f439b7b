import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import type { Observable, Subscription } from 'rxjs';
import { firstValueFrom, ReplaySubject } from 'rxjs';
import type { InformerState } from '../../../runtime/cache/informer-state.ts';
import type { StackState } from '../../../runtime/controller/stack-needs.ts';
import {
  serveHealth,
  someStackRuns,
  stacksWithoutDefinitions,
  storesSynced,
  watchesAlive,
  watchesDeliver,
} from '../../../runtime/probes/health.ts';
import type { Pages } from '../../../runtime/probes/serve-http.ts';
import { parseBindAddress, serveHttp } from '../../../runtime/probes/serve-http.ts';
import { informerState } from '../widgets.ts';

const loopback = { host: '127.0.0.1', port: 0 };
let serving: Subscription | undefined;

/** Serves until the test ends; resolves to the URL. */
async function serve(server$: Observable<string>): Promise<string> {
  const url$ = new ReplaySubject<string>(1);
  serving = server$.subscribe(url$);
  return firstValueFrom(url$);
}
afterEach(() => serving?.unsubscribe());

describe('bind address', () => {
  const addresses: Record<string, ReturnType<typeof parseBindAddress>> = {
    '127.0.0.1:8080': { host: '127.0.0.1', port: 8080 },
    'localhost:0': { host: 'localhost', port: 0 },
    ':8080': { port: 8080 },
    '0.0.0.0:1': { host: '0.0.0.0', port: 1 },
    '[::1]:65535': { host: '::1', port: 65_535 },
    '': 'disabled',
    '0': 'disabled',
    '8080': undefined,
    ':65536': undefined,
    '::1:80': undefined,
    'a b:80': undefined,
    'http://a:80': undefined,
    'a:': undefined,
  };
  for (const [text, want] of Object.entries(addresses)) {
    test(`"${text}"`, () => assert.deepEqual(parseBindAddress(text), want));
  }
});

describe('pages over HTTP', () => {
  const flag = '--metrics-bind-address';
  const pages: Pages = {
    '/a': (query) => ({ status: 200, contentType: 'text/plain', body: `a${query.get('x') ?? ''}` }),
    '/broken': () => Promise.reject(new Error('secret of the page')),
    '/thrown': () => {
      throw new Error('secret of the page');
    },
  };
  const internal = 'internal error\n';
  const rows: Record<
    string,
    readonly [path: string, status: number, body?: string | undefined, method?: string]
  > = {
    'a page': ['/a', 200, 'a'],
    'a page with a query': ['/a?x=1', 200, 'a1'],
    'HEAD is a page without body': ['/a', 200, '', 'HEAD'],
    'no such page': ['/b', 404],
    'no page of every object': ['/constructor', 404],
    'GET only': ['/a', 405, undefined, 'POST'],
    'a page that rejects tells nothing': ['/broken', 500, internal],
    'a page that throws tells nothing': ['/thrown', 500, internal],
  };
  for (const [name, [path, status, body, method = 'GET']] of Object.entries(rows)) {
    test(name, async () => {
      const url = await serve(serveHttp({ flag, address: loopback, pages }));
      const response = await fetch(url + path, { method });
      const text = await response.text();
      assert.deepEqual([response.status, text], [status, body ?? text]);
    });
  }

  for (const target of ['//', '//x:y', '/%', 'http://[', '*']) {
    test(`an odd request target (${target}) gets an answer and ends nothing`, async () => {
      const url = await serve(serveHttp({ flag, address: loopback, pages }));
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.end(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      assert.match(chunk.toString(), /^HTTP\/1\.1 (4|5)\d\d /);
      assert.equal((await fetch(`${url}/a`)).status, 200);
    });
  }

  test('an address that is taken is an error that names the flag, and why', async () => {
    const url = await serve(serveHttp({ flag, address: loopback, pages }));
    const address = { host: '127.0.0.1', port: Number(new URL(url).port) };
    const taken = `cannot listen on 127.0.0.1:${address.port}: that port is in use`;
    for (const [named, server$] of [
      [flag, serveHttp({ flag, address, pages })],
      ['--health-probe-bind-address', serveHealth({ address, live: {}, ready: {} })],
    ] as const) {
      await assert.rejects(firstValueFrom(server$), new Error(`${named}: ${taken}`));
    }
  });

  test('unsubscribing closes it, open connections too', async () => {
    const url = await serve(serveHttp({ flag, address: loopback, pages }));
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    serving?.unsubscribe();
    socket.on('error', () => {});
    await closed;
    await assert.rejects(fetch(url), ({ cause }) => (cause as { code?: string }).code === 'ECONNREFUSED');
  });
});

const stack = (name: string, rest: Partial<StackState> = {}): StackState => ({
  name,
  isComplete: true,
  missing: [],
  awaited: [],
  ...rest,
});
const waiting = { phase: 'waiting', code: 0, message: 'm', delayMs: 1 } as const;

describe('health', () => {
  const notSynced = { isSynced: false };
  const synced = (...states: readonly InformerState[]) => storesSynced(() => states);
  const runs = (...stacks: readonly StackState[]) => someStackRuns(() => stacks);
  const listing = informerState('a', { stream: { phase: 'listing' } });
  /** At a time in milliseconds. */
  const alive = (elapsedMs: number, of: InformerState) =>
    watchesAlive(() => [of], { clock: { elapsedMs: () => elapsedMs } });
  const delivers = (elapsedMs: number, ...states: readonly InformerState[]) =>
    watchesDeliver(() => states, { clock: { elapsedMs: () => elapsedMs } });
  const checks: Record<string, readonly [check: () => string | undefined, want?: string]> = {
    'synced: no stores': [synced()],
    'synced: all': [synced(informerState('a'), informerState('b'))],
    'synced: names what is missing': [
      synced(informerState('b', notSynced), informerState('ok'), informerState('a', notSynced)),
      'waiting for the API server to list: a, b',
    ],
    'synced: kinds that the API server does not have are reported elsewhere': [
      synced(informerState('a', { isSynced: false, isMissing: true }), informerState('b')),
    ],
    'stacks: one that waits for definitions fails nothing': [
      runs(stack('first', { isComplete: false, missing: ['a'] }), stack('second')),
    ],
    'stacks: where none can work, each is named with what it waits for': [
      runs(
        stack('first', { isComplete: false, missing: ['a', 'b'] }),
        stack('second', { isComplete: false, missing: ['a'], awaited: ['c'] }),
      ),
      'stack first waits for a, b; stack second waits for a, c',
    ],
    'stacks: a process without any': [runs()],
    'alive: watching for days': [alive(1e9, informerState('a'))],
    'alive: listing for a while': [alive(600_000, listing)],
    'alive: listing for too long': [alive(600_001, listing), 'stuck: a (listing)'],
    'alive: waiting for too long': [
      watchesAlive(() => [informerState('a', { stream: waiting })], {
        clock: { elapsedMs: () => 11 },
        limitMs: 10,
      }),
      'stuck: a (waiting)',
    ],
    'alive: not started': [alive(1e9, informerState('a', { stream: { phase: 'stopped' } }))],
    'telling: confirmed 90 s ago': [delivers(90_000, informerState('a'))],
    'telling: not confirmed for longer': [
      delivers(
        90_001,
        informerState('b', { confirmedAtMs: 1 }),
        informerState('a', { confirmedAtMs: -30_000 }),
      ),
      'changes may be missed, check the API server: a (not confirmed for 120 s)',
    ],
    'telling: a watch that is silent': [
      delivers(1, informerState('b', { isSilent: true }), informerState('a', { isSilent: true })),
      'changes may be missed, check the API server: a (its watch is silent), b (its watch is silent)',
    ],
    'telling: a kind that was never listed is reported elsewhere': [
      delivers(1e9, informerState('a', notSynced)),
    ],
    'telling: nothing changes of what the API server does not have': [
      delivers(1e9, informerState('a', { isMissing: true })),
    ],
  };
  for (const [name, [check, want]] of Object.entries(checks)) {
    test(name, () => assert.equal(check(), want));
  }

  test('kinds that the API server does not have are reported in a line for each stack, and fail no check', async () => {
    const notes = stacksWithoutDefinitions(() => [
      stack('first'),
      stack('second', { isComplete: false, missing: ['a', 'b'], awaited: ['c'] }),
      stack('third', { missing: ['d'] }),
    ]);
    const url = await serve(serveHealth({ address: loopback, live: {}, ready: { well }, notes }));
    const bodies = ['/readyz', '/readyz?verbose', '/healthz?verbose'].map(async (path) => {
      const response = await fetch(url + path);
      return [response.status, await response.text()];
    });
    const lines = [
      '[+]well ok',
      '[!]stack second waits: the API server does not have a, b; run "kubectl apply -f crds/", or start with --install-crds',
      '[!]stack third works with the objects read before: the API server does not have d; run "kubectl apply -f crds/", or start with --install-crds',
      'ok\n',
    ];
    assert.deepEqual(await Promise.all(bodies), [
      [200, 'ok\n'],
      [200, lines.join('\n')],
      [200, 'ok\n'],
    ]);
  });

  describe('when no definition is installed', () => {
    const nothing = [
      informerState('secrets.v1.core'),
      informerState('leases.v1.coordination.k8s.io'),
      informerState('claims.v1.example.org', { isSynced: false, isMissing: true }),
      informerState('widgets.v1.example.org', { isSynced: false, isMissing: true }),
    ];
    const stacks = () => [
      stack('first', { isComplete: false, missing: ['claims.v1.example.org'] }),
      stack('second', { isComplete: false, missing: ['claims.v1.example.org', 'widgets.v1.example.org'] }),
    ];
    const advice = 'run "kubectl apply -f crds/", or start with --install-crds';

    test('missing definitions are reported once with their fix, instead of a line for each stack', async () => {
      const states = () => nothing;
      const ready = { stacks: someStackRuns(stacks, states) };
      const notes = stacksWithoutDefinitions(stacks, states);
      const url = await serve(serveHealth({ address: loopback, live: {}, ready, notes }));
      assert.equal(
        await (await fetch(`${url}/readyz?verbose`)).text(),
        `[-]stacks failed: no definition of any stack is installed\n[!]no definition of any stack is installed: ${advice}\nfailed\n`,
      );
    });

    const some: Record<string, readonly InformerState[]> = {
      'one is there': [...nothing, informerState('others.v1.example.org')],
      'one has not been listed yet': [
        ...nothing,
        informerState('others.v1.example.org', { isSynced: false }),
      ],
      'one was there, and is kept': [...nothing, informerState('others.v1.example.org', { isMissing: true })],
      'there are none to install': [informerState('secrets.v1.core')],
    };
    for (const [name, states] of Object.entries(some)) {
      test(`not so: ${name}`, () => {
        assert.match(someStackRuns(stacks, () => states)() ?? '', /^stack first waits for claims/);
        assert.equal(stacksWithoutDefinitions(stacks, () => states)().length, 2);
      });
    }
  });

  const well = () => undefined;
  const ill = () => 'reasons';
  const broken = (): string => {
    throw new Error('secret');
  };
  type Checks = { readonly live?: object; readonly ready?: object };
  const isIll = '[-]ill failed: reasons\nfailed\n';
  const rows: Record<string, readonly [given: Checks, path: string, status: number, body: string]> = {
    'all is well': [{}, '/healthz', 200, 'ok\n'],
    'livez is healthz': [{ live: { ill } }, '/livez', 503, isIll],
    'not ready is not dead': [{ ready: { ill } }, '/healthz', 200, 'ok\n'],
    'not ready says why': [{ ready: { well, ill } }, '/readyz', 503, isIll],
    'verbose names all checks': [{ ready: { well, ill } }, '/readyz?verbose', 503, `[+]well ok\n${isIll}`],
    'a check that throws has failed': [
      { ready: { broken } },
      '/readyz',
      503,
      '[-]broken failed: the check itself failed\nfailed\n',
    ],
  };
  for (const [name, [{ live = {}, ready = {} }, path, status, body]] of Object.entries(rows)) {
    test(name, async () => {
      const checksOf = (given: object) => given as Record<string, () => string | undefined>;
      const url = await serve(
        serveHealth({ address: loopback, live: checksOf(live), ready: checksOf(ready) }),
      );
      const response = await fetch(url + path);
      assert.deepEqual([response.status, await response.text()], [status, body]);
    });
  }
});
