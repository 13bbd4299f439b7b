import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';
import map from 'lodash/map.js';
import mapValues from 'lodash/mapValues.js';
import { firstValueFrom } from 'rxjs';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import {
  ApiError,
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isNamespaceTerminating,
  isNotFound,
  isTransient,
} from '../../../runtime/client/errors.ts';
import type { KubernetesClientOptions } from '../../../runtime/client/http-kubernetes-client.ts';
import { kubernetesClient } from '../../../runtime/client/http-kubernetes-client.ts';
import type { RequestFacts } from '../../../runtime/client/http-request.ts';
import { jsonLines } from '../../../runtime/client/json-lines.ts';
import type { WatchEvent } from '../../../runtime/client/kubernetes-client.ts';
import { LeaseKind } from '../../../runtime/process/lease.ts';
import type { Clock } from '../../../runtime/time/clock.ts';
import { realClock } from '../../../runtime/time/clock.ts';
import { testClock } from '../../../testing/test-clock.ts';
import type { Fault } from '../../fakes/api-server.ts';
import { FakeApiServer } from '../../fakes/api-server.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import type { Widget } from '../widgets.ts';
import { stored, until, WidgetKind, widget } from '../widgets.ts';

describe('jsonLines', () => {
  const parse = (...chunks: readonly (string | Buffer)[]): unknown[] => {
    const values: unknown[] = [];
    const take = jsonLines((value) => values.push(value), { maxBytes: 10_000_000 });
    for (const chunk of chunks) take(Buffer.from(chunk));
    return values;
  };
  test('several lines in a chunk', () => assert.deepEqual(parse('{"a":1}\n{"b":2}\n'), [{ a: 1 }, { b: 2 }]));
  test('a line over several chunks', () => assert.deepEqual(parse('{"a"', ':', '1}', '\n'), [{ a: 1 }]));
  test('blank lines and carriage returns', () => assert.deepEqual(parse('\n\r\n1\r\n\n'), [1]));
  test('text after the last newline is held back', () => assert.deepEqual(parse('1\n{"a"'), [1]));
  test('a character split anywhere survives', () => {
    const bytes = Buffer.from('{"name":"žluťoučký 🐎"}\n');
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      assert.deepEqual(parse(bytes.subarray(0, cut), bytes.subarray(cut)), [{ name: 'žluťoučký 🐎' }]);
    }
  });
  test('a line of 8 MB in small chunks', () => {
    const bytes = Buffer.from(`${JSON.stringify({ text: 'ž'.repeat(4_000_000) })}\n1\n`);
    const values: unknown[] = [];
    const take = jsonLines((value) => values.push(value), { maxBytes: 10_000_000 });
    for (let at = 0; at < bytes.length; at += 16_384) take(bytes.subarray(at, at + 16_384));
    assert.equal((values[0] as { text: string }).text.length, 4_000_000);
    assert.equal(values[1], 1);
  });
  test('a line without an end is given up, and not kept', () => {
    const values: unknown[] = [];
    const take = jsonLines((value) => values.push(value), { maxBytes: 10 });
    take(Buffer.from('{"a":1}\n"1234567'));
    assert.throws(() => take(Buffer.from('890')), SyntaxError);
    assert.deepEqual(values, [{ a: 1 }]);
  });
  test('a line that is not JSON is an error that does not quote it', () => {
    assert.throws(
      () => parse('{"a": hunter2}\n'),
      (error: Error) => error instanceof SyntaxError && !error.message.includes('hunter2'),
    );
  });
});

describe('HTTP client', () => {
  let server: FakeApiServer;
  let client: ReturnType<typeof kubernetesClient>;
  const sleeps: number[] = [];
  const facts: RequestFacts[] = [];
  const create = (options: Partial<KubernetesClientOptions> = {}) =>
    kubernetesClient({
      kubeConfig: server.kubeConfig(),
      log: recordedLog(),
      onRequest: (fact) => facts.push(fact),
      clock: {
        ...realClock(),
        sleep: async (delayMs) => {
          sleeps.push(delayMs);
        },
      },
      ...options,
    });
  beforeEach(async () => {
    server = await new FakeApiServer(WidgetKind, SecretKind).start();
    client = create();
    sleeps.length = 0;
    facts.length = 0;
  });
  afterEach(async () => {
    await client.close();
    await server.stop();
  });
  const key = { namespace: 'ns', name: 'a' };
  const failure = async (promise: Promise<unknown>): Promise<ApiError> => {
    try {
      await promise;
    } catch (error) {
      assert.equal((error as Error).name, 'ApiError');
      return error as ApiError;
    }
    throw new Error('it did not fail');
  };

  test('an apply is a patch of its own type, is forced, and names object and manager', async () => {
    await client.apply(WidgetKind, key, { spec: { text: 'y' } }, { fieldManager: 'me' });
    const [{ query, headers, body } = assert.fail('nothing was sent')] = server.requestsWith('PATCH');
    assert.deepEqual(query, { fieldManager: 'me', force: 'true' });
    assert.equal(headers['content-type'], 'application/apply-patch+yaml');
    const type = { apiVersion: 'test.example.org/v1', kind: 'Widget' };
    assert.deepEqual(body, { ...type, metadata: key, spec: { text: 'y' } });
  });

  test('an answer or a watch without an end is given up', async () => {
    client = create({ maxAnswerBytes: 100_000 });
    const text = 'x'.repeat(1_000_000);
    server.put(WidgetKind, widget('a', { spec: { text } }));
    const { code, reason } = await failure(client.get(WidgetKind, key));
    assert.deepEqual([code, reason], [0, 'InvalidAnswer']);
    const watching = client.watch(WidgetKind, { resourceVersion: '100', timeoutSeconds: 60 });
    const { reason: watchReason } = await failure(firstValueFrom(watching));
    assert.equal(watchReason, 'InvalidWatchEvent');
  });

  test('a list asks for a selection and a page, and its items have their type', async () => {
    server.put(SecretKind, { apiVersion: 'v1', kind: 'Secret', metadata: key, type: 't' });
    const { items } = await client.list(SecretKind, { namespace: 'ns', fieldSelector: 'type=t', limit: 2 });
    const [item = assert.fail(), ...others] = items;
    assert.deepEqual([item.apiVersion, item.kind, item.metadata.name, others], ['v1', 'Secret', 'a', []]);
    const [{ path, query } = assert.fail('nothing was sent')] = server.requests;
    assert.equal(path, '/api/v1/namespaces/ns/secrets');
    assert.deepEqual(query, { fieldSelector: 'type=t', limit: '2' });
  });

  test('errors carry the message, the reason and nothing else', async () => {
    await client.create(WidgetKind, widget('a'));
    const error = await failure(client.create(WidgetKind, widget('a')));
    assert.ok(isAlreadyExists(error));
    assert.equal(error.message, 'widgets.test.example.org "a" already exists');
    server.fail({ status: 502, body: '<html>hunter2</html>' });
    const proxy = await failure(client.get(WidgetKind, key));
    assert.deepEqual(
      [proxy.code, proxy.reason, proxy.message],
      [502, 'Unknown', 'the API server answered 502'],
    );
    server.fail({ status: 200, body: 'hunter2' });
    const garbage = await failure(client.get(WidgetKind, key));
    assert.deepEqual([garbage.code, garbage.reason], [0, 'InvalidAnswer']);
    for (const each of [proxy, garbage]) assert.ok(!inspect(each, { depth: null }).includes('hunter2'));
  });

  test('a name that no object can have is not found, and nothing is asked', async () => {
    for (const name of ['.', '..', 'a/status', '../../secrets/a', 'a%2Fb']) {
      const key = { namespace: 'team', name };
      await assert.rejects(client.get(WidgetKind, key), (error) => isNotFound(error), name);
    }
    assert.deepEqual(facts, []);
  });

  describe('whether a kind is served', () => {
    const other = { ...WidgetKind, plural: 'others' };
    const newer = { ...WidgetKind, version: 'v2' };
    const elsewhere = { ...WidgetKind, group: 'elsewhere.example.org' };

    test("is what the API server's own lists say", async () => {
      server.install(SecretKind);
      const kinds = [WidgetKind, SecretKind, other, newer, elsewhere];
      const served = await Promise.all(kinds.map((kind) => client.serves(kind)));
      assert.deepEqual(served, [true, true, false, false, false]);
    });

    const faults: Readonly<Record<string, Fault>> = {
      'a page that is not found': { status: 404, body: '<h1>no such page</h1>' },
      'a refusal': { status: 403, reason: 'Forbidden' },
      'success that is something else': { status: 200, body: '<h1>welcome</h1>' },
    };
    for (const [what, fault] of Object.entries(faults)) {
      test(`${what} says nothing of it`, async () => {
        for (const plural of ['apis', WidgetKind.version]) {
          server.fail({ ...fault, plural });
          await assert.rejects(client.serves(WidgetKind), ApiError);
        }
      });
    }

    const groupList = '"kind":"APIGroupList"';
    for (const answer of ['{}', `{${groupList}}`, `{${groupList},"groups":[1]}`, '[]', 'null']) {
      test(`an answer without groups says nothing of it: ${answer}`, async () => {
        server.fail({ status: 200, body: answer, plural: 'apis' });
        await assert.rejects(client.serves(WidgetKind), ApiError);
      });
    }
  });

  test('the refusal of a creation in a namespace that is being deleted has a cause, unlike a refusal of RBAC', async () => {
    const refusal = (causes: unknown) => ({
      status: 403,
      body: JSON.stringify({ kind: 'Status', code: 403, reason: 'Forbidden', details: { causes } }),
    });
    const cause = { reason: 'NamespaceTerminating', field: 'metadata.namespace' };
    const found: (readonly [isForbidden: boolean, isNamespaceTerminating: boolean])[] = [];
    const none = [[null], 'NamespaceTerminating', undefined];
    for (const causes of [[{ reason: 'FieldValueInvalid' }, cause], ...none]) {
      server.fail(refusal(causes));
      const error = await failure(client.get(WidgetKind, key));
      found.push([isForbidden(error), isNamespaceTerminating(error)]);
    }
    assert.deepEqual(found, [[false, true], ...Array(3).fill([true, false])]);
  });

  describe("an answer counts as the API server's own only with a Status object, never with a status code alone", () => {
    const nothing = { isNotFound: false, isConflict: false, isAlreadyExists: false, isExpired: false };
    const proxyError = { ...nothing, isTransient: true };
    const serverError = { ...nothing, isTransient: false };
    const status = (code: number, reason?: string) => ({
      status: code,
      body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason }),
    });
    const page = (code: number, body: string): Fault => ({ status: code, body });
    const answers: Record<string, readonly [answer: Fault, want: typeof proxyError]> = {
      'a page with 404': [page(404, '404 page not found'), proxyError],
      'JSON with 404 that is no Status': [page(404, '{"reason":"NotFound"}'), proxyError],
      'an empty 404': [page(404, ''), proxyError],
      'a Status with 404 and no reason': [status(404), proxyError],
      'a Status with 404 and another reason': [status(404, 'Fancy'), serverError],
      'a Status with 404 NotFound': [status(404, 'NotFound'), { ...serverError, isNotFound: true }],
      'a Status with 403 NotFound': [status(403, 'NotFound'), serverError],
      'a page with 409': [page(409, 'Conflict'), proxyError],
      'a Status with 409 Conflict': [status(409, 'Conflict'), { ...serverError, isConflict: true }],
      'a Status with 409 AlreadyExists': [
        status(409, 'AlreadyExists'),
        { ...serverError, isAlreadyExists: true },
      ],
      'a page with 410': [page(410, 'Gone'), proxyError],
      'a Status with 410 Expired': [status(410, 'Expired'), { ...serverError, isExpired: true }],
      'a Status with 410 Gone': [status(410, 'Gone'), { ...serverError, isExpired: true }],
      'a Status with 410 and no reason': [status(410), { ...serverError, isExpired: true }],
    };
    const signs = { isNotFound, isConflict, isAlreadyExists, isExpired, isTransient };
    for (const [name, [answer, want]] of Object.entries(answers)) {
      test(name, async () => {
        server.fail(answer);
        const error = await failure(client.get(WidgetKind, key));
        assert.deepEqual(
          mapValues(signs, (sign) => sign(error)),
          want,
        );
      });
    }
  });

  describe('an answer of success that is not what was asked for is an error, as if none had come', () => {
    const { metadata, ...rest } = stored('a', 200);
    const withMetadata = (given: object) => ({ ...rest, metadata: { ...metadata, ...given } });
    const without = (field: string) => withMetadata({ [field]: undefined });
    const status = (given: object) => ({ kind: 'Status', apiVersion: 'v1', ...given });
    const widgetList = { apiVersion: 'test.example.org/v1', kind: 'WidgetList' };
    const list = (given: object) => ({
      ...widgetList,
      metadata: { resourceVersion: '200' },
      items: [],
      ...given,
    });
    const noObject: Record<string, unknown> = {
      'an empty object': {},
      'only metadata': { metadata: {} },
      'a Status': status({ status: 'Failure' }),
      null: null,
      'a list': list({}),
      'no name': without('name'),
      'no namespace': without('namespace'),
      'no uid': without('uid'),
      'no resourceVersion': without('resourceVersion'),
      'an empty resourceVersion': withMetadata({ resourceVersion: '' }),
      'another name': withMetadata({ name: 'b' }),
      'another namespace': withMetadata({ namespace: 'other' }),
      'another kind': { ...rest, kind: 'Other', metadata },
      'another group': { ...rest, apiVersion: 'other.example.org/v1', metadata },
      'no kind': { apiVersion: rest.apiVersion, metadata },
    };
    const calls: Record<string, () => Promise<unknown>> = {
      GET: () => client.get(WidgetKind, key),
      POST: () => client.create(WidgetKind, widget('a')),
      PUT: () => client.replace(WidgetKind, stored('a', 1)),
      PATCH: () => client.patch(WidgetKind, key, { spec: { size: 1 } }),
      'PATCH (apply)': () => client.apply(WidgetKind, key, {}, { fieldManager: 'me' }),
      DELETE: () => client.delete(WidgetKind, key, {}),
    };
    const noList: Record<string, unknown> = {
      ...noObject,
      'a list of another group': list({ apiVersion: 'other.example.org/v1' }),
      'no items': list({ items: undefined }),
      'items that are no array': list({ items: {} }),
      'a list without a resourceVersion': list({ metadata: {} }),
      'an item without metadata': list({ items: [{}] }),
      'an item without a name': list({ items: [without('name')] }),
      'an item without a uid': list({ items: [without('uid')] }),
      'an item of another kind': list({ items: [{ ...rest, kind: 'Other', metadata }] }),
      'an item of another namespace': list({ items: [withMetadata({ namespace: 'other' })] }),
    };
    delete noList['a list'];
    const noDeletion: Record<string, unknown> = {
      'a deletion that failed': status({ status: 'Failure' }),
      'a deletion of another name': status({ status: 'Success', details: { name: 'b' } }),
    };
    const another = { 'another uid': withMetadata({ uid: 'other' }) };
    const cases: readonly (readonly [verb: string, call: () => Promise<unknown>, bodies: object])[] = [
      ...Object.entries(calls).map(([verb, call]) => [verb, call, noObject] as const),
      ['DELETE', calls.DELETE!, noDeletion],
      ['GET (list)', () => client.list(WidgetKind, { namespace: 'ns' }), noList],
      ['PUT', calls.PUT!, another],
      ['DELETE', () => client.delete(WidgetKind, key, { uid: 'uid-a' }), another],
    ];
    for (const [verb, call, bodies] of cases) {
      for (const [what, body] of Object.entries(bodies)) {
        test(`${verb}: ${what}`, async () => {
          server.fail({ status: 200, body: JSON.stringify(body) });
          const error = await failure(call());
          assert.deepEqual(
            [error.code, error.reason, isTransient(error), isNotFound(error)],
            [0, 'InvalidAnswer', true, false],
          );
        });
      }
    }

    const none = { items: [], resourceVersion: '200' };
    const deleting = (uid: string) => () => client.delete(WidgetKind, key, { uid });
    const believed: Record<string, readonly [call: () => Promise<unknown>, body: unknown, want: unknown]> = {
      'the object': [calls.GET!, stored('a', 1), stored('a', 1)],
      'a list of nothing, as Go writes it': [() => client.list(WidgetKind, {}), list({ items: null }), none],
      'a list whose definition names it': [
        () => client.list(WidgetKind, {}),
        list({ kind: 'AllThingsList' }),
        none,
      ],
      'a deletion, in a Status': [
        deleting('u'),
        status({ status: 'Success', details: { name: 'a', uid: 'u' } }),
        undefined,
      ],
      'a deletion that finalizers hold up': [deleting('uid-a'), stored('a', 1), stored('a', 1)],
    };
    for (const [name, [call, body, want]] of Object.entries(believed)) {
      test(`believed: ${name}`, async () => {
        server.fail({ status: 200, body: JSON.stringify(body) });
        assert.deepEqual(await call(), want);
      });
    }

    test('that something else was not found says nothing about the object', async () => {
      const body = JSON.stringify(
        status({ code: 404, reason: 'NotFound', details: { name: 'quota', kind: 'quotas' } }),
      );
      server.fail({ status: 404, body, times: 2 });
      const read = await failure(client.get(WidgetKind, key));
      const written = await failure(client.patch(WidgetKind, key, {}));
      assert.deepEqual([isNotFound(read), isNotFound(written)], [false, false]);
    });
  });

  describe('asked to wait', () => {
    const calls = {
      read: () => client.list(WidgetKind, {}),
      write: () => client.create(WidgetKind, widget('a')),
    };
    const twice = { status: 429, retryAfter: 3, times: 2 };
    for (const [verb, what, fault, waits] of [
      ['read', 'Retry-After of a 429', twice, [3000, 3000]],
      ['write', 'Retry-After of a 429', twice, [3000, 3000]],
      ['read', 'details.retryAfterSeconds of a 429', { status: 429, retryAfterSeconds: 2 }, [2000]],
      ['read', 'Retry-After of a 503', { status: 503, retryAfter: 1 }, [1000]],
    ] as const) {
      test(`a ${verb} is sent again after ${what}`, async () => {
        server.fail(fault);
        await calls[verb]();
        assert.deepEqual(sleeps, waits);
        assert.equal(server.requests.length, waits.length + 1);
      });
    }
    test('the client gives up after 10 retries, with the wait in the error', async () => {
      server.fail({ status: 429, retryAfter: 1, times: 100, reason: 'TooManyRequests' });
      const error = await failure(client.list(WidgetKind, {}));
      assert.deepEqual([error.code, error.reason, error.retryAfterMs], [429, 'TooManyRequests', 1000]);
      assert.equal(server.requests.length, 11);
    });
    test('without Retry-After it is an error at once', async () => {
      server.fail({ status: 429 });
      assert.equal((await failure(client.list(WidgetKind, {}))).retryAfterMs, undefined);
      server.fail({ status: 500 });
      assert.equal((await failure(client.list(WidgetKind, {}))).code, 500);
      assert.deepEqual(sleeps, []);
    });
    test('a signal ends the wait', async () => {
      const waiting = Promise.withResolvers<void>();
      const sleep: Clock['sleep'] = (...given) => {
        waiting.resolve();
        return realClock().sleep(...given);
      };
      const patient = create({ clock: { ...realClock(), sleep } });
      server.fail({ status: 429, retryAfter: 60 });
      const abort = new AbortController();
      const call = failure(patient.list(WidgetKind, {}, abort.signal));
      await waiting.promise;
      abort.abort(new Error('stop'));
      assert.equal((await call).reason, 'Aborted');
      await patient.close();
    });
  });

  test('a read whose connection breaks is sent once more, a write is not', async () => {
    server.fail({ status: 0 });
    await client.list(WidgetKind, {});
    server.fail({ status: 0, times: 2 });
    assert.equal((await failure(client.list(WidgetKind, {}))).code, 0);
    server.fail({ status: 0 });
    assert.equal((await failure(client.create(WidgetKind, widget('a')))).code, 0);
    assert.equal(server.requestsWith('POST').length, 1);
  });

  test('no server is code 0', async () => {
    await server.stop();
    const watching = client.watch(WidgetKind, { resourceVersion: '1', timeoutSeconds: 1 });
    for (const call of [client.get(WidgetKind, key), firstValueFrom(watching)]) {
      const { code, reason } = await failure(call);
      assert.deepEqual([code, reason], [0, 'ECONNREFUSED']);
    }
  });

  test('a request that is never answered times out', async () => {
    const hasty = create({ timeoutMs: 50 });
    server.fail({ status: -1 });
    const error = await failure(hasty.create(WidgetKind, widget('a')));
    assert.deepEqual([error.code, error.reason], [0, 'Timeout']);
    await hasty.close();
  });

  describe('with a lease', () => {
    const expired = new ApiError('the lease ran out', { code: 0, reason: 'LeaseExpired' });
    let hasRunOut = true;
    let leftMs = 13_500;
    const checkLease = (): number => {
      if (hasRunOut) throw expired;
      return leftMs;
    };
    const led = () => create({ checkLease });
    beforeEach(() => {
      hasRunOut = true;
      leftMs = 13_500;
      server.install(LeaseKind);
    });

    test('that ran out: nothing is written but leases; reads go on', async () => {
      client = led();
      const writes = [
        () => client.create(WidgetKind, widget('a')),
        () => client.patch(WidgetKind, key, {}),
        () => client.replace(WidgetKind, stored('a', 1)),
        () => client.apply(WidgetKind, key, {}, { fieldManager: 'me' }),
        () => client.delete(WidgetKind, key, {}),
      ];
      for (const write of writes) assert.equal((await failure(write())).reason, 'LeaseExpired');
      await client.list(WidgetKind, {});
      const metadata = { name: 'l', namespace: 'ns' };
      await client.create(LeaseKind, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata });
      assert.deepEqual(map(server.requests, 'method'), ['GET', 'POST']);
    });

    test('a write asks the API server to give up before another process may lead; a read does not', async () => {
      hasRunOut = false;
      client = led();
      await client.create(WidgetKind, widget('a'));
      await client.apply(WidgetKind, key, {}, { fieldManager: 'me' });
      leftMs = Number.POSITIVE_INFINITY; // this process has not led yet
      await client.delete(WidgetKind, key, {});
      await client.list(WidgetKind, {});
      assert.deepEqual(map(server.requests, 'method'), ['POST', 'PATCH', 'DELETE', 'GET']);
      assert.deepEqual(map(server.requests, 'query.timeout'), ['13s', '13s', undefined, undefined]);
    });

    test('a write that the API server does not answer is given up before another process may lead', async () => {
      hasRunOut = false;
      leftMs = 50;
      client = led();
      server.fail({ status: -1 });
      const { code, reason, message } = await failure(client.create(WidgetKind, widget('a')));
      assert.deepEqual([code, reason], [0, 'Timeout']);
      assert.equal(message, 'the API server did not answer while the Lease was valid');
    });

    test('that runs out while a write waits for a connection: it is not sent', async () => {
      hasRunOut = false;
      client = led();
      server.fail({ status: -1, method: 'POST', times: 64 });
      const abort = new AbortController();
      const hung = Array.from({ length: 64 }, (_, n) =>
        failure(client.create(WidgetKind, widget(`t${n}`), abort.signal)),
      );
      await until('all connections are taken', () => server.requests.length === 64);
      const waiting = failure(client.create(WidgetKind, widget('late')));
      hasRunOut = true;
      abort.abort();
      await Promise.all(hung);
      assert.equal((await waiting).reason, 'LeaseExpired');
      assert.equal(server.requests.length, 64);
    });

    // 429: nothing was done. After 503 that is unknown, and the write that was held back does not change that.
    for (const [status, want] of [
      [429, [0, 'LeaseExpired']],
      [503, [503, 'Fault']],
    ] as const) {
      test(`that ends while the API server asked to wait before a retry (${status}): it is not sent again, and ${want[1]} is reported`, async () => {
        hasRunOut = false;
        const sleep = async () => {
          hasRunOut = true;
        };
        client = create({ checkLease, clock: { ...realClock(), sleep } });
        server.fail({ status, retryAfter: 20 });
        const { code, reason } = await failure(client.create(WidgetKind, widget('a')));
        assert.deepEqual([code, reason], want);
        assert.equal(server.requests.length, 1);
      });
    }
  });

  test('an aborted signal sends nothing', async () => {
    const error = await failure(client.get(WidgetKind, key, AbortSignal.abort()));
    assert.equal(error.reason, 'Aborted');
    assert.equal(server.requests.length, 0);
  });

  test('a signal used for many requests collects no listeners', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners += 1;
      add(...given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...given);
    };
    for (let n = 0; n < 50; n += 1) await client.list(WidgetKind, {}, signal);
    assert.equal(listeners, 0);
  });

  test('a path in the address of the server comes first', async () => {
    const kubeConfig = new KubeConfig();
    const cluster = { name: 'fake', server: `${server.url}/prefix`, skipTLSVerify: true };
    kubeConfig.loadFromClusterAndUser(cluster, { name: 'fake' });
    client = create({ kubeConfig });
    await failure(client.list(WidgetKind, {}));
    assert.match(server.requests.at(-1)?.path ?? '', /^\/prefix\/apis\//);
  });

  test('requests share connections: reads 8, and writes 64', async () => {
    for (let n = 0; n < 50; n += 1) await client.list(WidgetKind, {});
    assert.ok(server.accepted <= 2, `${server.accepted} connections, one after the other`);
    await Promise.all(Array.from({ length: 500 }, () => client.list(WidgetKind, {})));
    assert.ok(server.accepted <= 8, `${server.accepted} connections for reads`);
    await Promise.all(Array.from({ length: 500 }, (_, n) => client.create(WidgetKind, widget(`w${n}`))));
    assert.ok(server.accepted <= 8 + 64, `${server.accepted} connections`);
  });

  test('a write and a Lease do not wait for reads that are not answered', async () => {
    server.fail({ status: -1, method: 'GET', times: 8 });
    const abort = new AbortController();
    const hung = Array.from({ length: 8 }, () => failure(client.list(WidgetKind, {}, abort.signal)));
    await until('all connections for reads are taken', () => server.requests.length === 8);
    await client.create(WidgetKind, widget('a'));
    assert.equal((await failure(client.get(LeaseKind, key))).code, 404);
    abort.abort();
    await Promise.all(hung);
  });

  test('a deletion with preconditions, which has a body, leaves its connection open', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const { metadata } = await client.create(WidgetKind, widget(name));
      await client.delete(WidgetKind, { namespace: 'ns', name }, { uid: metadata.uid! });
    }
    assert.ok(server.accepted <= 2, `${server.accepted} connections, one after the other`);
  });

  test('every request is counted, without an answer as 0', async () => {
    await client.list(WidgetKind, {});
    await failure(client.get(WidgetKind, key));
    server.fail({ status: 0 });
    await failure(client.create(WidgetKind, widget('a')));
    const host = server.url.slice('http://'.length);
    const resource = 'widgets.test.example.org';
    assert.deepEqual(facts, [
      { method: 'GET', resource, code: 200, host },
      { method: 'GET', resource, code: 404, host },
      { method: 'POST', resource, code: 0, host },
    ]);
  });

  describe('watch', () => {
    const options = { resourceVersion: '100', timeoutSeconds: 300 };
    const watching = (selection = {}) => {
      const events: WatchEvent<Widget>[] = [];
      const ends: (ApiError | 'complete')[] = [];
      const subscription = client.watch(WidgetKind, { ...options, ...selection }).subscribe({
        next: (event) => events.push(event),
        error: (error) => ends.push(error as ApiError),
        complete: () => ends.push('complete'),
      });
      return { events, ends, subscription };
    };
    const open = () => until('the watch is open', () => server.openWatches === 1);

    test('asks for bookmarks and delivers events', async () => {
      const { events, subscription } = watching({ labelSelector: 'app=x' });
      await open();
      server.put(WidgetKind, widget('a', { metadata: { labels: { app: 'x' } } }));
      server.put(WidgetKind, widget('b'));
      server.bookmark();
      server.remove(WidgetKind, 'a', 'ns');
      await until('three events', () => events.length === 3);
      assert.deepEqual(map(events, 'type'), ['ADDED', 'BOOKMARK', 'DELETED']);
      assert.deepEqual(events[1], { type: 'BOOKMARK', resourceVersion: '102' });
      assert.deepEqual(server.requestsWith('WATCH')[0]?.query, {
        labelSelector: 'app=x',
        watch: 'true',
        allowWatchBookmarks: 'true',
        resourceVersion: '100',
        timeoutSeconds: '300',
      });
      subscription.unsubscribe();
      await until('the connection is closed', () => server.sockets.size === 0);
    });

    test('completes when the server ends it', async () => {
      const { ends } = watching();
      await open();
      server.endWatches();
      await until('it ends', () => ends.length === 1);
      assert.deepEqual(ends, ['complete']);
    });

    test('is not ended by silence', async () => {
      const clock = testClock();
      await client.close();
      client = create({ clock });
      const { events, ends, subscription } = watching();
      await open();
      await clock.advance(3_600_000);
      server.put(WidgetKind, widget('a'));
      await until('it tells', () => events.length === 1);
      assert.deepEqual(ends, []);
      subscription.unsubscribe();
    });

    const invalid = [0, 'InvalidWatchEvent'] as const;
    const line = (text: string) => () => server.writeToWatches(`${text}\n`);
    const event = (type: string, object: object) => line(JSON.stringify({ type, object }));
    const { uid: _uid, ...withoutUid } = stored('a', 101).metadata;
    const failures: Record<string, readonly [act: () => void, code: number, reason: string]> = {
      'an ERROR event': [() => server.errorInBand(410, 'Expired'), 410, 'Expired'],
      'a cut mid-line': [() => server.dropWatches('{"type":"ADD'), 0, 'ConnectionClosed'],
      'a line that is not JSON': [line('{hunter2}'), ...invalid],
      'an unknown event': [line('{"type":"X"}'), ...invalid],
      'an event of nothing but metadata': [event('ADDED', { metadata: { name: 'ghost' } }), ...invalid],
      'an event of another kind': [event('MODIFIED', { ...stored('a', 101), kind: 'Other' }), ...invalid],
      'the deletion of what has no uid': [
        event('DELETED', { ...stored('a', 101), metadata: withoutUid }),
        ...invalid,
      ],
      'a bookmark without a version': [event('BOOKMARK', { kind: 'Widget', metadata: {} }), ...invalid],
    };
    for (const [name, [act, code, reason]] of Object.entries(failures)) {
      test(`${name} is an ApiError`, async () => {
        const { ends } = watching();
        await open();
        act();
        await until('it fails', () => ends.length === 1);
        const error = ends[0] as ApiError;
        assert.deepEqual([error.name, error.code, error.reason], ['ApiError', code, reason]);
        assert.ok(!error.message.includes('hunter2'));
        await until('the connection is closed', () => server.sockets.size === 0);
      });
    }

    test('a refusal is an ApiError with its wait', async () => {
      server.compact();
      server.skipVersions(5);
      server.compact();
      const gone = watching();
      await until('it fails', () => gone.ends.length === 1);
      assert.ok(isExpired(gone.ends[0]));
      server.fail({ status: 429, retryAfter: 7, reason: 'TooManyRequests' });
      const busy = watching();
      await until('it fails', () => busy.ends.length === 1);
      assert.equal((busy.ends[0] as ApiError).retryAfterMs, 7000);
    });

    test('each has its own connection; close ends all', async () => {
      const watches = [watching(), watching(), watching()];
      await until('all are open', () => server.openWatches === 3);
      assert.equal(server.sockets.size, 3);
      await client.list(WidgetKind, {});
      await client.close();
      await until('all have ended', () => watches.every(({ ends }) => ends.length === 1));
      for (const { ends } of watches) assert.equal((ends[0] as ApiError).code, 0);
      await until('no connection is left', () => server.sockets.size === 0);
      assert.equal((await failure(client.list(WidgetKind, {}))).code, 0);
    });

    test('unsubscribing before the connection is there opens nothing that stays', async () => {
      for (let n = 0; n < 50; n += 1) {
        const subscription = client.watch(WidgetKind, options).subscribe();
        if (n % 2 === 0) await Promise.resolve();
        if (n % 5 === 0) await new Promise(setImmediate);
        subscription.unsubscribe();
      }
      await until('no connection is left', () => server.sockets.size === 0 && server.openWatches === 0);
    });
  });
});
