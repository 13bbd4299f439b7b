import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { leakedSecrets } from './leaked-secrets.ts';

describe('leaked secrets', () => {
  const secret = 'pl4nted-Secret_value';
  const reported = leakedSecrets([secret, 'short']);

  for (const [where, text] of [
    ['as a value of JSON', `{"error":"refused ${secret}"}`],
    ['in a URI', `postgres://user:${secret}@127.0.0.1/db`],
    ['after an equals sign', `password=${secret};`],
    ['in base64', `{"password":"${Buffer.from(secret).toString('base64')}"}`],
  ] as const) {
    test(`are found ${where}, and not reported again`, () => {
      const found = reported.in(text);
      assert.equal(found.length, 1);
      assert.ok(!found[0]!.includes(secret));
    });
  }

  test('are none in what merely looks like one, or is too short to mean anything', () => {
    assert.deepEqual(reported.in(`${secret}s pl4nted-Secret short`), []);
  });
});
