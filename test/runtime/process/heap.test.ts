import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

const heap = join(import.meta.dirname, '../../../runtime/process/heap.ts');

/** A process that imports heap.ts prints the MiB of the young generation, both halves, after each of several steps. */
const program = `
import { getHeapSpaceStatistics } from 'node:v8';
import { setImmediate } from 'node:timers/promises';

const young = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 2 ** 20;
const sizes = {};
async function work() {
  let kept = [];
  for (let turn = 0; turn < 100; turn += 1) {
    for (let count = 0; count < 20_000; count += 1) kept.push({ count, text: 'x' + count });
    if (turn % 2 === 1) kept = [];
    await setImmediate();
  }
}
await import(${JSON.stringify(heap)});
sizes.atFirst = young();
await work();
sizes.afterWork = young();
gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
sizes.takenBack = young();
await work();
sizes.afterWorkAgain = young();
console.log(JSON.stringify(sizes));
`;

/** Both halves, and what V8 adds for a moment while several threads collect. */
const most = 20;

async function sizes(...flags: readonly string[]): Promise<Readonly<Record<string, number>>> {
  const args = [...flags, '--expose-gc', '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Readonly<Record<string, number>>;
}

describe('the young generation of the heap', () => {
  it('has 8 MiB for each half before anything else is loaded, and no more after work', async () => {
    const { atFirst = NaN, afterWork = NaN } = await sizes();
    assert.equal(atFirst, 16);
    assert.ok(afterWork >= 8 && afterWork <= most, `it has ${afterWork} MiB`);
  });

  it('comes back by half at least once V8 has taken it back', async () => {
    const { takenBack = NaN, afterWorkAgain = NaN } = await sizes();
    assert.ok(takenBack <= 2, `${takenBack} MiB were left of it`);
    assert.ok(afterWorkAgain >= 8 && afterWorkAgain <= most, `it has ${afterWorkAgain} MiB`);
  });

  it('is no larger than the command line allows', async () => {
    const { atFirst = NaN, afterWork = NaN } = await sizes('--max-semi-space-size=2');
    assert.ok(atFirst < 8 && afterWork < 8, `it has ${atFirst} and ${afterWork} MiB`);
  });
});
