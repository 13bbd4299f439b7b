/**
 * Builds the package into dist/: the JavaScript, types and source maps of all modules that its entries reach. All else in
 * dist/ is deleted first, so that no file without a source is published; only dist/release/ stays. The template of the
 * scaffold is copied unchanged. dist/bundle/ holds the process for the image. The package has neither of the two folders.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

for (const made of globSync('*', { cwd: dist, exclude: ['release'] }))
  rmSync(join(dist, made), { recursive: true });
const compile = (...flags: readonly string[]): void => {
  const args = ['-p', import.meta.dirname, ...flags];
  execFileSync(join(root, 'node_modules', '.bin', 'tsc'), args, { stdio: 'inherit' });
};
// The comments are in the types and in the sources of the source maps; they are not needed in the JavaScript.
compile('--declaration', 'false', '--removeComments', '--noCheck');
compile('--emitDeclarationOnly');
const template = join('package', 'command', 'scaffold', 'template');
cpSync(join(root, template), join(dist, template), { recursive: true });
chmodSync(join(dist, 'package', 'command-line.js'), 0o755);
// Processes of other packages create these if they are absent.
cpSync(join(root, 'crds'), join(dist, 'crds'), { recursive: true });
await bundle(join(dist, 'bundle'));
