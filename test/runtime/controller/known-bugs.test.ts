import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createKnownBugs } from '../../../runtime/controller/known-bugs.ts';
import { testClock } from '../../../testing/test-clock.ts';

const one = { namespace: 'team-a', name: 'one' };
const other = { namespace: 'team-a', name: 'other' };

function bug(message: string, place = 'f (a.ts:1:2)'): Error {
  const error = new TypeError(message);
  error.stack = `TypeError: ${message}\n    at ${place}\n    at g (b.ts:${Math.random()}:1)`;
  return error;
}

function scene() {
  const clock = testClock();
  return { clock, bugs: createKnownBugs(clock) };
}

describe('a bug is told', () => {
  test('once, however often an object meets it', () => {
    const { bugs } = scene();
    const told = Array.from({ length: 50 }, () => bugs.met(one, bug('x')));
    assert.deepEqual(told.filter(Boolean), [1]);
  });

  test('for each object by itself', () => {
    const { bugs } = scene();
    assert.deepEqual(
      [one, other, one].map((request) => bugs.met(request, bug('x'))),
      [1, 1, undefined],
    );
  });

  test('again when it says something else, or is somewhere else', () => {
    const { bugs } = scene();
    const met = [bug('x'), bug('y'), bug('y', 'f (a.ts:9:9)'), bug('y', 'f (a.ts:9:9)')];
    assert.deepEqual(
      met.map((each) => bugs.met(one, each)),
      [1, 1, 1, undefined],
    );
  });

  test('again after an hour, with how often it was met since', async () => {
    const { bugs, clock } = scene();
    bugs.met(one, bug('x'));
    bugs.met(one, bug('x'));
    await clock.advance(3_599_999);
    assert.equal(bugs.met(one, bug('x')), undefined);
    await clock.advance(1);
    assert.equal(bugs.met(one, bug('x')), 3);
    assert.equal(bugs.met(one, bug('x')), undefined);
  });

  test('again once it was over', () => {
    const { bugs } = scene();
    bugs.met(one, bug('x'));
    bugs.over(other);
    assert.equal(bugs.met(one, bug('x')), undefined);
    bugs.over(one);
    assert.equal(bugs.met(one, bug('x')), 1);
  });

  test('again for an object that was forgotten for a thousand others', () => {
    const { bugs } = scene();
    bugs.met(one, bug('x'));
    for (let i = 0; i < 1_000; i += 1) bugs.met({ name: `n${i}` }, bug('x'));
    assert.equal(bugs.met(one, bug('x')), 1);
  });
});
