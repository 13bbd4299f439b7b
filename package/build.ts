/**
 * Builds the package into dist/: JavaScript, types and source maps of all that its entries reach. What is in dist/ before
 * goes, so that nothing is published that has no source any more. The template of the scaffold is copied as it is. In
 * dist/bundle/ is the process for the image, which the package leaves out.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
const compile = (...flags: readonly string[]): void => {
  const args = ['-p', import.meta.dirname, ...flags];
  execFileSync(join(root, 'node_modules', '.bin', 'tsc'), args, { stdio: 'inherit' });
};
// Comments are in the types, and in the sources that the maps hold: in the JavaScript nobody reads them.
compile('--declaration', 'false', '--removeComments', '--noCheck');
compile('--emitDeclarationOnly');
const template = join('package', 'scaffold', 'template');
cpSync(join(root, template), join(dist, template), { recursive: true });
chmodSync(join(dist, 'package', 'command-line.js'), 0o755);
await bundle(join(dist, 'bundle'));
