import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import map from 'lodash/map.js';
import type { Carrier } from '../../../../clients/http.ts';
import { realClock } from '../../../../runtime/time/clock.ts';
import { accessTokens } from '../../../../stacks/gcp/client/access-tokens.ts';
import { googleCloudClient } from '../../../../stacks/gcp/client/google-cloud.ts';
import { parseServiceAccountKey } from '../../../../stacks/gcp/client/service-account-key.ts';
import { inProcessGoogleCloud } from '../../../fakes/in-process-google-cloud.ts';

const clock = realClock();
const { signal } = new AbortController();

/** A cloud, a source of its tokens, and the requests that came. */
function scene() {
  const cloud = inProcessGoogleCloud(clock);
  const sent: Parameters<Carrier['request']>[0][] = [];
  const dispatcher: Carrier = {
    request(request) {
      sent.push(request);
      return cloud.dispatcher.request(request);
    },
  };
  const key = parseServiceAccountKey(cloud.credentials);
  const options = { key, clock, random: () => 0, dispatcher, maxAttempts: 2 };
  return { cloud, sent, key, options, tokens: accessTokens({ ...options, cloud: 'Google Cloud' }) };
}

test('a key is exchanged as RFC 7523 says, signed for the endpoint that it names', async () => {
  const { sent, key, tokens } = scene();
  assert.match(await tokens({ signal }), /^ya29\./);
  const [{ origin, path, method, headers, body } = assert.fail('nothing was sent')] = sent;
  assert.deepEqual([origin, path, method], ['http://gcp.test', '/token', 'POST']);
  assert.equal(headers['content-type'], 'application/x-www-form-urlencoded');
  assert.equal(headers.authorization, undefined);
  const form = new URLSearchParams(body ?? '');
  assert.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer');
  const [head = '', claims = ''] = (form.get('assertion') ?? '').split('.');
  const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  assert.equal(decoded(head).alg, 'RS256');
  const { iss, aud, scope } = decoded(claims);
  const wanted = [key.clientEmail, 'http://gcp.test/token', 'https://www.googleapis.com/auth/cloud-platform'];
  assert.deepEqual([iss, aud, scope], wanted);
});

test('one exchange serves all who ask, and those who ask later', async () => {
  const { sent, tokens } = scene();
  const all = await Promise.all([tokens({ signal }), tokens({ signal }), tokens({ signal })]);
  assert.equal(new Set([...all, await tokens({ signal })]).size, 1);
  assert.equal(sent.length, 1);
});

test('a token that was refused is renewed once, however many requests report it', async () => {
  const { sent, tokens } = scene();
  const refused = await tokens({ signal });
  await tokens({ signal, refused });
  assert.equal(sent.length, 2);
  await tokens({ signal, refused: 'one of long ago' });
  assert.equal(sent.length, 2);
});

test('a caller that gives up does not end the exchange of the others', async () => {
  const { cloud, tokens } = scene();
  cloud.way = 'hanging';
  const gone = new AbortController();
  const [mine, other] = [tokens({ signal: gone.signal }), tokens({ signal })];
  const reason = new Error('enough');
  gone.abort(reason);
  await assert.rejects(mine, reason);
  cloud.way = 'open';
  other.catch(() => undefined);
});

describe('the error of a failed exchange has the message of the endpoint', () => {
  const cases: Record<
    string,
    { prepare: (cloud: ReturnType<typeof scene>['cloud']) => void; want: RegExp; exchanges: number }
  > = {
    'a key that was taken back: once, and with what to do': {
      prepare({ accounts, credentials }) {
        const { client_email: email, private_key_id: id } = JSON.parse(credentials);
        accounts.deleteKey(email, id);
      },
      want: /^cannot get an access token for \S+: Google Cloud \(http:\/\/gcp\.test\) answered \(400 invalid_grant\): Invalid JWT Signature.*; put a valid key of that service account into the provider's secret$/,
      exchanges: 1,
    },
    'out of order: tried as often as any request': {
      prepare: ({ faults }) => faults.inject({ kind: 'fail', status: 503, times: 9 }),
      want: /^cannot get an access token for \S+: Google Cloud \(http:\/\/gcp\.test\).* answered \(503/,
      exchanges: 2,
    },
  };
  for (const [name, { prepare, want, exchanges }] of Object.entries(cases)) {
    test(name, async () => {
      const { cloud, sent, tokens } = scene();
      prepare(cloud);
      await assert.rejects(tokens({ signal }), { message: want });
      assert.equal(sent.length, exchanges);
    });
  }

  test('the next exchange may succeed after a failed one', async () => {
    const { cloud, tokens } = scene();
    cloud.faults.inject({ kind: 'fail', status: 503, times: 2 });
    await assert.rejects(tokens({ signal }));
    assert.match(await tokens({ signal }), /^ya29\./);
  });
});

test('a check of the credentials exchanges the key, and reads no resource', async () => {
  const { cloud, sent, options } = scene();
  const client = () => googleCloudClient({ ...options, projectID: 'p' });
  await client().checkCredentials(signal);
  assert.deepEqual(map(sent, 'path'), ['/token']);
  const { client_email: email, private_key_id: id } = JSON.parse(cloud.credentials);
  cloud.accounts.deleteKey(email, id);
  await assert.rejects(client().checkCredentials(signal), { errorClass: 'CredentialsRefused' });
});

test('APIs are at their own addresses, at that of the key, or at that which is given', async () => {
  const { key: keyOf, options } = scene();
  const key = { ...keyOf, tokenUri: 'https://oauth2.test/token' };
  const origins: string[] = [];
  const dispatcher: Carrier = {
    async request({ origin }) {
      const isToken = origin === 'https://oauth2.test';
      if (!isToken) origins.push(origin);
      const text = isToken ? JSON.stringify({ access_token: 't', expires_in: 3600 }) : '{}';
      return { statusCode: isToken ? 200 : 400, headers: {}, body: [Buffer.from(text)] };
    },
  };
  const ask = async (given: object) => {
    const cloud = googleCloudClient({ ...options, key, projectID: 'p', dispatcher, ...given });
    await cloud.memorystore.get({ region: 'r', name: 'i' }, signal).catch(() => undefined);
    await cloud.pubsub.get('t', signal).catch(() => undefined);
    return origins.splice(0);
  };
  assert.deepEqual(await ask({}), ['https://redis.googleapis.com', 'https://pubsub.googleapis.com']);
  const universe = await ask({ key: { ...key, universeDomain: 'example.org' } });
  assert.deepEqual(universe, ['https://redis.example.org', 'https://pubsub.example.org']);
  const local = 'http://127.0.0.1:1';
  assert.deepEqual(await ask({ endpoint: `${local}/` }), [local, local]);
});
