import { execFile } from 'node:child_process';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BinarySet, BinarySource, BinaryWork, CacheOptions } from './binary-cache.ts';
import { debianWork } from './debian-work.ts';
import { optionalBinaries, prepareOptional } from './optional-binaries.ts';

/** The `aws` command line of Debian's package awscli, or why there is none. */
export type AwsCommandLine =
  | { readonly isThere: true; readonly program: string }
  | { readonly isThere: false; readonly reason: string };

/** How to get it. Only tests need other values than the defaults. */
export interface AwsCommandLineOptions extends CacheOptions {
  readonly sources?: readonly BinarySource[];
  /** Decides whether a fresh one may enter the cache: throws when it does not work. */
  readonly prove?: (directory: string) => Promise<void>;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

const recipe = { suite: 'bookworm', recipe: 1, neededBytes: 700e6, commands: ['apt-get', 'dpkg'] };
/** Packages that Python does not need: programs to set up machines, and documentation. */
const unneeded =
  /^(adduser|debconf|docutils-common|dpkg|groff-base|lsb-release|media-types|perl.*|readline-common|sed|sgml-base|tar|tzdata|xml-core)$/;

const MODULES = 'usr/lib/python3/dist-packages';

/**
 * Unpacks Debian's packages into the folder: the command line, Python, all libraries and the loader of their C library, so
 * that nothing of the machine's own matters.
 */
async function unpack(work: BinaryWork): Promise<void> {
  const { at, packages, readLists } = await debianWork(work, recipe);
  await work.progress.step("fetch awscli from the machine's Debian archive", async () => {
    await readLists();
    const needed = await packages.closure(['awscli']);
    await packages.unpack(
      needed.filter((name) => !unneeded.test(name)),
      at('root'),
      { without: ['./usr/share', `./${MODULES}/awscli/examples`] },
    );
  });
  await mkdir(join(work.target, 'root/usr'), { recursive: true });
  for (const part of ['lib', 'lib64', 'usr/bin', 'usr/lib']) {
    // Not every architecture has each.
    await rename(join(at('root'), part), join(work.target, 'root', part)).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      },
    );
  }
  const libraries = (await namesIn(join(work.target, 'root/usr/lib'))).find((name) =>
    name.endsWith('-linux-gnu'),
  );
  const loader = await loaderIn(join(work.target, 'root'));
  if (libraries === undefined || loader === undefined) throw new Error('the packages hold no C library');
  const script = [
    '#!/bin/sh',
    'root=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)/root',
    `export PYTHONHOME="$root/usr" PYTHONPATH="$root/${MODULES}" PYTHONNOUSERSITE=1 AWS_PAGER=`,
    `exec "$root/${loader}" --library-path "$root/lib/${libraries}:$root/usr/lib/${libraries}" "$root/usr/bin/python3" "$root/usr/bin/aws" "$@"`,
  ];
  await writeFile(join(work.target, 'aws'), `${script.join('\n')}\n`, { mode: 0o755 });
}

const namesIn = async (directory: string): Promise<readonly string[]> => readdir(directory).catch(() => []);

async function loaderIn(root: string): Promise<string | undefined> {
  for (const part of ['lib64', 'lib']) {
    const name = (await namesIn(join(root, part))).find((one) => /^ld-linux.*\.so\.\d+$/.test(one));
    if (name !== undefined) return `${part}/${name}`;
  }
  return undefined;
}

/** Takes the command line from Debian's packages, without root and without touching the machine's own apt. */
const debianAwsCommandLine: BinarySource = { name: 'debian-awscli', produce: unpack };

const noun = 'AWS command line';
const cached = { name: `awscli-${process.platform}-${process.arch}`, files: ['aws'] };

async function sayVersion(directory: string): Promise<void> {
  const { stdout } = await promisify(execFile)(join(directory, 'aws'), ['--version']);
  if (!stdout.startsWith('aws-cli/')) throw new Error(`aws says of its version: ${stdout.trim()}`);
}

/** Gets it, if Debian has it. A failure is returned, and not retried for a day. */
export async function prepareAwsCommandLine({
  sources = [debianAwsCommandLine],
  prove = sayVersion,
  ...options
}: AwsCommandLineOptions): Promise<AwsCommandLine> {
  const set: BinarySet = { ...cached, sources, proof: 'ask for its version', prove };
  await prepareOptional(set, { ...options, noun });
  return awsCommandLine(options.environment);
}

/** The present one. Gets nothing. One of the machine itself may be of any age, and does not count. */
export async function awsCommandLine(environment: NodeJS.ProcessEnv = process.env): Promise<AwsCommandLine> {
  const found = await optionalBinaries(cached, { environment, noun });
  return found.isThere
    ? { isThere: true, program: join(found.directory, 'aws') }
    : { isThere: false, reason: found.reason };
}

export interface AwsCommandOptions {
  /** The access key that signs the requests. */
  readonly account: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly region: string;
  /** Where the local AWS is. */
  readonly url: string;
}

/** Runs a command, for example `ec2 describe-vpcs`, and yields the JSON that it prints; nothing: undefined. Rejects if it fails. */
export async function runAws(
  program: string,
  args: readonly string[],
  { account, region, url }: AwsCommandOptions,
): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    program,
    ['--endpoint-url', url, '--output', 'json', ...args],
    {
      env: {
        PATH: process.env.PATH,
        AWS_ACCESS_KEY_ID: account.accessKeyId,
        AWS_SECRET_ACCESS_KEY: account.secretAccessKey,
        AWS_DEFAULT_REGION: region,
        // Ignores the configuration of the user.
        AWS_CONFIG_FILE: '/dev/null',
        AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      },
    },
  );
  return stdout.trim() === '' ? undefined : (JSON.parse(stdout) as unknown);
}
