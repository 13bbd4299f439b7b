import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

/**
 * Runs the demo as `npm run demo` does; answers with its exit code and all it said. `heard` is called each time it says
 * something. `folder` is the one for temporary files; default: that of this process.
 */
export async function demo(
  flags: readonly string[],
  heard: (text: string, child: ChildProcess) => Promise<void> = async () => {},
  folder: string = tmpdir(),
): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = { ...process.env, TMPDIR: folder };
  const child = spawn(process.execPath, ['demo/main.ts', ...flags], { cwd: root, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      void heard(output, child);
    });
  }
  // Not `exit`, which may come before the last output.
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
