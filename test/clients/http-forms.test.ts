import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CloudError } from '../../clients/cloud-error.ts';
import type { Carrier, HttpClientOptions, HttpRequest } from '../../clients/http.ts';
import { httpClient } from '../../clients/http.ts';
import { realClock } from '../../runtime/time/clock.ts';

type Sent = Parameters<Carrier['request']>[0];

/** A client, what it sent, and the answers that it gets one after another; the last one for good. */
function client(
  answers: readonly (readonly [status: number, body: object])[],
  options: Partial<HttpClientOptions> = {},
) {
  const sent: Sent[] = [];
  const http = httpClient({
    cloud: 'The cloud',
    url: 'http://cloud.test',
    token: 'hush-hush-token',
    random: () => 0,
    clock: {
      ...realClock(),
      sleep: (ms, signal) => (ms < 10_000 ? Promise.resolve() : realClock().sleep(ms, signal)),
    },
    dispatcher: {
      async request(request) {
        sent.push(request);
        const [statusCode, body] = answers[sent.length - 1] ?? answers.at(-1) ?? [500, {}];
        return { statusCode, headers: {}, body: [Buffer.from(JSON.stringify(body))] };
      },
    },
    ...options,
  });
  return { http, sent };
}

const down = [503, { error: { code: 'Down', message: 'not now' } }] as const;
const fine = [200, { ok: true }] as const;

test('a form is sent as one, without a token where there is none', async () => {
  const { http, sent } = client([fine], { token: { none: true } });
  const form = { grant_type: 'a b', assertion: 'x&y' };
  assert.deepEqual(await http.request({ what: 'ask', method: 'POST', path: '/token', form }), { ok: true });
  const [{ method, headers, body } = assert.fail('nothing was sent')] = sent;
  assert.deepEqual(
    { method, headers, body },
    {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'user-agent': 'services-stack',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=a+b&assertion=x%26y',
    },
  );
});

describe('a temporary failure repeats', () => {
  const requests: Record<string, { request: Partial<HttpRequest>; attempts: number }> = {
    'a PUT, which says what should be': { request: { method: 'PUT' }, attempts: 2 },
    'a POST that only asks': { request: { method: 'POST', isQuestion: true }, attempts: 2 },
    'no POST that does something': { request: { method: 'POST' }, attempts: 1 },
  };
  for (const [name, { request, attempts }] of Object.entries(requests)) {
    test(name, async () => {
      const { http, sent } = client([down, fine]);
      await http.request({ what: 'do it', method: 'GET', path: '/', ...request }).catch(() => undefined);
      assert.equal(sent.length, attempts);
    });
  }
});

test('no message contains the credentials that are exchanged for tokens', async () => {
  const { http } = client([[400, { error: { code: 'No', message: 'I got KEY-OF-OURS and ASSERTION' } }]], {
    secrets: ['KEY-OF-OURS'],
  });
  await assert.rejects(
    http.request({ what: 'ask', method: 'POST', path: '/', form: {}, secrets: ['ASSERTION'] }),
    { message: 'cannot ask: The cloud (http://cloud.test) answered (400 No): I got *** and ***' },
  );
});

test('an error has the fields that the vendor rejects', async () => {
  const errorIn = () => ({ code: 'No', message: 'no', fields: ['size'] });
  const { http } = client([[400, {}]], { errorIn });
  await assert.rejects(http.request({ what: 'ask', method: 'GET', path: '/' }), (error) => {
    assert.ok(error instanceof CloudError);
    assert.deepEqual(error.fields, ['size']);
    return true;
  });
});
