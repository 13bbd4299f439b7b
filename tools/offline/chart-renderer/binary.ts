import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BinarySet, BinarySource, BinaryWork } from '../binary-cache.ts';
import type { OptionalProgram, ProgramSupport } from '../debian-program.ts';
import { debianWork } from '../debian-work.ts';
import { goBuild, unpackedGo, unpackGo } from '../go-build.ts';
import { optionalBinaries, prepareOptional } from '../optional-binaries.ts';

const PROGRAM = 'chart-renderer';
const source = join(import.meta.dirname, 'main.go');
const RECIPE = { suite: 'bookworm', recipe: 1, neededBytes: 1e9, commands: ['apt-get', 'dpkg'] };
const LIBRARIES = [
  'golang-github-masterminds-sprig-dev',
  'golang-k8s-sigs-yaml-dev',
  'golang-github-xeipuuv-gojsonschema-dev',
];

async function build(given: BinaryWork): Promise<void> {
  const work = await debianWork(given, RECIPE);
  await work.step('1-source', "fetch Go and Sprig from the machine's Debian archive, 100 MB", async () => {
    await work.readLists();
    await unpackGo(work, LIBRARIES);
  });
  const output = work.at(PROGRAM);
  await given.progress.step(`build ${PROGRAM}`, async () =>
    goBuild(work, await unpackedGo(work), { source, output }),
  );
  await copyFile(output, join(given.target, PROGRAM));
  await chmod(join(given.target, PROGRAM), 0o755);
}

/** Throws if the program does not render a small chart. */
async function prove(directory: string): Promise<void> {
  const chart = await mkdtemp(join(tmpdir(), 'services-stack-chart-'));
  try {
    await writeFile(join(chart, 'Chart.yaml'), 'name: a\nversion: 1.0.0\n');
    await writeFile(join(chart, 'values.yaml'), '{}\n');
    await mkdir(join(chart, 'templates'));
    await writeFile(join(chart, 'templates', 'a.yaml'), '{{ .Values.b | upper }}');
    const running = promisify(execFile)(join(directory, PROGRAM), [chart]);
    running.child.stdin?.end('{"values": {"b": "c"}}');
    const { stdout } = await running;
    if (!stdout.includes('{"templates/a.yaml":"C"}')) throw new Error(`it rendered ${stdout}`);
  } finally {
    await rm(chart, { recursive: true, force: true });
  }
}

const debian: BinarySource = { name: PROGRAM, produce: build };
/** The name includes a hash of the source: a changed source is built again. */
const cached = () => {
  const hash = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 12);
  return { name: `${PROGRAM}-${hash}-${process.platform}-${process.arch}`, files: [PROGRAM] };
};

async function support(environment: NodeJS.ProcessEnv = process.env): Promise<ProgramSupport> {
  const found = await optionalBinaries(cached(), { environment, noun: PROGRAM });
  return found.isThere
    ? { by: 'debian', path: join(found.directory, PROGRAM) }
    : { by: 'none', reason: found.reason };
}

/** Renders a chart with the libraries of which Helm is made: see main.go. */
export const chartRenderer: OptionalProgram = {
  support,
  async prepare(options) {
    const set: BinarySet = { ...cached(), sources: [debian], proof: 'render a chart', prove };
    await prepareOptional(set, { ...options, noun: PROGRAM });
    return support(options.environment);
  },
};
