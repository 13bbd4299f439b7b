/**
 * `npm run release -- <version> [flags]` makes a release in a temporary clone. Its files are then in
 * dist/release/<version>/; those of other versions remain.
 * Without `--tag` it is a dry run: the repository does not change. With it, the repository gets the commit and the tag.
 * Ends with 1 and the reason if the version cannot be released, or after a signal. Then the repository has not changed.
 * Ends with 2 for a wrong flag.
 */
import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { textProgress } from '../../local/control-plane/progress.ts';
import { BadFlag, wordFlag } from '../../local/flags.ts';
import { architectureNames } from '../../local/image/architecture.ts';
import { askedOf, readCommandLine } from '../../local/read-command-line.ts';
import { version as present } from '../version.ts';
import { notesIn, refusal, releasedChangelog, tagOf, withoutFileLinks, withVersion } from './checks.ts';
import { addRelease, cloneRepository } from './repository.ts';
import { runUntil } from './run.ts';

const usage = `usage: npm run release -- VERSION [flags]
flags:
  --tag            also commit the version to this branch, and tag it (without it: a dry run)
  --arch LIST      the processors of the image, with commas between them, or none (${architectureNames.join(',')})
  --skip-tests     do not run the tests; only for a dry run`;

const root = join(import.meta.dirname, '..', '..');

const { wanted, isTagged, architectures, skipsTests } = askedOf(
  readCommandLine(process.argv.slice(2), {
    usage,
    config: {
      allowPositionals: true,
      options: {
        tag: { type: 'boolean', default: false },
        arch: { type: 'string', default: architectureNames.join(',') },
        'skip-tests': { type: 'boolean', default: false },
      },
    },
    read: ({ values, positionals }) => {
      const [version, ...others] = positionals;
      if (version === undefined || others.length > 0) throw new BadFlag('name one version, such as 0.2.0');
      if (values.tag && values['skip-tests']) throw new BadFlag('--skip-tests: a release needs its tests');
      return {
        wanted: version,
        isTagged: values.tag,
        architectures:
          values.arch === 'none'
            ? []
            : values.arch.split(',').map((text) => wordFlag('--arch', text, architectureNames)),
        skipsTests: values['skip-tests'],
      };
    },
  }),
);

const out = join(root, 'dist', 'release', wanted);
const progress = textProgress({ prefix: 'release:' });

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => stopped.abort(new Error(`${signal} stopped the release`)));
}
const run = runUntil(stopped.signal);

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

/** Writes the version into every other file that names it, and the notes into the changelog. */
async function setVersion(clone: string): Promise<void> {
  const naming = `services-stack[:-]${present.replaceAll('.', '\\.')}`;
  // The notes of earlier versions keep the names that were true at that time.
  for (const file of lines(await run(clone, 'git', 'grep', '-lE', naming, '--', '.', ':!CHANGELOG.md'))) {
    const path = join(clone, file);
    writeFileSync(path, withVersion(readFileSync(path, 'utf8'), present, wanted));
  }
  const changelog = join(clone, 'CHANGELOG.md');
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(changelog, releasedChangelog(readFileSync(changelog, 'utf8'), wanted, today));
  await run(clone, 'npm', 'run', '--silent', 'generate');
}

/** All definitions of a folder in one text, for `kubectl apply -f` and `kubectl delete -f`. */
const definitionsIn = (folder: string): string =>
  globSync('*.yaml', { cwd: folder })
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('---\n');

/** Creates the files of the release in a folder. */
async function buildFiles(clone: string, notes: string, into: string): Promise<void> {
  mkdirSync(into, { recursive: true });
  const file = (name: string): string => join(into, name);
  cpSync(join(clone, 'deploy', 'install.yaml'), file('install.yaml'));
  writeFileSync(file('crds.yaml'), definitionsIn(join(clone, 'crds')));
  writeFileSync(file('crds-demo.yaml'), definitionsIn(join(clone, 'crds', 'demo')));
  cpSync(join(clone, 'trace', 'kubectl-services_stack'), file('kubectl-services_stack'));
  writeFileSync(file('notes.md'), `${withoutFileLinks(notes)}\n`);
  // A tarball with the layout and the name of `helm package`.
  const chart = ['--transform', 's,^chart,services-stack,', '-C', join(clone, 'deploy'), 'chart'];
  await run(
    clone,
    'tar',
    '--sort=name',
    '--owner=0',
    '--group=0',
    '-czf',
    file(`services-stack-chart-${wanted}.tgz`),
    ...chart,
  );
  await run(clone, 'npm', 'pack', '--silent', '--pack-destination', into);
  writeFileSync(file('sbom.cdx.json'), await run(clone, 'npm', 'run', '--silent', 'sbom'));
  if (architectures.length > 0) {
    await run(
      clone,
      'npm',
      'run',
      '--silent',
      'image',
      '--',
      '--arch',
      architectures.join(','),
      '--out',
      into,
    );
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
}

/** Rejects with the reason why this version cannot be released from the repository as it is. */
async function checkRepository(): Promise<void> {
  const reason = refusal({
    wanted,
    present,
    tags: lines(await run(root, 'git', 'tag')),
    changed: lines(await run(root, 'git', 'status', '--porcelain')),
    changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
  });
  if (reason !== undefined) throw new Error(reason);
}

/** Makes the release in a folder, which exists and is empty. */
async function makeRelease(work: string): Promise<void> {
  const clone = join(work, 'services-stack');
  const built = join(work, 'release');
  await progress.step('clone the repository and install its packages', async () => {
    await cloneRepository(run, root, clone);
    // `npm run` installs again if package-lock.json is newer than what is installed: so it gets the version first.
    await run(clone, 'npm', 'version', wanted, '--no-git-tag-version');
    await run(clone, 'npm', 'ci', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error');
  });
  const notes = notesIn(readFileSync(join(clone, 'CHANGELOG.md'), 'utf8'));
  await progress.step(`set version ${wanted} and generate the files that have it`, async () => {
    await setVersion(clone);
    await run(clone, 'git', 'commit', '--quiet', '--all', '--message', `package: release ${wanted}`);
  });
  if (!skipsTests) {
    await progress.step('check', () => run(clone, 'npm', 'run', '--silent', 'check'));
    await progress.step('test', () => run(clone, 'npm', 'test', '--silent'));
  }
  await progress.step('build the files', () => buildFiles(clone, notes, built));
  await rm(out, { recursive: true, force: true });
  cpSync(built, out, { recursive: true });
  if (isTagged) await addRelease(run, root, clone, tagOf(wanted));
}

try {
  await checkRepository();
  const work = mkdtempSync(join(tmpdir(), 'services-stack-release-'));
  try {
    await makeRelease(work);
  } finally {
    // A program of a command that was stopped may still write. A folder that remains makes no release fail.
    await progress
      .step('remove the clone', () => rm(work, { recursive: true, force: true, maxRetries: 10 }))
      .catch((error: unknown) => progress.note(String(error)));
  }
  const names = globSync('*', { cwd: out }).toSorted();
  process.stdout.write(names.map((name) => `${relative(resolve(), join(out, name))}\n`).join(''));
  const ending = isTagged
    ? `Committed and tagged as ${tagOf(wanted)}. Push the commit and the tag, and publish the files.`
    : 'This was a dry run: the repository has no new commit and no tag.';
  process.stdout.write(`${ending}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
