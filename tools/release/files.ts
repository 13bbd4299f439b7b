import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { inRepository as addressOf, tagOf, withAddresses } from '../addresses.ts';
import { commitOf } from '../commit.ts';
import { gzip, tar } from '../tar.ts';
import type { Run } from './run.ts';

export interface ReleaseFilesOptions {
  readonly run: Run;
  /** A clone of the repository with its packages, whose last commit is released. */
  readonly clone: string;
  readonly version: string;
  readonly notes: string;
  /** The processors of the image. None: no image is built. */
  readonly architectures: readonly string[];
  /** The address of the repository, if it has one. */
  readonly source: string | undefined;
  /** A folder to work in, and the folder of the files. */
  readonly work: string;
  readonly into: string;
}

/** The files of the repository that a user of a release needs. */
const forUsers = [
  ...['*.md', 'LICENSE', 'crds', 'deploy', 'examples', 'docs', 'trace/kubectl-services_stack'],
  ...[':!deploy/Dockerfile', ':!docs/.vitepress'],
];

/** The plugin of kubectl, and the program of its verb `trace`. */
const plugin = 'kubectl-services_stack';
const traceProgram = `${plugin}-trace.mjs`;

/** All definitions of a folder in one text, for `kubectl apply -f` and `kubectl delete -f`. */
const definitionsIn = (folder: string): string =>
  globSync('*.yaml', { cwd: folder })
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('---\n');

/** Creates the files of the release. Equal commits give equal bytes, except one layer of the image. */
export async function buildReleaseFiles(options: ReleaseFilesOptions): Promise<void> {
  const { run, clone, version, notes, architectures, source, work, into } = options;
  const { atSeconds } = commitOf(clone);
  const file = (name: string): string => join(into, name);
  mkdirSync(into, { recursive: true });
  mkdirSync(work, { recursive: true });
  const script = (...args: readonly string[]): Promise<string> => run(clone, process.execPath, ...args);
  const inRepository = addressOf(source, version);
  const from = source === undefined ? [] : ['--source', source];

  cpSync(join(clone, 'deploy', 'install.yaml'), file('install.yaml'));
  writeFileSync(file('crds.yaml'), definitionsIn(join(clone, 'crds')));
  writeFileSync(file('crds-demo.yaml'), definitionsIn(join(clone, 'crds', 'demo')));
  cpSync(join(clone, 'trace', plugin), file(plugin));
  await script('tools/bundle.ts', '--trace', file(traceProgram));
  writeFileSync(file('sbom.cdx.json'), await script('tools/sbom.ts'));
  writeFileSync(file('NOTICES.txt'), await script('tools/image/notices.ts'));

  const folder = `services-stack-${version}`;
  const archiveOfFiles = `services-stack-files-${version}`;
  await archive(archiveOfFiles, folder, async (at) => {
    const listed = await run(clone, 'git', 'ls-files', '--', ...forUsers);
    const files = listed.split('\n').filter((name) => name !== '');
    for (const name of files) copied(join(clone, name), join(at, name));
    for (const name of files.filter((each) => each.endsWith('.md'))) {
      rewritten(join(at, name), name, (path) =>
        existsSync(join(at, path)) ? posix.relative(dirname(name), path) || '.' : inRepository(path),
      );
    }
    copied(file(traceProgram), join(at, 'trace', traceProgram));
    copied(file('NOTICES.txt'), join(at, 'NOTICES.txt'));
    const repository = source === undefined ? [] : [`DOCS_REPOSITORY=${source}/blob/${tagOf(version)}`];
    await run(clone, 'env', ...repository, 'npm', 'run', '--silent', 'docs');
    cpSync(join(clone, 'dist', 'docs'), join(at, 'site'), { recursive: true });
  });
  const beside = `The files that this text names are in \`services-stack-files-${version}.tgz\` of the release.\n\n`;
  const withHint = (text: string): string => (source === undefined ? `${beside}${text}` : text);
  const linked = (text: string, from: string): string => withHint(withAddresses(text, from, inRepository));
  await archive(`services-stack-chart-${version}`, 'services-stack', async (at) => {
    cpSync(join(clone, 'deploy', 'chart'), at, { recursive: true });
    const readme = join(at, 'README.md');
    writeFileSync(readme, linked(readFileSync(readme, 'utf8'), 'deploy/chart/README.md'));
  });
  const inFolder = (path: string): string | undefined =>
    inRepository(path) ??
    (existsSync(join(work, archiveOfFiles, folder, path)) ? `${folder}/${path}` : undefined);
  writeFileSync(file('notes.md'), `${withHint(withAddresses(notes, 'CHANGELOG.md', inFolder))}\n`);

  await script('tools/build.ts', ...from);
  await run(clone, 'npm', 'pack', './dist/npm', '--silent', '--pack-destination', into);

  if (architectures.length > 0) {
    const flags = ['--arch', architectures.join(','), '--out', into, ...from];
    await run(clone, 'npm', 'run', '--silent', 'image', '--', ...flags);
  }
  const sums = readdirSync(into)
    .toSorted()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(file(name)))
          .digest('hex')}  ${name}\n`,
    );
  writeFileSync(file('SHA256SUMS'), sums.join(''));

  /** An archive with one folder, which `fill` fills. */
  async function archive(name: string, inside: string, fill: (at: string) => Promise<void>): Promise<void> {
    const parent = join(work, name);
    const at = join(parent, inside);
    mkdirSync(at, { recursive: true });
    await fill(at);
    await run(parent, 'chmod', '-R', 'u=rwX,go=rX', '.');
    const path = join(work, `${name}.tar`);
    await tar(path, parent, atSeconds);
    renameSync(await gzip(path), file(`${name}.tgz`));
  }
}

function copied(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}

function rewritten(path: string, from: string, address: (file: string) => string | undefined): void {
  writeFileSync(path, withAddresses(readFileSync(path, 'utf8'), from, address));
}
