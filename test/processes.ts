import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const root = join(import.meta.dirname, '..');

/** Test files that run in one process. */
export interface TestProcess {
  readonly name: string;
  readonly files: readonly string[];
}

/** Rooms and files whose tests start servers, or take longer than a unit test may. */
export const notUnit: readonly string[] = [
  'bench',
  'browser',
  'cluster',
  'docs',
  'e2e',
  'local/commands',
  'mariadb',
  'model/main',
  'mutants',
  'package',
  'postgresql',
  'redis',
  'simulation/main',
  'simulation/perturb/kills',
  'stacks/demo-clouds/fcp/claims',
  'stacks/mysql/server',
  'stacks/postgresql/server',
  'tools/bundle',
  'tools/bundle-memory',
  'tools/image',
  'tools/release',
];

/**
 * Rooms and files that `npm test` leaves out. `npm run test:all` runs them, too, as CI and each release do. They try pages,
 * the package, the image and releases as users get them, the tools of this repository, or all rows of a large table.
 */
export const onlyInAll: readonly string[] = [
  'browser',
  'cluster/advice',
  'cluster/control-plane',
  'cluster/docs',
  'cluster/router',
  'docs/adding-a-managed-service',
  'docs/alert-faults',
  'docs/deploy',
  'docs/guides',
  'docs/page-commands',
  'docs/uninstall',
  'e2e/demo-commands',
  'local/commands',
  'model/main',
  'mutants/mutants',
  'package/command/dev',
  'package/command/scaffold',
  'package/our-stack',
  'package/package',
  'package/typescript',
  'simulation/main',
  'simulation/perturb/kills',
  'tools/bundle',
  'tools/bundle-memory',
  'tools/image',
  'tools/release',
];

/** Files of rooms that share a process, but that have their own: they wait for processes that they start, measure theirs, or take long. */
export const alone: readonly string[] = [
  'apis/generate',
  'app/generate',
  'app/lazy-libraries',
  'budgets/start',
  'local/commands',
  'model/explore',
  'model/main',
  'model/rules',
  'no-servers',
  'runtime/log/lines-of-a-turn',
  'runtime/process/process',
  'simulation/main',
  'simulation/perturb/kills',
  'stacks/demo-clouds/fcp/claims',
  'trace/command',
  'runtime/cache/watch',
  'runtime/process/heap',
  'runtime/process/shutdown',
];

/** Folders whose files have a process each, since each starts servers. */
const ownServers: readonly string[] = ['stacks/mysql/server/', 'stacks/postgresql/server/'];

/** Tests that share a process, by the beginnings of their paths. The first that fits counts; other unit tests are `rest`. */
const shared: Readonly<Record<string, readonly string[]>> = {
  core: ['controllers/'],
  stacks: ['stacks/'],
  systems: ['clients/', 'fakes/', 'testing/', 'conformance/'],
  simulation: ['simulation/', 'model/'],
  runtime: ['runtime/', 'trace/'],
  tools: ['bench/'],
  pages: [
    'docs/decisions',
    'docs/kustomize',
    'docs/metric-names',
    'docs/readme',
    'docs/references',
    'docs/site-links',
    'docs/tables',
    'docs/tried',
  ],
};

/**
 * The long processes start first, in this order, so that no core waits for the last one. Those that mostly compute, such as
 * `systems` and `simulation`, are spread among those that often wait, such as `runtime/cache/watch`.
 */
export const firstStarted: readonly string[] = [
  'systems',
  'cluster/changed-definitions',
  'cluster/one-stack-each',
  'e2e/demo-commands',
  'e2e/demo',
  'cluster/docs',
  'docs/guides',
  'simulation',
  'docs/adding-a-managed-service',
  'runtime/cache/watch',
  'package/command/scaffold',
  'rest',
  'runtime/log/lines-of-a-turn',
  'runtime/process/process',
  'cluster/advice/advice',
  'tools/release',
  'runtime',
  'cluster/one-process',
  'cluster/control-plane',
  'core',
  'docs/deploy',
  'stacks',
  'cluster/namespace-deletion',
  'cluster/kube-apiserver-alone',
  'docs/alert-faults',
  'cluster/one-cluster',
  'cluster/process',
  'cluster/faults',
  'cluster/api-server-accepts',
  'browser/docs-site',
  'docs/uninstall',
  'docs/restored-backup',
  'docs/page-commands',
  'local/commands',
  'tools/image',
];

const nameOf = (file: string): string => file.replace(/^test\//, '').replace(/\.test\.ts$/, '');
const isIn = (list: readonly string[], name: string): boolean =>
  list.some((each) => name === each || name.startsWith(`${each}/`));
const isUnit = (name: string): boolean => !isIn(notUnit, name);

/** The processes that run these files, each file once, in the order of their start. */
export function testProcesses(files: readonly string[]): readonly TestProcess[] {
  const filesOf = new Map<string, string[]>();
  for (const file of files) {
    const name = nameOf(file);
    const group = Object.keys(shared).find((each) => shared[each]?.some((start) => name.startsWith(start)));
    const key =
      alone.includes(name) || ownServers.some((folder) => name.startsWith(folder))
        ? name
        : (group ?? (isUnit(name) ? 'rest' : name));
    filesOf.set(key, [...(filesOf.get(key) ?? []), file]);
  }
  const rank = (name: string): number =>
    firstStarted.includes(name) ? firstStarted.indexOf(name) : firstStarted.length;
  return [...filesOf]
    .map(([name, each]) => ({ name, files: each }))
    .toSorted((a, b) => rank(a.name) - rank(b.name));
}

/** A module that runs these files, with a suite for each, and [without tracking](untracked.ts). */
export function entryText(files: readonly string[]): string {
  const url = (file: string): string => pathToFileURL(join(root, file)).href;
  const suites = files.map((file) => `describe('${file}', () => import('${url(file)}'));\n`);
  return `import '${url('test/untracked.ts')}';\nconst { describe } = await import('node:test');\n${suites.join('')}`;
}

/** The files of `npm run test:all`, of `npm test`, or of `npm run test:unit`. */
export function testFiles(which: 'all' | 'short' | 'unit'): readonly string[] {
  const isMeant = {
    all: () => true,
    short: (name: string) => !isIn(onlyInAll, name),
    unit: isUnit,
  }[which];
  return globSync('test/**/*.test.ts', { cwd: root })
    .toSorted()
    .filter((file) => isMeant(nameOf(file)));
}
