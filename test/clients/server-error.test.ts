import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notOurs } from '../../clients/not-ours.ts';
import { ServerError } from '../../clients/server-error.ts';

class RedisError extends ServerError<'Busy' | 'NotOurs'> {}

const foreign = { kind: 'user', what: 'user "shop"', isMarked: true, statement: 'SET' };

test('an error of a server has the class Unknown by default', () => {
  assert.equal(new RedisError('BUSY', { code: 'Busy' }).errorClass, 'Unknown');
  assert.equal(new RedisError('BUSY', { code: 'Busy', errorClass: 'NotReady' }).errorClass, 'NotReady');
});

test('the refusal of what is not ours has the class Conflict by default', () => {
  assert.equal(new RedisError(...notOurs(foreign, 'owner', {})).errorClass, 'Conflict');
});
