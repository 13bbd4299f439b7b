import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mostInAMinute } from './busy-minute.ts';

for (const [name, what, claims, most] of [
  ['an object', 'stack-1 favouritedbinstances orders', 200, 120],
  ['the secret of a provider, by what uses it', 'stack-1 secrets credentials/gcp', 200, 2000],
  ['the secret of a provider that few use', 'stack-1 secrets credentials/gcp', 5, 120],
  ['another secret beside it', 'stack-1 secrets credentials/source-gcp', 200, 120],
  ['creations of secrets', 'stack-1 create secrets credentials/', 200, 120],
  ['whose the credentials of AWS are, by what uses them', 'aws GetCallerIdentity', 200, 2000],
  ['a thing in a cloud', 'aws CreateVpc', 200, 120],
] as const) {
  test(`a minute has at most ${most} requests about ${name}`, () => {
    assert.equal(mostInAMinute(what, claims), most);
  });
}
