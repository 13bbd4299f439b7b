/**
 * `node tools/bundle.ts [FOLDER]` writes the process for the image into dist/bundle/ or the folder: main.js, the modules
 * that it loads later, the definitions, and a package.json with the version. `--trace FILE` writes the program of `kubectl
 * services-stack trace` into a file.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';
import { build } from 'esbuild';
import pick from 'lodash/pick.js';
import ownManifest from '../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..');

/** CommonJS packages load Node's own modules with `require`, which ES modules do not have. */
const requireOfNode =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** Modules that libraries load and this product does not use, with their replacements. */
const unused: readonly (readonly [path: RegExp, replacement: string])[] = [
  // The classes of all API objects, for one method of KubeConfig. runtime/client/kube-config.ts replaces them without a bundle.
  [
    /@kubernetes\/client-node\/dist\/gen\/index\.js$/,
    'export const createConfiguration = undefined; export const ServerConfiguration = undefined;',
  ],
  // Its fetch, WebSocket, caches and mocks. esbuild reports an import of another name.
  [
    /undici\/index\.js$/,
    `import api from './lib/api/index.js';
    import Agent from './lib/dispatcher/agent.js';
    import Dispatcher from './lib/dispatcher/dispatcher.js';
    import Pool from './lib/dispatcher/pool.js';
    import ProxyAgent from './lib/dispatcher/proxy-agent.js';
    import Socks5ProxyAgent from './lib/dispatcher/socks5-proxy-agent.js';
    import redirect from './lib/interceptor/redirect.js';
    Object.assign(Dispatcher.prototype, api);
    export const interceptors = { redirect };
    export { Agent, Pool, ProxyAgent, Socks5ProxyAgent };`,
  ],
  // Messages in 64 languages.
  [/zod\/v4\/locales\/index\.js$/, "export { default as en } from './en.js';"],
];

/** Saves each process 8 MiB. */
const leaner: Plugin = {
  name: 'leaner',
  setup(building) {
    for (const [filter, contents] of unused) {
      building.onLoad({ filter }, ({ path }) => ({ contents, loader: 'js', resolveDir: dirname(path) }));
    }
    // An import of node:http reads all its exports. Some of them load a second undici, which a call of require does not.
    building.onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: 'node:http', namespace: 'required' } : undefined,
    );
    building.onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
      loader: 'js',
    }));
  },
};

const common: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  external: ['pg-native'], // an optional dependency of pg that is not used
  banner: { js: requireOfNode },
  plugins: [leaner],
  logLevel: 'error',
};

/** Writes the program of `kubectl services-stack trace` into one file. */
async function bundleTrace(file: string): Promise<void> {
  await build({
    ...common,
    entryPoints: ['app/trace.ts'],
    outfile: file,
    target: 'node24',
    minifyWhitespace: true,
    legalComments: 'none', // the notices of the release have the texts of all licenses
  });
}

/**
 * Writes the bundle into a folder, which is emptied first. Dynamic imports stay in separate files: the libraries of the
 * clouds are loaded when the first resource needs them. Returns the inputs of each file.
 */
export async function bundle(folder: string): Promise<Metafile> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    ...common,
    entryPoints: ['main.ts'],
    outdir: folder,
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    target: 'node24',
    minifyWhitespace: true, // a quarter of the live heap, together with names that are not kept
    legalComments: 'linked',
    metafile: true,
  });
  cpSync(join(root, 'crds'), join(folder, 'crds'), { recursive: true });
  const manifest = pick(ownManifest, ['name', 'version', 'type', 'license', 'engines']);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return metafile;
}

if (import.meta.main) {
  const [first = join(root, 'dist', 'bundle'), file] = process.argv.slice(2);
  await (first === '--trace' && file !== undefined ? bundleTrace(resolve(file)) : bundle(resolve(first)));
}
