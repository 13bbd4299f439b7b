import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redisDetails } from '../../clients/redis-details.ts';

const access = { provider: 'google-cloud', host: '10.0.0.3', port: 6379 };
const always = {
  type: 'redis',
  provider: 'google-cloud',
  endpoint: '10.0.0.3',
  host: '10.0.0.3',
  port: '6379',
};

const cases: Readonly<Record<string, readonly [Parameters<typeof redisDetails>[0], object]>> = {
  'without a password the URI has no user': [
    { ...access, username: 'default' },
    { uri: 'redis://10.0.0.3:6379', password: null, certificates: null },
  ],
  'a password is that of a user, whom redis-cli asks for': [
    { ...access, username: 'default', password: 'a/b' },
    { uri: 'redis://default:a%2Fb@10.0.0.3:6379', password: 'a/b', certificates: null },
  ],
  'before version 6 there are no users': [
    { ...access, password: 'a' },
    { uri: 'redis://:a@10.0.0.3:6379', password: 'a', certificates: null },
  ],
  'with certificates it is TLS': [
    { ...access, username: 'default', password: 'a', certificates: 'PEM' },
    { uri: 'rediss://default:a@10.0.0.3:6379', password: 'a', certificates: 'PEM' },
  ],
};
for (const [name, [given, want]] of Object.entries(cases)) {
  test(name, () => assert.deepEqual(redisDetails(given), { ...always, ...want }));
}
