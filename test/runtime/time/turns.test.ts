import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Turns } from '../../../runtime/time/turns.ts';
import { createTurns } from '../../../runtime/time/turns.ts';

describe('turns of the event loop', () => {
  let turns: Turns;
  let ran: string[];
  let clockMs: number;
  let later: (() => void)[];

  /** A task that takes this long. */
  const task = (name: string, takesMs: number) => (): void => {
    ran.push(name);
    clockMs += takesMs;
  };
  /** The event loop goes round once; answers with what ran. */
  const turn = async (): Promise<readonly string[]> => {
    const [callbacks, before] = [later, ran.length];
    later = [];
    for (const callback of callbacks) callback();
    await Promise.resolve();
    return ran.slice(before);
  };

  beforeEach(() => {
    ran = [];
    clockMs = 0;
    later = [];
    turns = createTurns({
      elapsedMs: () => clockMs,
      nextTurn: () => new Promise((resolve) => later.push(resolve)),
    });
  });

  test('a task that fits into a turn runs at once', async () => {
    turns.run(task('a', 4));
    turns.run(task('b', 4));
    assert.deepEqual(ran, ['a', 'b']);
    assert.deepEqual(await turn(), []);
    assert.deepEqual(later, [], 'a rest needs no turns');
  });

  test('a task that does not fit waits for the next turn, oldest first', async () => {
    for (const name of ['a', 'b', 'c', 'd']) turns.run(task(name, 10));
    assert.deepEqual(ran, ['a']);
    assert.deepEqual([await turn(), await turn(), await turn(), await turn()], [['b'], ['c'], ['d'], []]);
  });

  test('no task runs before a waiting task', async () => {
    turns.run(task('a', 10));
    turns.run(() => {
      ran.push('b');
      turns.run(task('d', 1));
    });
    turns.run(task('c', 1));
    assert.deepEqual(await turn(), ['b', 'c', 'd']);
  });

  test('time that promises of a task take counts', async () => {
    turns.run(task('a', 1));
    clockMs += 20;
    turns.run(task('b', 1));
    assert.deepEqual(ran, ['a']);
    assert.deepEqual(await turn(), ['b']);
  });

  test('at most 16 that waited start in a turn', async () => {
    turns.run(task('first', 10));
    for (let index = 0; index < 40; index += 1) turns.run(task(`k${index}`, 0));
    assert.deepEqual([(await turn()).length, (await turn()).length, (await turn()).length], [16, 16, 8]);
  });

  test('a cancelled task does not run', async () => {
    turns.run(task('a', 10));
    const takeBack = turns.run(task('b', 1));
    turns.run(task('c', 1));
    takeBack();
    assert.deepEqual(await turn(), ['c']);
  });
});
