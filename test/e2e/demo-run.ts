import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

/**
 * Runs the demo as `npm run demo` does; answers with its exit code and all it said. `heard` is called each time it says
 * something.
 */
export async function demo(
  flags: readonly string[],
  heard: (text: string, child: ChildProcess) => Promise<void> = async () => {},
): Promise<{ readonly code: number; readonly output: string }> {
  const child = spawn(process.execPath, ['demo/main.ts', ...flags], { cwd: root });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      void heard(output, child);
    });
  }
  // Not `exit`, which may come before the last output.
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}
