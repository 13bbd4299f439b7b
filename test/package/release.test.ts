import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import type { ReleaseFacts } from '../../package/release/checks.ts';
import { notesIn, refusal, releasedChangelog } from '../../package/release/checks.ts';
import type { ProjectCopy } from '../docs/project-copy.ts';
import { copyProject, projectRoot } from '../docs/project-copy.ts';

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
  assert.deepEqual([notesIn(changelog), notesIn(released)], ['- a claim', 'Nothing yet.']);
});

describe('the command', () => {
  let copy: ProjectCopy;
  const git = (...args: readonly string[]) => {
    const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.org'];
    return execFileSync('git', [...author, ...args], { cwd: copy.directory, encoding: 'utf8' });
  };
  const release = (...args: readonly string[]) => copy.node(['package/release/main.ts', ...args]);

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

  test('a dry run makes all files with the version, and leaves the repository as it was', async () => {
    const head = git('rev-parse', 'HEAD');
    const { code, output } = await release('99.0.0', '--skip-tests', '--arch', 'none');
    assert.equal(code, 0, output);
    assert.deepEqual([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')], [head, '', '']);
    const sums = await copy.run('bash', ['-c', 'cd dist/release && sha256sum --check SHA256SUMS']);
    assert.deepEqual(sums, {
      code: 0,
      output: [
        'install.yaml',
        'kubectl-services_stack',
        'notes.md',
        'sbom.cdx.json',
        'services-stack-99.0.0.tgz',
        'services-stack-chart-99.0.0.tgz',
      ]
        .map((name) => `${name}: OK\n`)
        .join(''),
    });
    assert.match(await copy.read('dist/release/install.yaml'), /image: services-stack:99\.0\.0\n/);
    const chart = ['-xzOf', 'dist/release/services-stack-chart-99.0.0.tgz', 'services-stack/Chart.yaml'];
    assert.match((await copy.run('tar', chart)).output, /^version: 99\.0\.0\nappVersion: "99\.0\.0"$/m);
    const package_ = ['-xzOf', 'dist/release/services-stack-99.0.0.tgz', 'package/package.json'];
    assert.match((await copy.run('tar', package_)).output, /"version": "99\.0\.0"/);
  });
});
