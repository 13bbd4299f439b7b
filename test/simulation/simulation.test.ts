import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generate } from './generate.ts';
import { play } from './play.ts';

test('the same seed is played the same way, line by line', async () => {
  const [one, other] = [
    await play(generate(7), { logLevel: 'debug' }),
    await play(generate(7), { logLevel: 'debug' }),
  ];
  assert.deepEqual(other.trace, one.trace);
  assert.deepEqual(other.log, one.log);
  assert.ok(one.trace.length > 20, `${one.trace.length} lines`);
});

test('the faults that happened, listed, happen again', async () => {
  const scenario = generate(11);
  const drawn = await play(scenario);
  const listed = await play({ ...scenario, faults: drawn.fired });
  assert.ok(drawn.fired.length > 0);
  assert.deepEqual(listed.trace, drawn.trace);
});

test('no promise is broken in the first seeds', async () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const { violations } = await play(generate(seed));
    assert.deepEqual(violations, [], `seed ${seed}`);
  }
});
