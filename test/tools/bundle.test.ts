import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Metafile } from 'esbuild';
import { bundle } from '../../tools/bundle.ts';
import type { Folder } from '../docs/project-copy.ts';
import { folderAt, projectRoot } from '../docs/project-copy.ts';

describe('the bundle', () => {
  let folder: Folder;
  let outputs: Metafile['outputs'];

  before(async () => {
    folder = folderAt(await mkdtemp(join(tmpdir(), 'services-stack-bundle-')));
    ({ outputs } = await bundle(folder.directory));
  });

  after(() => folder.remove());

  /** The outputs that are loaded with an output, each with its sources. */
  function loadedWith(output: string, loaded = new Set<string>()): ReadonlySet<string> {
    if (loaded.has(output)) return loaded;
    loaded.add(output);
    for (const { path, kind } of outputs[output]?.imports ?? []) {
      if (kind !== 'dynamic-import' && path in outputs) loadedWith(path, loaded);
    }
    return loaded;
  }
  const madeOf = (entry: string): readonly string[] => {
    const [output = ''] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry) ?? [];
    return [...loadedWith(output)].flatMap((each) => Object.keys(outputs[each]?.inputs ?? {}));
  };

  test('needs no package beside it, and says its version', async () => {
    const { version } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
    assert.deepEqual(await folder.node(['main.js', '--version']), { code: 0, output: `${version}\n` });
    const { code, output } = await folder.node(['main.js', '--nonsense']);
    assert.deepEqual([code, /--nonsense/.test(output)], [2, true]);
  });

  test('begins with what must come first, and with nothing else', () => {
    // Of package.json it has the version.
    const first = madeOf('main.ts').filter((path) => !path.startsWith('runtime/process/'));
    assert.deepEqual(first, ['main.ts', 'package.json']);
  });

  for (const entry of ['app/run.ts', 'app/stacks.ts']) {
    test(`loads no library of a cloud along with ${entry}, nor what reads a kubeconfig`, () => {
      const loaded = madeOf(entry);
      assert.ok(loaded.length > 100);
      const late = /@aws-sdk\/client-|google-auth-library|client-node\/dist\/config/;
      const early = loaded.filter((path) => late.test(path));
      assert.deepEqual(early, []);
    });
  }

  test('has those libraries in files of their own', () => {
    const entries = Object.values(outputs).flatMap(({ entryPoint = '' }) => entryPoint);
    for (const library of [
      'client-ec2',
      'client-eks',
      'client-rds',
      'client-sqs',
      'client-sts',
      'google-auth-library',
    ]) {
      const isThere = entries.some((entry) => entry.includes(library));
      assert.ok(isThere, library);
    }
  });

  test('has no module of a library that would cost memory without use', async () => {
    const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
    const zodLocales = inputs.filter((path) => path.includes('zod/v4/locales/'));
    assert.deepEqual(zodLocales.map((path) => basename(path)).toSorted(), ['en.js', 'index.js']);
    const generatedModels = inputs.filter((path) => path.includes('client-node/dist/gen/models/'));
    assert.deepEqual(generatedModels, []);
    const undiciFiles = inputs.filter((path) =>
      /undici\/lib\/(mock|cache|web\/(websocket|eventsource))\//.test(path),
    );
    assert.deepEqual(undiciFiles, []);
    const sources = globSync('{clients,runtime,stacks/*/client}/**/*.ts', { cwd: projectRoot })
      .map((path) => readFileSync(join(projectRoot, path), 'utf8'))
      .join('\n');
    const interceptors = [...sources.matchAll(/\binterceptors\.(\w+)/g)].map(([, name]) => name);
    assert.deepEqual(interceptors, ['redirect']);
    // Such an import loads Node's own undici, beside the undici of the bundle.
    const imported = Object.values(outputs).flatMap(({ imports }) =>
      imports.filter(({ path, kind }) => /^(node:)?http$/.test(path) && kind === 'import-statement'),
    );
    assert.deepEqual(imported, []);
  });

  test('has the definitions of crds/', async () => {
    const listed = async (directory: string) => (await readdir(directory, { recursive: true })).toSorted();
    assert.deepEqual(await listed(join(folder.directory, 'crds')), await listed(join(projectRoot, 'crds')));
  });

  test('is small', async () => {
    const files = await readdir(folder.directory, { recursive: true, withFileTypes: true });
    const sizes = files
      .filter((file) => file.isFile())
      .map(async (file) => (await stat(join(file.parentPath, file.name))).size);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    assert.ok(bytes < 20e6, `${bytes} bytes`);
  });
});

/*
 * All packages, those for development marked: with --omit=dev, npm 11 leaves out what is needed for development, too, be it
 * needed by the process or not (rxjs, pg and zod among them).
 */
test('npm tells what the process is made of, and marks what is only for development', async () => {
  const { code, output } = await folderAt(projectRoot).run('npm', ['run', '--silent', 'sbom']);
  assert.equal(code, 0, output);
  interface Named {
    readonly name: string;
    readonly properties: readonly Named[];
  }
  const { bomFormat, components } = JSON.parse(output.slice(output.indexOf('{')));
  const marked = (name: string) =>
    (components as readonly Named[])
      .find((each) => each.name === name)
      ?.properties.some((property) => property.name === 'cdx:npm:package:development');
  const marks = [bomFormat, ...['rxjs', 'pg', 'zod', 'esbuild', 'fast-check'].map(marked)];
  assert.deepEqual(marks, ['CycloneDX', false, false, false, true, true]);
});
