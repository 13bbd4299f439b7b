/**
 * `node package/bundle.ts [FOLDER]`: the process as the image has it, into dist/bundle/ or the folder: main.js, what it
 * loads when it is needed, the definitions, and a package.json with the version.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Metafile } from 'esbuild';
import { build } from 'esbuild';
import pick from 'lodash/pick.js';

const root = join(import.meta.dirname, '..');

/** Packages of CommonJS ask for Node's own modules by this. */
const requireOfNode =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/**
 * Writes the bundle into a folder; what was there before goes. What the sources import dynamically stays in files of its own:
 * the libraries of the clouds are loaded when the first resource asks for them. Returns what each file was made of.
 */
export async function bundle(folder: string): Promise<Metafile> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['main.ts'],
    outdir: folder,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    keepNames: true, // libraries tell errors apart by the names of classes
    external: ['pg-native'], // an option of pg, which we do not take
    banner: { js: requireOfNode },
    legalComments: 'linked',
    metafile: true,
    logLevel: 'error',
  });
  cpSync(join(root, 'crds'), join(folder, 'crds'), { recursive: true });
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as object;
  const kept = pick(own, ['name', 'version', 'type', 'license', 'engines']);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(kept, null, 2)}\n`);
  return metafile;
}

if (import.meta.main) await bundle(resolve(process.argv[2] ?? join(root, 'dist', 'bundle')));
