import assert from 'node:assert/strict';
import { createSign } from 'node:crypto';
import { describe, test } from 'node:test';
import type { LocalGoogleCloud } from '../../../../stacks/gcp/emulator/server.ts';
import type { ServiceAccountKey } from '../../../../stacks/gcp/emulator/service-accounts.ts';
import { call, cloudPlatform, emulator, tokenOf } from './caller.ts';

const base64url = (json: object): string => Buffer.from(JSON.stringify(json)).toString('base64url');

/** A JWT of these claims, signed with the key. */
function signed(
  key: ServiceAccountKey,
  claims: object,
  header: object = { alg: 'RS256', typ: 'JWT' },
): string {
  const text = `${base64url(header)}.${base64url(claims)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key.private_key, 'base64url')}`;
}

const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

async function exchange({ url }: LocalGoogleCloud, form: Readonly<Record<string, string>>) {
  const response = await fetch(`${url}/token`, { method: 'POST', body: new URLSearchParams(form) });
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
}

const topics = ['GET', '/v1/projects/example-project/topics'] as const;

describe('the token endpoint', () => {
  test('gives a token for a signed assertion with any of the known audiences', async () => {
    const cloud = await emulator();
    const key = cloud.createKey();
    assert.equal(key.token_uri, `${cloud.url}/token`);
    const now = Math.floor(Date.now() / 1000);
    for (const aud of [key.token_uri, 'https://oauth2.googleapis.com/token']) {
      const claims = { iss: key.client_email, aud, scope: cloudPlatform, iat: now, exp: now + 3600 };
      const form = { grant_type: grantType, assertion: signed(key, claims) };
      const { status, body } = await exchange(cloud, form);
      const { access_token: token, ...rest } = body;
      assert.deepEqual({ status, rest }, { status: 200, rest: { expires_in: 3599, token_type: 'Bearer' } });
      assert.match(String(token), /^ya29\.c\./);
      assert.equal((await call(cloud, String(token), topics)).status, 200);
    }
  });

  test("gives a token to Google's own library for each key until the key is deleted", async () => {
    const cloud = await emulator();
    const [first, second] = [cloud.createKey(), cloud.createKey()];
    assert.notEqual(first.private_key_id, second.private_key_id);
    assert.equal(first.client_id, second.client_id);
    for (const key of [first, second])
      assert.equal((await call(cloud, await tokenOf(key), topics)).status, 200);
    cloud.accounts.deleteKey(first.client_email, first.private_key_id);
    await assert.rejects(tokenOf(first), /Invalid JWT Signature/);
    assert.equal((await call(cloud, await tokenOf(second), topics)).status, 200);
  });

  const now = Math.floor(Date.now() / 1000);
  const inTime = { iat: now, exp: now + 3600 };
  const badTime =
    'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.';
  const badAudience = 'Invalid JWT: Failed audience check.';
  const badScope = 'Invalid OAuth scope or ID token audience provided.';
  /** The error is `invalid_grant`, unless it is named. */
  const refused: Readonly<Record<string, readonly [claims: object, description: string, error?: string]>> = {
    'an account that is not there': [{ iss: 'nobody@example.com' }, 'Invalid grant: account not found'],
    'no account': [{ iss: undefined }, 'Invalid JWT: iss is required.'],
    'another audience': [{ aud: 'https://example.com' }, badAudience],
    'no audience': [{ aud: undefined }, badAudience],
    'no scope': [{ scope: '' }, badScope, 'invalid_scope'],
    'a scope that is none': [{ scope: 'everything' }, badScope, 'invalid_scope'],
    'a time that has passed': [{ iat: now - 7200, exp: now - 3600 }, badTime],
    'a time to come': [{ iat: now + 3600, exp: now + 7200 }, badTime],
    'more than an hour': [{ exp: now + 3601 }, badTime],
    'no time': [{ iat: undefined, exp: undefined }, badTime],
  };
  describe('refuses', () => {
    for (const [what, [claims, description, error = 'invalid_grant']] of Object.entries(refused)) {
      test(what, async () => {
        const cloud = await emulator();
        const key = cloud.createKey();
        const all = { iss: key.client_email, aud: key.token_uri, scope: cloudPlatform, ...inTime, ...claims };
        assert.deepEqual(await exchange(cloud, { grant_type: grantType, assertion: signed(key, all) }), {
          status: 400,
          body: { error, error_description: description },
        });
      });
    }

    test("an assertion that another account's key signed, an unknown account, and other grants", async () => {
      const cloud = await emulator();
      const [key, other] = [cloud.createKey(), cloud.createKey({ name: 'another' })];
      const claims = { iss: key.client_email, aud: key.token_uri, scope: cloudPlatform, ...inTime };
      const none = `${base64url({ alg: 'none' })}.${base64url(claims)}.`;
      const cases: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
        [{ grant_type: grantType, assertion: signed(other, claims) }, 'Invalid JWT Signature.'],
        [{ grant_type: grantType, assertion: none }, 'Invalid JWT: must be signed with RS256.'],
        [{ grant_type: grantType, assertion: 'nonsense' }, 'Invalid JWT: Bad Request'],
        [{ grant_type: grantType }, 'Invalid JWT: Bad Request'],
        [{ grant_type: 'password' }, 'Invalid grant_type: password'],
      ];
      for (const [form, description] of cases) {
        const { status, body } = await exchange(cloud, form);
        assert.deepEqual([status, body.error_description], [400, description]);
      }
    });
  });
});

describe('an API', () => {
  const reasonOf = (body: Readonly<Record<string, unknown>>) =>
    (body.error as { details?: readonly { reason?: string }[] }).details?.[0]?.reason;

  test('refuses an unknown caller', async () => {
    const cloud = await emulator();
    const token = await tokenOf(cloud.createKey());
    const strangers: readonly (readonly [string | null, string])[] = [
      [null, 'CREDENTIALS_MISSING'],
      ['ya29.c.nonsense', 'ACCESS_TOKEN_TYPE_UNSUPPORTED'],
      [`${token}x`, 'ACCESS_TOKEN_TYPE_UNSUPPORTED'],
      ['a.b.c', 'ACCESS_TOKEN_TYPE_UNSUPPORTED'],
      [await tokenOf((await emulator()).createKey()), 'ACCESS_TOKEN_TYPE_UNSUPPORTED'],
    ];
    for (const [given, reason] of strangers) {
      const { status, headers, body } = await call(cloud, given, topics);
      assert.deepEqual([status, reasonOf(body)], [401, reason]);
      assert.match(headers.get('www-authenticate') ?? '', /^Bearer realm=/);
    }
  });

  test('refuses an expired token', async () => {
    let nowMs = Date.now();
    const cloud = await emulator({ now: () => nowMs, tokenLifetimeMs: 60_000 });
    const token = await tokenOf(cloud.createKey());
    nowMs += 59_999;
    assert.equal((await call(cloud, token, topics)).status, 200);
    nowMs += 1;
    const { status, body } = await call(cloud, token, topics);
    assert.deepEqual([status, reasonOf(body)], [401, 'ACCESS_TOKEN_EXPIRED']);
  });

  test('accepts a JWT that the key itself signed', async () => {
    const cloud = await emulator();
    const key = cloud.createKey();
    const now = Math.floor(Date.now() / 1000);
    const own = { iss: key.client_email, sub: key.client_email, aud: `${cloud.url}/` };
    const jwt = signed(key, { ...own, iat: now, exp: now + 3600 });
    assert.equal((await call(cloud, jwt, topics)).status, 200);
  });

  test('refuses a token with another scope, and a read-only token for a write', async () => {
    const cloud = await emulator();
    const key = cloud.createKey();
    const readOnly = await tokenOf(key, ['https://www.googleapis.com/auth/redis.read-only']);
    const instances = '/v1/projects/example-project/locations/us-central1/instances';
    assert.equal((await call(cloud, readOnly, ['GET', instances])).status, 200);
    for (const request of [['POST', `${instances}?instanceId=cache`, {}], topics] as const) {
      const { status, body } = await call(cloud, readOnly, request);
      assert.deepEqual([status, reasonOf(body)], [403, 'ACCESS_TOKEN_SCOPE_INSUFFICIENT']);
    }
  });
});
