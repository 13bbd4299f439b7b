import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, test } from 'node:test';

const root = join(import.meta.dirname, '..', '..');

/** Runs the demo as `npm run demo` does; answers with its exit code and all it said. */
async function demo(...flags: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  const child = spawn(process.execPath, ['local/demo/main.ts', ...flags], { cwd: root });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const [code] = (await once(child, 'exit')) as [number];
  return { code, said };
}

describe('npm run demo', () => {
  test('-- --once checks that every claim can be used, takes everything down and exits 0', async () => {
    const { code, said } = await demo('--once');
    assert.equal(code, 0, said);
    assert.match(said, /Checked: all \d+ bound claims can be used/);
    for (const claim of [
      'cart',
      'search',
      'posts',
      'comments',
      'orders',
      'cart-db',
      'posts-db',
      'warehouse',
    ]) {
      assert.match(said, new RegExp(`\\b${claim}\\b.* Bound +Available`), `${claim} is shown Bound`);
    }
    assert.match(said, /dreams: Unbound, NoMatchingClass: .*size=enormous/);
    assert.match(said, /team-shop\/cart-db-connection: database, .*password.*uri/);
  });

  test('a flag it does not know ends it with 2', async () => {
    const { code, said } = await demo('--twice');
    assert.equal(code, 2);
    assert.match(said, /--twice/);
  });
});
