/**
 * `npm run release -- <version> [flags]` makes a release in a temporary clone. Its files are then in
 * dist/release/<version>/; those of other versions remain.
 * Without `--tag` it is a dry run: the repository does not change. With it, the repository gets the commit and the tag.
 * Ends with 1 and the reason if the version cannot be released, or after a signal. Then the repository has not changed.
 * Ends with 2 for a wrong flag.
 */
import { cpSync, globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { BadFlag, urlFlag, wordFlag } from '../../local/flags.ts';
import { architectureNames } from '../../local/image/architecture.ts';
import { parsedOrExit, readCommandLine } from '../../local/read-command-line.ts';
import { textProgress } from '../../local/text-progress.ts';
import ownManifest from '../../package.json' with { type: 'json' };
import { tagOf } from '../addresses.ts';
import { commitOf } from '../commit.ts';
import { namesWith, notesIn, refusal, releasedChangelog, withVersion } from './checks.ts';
import { buildReleaseFiles } from './files.ts';
import { addRelease, cloneRepository } from './repository.ts';
import { runUntil } from './run.ts';

const { version: present } = ownManifest;
const usage = `usage: npm run release -- VERSION [flags]
flags:
  --tag            also commit the version to this branch, and tag it (without it: a dry run)
  --arch LIST      the processors of the image, with commas between them, or none (${architectureNames.join(',')})
  --source URL     the address of the repository, for links of the files and a label of the image (none)
  --skip-tests     do not run the tests; only for a dry run`;

const root = join(import.meta.dirname, '..', '..');

const { wanted, isTagged, architectures, source, skipsTests } = parsedOrExit(
  readCommandLine(process.argv.slice(2), {
    usage,
    config: {
      allowPositionals: true,
      options: {
        tag: { type: 'boolean', default: false },
        arch: { type: 'string', default: architectureNames.join(',') },
        source: { type: 'string' },
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
        source:
          values.source === undefined ? undefined : urlFlag('--source', values.source).replace(/\/$/, ''),
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
async function setVersion(clone: string, date: string): Promise<void> {
  // The notes of earlier versions keep the names that were true at that time.
  for (const file of lines(
    await run(clone, 'git', 'grep', '-lE', namesWith(present), '--', '.', ':!CHANGELOG.md'),
  )) {
    const path = join(clone, file);
    writeFileSync(path, withVersion(readFileSync(path, 'utf8'), present, wanted));
  }
  const changelog = join(clone, 'CHANGELOG.md');
  writeFileSync(changelog, releasedChangelog(readFileSync(changelog, 'utf8'), wanted, date.slice(0, 10)));
  await run(clone, 'npm', 'run', '--silent', 'generate');
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
    // Two dry runs of a commit have the same time, so that they make the same files.
    const head = commitOf(clone);
    const date = (isTagged ? new Date() : new Date(head.atSeconds * 1_000)).toISOString();
    await setVersion(clone, date);
    const commit = ['commit', '--quiet', '--all', '--date', date, '--message', `package: release ${wanted}`];
    await run(clone, 'env', `GIT_COMMITTER_DATE=${date}`, 'git', ...commit);
  });
  if (!skipsTests) {
    await progress.step('check', () => run(clone, 'npm', 'run', '--silent', 'check'));
    await progress.step('test', () => run(clone, 'npm', 'run', '--silent', 'test:all'));
  }
  await progress.step('build the files', () =>
    buildReleaseFiles({
      run,
      clone,
      version: wanted,
      notes,
      architectures,
      source,
      work: join(work, 'files'),
      into: built,
    }),
  );
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
