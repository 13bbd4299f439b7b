import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import type { Arbitrary, IAsyncProperty } from 'fast-check';
import fc from 'fast-check';
import { lastValueFrom, tap, toArray } from 'rxjs';
import { ApiError } from '../../../runtime/client/errors.ts';
import { kubernetesClient } from '../../../runtime/client/http-kubernetes-client.ts';
import type { KubernetesClient, WatchEvent } from '../../../runtime/client/kubernetes-client.ts';
import { realClock } from '../../../runtime/time/clock.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import type { Widget } from '../widgets.ts';
import { WidgetKind } from '../widgets.ts';

/* A fake API server, or a gateway before a real one, may give any answer. */

/** The text that no error quotes: each answer and the token contain it. */
const planted = 'hunter2';

/** A property holds for this many examples, the same in each run. */
function holds<T>(name: string, property: IAsyncProperty<T>, numRuns: number): void {
  test(name, () => fc.assert(property, { seed: 1, numRuns }));
}

/** One of these, each as often as its weight says. */
const weighted = <T>(...choices: readonly (readonly [number, Arbitrary<T>])[]): Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Characters of all of Unicode. fast-check's `unit: 'binary'` first lists them all, which takes 2 s. */
const anyText = fc
  .string({ unit: fc.integer({ min: 0, max: 0x10ffff }).map(String.fromCodePoint), maxLength: 100 })
  .map((text) => text.toWellFormed());

/** An answer: what comes after the head in these pieces, and how it ends. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: readonly Buffer[];
  readonly end: 'orderly' | 'cut';
}

let server: Server;
let client: KubernetesClient & { close(): Promise<void> };
let answer: Answer;

async function serve(response: ServerResponse): Promise<void> {
  const { status, headers, chunks, end } = answer;
  response.writeHead(status, headers);
  for (const chunk of chunks) {
    if (!response.write(chunk)) await once(response, 'drain');
  }
  if (end === 'orderly') response.end();
  else response.destroy();
}

before(async () => {
  server = createServer((_request, response) => void serve(response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const kubeConfig = new KubeConfig();
  const { port } = server.address() as AddressInfo;
  const cluster = { name: 'fake', server: `http://127.0.0.1:${port}`, skipTLSVerify: true };
  kubeConfig.loadFromClusterAndUser(cluster, { name: 'fake', token: `${planted}-token` });
  // Waits that an answer asks for are skipped.
  const clock = { ...realClock(), sleep: async () => {} };
  client = kubernetesClient({ kubeConfig, log: recordedLog(), clock, timeoutMs: 5_000, maxRetries: 2 });
});
after(async () => {
  await client.close();
  server.closeAllConnections();
  server.close();
});

const key = { namespace: 'team', name: 'orders' };
const metadata = { ...key, uid: 'uid-1', resourceVersion: '7' };
const widget = { apiVersion: 'test.example.org/v1', kind: 'Widget', metadata, spec: { text: planted } };

/** JSON as text, so that keys may come twice, and `__proto__` is a key. */
const hostileJson: Arbitrary<string> = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.constantFrom(
    '',
    'null',
    '[]',
    '{}',
    '""',
    '7',
    '{"__proto__":{"polluted":true}}',
    '{"kind":"Status"}',
    '{"kind":"Status","status":"Failure","code":"404","reason":7,"message":{"a":1},"details":7}',
    '{"kind":"Status","status":"Failure","code":404,"reason":"NotFound","message":"not found"}',
    '{"kind":"Status","status":"Success","details":{"name":"another","uid":"uid-1"}}',
    '{"kind":"Status","status":"Failure","code":1e999,"reason":"Expired","details":{"retryAfterSeconds":1e308}}',
    '<html><head><title>502 Bad Gateway</title></head></html>',
    `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
    `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
    `"${'x'.repeat(300_000)}"`,
  ),
);

/** A field of an object is replaced, or removed. */
const alteredWidget: Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('apiVersion', 'kind', 'metadata', 'name', 'namespace', 'uid', 'resourceVersion', 'spec'),
    fc.oneof(fc.constantFrom<unknown>(undefined, null, 7, '', [], {}, true, 'another'), anyText),
  )
  .map(([field, value]) => {
    const changed = { [field]: value };
    return field in widget ? { ...widget, ...changed } : { ...widget, metadata: { ...metadata, ...changed } };
  })
  .map((object) => JSON.stringify(object));

const widgetText = JSON.stringify(widget);
const objectText: Arbitrary<string> = weighted(
  [3, fc.constant(widgetText)],
  [3, alteredWidget],
  [1, hostileJson],
  [1, fc.constant(widgetText.replace('"spec":', '"metadata":{"name":"twice"},"spec":'))],
  [1, fc.constant(`\ufeff${widgetText}`)],
  [1, fc.nat(100).map((length) => widgetText.slice(0, length))],
);

/** Bytes as they may come over a wire: in pieces that begin and end anywhere, and now and then altered. */
const piecesOf = (text: Arbitrary<string>): Arbitrary<readonly Buffer[]> =>
  fc
    .tuple(
      text,
      fc.array(fc.nat(400), { maxLength: 6 }),
      fc.option(fc.tuple(fc.nat(2_000), fc.nat(255)), { freq: 4, nil: undefined }),
    )
    .map(([whole, cuts, altered]) => {
      const bytes = Buffer.from(whole, 'utf8');
      if (altered !== undefined && altered[0] < bytes.length) bytes[altered[0]] = altered[1];
      const within = cuts.filter((cut) => cut < bytes.length);
      const ends = [...new Set([...within, bytes.length])].toSorted((a, b) => a - b);
      return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
    });

const headers: Arbitrary<Readonly<Record<string, string>>> = fc.dictionary(
  fc.constantFrom('retry-after', 'content-type', 'x-odd'),
  fc.constantFrom(
    '1',
    '999999999999',
    '-1',
    'soon',
    'Fri, 31 Dec 9999 23:59:59 GMT',
    'text/html',
    'application/json',
  ),
  { noNullPrototype: true },
);
const answers = (text: Arbitrary<string>, statuses: Arbitrary<number>): Arbitrary<Answer> =>
  fc.record({
    status: statuses,
    headers,
    chunks: piecesOf(text),
    end: fc.constantFrom<Answer['end']>('orderly', 'orderly', 'orderly', 'cut'),
  });

/** Exactly the requested value. */
function isWidget(value: unknown, name?: string): value is Widget {
  const { apiVersion, kind, metadata: meta } = (value ?? {}) as Partial<Widget>;
  const { namespace, uid, resourceVersion, ...rest } = meta ?? { name: '' };
  const texts = [rest.name, namespace, uid, resourceVersion];
  return (
    apiVersion === widget.apiVersion &&
    kind === 'Widget' &&
    texts.every((text) => typeof text === 'string' && text !== '') &&
    (name === undefined || (rest.name === name && namespace === 'team'))
  );
}

/** How many answers were taken for what was asked for, and how many were not. */
const tally = new Map<string, { right: number; wrong: number }>();
function count(verb: string, as: 'right' | 'wrong'): void {
  const counts = tally.get(verb) ?? { right: 0, wrong: 0 };
  counts[as] += 1;
  tally.set(verb, counts);
}

/** An error of the client is one of its own, which quotes nothing but what a Status says. */
function assertDecent(error: unknown, status: number): void {
  assert.ok(error instanceof ApiError, `${error}`);
  assert.ok(!error.message.includes(planted), error.message);
  assert.equal(typeof error.reason, 'string');
  assert.ok(error.retryAfterMs === undefined || (error.retryAfterMs > 0 && error.retryAfterMs <= 300_000));
  assert.ok(error.code === 0 || error.code === status, `${error.code}`);
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
}

const requests = {
  get: () => client.get(WidgetKind, key),
  create: () => client.create(WidgetKind, widget as Widget),
  patch: () => client.patch(WidgetKind, key, {}),
  delete: () => client.delete(WidgetKind, key, { uid: 'uid-1' }),
};
const failures = [202, 299, 301, 400, 401, 403, 404, 409, 410, 422, 429, 500, 503, 599];
const statuses = weighted([3, fc.constantFrom(200, 201)], [1, fc.constantFrom(...failures)]);

for (const [verb, ask] of Object.entries(requests)) {
  /** Nothing remains of what was deleted, or its finalizers hold it. */
  const isRight = (value: unknown) => (verb === 'delete' && value === undefined) || isWidget(value, 'orders');
  holds(
    `${verb}: an answer is what was asked for, or an ApiError`,
    fc.asyncProperty(answers(objectText, statuses), async (given) => {
      answer = given;
      try {
        const value: unknown = await ask();
        assert.ok(given.status < 300 && isRight(value), JSON.stringify(value));
        count(verb, 'right');
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        assertDecent(error, given.status);
        count(verb, 'wrong');
      }
    }),
    60,
  );
}

const listText = fc
  .record({
    kind: fc.constantFrom('WidgetList', 'WidgetList', 'WidgetList', 'Widget', ''),
    version: fc.constantFrom('"7"', '"7"', '7', 'null'),
    items: fc.array(weighted([5, fc.constant(widgetText)], [1, objectText]), { maxLength: 4 }),
  })
  .map(
    ({ kind, version, items }) =>
      `{"apiVersion":"test.example.org/v1","kind":"${kind}","metadata":{"resourceVersion":${version},"continue":""},"items":[${items.map((item) => item || 'null')}]}`,
  );

holds(
  'list: every item is of the kind, or the whole is an ApiError',
  fc.asyncProperty(answers(weighted([4, listText], [1, hostileJson]), statuses), async (given) => {
    answer = given;
    try {
      const { items, resourceVersion } = await client.list(WidgetKind, { namespace: 'team' });
      assert.equal(typeof resourceVersion, 'string');
      for (const item of items)
        assert.ok(isWidget(item) && item.metadata.namespace === 'team', JSON.stringify(item));
      count('list', 'right');
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      assertDecent(error, given.status);
      count('list', 'wrong');
    }
  }),
  60,
);

const eventText = (type: string, of: Arbitrary<string>) =>
  of.map((object) => `{"type":"${type}","object":${object || 'null'}}`);
const line: Arbitrary<string> = weighted(
  [6, eventText('ADDED', objectText)],
  [2, eventText('DELETED', objectText)],
  [1, eventText('BOOKMARK', objectText)],
  [1, eventText('ERROR', hostileJson)],
  [1, hostileJson],
  [1, anyText],
);

/** The events that come before the first line that is none, by a reader who takes all lines at once. */
function eventsIn(bytes: Buffer): { readonly events: readonly unknown[]; readonly isWhole: boolean } {
  const whole = `${bytes}`.split('\n').slice(0, -1);
  const lines = whole.map((text) => text.trim());
  const events: unknown[] = [];
  for (const text of lines.filter((each) => each !== '')) {
    let event: { readonly type?: unknown; readonly object?: unknown } | null;
    try {
      event = JSON.parse(text);
    } catch {
      return { events, isWhole: false };
    }
    const { type, object } = event ?? {};
    const { kind = 'Widget', metadata: meta } = (object ?? {}) as Partial<Widget>;
    const isBookmark =
      type === 'BOOKMARK' &&
      kind === 'Widget' &&
      typeof meta?.resourceVersion === 'string' &&
      meta.resourceVersion !== '';
    const isChange =
      (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') &&
      isWidget(object) &&
      object.metadata.namespace === 'team';
    if (!isBookmark && !isChange) return { events, isWhole: false };
    events.push(isBookmark ? { type, resourceVersion: meta?.resourceVersion } : { type, object });
  }
  return { events, isWhole: true };
}

holds(
  'watch: the events before the first line that is no event of the kind are reported; that line is an ApiError',
  fc.asyncProperty(
    answers(
      fc.array(line, { maxLength: 8 }).map((lines) => lines.map((text) => `${text}\n`).join('')),
      fc.constant(200),
    ),
    async (given) => {
      answer = given;
      const reported: WatchEvent<Widget>[] = [];
      const watching = client
        .watch(WidgetKind, { namespace: 'team', resourceVersion: '1', timeoutSeconds: 5 })
        .pipe(
          tap((event) => reported.push(event)),
          toArray(),
        );
      const failure = await lastValueFrom(watching).then(
        () => undefined,
        (error: unknown) => error,
      );
      const { events, isWhole } = eventsIn(Buffer.concat(given.chunks));
      if (given.end === 'cut') {
        // It is not known how much arrived.
        assert.deepEqual(reported, events.slice(0, reported.length));
      } else {
        assert.deepEqual(reported, events);
        assert.equal(failure === undefined, isWhole, `${failure}`);
      }
      count('watch', failure === undefined ? 'right' : 'wrong');
      if (failure !== undefined) {
        assert.ok(failure instanceof ApiError, `${failure}`);
        assert.ok(!failure.message.includes(planted), failure.message);
      }
    },
  ),
  120,
);

test('every request was answered with what was asked for, and with what was not', () => {
  for (const verb of [...Object.keys(requests), 'list', 'watch']) {
    const { right, wrong } = tally.get(verb) ?? { right: 0, wrong: 0 };
    assert.ok(right >= 5 && wrong >= 5, `${verb}: ${right} taken, ${wrong} refused`);
  }
});
