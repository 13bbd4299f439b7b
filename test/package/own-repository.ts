import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ended, Folder } from '../docs/project-copy.ts';
import { copyProject, folderAt, projectRoot } from '../docs/project-copy.ts';

/** The package, as npm publishes it. */
interface Packed {
  /** Of the tarball. */
  readonly path: string;
  readonly files: readonly string[];
  /** Of the tarball, in bytes. */
  readonly size: number;
  remove(): Promise<void>;
}

/** Builds and packs the package, in a copy of the project: the project itself is left as it is. */
async function packProject(): Promise<Packed> {
  const copy = await copyProject([
    ...['apis', 'clients', 'controllers', 'local', 'package', 'runtime', 'testing'],
    ...['package.json', 'tsconfig.json', 'CHANGELOG.md', 'LICENSE', 'README.md'],
  ]);
  await succeeds(copy, process.execPath, ['package/build.ts']);
  // Its scripts would install and build once more.
  const report = await succeeds(copy, 'npm', ['pack', '--json', '--ignore-scripts', '--loglevel=error']);
  const [packed] = Object.values(JSON.parse(report)) as [
    {
      readonly filename: string;
      readonly size: number;
      readonly files: readonly { readonly path: string }[];
    },
  ];
  return {
    path: join(copy.directory, packed.filename),
    files: packed.files.map(({ path }) => path),
    size: packed.size,
    remove: copy.remove,
  };
}

/** A repository of somebody else's, with the package in it. */
export interface OwnRepository extends Folder {
  readonly packed: Pick<Packed, 'files' | 'size'>;
  /** Runs the package's command there. */
  cli(...args: readonly string[]): Promise<Ended>;
}

/**
 * A folder of somebody else's with nothing in it but the package, what that depends on, and what an author has anyway: a
 * compiler and Node's types.
 */
export async function ownRepository(): Promise<OwnRepository> {
  const packed = await packProject();
  const folder = folderAt(await mkdtemp(join(tmpdir(), 'own-repository-')));
  const remove = async (): Promise<void> => {
    await folder.remove();
    await packed.remove();
  };
  const { devDependencies } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const tools = ['typescript', '@types/node'].map((name) => `${name}@${devDependencies[name]}`);
  try {
    await folder.write('package.json', JSON.stringify({ name: 'own', version: '0.1.0', type: 'module' }));
    await succeeds(folder, 'npm', [...install, packed.path, ...tools]);
  } catch (error) {
    await remove();
    throw error;
  }
  const command = join('node_modules', '.bin', 'services-stack');
  return { ...folder, packed, cli: (...args) => folder.run(command, args), remove };
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
