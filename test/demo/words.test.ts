import assert from 'node:assert/strict';
import { test } from 'node:test';
import { experiments } from '../../demo/words.ts';

test('an experiment names the failing cloud and the claim that shows the failure', () => {
  const trials = experiments({
    kubectl: 'kubectl',
    claim: { namespace: 'team', secret: 'conn' },
    google: { url: 'http://127.0.0.1:18085', claim: 'RedisCluster team-shop/sessions' },
  });
  const { title, see } = trials[1] ?? assert.fail('no second');
  assert.equal(title, 'Let the emulator of Google Cloud fail, and work again');
  assert.equal(
    see,
    'within half a minute RedisCluster team-shop/sessions reports the failure: it stays Bound, with the reason AvailableWithTrouble; after the second line it recovers',
  );
});
