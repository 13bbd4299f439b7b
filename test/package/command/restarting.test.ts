import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { restarting } from '../../../package/command/restarting.ts';
import { projectRoot } from '../../docs/project-copy.ts';

/** A process that loads `stack.mjs`, prints that, and takes a moment to end. */
const script = `
import { reportSources } from '${join(projectRoot, 'package', 'command', 'sources.ts')}';
process.on('SIGTERM', () => {
  console.log('ends');
  setTimeout(() => process.exit(0), 300);
});
setInterval(() => {}, 1_000);
reportSources((loaded) => process.send?.(loaded));
const { value } = await import('./stack.mjs');
console.log('runs ' + value);
`;

function scene(t: TestContext, sources: Readonly<Record<string, string>>) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'services-stack-restarting-')));
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write('process.mjs', script);
  for (const [name, text] of Object.entries(sources)) write(name, text);
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const say = (line: string): void => {
    lines.push(line);
    for (const look of waiting) look();
  };
  const stacks = restarting(() => {
    const args = [join(folder, 'process.mjs')];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore', 'ipc'] });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => text.trim().split('\n').forEach(say));
    return child;
  }, say);
  t.after(async () => {
    await stacks.stop();
    rmSync(folder, { recursive: true });
  });
  /** Resolves when a line is said as often as this. */
  const says = (line: string, times = 1): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (lines.filter((each) => each === line).length < times) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { folder, write, lines, says };
}

const failed = 'the stacks failed, and start again after an edit';

describe('a process starts again when one of its sources changes', { concurrency: true }, () => {
  test('after an edit', async (t) => {
    const { write, says } = scene(t, { 'stack.mjs': 'export const value = 1;' });
    await says('runs 1');
    write('stack.mjs', 'export const value = 2;');
    await says('runs 2');
  });

  test('after each edit of an editor that replaces the file', async (t) => {
    const { folder, write, says } = scene(t, { 'stack.mjs': 'export const value = 1;' });
    await says('runs 1');
    for (const value of [2, 3, 4]) {
      write('stack.mjs~', `export const value = ${value};`);
      renameSync(join(folder, 'stack.mjs~'), join(folder, 'stack.mjs'));
      await says(`runs ${value}`);
    }
  });

  test('after an edit while it starts', async (t) => {
    const edit = "writeFileSync(new URL(import.meta.url), 'export const value = 2;');";
    const first = `import { writeFileSync } from 'node:fs'; ${edit} export const value = 1;`;
    const { says } = scene(t, { 'stack.mjs': first });
    await says('runs 2');
  });

  test('after an edit while the previous process ends', async (t) => {
    const { write, says } = scene(t, { 'stack.mjs': 'export const value = 1;' });
    await says('runs 1');
    write('stack.mjs', 'export const value = 2;');
    await says('ends');
    write('stack.mjs', 'export const value = 3;');
    await says('runs 3');
  });

  test('after an edit of what a source imports', async (t) => {
    const sources = {
      'stack.mjs': "export { value } from './value.mjs';",
      'value.mjs': 'export const value = 1;',
    };
    const { write, says } = scene(t, sources);
    await says('runs 1');
    write('value.mjs', 'export const value = 2;');
    await says('runs 2');
  });

  test('after a mistake was corrected', async (t) => {
    const { write, says } = scene(t, { 'stack.mjs': 'export const value = ;' });
    await says(failed);
    write('stack.mjs', 'export const value = 2;');
    await says('runs 2');
  });

  test('after a missing source was written', async (t) => {
    const { write, says } = scene(t, { 'stack.mjs': "export { value } from './value.mjs';" });
    await says(failed);
    write('value.mjs', 'export const value = 2;');
    await says('runs 2');
  });
});
