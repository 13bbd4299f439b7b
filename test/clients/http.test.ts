import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, beforeEach, describe, test } from 'node:test';
import pick from 'lodash/pick.js';
import type { Authorization } from '../../clients/authorization.ts';
import { parseCredentials } from '../../clients/cloud-credentials.ts';
import { CloudError, HaltedError, isUncertain } from '../../clients/cloud-error.ts';
import type { HttpClientOptions, HttpRequest } from '../../clients/http.ts';
import { guarded, httpClient, keepAliveConnections } from '../../clients/http.ts';
import { retryAfterMsOf } from '../../clients/retry-after.ts';
import { realClock } from '../../runtime/time/clock.ts';
import type { Fault } from '../../testing/emulators/route-faults.ts';
import { startFavouriteCloud } from '../../testing/favourite-cloud/server.ts';
import { testClock } from '../../testing/test-clock.ts';
import { until } from '../runtime/widgets.ts';
import { recording } from './answering.ts';

const cloud = await startFavouriteCloud({ token: 'hush-hush-token' });
const clock = realClock();
const servers: Server[] = [];
after(async () => {
  await cloud.stop();
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

/** A client whose waits are noted and skipped; the deadline of an attempt is real. */
function client(options: Partial<HttpClientOptions> = {}) {
  const waits: number[] = [];
  const { timeoutMs = 5_000 } = options;
  const http = httpClient({
    cloud: 'Favourite Cloud',
    url: cloud.url,
    token: cloud.token,
    random: () => 0,
    clock: {
      ...clock,
      sleep: async (ms, signal) => {
        if (ms === timeoutMs) return clock.sleep(ms, signal);
        waits.push(ms);
      },
    },
    ...options,
    timeoutMs,
  });
  return { http, waits };
}

const read: HttpRequest = { what: 'list instances', method: 'GET', path: '/v1/instances' };
const body = { name: 'cool', fanciness_level: 1, password: 'correct-horse' };
const post: HttpRequest = {
  what: 'create instance "cool"',
  method: 'POST',
  path: '/v1/instances',
  body,
  secrets: [body.password],
};

/** How many requests arrive in the course of an action. */
async function counted(key: string, action: () => Promise<unknown>): Promise<number> {
  const before = cloud.calls()[key] ?? 0;
  await action();
  return (cloud.calls()[key] ?? 0) - before;
}

/** Resolves when so many more requests have arrived than before it was made. */
function arrivals(key: string): (count: number) => Promise<void> {
  const before = cloud.calls()[key] ?? 0;
  return (count) => until('it arrives', () => (cloud.calls()[key] ?? 0) >= before + count);
}

async function failure(promise: Promise<unknown>): Promise<CloudError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof CloudError, String(error));
  return error;
}

/** Of a text such as `403 Forbidden`. */
function statusAndCode(text: string) {
  const [status, code = ''] = text.split(' ');
  return { status: Number(status), code };
}

describe('requests that are repeated', () => {
  const reads: Record<string, readonly [attempts: number, fault: Fault]> = {
    'an internal error': [2, { kind: 'fail', status: 500 }],
    'an unavailable service': [2, { kind: 'fail', status: 503 }],
    'too many requests': [2, { kind: 'fail', status: 429, retryAfter: 1 }],
    'a connection cut before the work': [2, { kind: 'cut' }],
    'a lost answer': [2, { kind: 'loseResponse' }],
    'four failures': [4, { kind: 'fail', times: 4 }],
    'a refused token': [1, { kind: 'fail', status: 401 }],
    'a refusal': [1, { kind: 'fail', status: 403 }],
    'a limit with a long wait': [1, { kind: 'fail', status: 429, retryAfter: 60 }],
  };
  for (const [name, [attempts, fault]] of Object.entries(reads)) {
    test(`GET after ${name}: ${attempts} attempts`, async () => {
      const { http } = client();
      cloud.faults.inject({ ...fault, method: 'GET' });
      const made = await counted('GET /v1/instances', () => http.request(read).catch(() => undefined));
      cloud.faults.clear();
      assert.equal(made, attempts);
    });
  }

  const posts: Record<string, readonly [attempts: number, created: number, fault: Fault]> = {
    'too many requests': [2, 1, { kind: 'fail', status: 429 }],
    'an internal error': [1, 0, { kind: 'fail', status: 500 }],
    'an unavailable service': [1, 0, { kind: 'fail', status: 503 }],
    'a connection cut before the work': [1, 0, { kind: 'cut' }],
    'a lost answer': [1, 1, { kind: 'loseResponse' }],
  };
  for (const [name, [attempts, created, fault]] of Object.entries(posts)) {
    test(`POST after ${name}: ${attempts} attempts, ${created} created`, async () => {
      const { http } = client();
      cloud.faults.inject({ ...fault, method: 'POST' });
      const made = await counted('POST /v1/instances', () => http.request(post).catch(() => undefined));
      assert.deepEqual([made, cloud.instances().length], [attempts, created]);
      const clean = { what: 'delete', method: 'DELETE', path: '/v1/instances/cool' } as const;
      await http.request(clean).catch(() => undefined);
    });
  }

  test('PUT and PATCH, which say what should be, and are sent with what they say', async () => {
    for (const method of ['PUT', 'PATCH'] as const) {
      const { carrier: dispatcher, sent } = recording([503]);
      const change = { what: 'change', method, path: '/v1/widgets/a', body: { level: 2 } };
      await client({ dispatcher }).http.request(change);
      const requests = sent.map((each) => [each.method, each.path, each.headers['content-type'], each.body]);
      const once = [method, '/v1/widgets/a', 'application/json', '{"level":2}'];
      assert.deepEqual(requests, [once, once]);
    }
  });

  test('a POST whose connection is refused, because no server received it', async () => {
    const { http, waits } = client({ url: await closedUrl() });
    const error = await failure(http.request(post));
    assert.deepEqual(
      [error.code, error.status, error.isRetryable, waits.length],
      ['Unreachable', 0, true, 3],
    );
    assert.match(
      error.message,
      /^cannot create instance "cool": Favourite Cloud \(http.*\) is unreachable: connection refused$/,
    );
  });

  test('a server without TLS is reported as such, and not as a server without a trusted certificate', async () => {
    const plain = cloud.url.replace('http:', 'https:');
    const { http, waits } = client({ url: plain });
    const error = await failure(http.request(read));
    assert.deepEqual([error.code, error.isRetryable, waits.length], ['TlsFailed', false, 0]);
    assert.equal(
      error.message,
      `cannot list instances: Favourite Cloud (${plain}) does not answer in TLS: check the port, and whether its URL must begin with http: (ERR_SSL_WRONG_VERSION_NUMBER)`,
    );
  });

  test('waits double, are jittered, and Retry-After goes before them', async () => {
    const { http, waits } = client({ random: () => 0.5 });
    cloud.faults.inject({ kind: 'fail', times: 2 });
    cloud.faults.inject({ kind: 'fail', status: 503, retryAfter: 2 });
    await http.request(read);
    assert.deepEqual(waits, [150, 300, 2000]);
  });
});

describe('the message of an error', () => {
  /** By status and code. */
  const refusals: Record<string, readonly [fault: Fault, isRetryable: boolean, words: string]> = {
    '401 Unauthenticated': [
      { kind: 'fail', status: 401 },
      false,
      'refused the token (401 Unauthenticated): the token is missing or not valid',
    ],
    '429 RateLimited': [
      { kind: 'fail', status: 429, retryAfter: 60 },
      true,
      'is limiting requests (429 RateLimited): too many requests',
    ],
    '500 Internal': [{ kind: 'fail', times: 4 }, true, 'answered (500 Internal): internal error'],
    '0 ConnectionLost': [{ kind: 'cut', times: 4 }, true, 'closed the connection before it answered'],
  };
  for (const [name, [fault, isRetryable, words]] of Object.entries(refusals)) {
    test(`${name}: status, code, whether to try again, and the same words each time`, async () => {
      const { status, code } = statusAndCode(name);
      const { http } = client();
      const message = `cannot list instances: Favourite Cloud (${cloud.url}) ${words}`;
      for (let call = 0; call < 2; call++) {
        cloud.faults.inject(fault);
        const error = await failure(http.request(read));
        const shown = pick(error, 'message', 'status', 'code', 'isRetryable');
        assert.deepEqual(shown, { message, status, code, isRetryable });
      }
    });
  }

  test('how long the cloud asked to wait', async () => {
    cloud.faults.inject({ kind: 'fail', status: 429, retryAfter: 60 });
    assert.equal((await failure(client().http.request(read))).retryAfterMs, 60_000);
    assert.equal(retryAfterMsOf('Thu, 01 Jan 1970 00:00:09 GMT', 2_000), 7_000);
    assert.equal(retryAfterMsOf('Thu, 01 Jan 1970 00:00:01 GMT', 2_000), 0);
    assert.equal(retryAfterMsOf('soon', 0), undefined);
    assert.equal(retryAfterMsOf(undefined, 0), undefined);
  });

  const saying = (message: string, code?: string): string => JSON.stringify({ error: { code, message } });
  const answers: Record<string, readonly [status: number, text: string, says: RegExp, code: string]> = {
    'a token and a password that the cloud repeats are struck out': [
      422,
      saying('hush-hush-token and correct-horse', 'Bad'),
      /\(422 Bad\): \*\*\* and \*\*\*$/,
      'Bad',
    ],
    'escape sequences of a terminal are removed': [
      400,
      saying('\u001b[31mno\u001b[0m\u0007\r\n way\u009b'),
      /\(400\): no way$/,
      'Http400',
    ],
    'request ids and times are left out': [
      400,
      saying('no\n way, request id: ab-12 at 2026-01-02T03:04:05.678Z'),
      /\(400\): no way, request id … at …$/,
      'Http400',
    ],
    'the pages of proxies are left out': [
      403,
      '<html>Squid says no</html>',
      /does not allow it \(403\)$/,
      'Http403',
    ],
    'long messages are cut': [400, saying('x'.repeat(5000), 'Bad'), /x{500}…$/, 'Bad'],
    'an answer that is not JSON is an error': [
      200,
      'OK',
      /answered with something that is not JSON$/,
      'InvalidAnswer',
    ],
  };
  for (const [name, [status, text, says, code]] of Object.entries(answers)) {
    test(name, async () => {
      const { http } = client({ url: await urlAnswering(status, text) });
      const error = await failure(http.request(post));
      assert.match(error.message, says);
      assert.equal(error.code, code);
      assert.equal(error.cause, undefined, 'the error must not contain the request');
    });
  }
});

describe('time and abandonment', () => {
  test('an attempt that gets no answer times out, and a read is tried again', async () => {
    const time = testClock();
    const { http } = client({ clock: time, timeoutMs: 10_000 });
    cloud.faults.inject({ kind: 'hang', times: 2 });
    const reads = arrivals('GET /v1/instances');
    const answer = http.request(read);
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      await reads(attempt);
      await time.advance(10_000 + 200); // and the wait before the next
    }
    assert.deepEqual(await answer, { instances: [] });
    cloud.faults.inject({ kind: 'hang' });
    const posts = arrivals('POST /v1/instances');
    const refused = failure(http.request(post));
    await posts(1);
    await time.advance(10_000);
    const error = await refused;
    assert.deepEqual([error.code, error.isRetryable], ['TimedOut', true]);
    assert.match(error.message, /did not answer within 10000 ms$/);
  });

  test('the signal ends a call in flight with its own reason', async () => {
    const abort = new AbortController();
    cloud.faults.inject({ kind: 'hang' });
    const made = await counted('GET /v1/instances', async () => {
      const reads = arrivals('GET /v1/instances');
      const call = client().http.request(read, abort.signal);
      await reads(1);
      abort.abort(new Error('shutting down'));
      await assert.rejects(call, /^Error: shutting down$/);
    });
    assert.equal(made, 1, 'and nothing is tried again');
  });

  test('the signal ends a wait', async () => {
    const abort = new AbortController();
    cloud.faults.inject({ kind: 'fail', status: 503, retryAfter: 2 });
    const waiting = Promise.withResolvers<void>();
    const { http } = client({
      clock: {
        ...clock,
        sleep(delayMs, signal) {
          if (delayMs === 2_000) waiting.resolve();
          return clock.sleep(delayMs, signal);
        },
      },
    });
    const answer = assert.rejects(http.request(read, abort.signal), /shutting down/);
    await waiting.promise;
    abort.abort(new Error('shutting down'));
    await answer;
  });

  test('an aborted signal sends nothing', async () => {
    const made = await counted('GET /v1/instances', () =>
      assert.rejects(client().http.request(read, AbortSignal.abort(new Error('late'))), /late/),
    );
    assert.equal(made, 0);
  });
});

describe('whether the cloud may have carried out a request that failed', () => {
  const uncertain = '0 ConnectionLost, 0 TimedOut, 200 InvalidAnswer, 408 Http408, 500 Internal, 502 Http502';
  const certain = '0 Unreachable, 403 Forbidden, 429 RateLimited, 503 Unavailable';
  for (const [list, want] of [
    [uncertain, true],
    [certain, false],
  ] as const) {
    for (const text of list.split(', ')) {
      const error = new CloudError('no', { ...statusAndCode(text), isRetryable: false });
      test(`${text}: ${want}`, () => assert.equal(isUncertain(error), want));
    }
  }
});

describe('a request that the process keeps back', () => {
  const halt = new Error('another process may lead');
  /** Lets so many requests go. */
  const lettingGo = (count: number) => {
    let left = count;
    return guarded(keepAliveConnections(), () => {
      if (left === 0) throw halt;
      left -= 1;
    });
  };

  for (const request of [read, post]) {
    test(`${request.method}: is not sent, is reported as halted, and is neither repeated nor uncertain`, async () => {
      const { http, waits } = client({ dispatcher: lettingGo(0) });
      const sent = await counted(`${request.method} ${request.path}`, async () => {
        await assert.rejects(http.request(request), (error) => {
          assert.ok(error instanceof HaltedError);
          const { code, status, message, cause } = error;
          assert.deepEqual([code, status, message, cause], ['Halted', 0, halt.message, halt]);
          return !isUncertain(error);
        });
      });
      assert.deepEqual([sent, waits], [0, []]);
    });
  }

  test('is uncertain if it repeats one that may have been carried out', async () => {
    const put: HttpRequest = { what: 'put', method: 'PUT', path: '/v1/instances/cool', body: {} };
    cloud.faults.inject({ kind: 'cut', times: 1 });
    const { http } = client({ dispatcher: lettingGo(1) });
    await assert.rejects(http.request(put), (error) => error instanceof HaltedError && isUncertain(error));
  });

  test('is the same where it was to get the token', async () => {
    const tokens = client({ dispatcher: lettingGo(0), token: { none: true } }).http;
    const token = async () => String(await tokens.request(read));
    await assert.rejects(client({ token }).http.request(read), HaltedError);
  });
});

describe('an authorization', () => {
  const request = { ...read, what: 'look' };
  type Row = readonly [authorization: Authorization | undefined, sent: Record<string, string>, noun: string];
  const bearer = { authorization: 'Bearer päss:word' };
  const rows: Readonly<Record<string, Row>> = {
    'of none is a bearer token': [undefined, bearer, 'the token'],
    'of the form bearer is a bearer token': [{ type: 'bearer' }, bearer, 'the token'],
    'by user and password': [
      { type: 'basic', username: 'jöhn' },
      { authorization: `Basic ${Buffer.from('jöhn:päss:word').toString('base64')}` },
      'the username or the password',
    ],
    'by a header': [
      { type: 'header', name: 'X-Api-Key' },
      { 'x-api-key': 'päss:word' },
      'the header x-api-key',
    ],
    'by a scheme of its own': [
      { type: 'header', name: 'authorization', prefix: 'Token ' },
      { authorization: 'Token päss:word' },
      'the header authorization',
    ],
  };
  for (const [name, [authorization, sent, noun]] of Object.entries(rows)) {
    test(`${name}, and what it holds is in no message`, async () => {
      const received: Readonly<Record<string, string>>[] = [];
      const { carrier: dispatcher } = recording([401], ({ headers }) => {
        const { accept: _, 'user-agent': __, ...rest } = headers;
        received.push(rest);
        return { error: { message: `no: ${Object.values(rest).join()} of päss:word` } };
      });
      const { http } = client({ dispatcher, token: 'päss:word', ...(authorization && { authorization }) });
      const { message } = await failure(http.request(request));
      assert.deepEqual(received, [sent]);
      const [shown = ''] = Object.values(sent).map((value) => value.replace(/\S+$/, '***'));
      assert.equal(
        message,
        `cannot look: Favourite Cloud (${cloud.url}) refused ${noun} (401): no: ${shown} of ***`,
      );
    });
  }

  const refused: Readonly<Record<string, readonly [Authorization, string]>> = {
    'a user with a colon': [
      { type: 'basic', username: 'a:b' },
      'authorization: a username cannot have a colon in it',
    ],
    'a name that no header has': [
      { type: 'header', name: 'x key' },
      'authorization: no header can have that name',
    ],
    'a header of the connection': [
      { type: 'header', name: 'Content-Length' },
      'authorization: the header content-length has another meaning',
    ],
  };
  for (const [name, [authorization, message]] of Object.entries(refused)) {
    test(`by ${name} is refused before anything is sent`, () => {
      assert.throws(() => client({ authorization }), new TypeError(message));
    });
  }
});

describe('a token', () => {
  const heard: string[] = [];
  const answers: { readonly status: number; readonly body: string }[] = [];
  const dispatcher: NonNullable<HttpClientOptions['dispatcher']> = {
    async request({ headers }) {
      heard.push(headers.authorization ?? '');
      const { status, body: text } = answers.shift() ?? { status: 200, body: '{}' };
      return { statusCode: status, headers: {}, body: [Buffer.from(text)] };
    },
  };
  const expired = { code: 'Unauthenticated', message: 'token t-1 expired' };
  const refusal = { status: 401, body: JSON.stringify({ error: expired }) };
  beforeEach(() => {
    heard.length = 0;
    answers.length = 0;
  });

  test('is asked for at each attempt, so that it may be renewed in time', async () => {
    let count = 0;
    const { http } = client({ dispatcher, token: async () => `t-${++count}` });
    answers.push({ status: 503, body: '' });
    await http.request(read);
    await http.request(read);
    assert.deepEqual(heard, ['Bearer t-1', 'Bearer t-2', 'Bearer t-3']);
  });

  test('that is refused is renewed, once, for a POST as well', async () => {
    const requests: (string | undefined)[] = [];
    const token: HttpClientOptions['token'] = async ({ refused }) => {
      requests.push(refused);
      return refused === undefined ? 't-1' : 't-2';
    };
    const { http, waits } = client({ dispatcher, token });
    answers.push(refusal);
    await http.request(post);
    assert.deepEqual([heard, requests, waits], [['Bearer t-1', 'Bearer t-2'], [undefined, 't-1'], []]);

    answers.push(refusal, refusal);
    const { status, message } = await failure(http.request(post));
    assert.equal(status, 401);
    assert.match(message, /refused the token/);
    assert.equal(heard.length, 4);
  });

  test('of text that is refused is not sent again', async () => {
    const { http } = client({ dispatcher, token: 't-1' });
    answers.push(refusal);
    const { message } = await failure(http.request(read));
    assert.doesNotMatch(message, /t-1/);
    assert.equal(heard.length, 1);
  });

  test('that cannot be obtained is reported, and no request is sent', async () => {
    const token = async () => Promise.reject(new Error('the token endpoint\nanswered 400'));
    const { http } = client({ dispatcher, token });
    const { message, code, isRetryable } = await failure(http.request(read));
    assert.deepEqual(
      [message, code, isRetryable, heard],
      [
        `cannot list instances: there is no token for Favourite Cloud (${cloud.url}): the token endpoint answered 400`,
        'NoToken',
        true,
        [],
      ],
    );
  });

  test("a vendor's own words are read as it writes them", async () => {
    const errorIn = (answer: unknown) => {
      const { Errors } = answer as {
        readonly Errors: readonly { readonly Code: string; readonly Text: string }[];
      };
      return { code: Errors[0]?.Code, message: Errors[0]?.Text };
    };
    const { http } = client({ dispatcher, errorIn });
    answers.push({ status: 400, body: '{"Errors": [{"Code": "Throttling.User", "Text": "too much"}]}' });
    const { message, code } = await failure(http.request(read));
    assert.equal(code, 'Throttling.User');
    assert.match(message, /answered \(400 Throttling\.User\): too much$/);

    answers.push({ status: 404, body: '{"Errors": [{"Code": "Object Not Found", "Text": "Not Found"}]}' });
    assert.equal((await failure(http.request(read))).code, 'Object Not Found', 'as RabbitMQ writes it');

    answers.push({ status: 502, body: '{"other": true}' });
    answers.push({ status: 400, body: '{"other": true}' });
    assert.equal((await failure(http.request(read))).code, 'Http400', 'a code in an unknown form is ignored');
  });
});

describe('a request to a cloud that answers in this way', () => {
  /** A client, its requests, and the answer that it gets after these. */
  function asking(statuses: readonly number[], answer = {}, options: Partial<HttpClientOptions> = {}) {
    const { carrier: dispatcher, sent } = recording(statuses, () => answer);
    return { ...client({ dispatcher, ...options }), sent };
  }

  test('a form is sent as one, without a token where there is none', async () => {
    const { http, sent } = asking([200], { ok: true }, { token: { none: true } });
    const form = { grant_type: 'a b', assertion: 'x&y' };
    assert.deepEqual(await http.request({ what: 'ask', method: 'POST', path: '/token', form }), { ok: true });
    const [{ method, headers, body: text } = assert.fail('nothing was sent')] = sent;
    assert.deepEqual([method, text], ['POST', 'grant_type=a+b&assertion=x%26y']);
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    assert.deepEqual(headers, {
      accept: 'application/json, */*;q=0.1',
      'user-agent': 'services-stack',
      ...type,
    });
  });

  test('a POST that only asks is repeated', async () => {
    const { http, sent } = asking([503]);
    await http.request({ what: 'ask', method: 'POST', path: '/', isQuestion: true });
    assert.equal(sent.length, 2);
  });

  test('no message contains the credentials that are exchanged for tokens', async () => {
    const answer = { error: { code: 'No', message: 'I got KEY-OF-OURS and ASSERTION' } };
    const { http } = asking([400], answer, { secrets: ['KEY-OF-OURS'] });
    const { message } = await failure(
      http.request({ what: 'ask', method: 'POST', path: '/', form: {}, secrets: ['ASSERTION'] }),
    );
    assert.match(message, /\(400 No\): I got \*\*\* and \*\*\*$/);
  });

  test('an error has the fields that the vendor rejects', async () => {
    const errorIn = () => ({ code: 'No', message: 'no', fields: ['size'] });
    const { http } = asking([400], {}, { errorIn });
    assert.deepEqual((await failure(http.request(read))).fields, ['size']);
  });
});

test('one pool of kept connections serves as many clients as are given it', async () => {
  let connections = 0;
  const server = createServer((_request, response) => response.end('{}'));
  server.on('connection', () => {
    connections += 1;
  });
  const url = await listening(server);
  const dispatcher = keepAliveConnections();
  for (let i = 0; i < 20; i++) await client({ url, dispatcher }).http.request(read);
  assert.ok(connections <= 2, `${connections} connections`);
  await Promise.all(Array.from({ length: 200 }, () => client({ url, dispatcher }).http.request(read)));
  assert.ok(connections <= 32, `${connections} connections`);
});

test('a url with a path is the prefix of every path', async () => {
  const paths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url);
    response.end('{}');
  });
  const { http } = client({ url: `${await listening(server)}/projects/7` });
  await http.request({ ...read, query: { page_size: '5', page_token: 'a b' } });
  assert.deepEqual(paths, ['/projects/7/v1/instances?page_size=5&page_token=a%20b']);
});

describe('credentials', () => {
  test('are JSON with url and token; space around them and slashes at the end do not count', () => {
    const json = '{"url": " https://cloud.example.org/projects/7/ ", "token": "t\\n", "more": 1}';
    assert.deepEqual(parseCredentials(json), { url: 'https://cloud.example.org/projects/7', token: 't' });
  });

  const refused: Record<string, { json: string; says: RegExp }> = {
    'no JSON': { json: 'hush-hush', says: /are not JSON/ },
    'no object': { json: '["hush-hush"]', says: /are not a JSON object/ },
    'no url': { json: '{"token": "hush-hush"}', says: /have no url/ },
    'no token': { json: '{"url": "http://hush-hush"}', says: /have no token/ },
    'a token of another type': { json: '{"url": "http://a", "token": 7}', says: /have no token/ },
    'a url that is none': { json: '{"url": "hush-hush", "token": "t"}', says: /not a URL/ },
    'another scheme': { json: '{"url": "ftp://hush-hush", "token": "t"}', says: /neither http nor https/ },
    'a user in the url': { json: '{"url": "http://hush:hush@a", "token": "t"}', says: /with a user in it/ },
    'a query in the url': { json: '{"url": "http://a?hush-hush", "token": "t"}', says: /query or fragment/ },
    'a token no header may hold': { json: '{"url": "http://a", "token": "hush\\nhush"}', says: /characters/ },
  };
  for (const [name, { json, says }] of Object.entries(refused)) {
    test(`with ${name} are refused without being repeated`, () => {
      assert.throws(
        () => parseCredentials(json),
        (error) =>
          error instanceof CloudError &&
          error.code === 'InvalidCredentials' &&
          says.test(error.message) &&
          !error.message.includes('hush'),
      );
    });
  }
});

async function listening(server: Server): Promise<string> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const urlAnswering = (status: number, text: string): Promise<string> =>
  listening(
    createServer((request, response) =>
      request.resume().on('end', () => response.writeHead(status).end(text)),
    ),
  );

async function closedUrl(): Promise<string> {
  const server = createServer();
  const url = await listening(server);
  server.close();
  await once(server, 'close');
  return url;
}
