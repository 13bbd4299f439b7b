import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { generate } from './generate.ts';
import { play } from './play.ts';
import { playSeeds } from './play-seeds.ts';

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

test('an error that nobody hears is a promise broken', async () => {
  // In a process of its own, for the test runner hears everything.
  const program = `
    import { throwError } from 'rxjs';
    import { generate } from './generate.ts';
    import { play } from './play.ts';
    let count = 0;
    const careless = () => ({
      name: 'x',
      changed() {
        count += 1;
        if (count === 1) Promise.reject(new Error('of a promise'));
        if (count === 2) throwError(() => new Error('of a stream')).subscribe();
        return [];
      },
    });
    const { violations } = await play(generate(7), { invariants: [careless] });
    for (const { what } of violations) console.log(what.split('\\n')[0]);
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module-typescript', '--eval', program],
    { cwd: import.meta.dirname },
  );
  assert.deepEqual(stdout.trim().split('\n').toSorted(), ['Error: of a promise', 'Error: of a stream']);
});

/** Plays so many seeds from one on, and answers what was broken, by seed. */
async function played(first: number, count: number): Promise<readonly string[]> {
  let seed = first;
  const broken: string[] = [];
  await playSeeds(
    1,
    () => (seed < first + count ? seed++ : undefined),
    ({ seed: each, violations }) => {
      broken.push(...violations.map(({ invariant, what }) => `seed ${each}: ${invariant}: ${what}`));
    },
  );
  return broken;
}

test('no promise is broken in the first 100 seeds', async () => {
  assert.deepEqual(await played(1, 100), []);
});

test('nor in 200 that nobody has tried', async (context) => {
  const first = randomInt(1_000_000, 2 ** 31);
  context.diagnostic(`npm run simulate -- --seeds 200 --seed ${first}`);
  assert.deepEqual(await played(first, 200), []);
});
