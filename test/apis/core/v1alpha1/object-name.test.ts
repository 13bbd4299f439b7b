import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isObjectName } from '../../../../apis/core/v1alpha1/object-name.ts';

test('an object can have the name of a DNS subdomain', () => {
  for (const name of ['a', 'a1', '1-a', 'shop.orders', 'a'.repeat(253)]) assert.ok(isObjectName(name), name);
  for (const name of ['', 'Bad_Name', 'a b', 'a/b', '-a', 'a-', 'a..b', '.a', 'ä', 'a\n', 'a'.repeat(254)])
    assert.ok(!isObjectName(name), JSON.stringify(name));
});
