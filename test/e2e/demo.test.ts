import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..', '..');

/** The processes that a process has started and that run `script`. */
async function childrenOf(pid: number | undefined, script: string): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args=']);
  return [...stdout.matchAll(/^ *(\d+) +(\d+) (.*)$/gm)]
    .filter(([, , parent, command]) => Number(parent) === pid && command?.includes(script))
    .map(([, child]) => Number(child));
}

/**
 * Runs the demo as `npm run demo` does; answers with its exit code and all it said. `heard` is called each time it says
 * something.
 */
async function demo(
  flags: readonly string[],
  heard: (said: string, child: ChildProcess) => Promise<void> = async () => {},
): Promise<{ readonly code: number; readonly said: string }> {
  const child = spawn(process.execPath, ['local/demo/main.ts', ...flags], { cwd: root });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      void heard(said, child);
    });
  }
  const [code] = (await once(child, 'exit')) as [number];
  return { code, said };
}

describe('npm run demo', () => {
  test('-- --once checks that every claim can be used, takes everything down and exits 0', async () => {
    const { code, said } = await demo(['--once']);
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
      'invoices-db',
      'stock-db',
      'sessions',
    ]) {
      assert.match(said, new RegExp(`\\b${claim}\\b.* Bound +Available`), `${claim} is shown Bound`);
    }
    assert.match(said, /dreams: Unbound, NoMatchingClass: .*size=enormous/);
    assert.match(said, /team-shop\/cart-db-connection: database, .*password.*uri/);
  });

  test('it ends with 1 and says why when its controllers end, also before its claims are settled', async () => {
    let isKilled = false;
    const { code, said } = await demo([], async (sofar, child) => {
      if (isKilled || !sofar.includes('NAMESPACE')) return;
      isKilled = true;
      const [controllers = assert.fail('no controllers')] = await childrenOf(
        child.pid,
        'main.ts --kubeconfig',
      );
      process.kill(controllers, 'SIGKILL');
    });
    assert.equal(code, 1, said);
    assert.match(said, /the controllers ended by themselves, with SIGKILL/);
    assert.match(said, /the controllers said last/);
  });

  test('a flag it does not know ends it with 2', async () => {
    const { code, said } = await demo(['--twice']);
    assert.equal(code, 2);
    assert.match(said, /--twice/);
  });
});
