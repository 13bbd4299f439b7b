import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { access, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { cachedFolder } from '../../local/control-plane/cached-folder.ts';
import { cacheRoot } from '../../tools/offline/binary-cache.ts';
import type { Ended, Folder } from '../docs/project-copy.ts';
import { copyProject, folderAt, processSources, projectRoot } from '../docs/project-copy.ts';

const cache = dirname(cacheRoot(process.env));

/** The files and folders that the package is built from. */
const sources = [
  ...processSources,
  'local',
  'testing',
  'tools',
  'docs/adding-a-managed-service.md',
  'docs/api-reference.md',
  'tsconfig.json',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
];

/** The package, as npm publishes it. */
interface Packed {
  /** Of the tarball. */
  readonly path: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  /** Of the tarball, in bytes. */
  readonly size: number;
  remove(): Promise<void>;
}

/** Builds and packs the package, in a copy of the project: the project itself is left as it is. */
async function packProject(): Promise<Packed> {
  const copy = await copyProject(sources);
  // Of a release. The build keeps it, and `files` of the package must not have it.
  const notes = join(copy.directory, 'dist', 'release', '0.0.1', 'notes.md');
  await mkdir(dirname(notes), { recursive: true });
  await writeFile(notes, 'notes');
  await succeeds(copy, process.execPath, ['tools/build.ts']);
  await access(notes);
  const report = await succeeds(copy, 'npm', ['pack', './dist/npm', '--json', '--loglevel=error']);
  const { dependencies } = JSON.parse(await copy.read('dist/npm/package.json')) as Packed;
  interface Report extends Pick<Packed, 'size'> {
    readonly filename: string;
    readonly files: readonly { readonly path: string }[];
  }
  const [packed] = Object.values(JSON.parse(report)) as [Report];
  return {
    path: join(copy.directory, packed.filename),
    dependencies,
    files: packed.files.map(({ path }) => path),
    size: packed.size,
    remove: copy.remove,
  };
}

/** The published package, and the folder of an author who installed it. */
interface Installed {
  /** Holds `node_modules`, `package.json` and its lock. */
  readonly directory: string;
  readonly packed: Pick<Packed, 'files' | 'size'>;
}

/** The repository of an author, with the package installed. */
export interface OwnRepository extends Folder {
  readonly packed: Installed['packed'];
  /** Runs the package's command there. */
  cli(...args: readonly string[]): Promise<Ended>;
}

/**
 * The folder of an author. It has only the package, its dependencies, and the tools that every author has: a
 * compiler and Node's types. The package is built and installed once for all tests with the same sources: `node_modules` is
 * shared, and not to be changed.
 */
export async function ownRepository(): Promise<OwnRepository> {
  const { directory, packed } = await installedOnce();
  const folder = folderAt(await mkdtemp(join(tmpdir(), 'own-repository-')));
  for (const file of ['package.json', 'package-lock.json', ...globSync('*.tgz', { cwd: directory })]) {
    await cp(join(directory, file), join(folder.directory, file));
  }
  await symlink(join(directory, 'node_modules'), join(folder.directory, 'node_modules'));
  const command = join('node_modules', '.bin', 'services-stack');
  return { ...folder, packed, cli: (...args) => folder.run(command, args) };
}

/** Kept for an hour after it was asked for last. */
async function installedOnce(): Promise<Installed> {
  const directory = await cachedFolder({
    root: join(cache, 'own-repository'),
    name: contentHash(sources),
    make: (folder) => install(folderAt(folder)),
    retentionMs: 60 * 60_000,
  });
  const report = await readFile(join(directory, 'packed.json'), 'utf8');
  return { directory, packed: JSON.parse(report) as Installed['packed'] };
}

/** Of these files and folders, of the lock of the dependencies, of this file, and of the machine. */
function contentHash(paths: readonly string[]): string {
  const hash = createHash('sha256').update(`${process.version} ${process.platform} ${process.arch}`);
  const files = [...paths, 'package-lock.json'].flatMap((path) =>
    path.includes('.') || path === 'LICENSE' ? [path] : globSync(`${path}/**/*.*`, { cwd: projectRoot }),
  );
  for (const file of [...files.toSorted(), relative(projectRoot, import.meta.filename)]) {
    hash.update(`${file}\0`).update(readFileSync(join(projectRoot, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Installs packages in a folder, from the cache of npm if it has them. */
export const npmInstall = (folder: Folder, ...args: readonly string[]): Promise<string> =>
  succeeds(folder, 'npm', [
    'install',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    ...args,
  ]);

/** Installs the package in an empty folder, on top of its dependencies, which change less often. */
async function install(folder: Folder): Promise<void> {
  const { devDependencies } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const versions = (given: Readonly<Record<string, string>>, names = Object.keys(given)) =>
    names.map((name) => `${name}@${given[name]}`);
  const tools = versions(devDependencies, ['typescript', '@types/node']);
  const own = JSON.stringify({ name: 'own', version: '0.1.0', type: 'module' });
  const packed = await packProject();
  try {
    const dependenciesFolder = await cachedFolder({
      root: join(cache, 'own-dependencies'),
      name: contentHash(['package.json']),
      async make(path) {
        const made = folderAt(path);
        await made.write('package.json', own);
        await npmInstall(made, ...versions(packed.dependencies), ...tools);
      },
      retentionMs: 7 * 24 * 60 * 60_000,
    });
    const tarball = basename(packed.path);
    await cp(packed.path, join(folder.directory, tarball));
    await succeeds(folder, 'cp', ['-RPl', join(dependenciesFolder, 'node_modules'), '.']);
    // A hard link: npm would overwrite the file in `dependenciesFolder`, too.
    await rm(join(folder.directory, 'node_modules', '.package-lock.json'));
    await cp(join(dependenciesFolder, 'package-lock.json'), join(folder.directory, 'package-lock.json'));
    await folder.write('package.json', own);
    await npmInstall(folder, `./${tarball}`, ...tools);
    const { files, size } = packed;
    await folder.write('packed.json', JSON.stringify({ files, size }));
  } finally {
    await packed.remove();
  }
}

/** Runs a command in a folder and answers with what it prints; an Error that says it if it fails. */
export async function succeeds(
  { run }: Pick<Folder, 'run'>,
  command: string,
  args: readonly string[],
): Promise<string> {
  const { code, output } = await run(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output}`);
  return output;
}
