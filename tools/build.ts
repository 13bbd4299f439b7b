/**
 * `node tools/build.ts [--source URL]` builds the package that npm publishes into dist/npm/: the JavaScript of all modules
 * that its entries reach, the types that an author reaches, the template of the scaffold, the definitions, pages and a
 * package.json. The folder is emptied first, so that no file without a source is published. `--source` is the address of the
 * repository. dist/bundle/ gets the process for the image.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { parseArgs } from 'node:util';
import ownManifest from '../package.json' with { type: 'json' };
import { inRepository, withAddresses } from './addresses.ts';
import { bundle } from './bundle.ts';
import { packagesIn, reachedDeclarations } from './imports.ts';
import { publishedManifest } from './published-manifest.ts';

const { source } = parseArgs({ options: { source: { type: 'string' } } }).values;

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const built = join(dist, 'npm');

/** The pages for authors. Their links to each other remain. */
const pages = ['README.md', 'CHANGELOG.md', 'docs/adding-a-managed-service.md', 'docs/api-reference.md'];

rmSync(built, { recursive: true, force: true });
compile('--declaration', 'false', '--removeComments', '--noCheck'); // the types have the comments
compile('--emitDeclarationOnly');
removeUnreachedDeclarations();
const template = join('package', 'command', 'scaffold', 'template');
cpSync(join(root, template), join(built, template), { recursive: true });
for (const command of Object.values(ownManifest.bin))
  chmodSync(join(built, command.replace(/\.ts$/, '.js')), 0o755);
// Processes of other packages create these if they are absent.
cpSync(join(root, 'crds'), join(built, 'crds'), {
  recursive: true,
  filter: (path) => !path.endsWith('demo'),
});
writeManifest();
writePages();
await bundle(join(dist, 'bundle'));

function compile(...flags: readonly string[]): void {
  const args = ['-p', join(root, 'package'), ...flags];
  execFileSync(join(root, 'node_modules', '.bin', 'tsc'), args, { stdio: 'inherit' });
}

function removeUnreachedDeclarations(): void {
  const entries = Object.values(ownManifest.exports).filter((path) => path.endsWith('.ts'));
  const declarations = entries.map((path) => posix.normalize(path).replace(/\.ts$/, '.d.ts'));
  const reached = reachedDeclarations(declarations, textOf);
  for (const file of globSync('**/*.d.ts', { cwd: built })) {
    if (!reached.has(file)) rmSync(join(built, file));
  }
}

function textOf(file: string): string {
  return readFileSync(join(built, file), 'utf8');
}

function writeManifest(): void {
  const imported = globSync('**/*.{js,d.ts}', { cwd: built }).flatMap((file) =>
    packagesIn(textOf(file), ownManifest.name),
  );
  const manifest = publishedManifest(ownManifest, new Set(imported), source);
  writeFileSync(join(built, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

function writePages(): void {
  const address = inRepository(source, ownManifest.version);
  const archive = `services-stack-files-${ownManifest.version}.tgz`;
  const hint = `The files that this text names are in a clone of the repository, and in \`${archive}\` of the release.\n\n`;
  for (const page of pages) {
    const text = withAddresses(readFileSync(join(root, page), 'utf8'), page, (path) =>
      pages.includes(path) ? posix.relative(posix.dirname(page), path) : address(path),
    );
    mkdirSync(dirname(join(built, page)), { recursive: true });
    writeFileSync(join(built, page), source === undefined ? `${hint}${text}` : text);
  }
  cpSync(join(root, 'LICENSE'), join(built, 'LICENSE'));
}
