import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { ControlPlane } from '../../local/control-plane/control-plane.ts';
import { startControlPlane } from '../../local/control-plane/control-plane.ts';
import { withAddresses } from '../../tools/addresses.ts';
import type { ReleaseFacts } from '../../tools/release/checks.ts';
import { notesIn, refusal, releasedChangelog, withVersion } from '../../tools/release/checks.ts';
import { addRelease, cloneRepository } from '../../tools/release/repository.ts';
import { runUntil } from '../../tools/release/run.ts';
import { commandsOf } from '../docs/code-blocks.ts';
import type { Ended, Folder, ProjectCopy } from '../docs/project-copy.ts';
import { copyProject, folderAt, projectRoot } from '../docs/project-copy.ts';

const changelog = '# Changelog\n\n## [Unreleased]\n\n- a claim\n\n## [0.1.0] - 2026-01-01\n\n- the first\n';
const facts: ReleaseFacts = { wanted: '0.2.0', present: '0.1.0', tags: ['v0.1.0'], changed: [], changelog };

describe('a version is refused with one sentence', () => {
  const table: Readonly<Record<string, readonly [Partial<ReleaseFacts>, string | undefined]>> = {
    'it can be released': [{}, undefined],
    'it is not a version': [{ wanted: '2' }, '"2" is not a version such as 0.2.0'],
    'it has a prefix': [{ wanted: 'v0.2.0' }, '"v0.2.0" is not a version such as 0.2.0'],
    'it exists': [{ tags: ['v0.2.0'] }, '0.2.0 is released: the tag v0.2.0 exists'],
    'it is the present one': [
      { wanted: '0.1.0', tags: [] },
      '0.1.0 is not newer than 0.1.0, the version in package.json',
    ],
    'a candidate comes before its version': [
      { wanted: '0.1.0-rc.1', tags: [] },
      '0.1.0-rc.1 is not newer than 0.1.0, the version in package.json',
    ],
    'one file was changed': [{ changed: [' M a.ts'] }, 'commit or remove the changes first: M a.ts'],
    'several files were changed': [
      { changed: ['?? a.ts', ' M b.ts', ' M c.ts'] },
      'commit or remove the changes first: ?? a.ts and 2 more',
    ],
    'nothing has changed since the last release': [
      { changelog: releasedChangelog(changelog, '0.1.1', '2026-11-27') },
      'CHANGELOG.md has no text under "## [Unreleased]"',
    ],
    'there are no notes': [
      { changelog: '## [Unreleased]\n\n## [0.1.0] - 2026-01-01\n\n- the first\n' },
      'CHANGELOG.md has no text under "## [Unreleased]"',
    ],
  };
  for (const [name, [given, expected]] of Object.entries(table)) {
    test(name, () => assert.equal(refusal({ ...facts, ...given }), expected));
  }
});

test('the notes move under their version, and the next ones begin empty', () => {
  const released = releasedChangelog(changelog, '0.2.0', '2026-11-27');
  assert.equal(
    released,
    '# Changelog\n\n## [Unreleased]\n\nNothing yet.\n\n## [0.2.0] - 2026-11-27\n\n- a claim\n\n## [0.1.0] - 2026-01-01\n\n- the first\n',
  );
  assert.deepEqual([notesIn(changelog), notesIn(released)], ['- a claim', '']);
});

test('a candidate leaves the notes where the final version finds them', () => {
  const candidate = releasedChangelog(changelog, '0.2.0-rc.1', '2026-11-27');
  assert.equal(candidate, changelog);
  const final = { ...facts, present: '0.2.0-rc.1', tags: ['v0.1.0', 'v0.2.0-rc.1'], changelog: candidate };
  assert.equal(refusal(final), undefined);
  assert.equal(refusal({ ...final, wanted: '0.2.0-rc.2' }), undefined);
  assert.equal(notesIn(candidate), '- a claim');
});

describe('the links of a page outside of the repository', () => {
  const page =
    '[Each](docs/a.md#b) ![picture](c.png), [up](../d.md). [Flux](https://fluxcd.io) [here](#e) [a][b]';
  const rest = '[Flux](https://fluxcd.io) [here](#e) [a][b]';
  for (const [name, address, expected] of [
    [
      'lead to the repository, if it has an address',
      (file: string) => `https://example.org/${file}`,
      `[Each](https://example.org/docs/docs/a.md#b) ![picture](https://example.org/docs/c.png), [up](https://example.org/d.md). ${rest}`,
    ],
    ['are plain text, if their target has no address', () => undefined, `Each picture, up. ${rest}`],
  ] as const) {
    test(name, () => assert.equal(withAddresses(page, 'docs/page.md', address), expected));
  }
});

test('a release has its version in the name of each archive, and in no other version', () => {
  const text =
    'services-stack:0.1.0 services-stack-0.1.0.tar services-stack-chart-0.1.0.tgz services-stack-files-0.1.0.tgz 0.1.0 services-stack:0x1.0';
  assert.equal(
    withVersion(text, '0.1.0', '0.2.0'),
    'services-stack:0.2.0 services-stack-0.2.0.tar services-stack-chart-0.2.0.tgz services-stack-files-0.2.0.tgz 0.1.0 services-stack:0x1.0',
  );
});

test('the notes name no command that only the repository has, and an invented cloud only as such', () => {
  const notes = notesIn(readFileSync(join(projectRoot, 'CHANGELOG.md'), 'utf8'));
  const lines = notes.split('\n');
  const cloudLines = lines.filter((line) => /FancySQL|\bfcp\b|\bocp\b|Favourite|Ambivalent/.test(line));
  const wrong = cloudLines.filter((line) => !/invented/.test(line));
  assert.deepEqual([lines.filter((line) => /npm run/.test(line)), wrong], [[], []]);
});

test('no page denies that there is a release: after one the sentence would be wrong', () => {
  const files = globSync(['*.md', 'docs/**/*.md'], { cwd: projectRoot });
  const denied = files.filter((file) =>
    /no release yet|(nothing|not) (was )?released yet|first one will be/i.test(
      readFileSync(join(projectRoot, file), 'utf8'),
    ),
  );
  assert.ok(files.length > 30);
  assert.deepEqual(denied, []);
});

describe('the repository of a release', () => {
  const run = runUntil(new AbortController().signal);
  let folder: string;
  let root: string;
  let clone: string;
  const commit = async (where: string, text: string): Promise<void> => {
    await writeFile(join(where, 'text'), text);
    await run(where, 'git', 'add', '.');
    await run(where, 'git', 'commit', '--quiet', '--message', text);
  };
  const subjects = (where: string): Promise<string> => run(where, 'git', 'log', '--format=%s %an %ae');

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'services-stack-release-test-'));
    [root, clone] = [join(folder, 'root'), join(folder, 'clone')];
    await run(folder, 'git', 'init', '--quiet', root);
    await run(root, 'git', 'config', 'user.name', 'only here');
    await run(root, 'git', 'config', 'user.email', 'here@example.org');
    await commit(root, 'first');
    await cloneRepository(run, root, clone);
    await commit(clone, 'release');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test('gets the commit, by its own committer, and the tag', async () => {
    await addRelease(run, root, clone, 'v0.2.0');
    const left = [await subjects(root), await run(root, 'git', 'describe', '--tags')];
    assert.deepEqual(left, [
      'release only here here@example.org\nfirst only here here@example.org\n',
      'v0.2.0\n',
    ]);
  });

  for (const [what, change] of Object.entries({
    'its branch has got another commit': () => commit(root, 'second'),
    'one of its files was changed': () => writeFile(join(root, 'text'), 'changed'),
  })) {
    test(`gets neither the commit nor the tag if ${what}`, async () => {
      await change();
      const before = await subjects(root);
      await assert.rejects(addRelease(run, root, clone, 'v0.2.0'), /^Error: git pull .* failed:\n/);
      assert.deepEqual([await subjects(root), await run(root, 'git', 'tag')], [before, '']);
    });
  }

  test('a command that cannot be started is named with the reason', async () => {
    await assert.rejects(run(root, 'no-such-command', 'a'), /^Error: no-such-command a failed:\n.*ENOENT/);
  });
});

describe('the command', () => {
  let copy: ProjectCopy;
  const git = (...args: readonly string[]) => {
    const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.org'];
    return execFileSync('git', [...author, ...args], { cwd: copy.directory, encoding: 'utf8' });
  };
  const release = (...args: readonly string[]) => copy.node(['tools/release/main.ts', ...args]);

  before(async () => {
    const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
      cwd: projectRoot,
      encoding: 'utf8',
    });
    copy = await copyProject(files.trim().split('\n'));
    await copy.write('.git/info/exclude', 'node_modules\n');
    git('init', '--quiet');
    git('config', 'user.name', 'test');
    git('config', 'user.email', 'test@example.org');
    git('add', '.');
    git('commit', '--quiet', '--message', 'all');
  });
  after(() => copy?.remove());

  for (const [args, code, sentence] of [
    [[], 2, /name one version, such as 0\.2\.0/],
    [['99.0.0', '--tag', '--skip-tests'], 2, /--skip-tests: a release needs its tests/],
    [['99.0.0', '--arch', 'z80'], 2, /--arch: "z80" is none of amd64, arm64/],
    [['0.0.1'], 1, /^0\.0\.1 is not newer than \S+, the version in package\.json\n$/],
  ] as const) {
    test(`${args.join(' ') || 'no version'} ends with ${code} and one sentence`, async () => {
      const ended = await release(...args);
      assert.equal(ended.code, code);
      assert.match(ended.output, sentence);
    });
  }

  test('a signal ends it, and its temporary folder is removed', async () => {
    const temporary = await mkdtemp(join(tmpdir(), 'services-stack-release-test-'));
    const started = copy.startNode(['tools/release/main.ts', '99.0.0', '--skip-tests'], {
      TMPDIR: temporary,
    });
    while (!started.output().includes('install its packages ...')) await setTimeout(20);
    const code = await started.end('SIGINT');
    const left = await readdir(temporary);
    await rm(temporary, { recursive: true, force: true });
    assert.deepEqual([code, left], [1, []]);
    assert.match(started.output(), /SIGINT stopped the release\n$/);
  });

  /** A dry run whose `npm ci` is this script. `$npm` is the real one, and `$packages` a folder that both runs see. */
  async function dryRun(ci: string): Promise<Ended> {
    const npm = execFileSync('bash', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
    const names = `npm='${npm}' packages='${join(copy.directory, 'dist', 'packages')}'`;
    await copy.write('dist/bin/npm', `#!/bin/sh -e\n${names}\n[ "$1" = ci ] || exec "$npm" "$@"\n${ci}\n`);
    await chmod(join(copy.directory, 'dist', 'bin', 'npm'), 0o755);
    return copy.run('bash', [
      '-c',
      'PATH=$PWD/dist/bin:$PATH npm_config_logs_dir=$PWD/dist/logs npm_config_logs_max=99 exec "$0" tools/release/main.ts 99.0.0 --skip-tests --arch none 2>&1',
      process.execPath,
    ]);
  }

  test('a dry run makes all files with the version, and leaves the repository as it was', async () => {
    const head = git('rev-parse', 'HEAD');
    await copy.write('dist/release/98.0.0/notes.md', 'of the previous version');
    await copy.write('dist/release/99.0.0/old.txt', 'of an earlier run');
    const { code, output } = await dryRun('"$npm" "$@"; cp -RPl node_modules "$packages"');
    assert.equal(code, 0, output);
    const logs = globSync('dist/logs/*', { cwd: copy.directory });
    const logged = await Promise.all(logs.map(copy.read));
    assert.equal(logged.filter((log) => / argv "ci" /.test(log)).length, 1, 'it installs once');
    assert.deepEqual([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')], [head, '', '']);
    const sums = await copy.run('bash', ['-c', 'cd dist/release/99.0.0 && sha256sum --check SHA256SUMS']);
    assert.deepEqual(sums, {
      code: 0,
      output: [
        'NOTICES.txt',
        'crds-demo.yaml',
        'crds.yaml',
        'install.yaml',
        'kubectl-services_stack',
        'kubectl-services_stack-trace.mjs',
        'notes.md',
        'sbom.cdx.json',
        'services-stack-99.0.0.tgz',
        'services-stack-chart-99.0.0.tgz',
        'services-stack-files-99.0.0.tgz',
      ]
        .map((name) => `${name}: OK\n`)
        .join(''),
    });
    assert.match(await copy.read('dist/release/99.0.0/install.yaml'), /image: services-stack:99\.0\.0\n/);
    const chart = [
      '-xzOf',
      'dist/release/99.0.0/services-stack-chart-99.0.0.tgz',
      'services-stack/Chart.yaml',
    ];
    assert.match((await copy.run('tar', chart)).output, /^version: 99\.0\.0\nappVersion: "99\.0\.0"$/m);
    const package_ = ['-xzOf', 'dist/release/99.0.0/services-stack-99.0.0.tgz', 'package/package.json'];
    assert.match((await copy.run('tar', package_)).output, /"version": "99\.0\.0"/);
    const plugin = await copy.run('sh', ['dist/release/99.0.0/kubectl-services_stack', '--version']);
    assert.deepEqual(plugin, { code: 0, output: '99.0.0\n' });
    for (const [file, folder] of Object.entries({ 'crds.yaml': 'crds', 'crds-demo.yaml': 'crds/demo' })) {
      const definitions = parseAllDocuments(await copy.read(`dist/release/99.0.0/${file}`)).map(
        (document) => document.toJS() as KubernetesObject,
      );
      const expected = globSync('*.yaml', { cwd: join(projectRoot, folder) }).map((name) => {
        const [group, plural] = name.replace('.yaml', '').split('_');
        return `CustomResourceDefinition ${plural}.${group} 99.0.0`;
      });
      assert.ok(expected.length > 5);
      const versionKey = 'services-stack.crossplane.io/definition-version';
      const released = definitions.map(
        ({ kind, metadata: { name, annotations } }) => `${kind} ${name} ${annotations?.[versionKey]}`,
      );
      assert.deepEqual(released.toSorted(), expected.toSorted());
    }
    assert.equal(await copy.read('dist/release/98.0.0/notes.md'), 'of the previous version');
    assert.deepEqual((await readdir(join(copy.directory, 'dist/release'))).toSorted(), ['98.0.0', '99.0.0']);
    // The last message comes when nothing is left to do.
    assert.match(
      output,
      /^release: remove the clone: done .*\n(dist\/release\/99\.0\.0\/\S+\n)+This was a dry run: .*\n$/m,
    );
  });

  test('a second dry run of the same commit makes the same bytes', async () => {
    const first = await copy.read('dist/release/99.0.0/SHA256SUMS');
    // The lock determines the packages: to install them again would take most of the time.
    const { code, output } = await dryRun(
      'mv "$packages" node_modules; touch node_modules/.package-lock.json',
    );
    assert.equal(code, 0, output);
    assert.equal(await copy.read('dist/release/99.0.0/SHA256SUMS'), first);
  });

  describe('unpacked in an empty folder, without a clone', () => {
    let release: Folder;
    let files: string;
    let controlPlane: ControlPlane;
    const unpack = (archive: string) => release.run('tar', ['-xzf', `${archive}.tgz`]);

    before(async () => {
      release = folderAt(await mkdtemp(join(tmpdir(), 'services-stack-unpacked-')));
      const from = join(copy.directory, 'dist', 'release', '99.0.0');
      await release.run('cp', ['-r', `${from}/.`, release.directory]);
      for (const name of ['files', 'chart']) await unpack(`services-stack-${name}-99.0.0`);
      files = join(release.directory, 'services-stack-99.0.0');
      controlPlane = await startControlPlane({ withDefinitions: true });
    });
    after(async () => {
      await controlPlane?.stop();
      await release?.remove();
    });

    test('each link of its pages, its notes, its chart and its package leads to a file', async () => {
      await release.run('tar', ['-xzf', 'services-stack-99.0.0.tgz']);
      const pages = globSync('{*.md,services-stack-99.0.0/**/*.md,services-stack/*.md,package/*.md}', {
        cwd: release.directory,
      });
      assert.ok(pages.length > 50, String(pages.length));
      const dead = pages.flatMap((page) => {
        const text = readFileSync(join(release.directory, page), 'utf8').replaceAll(/^```.*?^```$/gms, '');
        return [...text.matchAll(/\]\((?!#|[a-z]+:)([^)#\s]+)[^)]*\)/g)]
          .map(([, target = '']) => join(release.directory, page, '..', target))
          .filter((target) => !existsSync(target))
          .map((target) => `${page}: ${target}`);
      });
      assert.deepEqual(dead, []);
    });

    test('the release has the examples, the optional manifests and the site with each of its pages', () => {
      const has = (path: string) => existsSync(join(files, path));
      const paths = [
        ...['examples/start/3-claim.yaml', 'examples/postgresql/30-claims.yaml', 'crds', 'NOTICES.txt'],
        ...['deploy/optional/prometheus-rule.yaml', 'deploy/argocd/health-checks.yaml', 'deploy/base'],
        ...['deploy/kustomize/Kustomization', 'site/index.html', 'site/install.html', 'site/claim.html'],
      ];
      assert.deepEqual(
        paths.filter((path) => !has(path)),
        [],
      );
      assert.match(
        readFileSync(join(files, 'docs/install.md'), 'utf8'),
        /services-stack-chart-99\.0\.0\.tgz/,
      );
    });

    /** The commands of a page that need an API server only, and the folder in which a user runs them. */
    const commands: readonly (readonly [page: string, start: string, isInFiles: boolean])[] = [
      ['docs/install.md', 'sha256sum --check', false],
      ['docs/install.md', 'sed ', false],
      ['docs/start-kind.md', 'kubectl apply -f deploy/install.yaml', true],
      ['docs/start-kind.md', 'cp -r examples/start start', true],
      ['docs/start-kind.md', 'kubectl apply -f start/', true],
      ['deploy/README.md', 'kubectl apply -f deploy/install.yaml', true],
      ['deploy/README.md', 'kubectl apply -f deploy/optional/demo-stacks.yaml', true],
      ['docs/kubectl-plugin.md', 'install ', false],
    ];
    for (const [page, start, isInFiles] of commands) {
      test(`${page}: ${start}`, async () => {
        const [command = assert.fail('no such command'), ...others] = commandsOf(
          readFileSync(join(files, page), 'utf8'),
        ).filter((each) => each.startsWith(start));
        assert.deepEqual(others, []);
        const bin = join(release.directory, 'bin');
        await mkdir(bin, { recursive: true });
        const env = { ...process.env, KUBECONFIG: controlPlane.kubeconfigPath, HOME: release.directory };
        const cwd = isInFiles ? files : release.directory;
        await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', command], { cwd, env });
      });
    }

    test('docs/kubectl-plugin.md: trace works with the two files of the release', async () => {
      const env = { ...process.env, KUBECONFIG: controlPlane.kubeconfigPath };
      const plugin = join(release.directory, '.local', 'bin', 'kubectl-services_stack');
      const words = ['trace', 'postgresqlinstance', 'ledger', '-n', 'team-shop'];
      // No controller runs, so the claim cannot be used yet.
      const failed = await promisify(execFile)(plugin, words, { env }).catch((error: unknown) => error);
      const { code, stdout: shown, stderr } = failed as Record<'code' | 'stdout' | 'stderr', unknown>;
      assert.deepEqual([code, stderr], [1, '']);
      assert.match(String(shown), /^PostgreSQLInstance team-shop\/ledger /);
      const { stdout } = await promisify(execFile)(plugin, ['--version'], { env });
      assert.equal(stdout, '99.0.0\n');
    });
  });
});
