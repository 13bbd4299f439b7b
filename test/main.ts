/**
 * `node test/main.ts [all | unit] [--cpu] [PROCESS ...]` runs the short tests, all, only the unit tests, or those of some
 * processes, such as `cluster/docs`. To load the modules costs more than most unit tests do. So unit tests share a few
 * processes. With `--cpu`, the CPU seconds of each process follow, and those of the programs that it starts.
 *
 * All temporary files are in one folder, in memory if possible. `TMPDIR` chooses another place.
 */
import { rmSync } from 'node:fs';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec as Spec } from 'node:test/reporters';
import { CpuSeconds, cpuReport } from './cpu-seconds.ts';
import { memoryFolder } from './memory-folder.ts';
import type { TestProcess } from './processes.ts';
import { entryText, root, testFiles, testProcesses } from './processes.ts';

const { TMPDIR, TMP, TEMP } = process.env;
const parent = (TMPDIR || TMP || TEMP ? undefined : memoryFolder()) ?? tmpdir();
const folder = await mkdtemp(join(parent, 'services-stack-tests-'));
// PostgreSQL may run as another user.
await chmod(folder, 0o755);
process.env.TMPDIR = folder;
// The servers of the tests end soon, so they may collect garbage less often.
process.env.GOGC ??= '400';

const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
process.once('exit', remove);
const stopping = new AbortController();
for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const) {
  process.once(signal, () => {
    stopping.abort(); // ends the processes of the tests
    process.exit(128 + number);
  });
}

const entryOf = ({ name }: TestProcess): string => join(folder, `${name.replaceAll('/', '-')}.mjs`);

const words = process.argv.slice(2);
const names = words.filter((word) => !['all', 'unit', '--cpu'].includes(word));
const which = words.includes('unit') ? 'unit' : words.includes('all') || names.length > 0 ? 'all' : 'short';
const wanted = testProcesses(testFiles(which));
const unknown = names.filter((each) => !wanted.some(({ name }) => name === each));
if (unknown.length > 0) throw new Error(`no such process of tests: ${unknown.join(', ')}`);
const processes = wanted.filter(({ name }) => names.length === 0 || names.includes(name));
const files = processes.map(entryOf);
await Promise.all(processes.map((each) => writeFile(entryOf(each), entryText(each.files))));

const cpu = new CpuSeconds((pid, command) =>
  pid === process.pid ? 'the runner' : processes.find((each) => command.includes(entryOf(each)))?.name,
);
if (words.includes('--cpu')) setInterval(() => cpu.sample(), 500).unref();
// Two more than cores, because a process often waits for its servers. More than four were never tried.
const concurrency = Math.min(availableParallelism() + 2, 4);
// Objects of a simulated run outlive the usual young generation of V8, and copying them takes a tenth of its time.
const execArgv = ['--min-semi-space-size=64', '--max-semi-space-size=64'];
const results = run({ files, cwd: root, concurrency, execArgv, signal: stopping.signal });
results.on('test:fail', ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1;
});
await pipeline(results, new Spec(), process.stdout);
if (words.includes('--cpu')) process.stdout.write(cpuReport(cpu.seconds));
