import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DebianWork } from './debian-work.ts';

/** Files that no build reads: a third of those of Go and its libraries. */
export const withoutTests = ['*_test.go', '*/testdata', './usr/share/go-*/test', './usr/share/doc'];

/**
 * Fetches the suite's own Go, and libraries of Debian with all that they depend on, into the folder `root`, apart from the
 * `unneeded` packages. Returns the version of each package.
 */
export async function unpackGo(
  { at, packages }: DebianWork,
  libraries: readonly string[],
  unneeded?: RegExp,
): Promise<ReadonlyMap<string, string>> {
  const closure = await packages.closure([...libraries, 'golang-go']);
  // Others than golang-* are what a development machine needs besides: compilers for C, documentation.
  const needed = closure.filter((name) => name.startsWith('golang-') && unneeded?.test(name) !== true);
  return packages.unpack(needed, at('root'), { without: withoutTests });
}

/** Go's compilers end soon: they collect garbage seldom, which saves a fifth of their time. The largest package needs 1.4 GB. */
const fastGo: NodeJS.ProcessEnv = { GOGC: '1600' };

/** A Go and its libraries, unpacked. */
export interface GoPlace {
  /** Folder of Go itself. */
  readonly goRoot: string;
  /** Folder with the libraries, in `src`. */
  readonly goPath: string;
  /** Folder in which Go runs. Default: that of this process. */
  readonly cwd?: string;
  /** Tags of the files to compile. */
  readonly tags?: string;
}

export interface GoBuild {
  /** A package of the libraries, or a file. */
  readonly source: string;
  readonly output: string;
  /** Values of variables, by their paths: `k8s.io/component-base/version.gitMajor`. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** The Go and the libraries of `unpackGo`. */
export async function unpackedGo({ at }: DebianWork): Promise<GoPlace> {
  const go = (await readdir(at('root/usr/lib'))).find((name) => /^go-\d/.test(name));
  if (go === undefined) throw new Error("Debian's golang-go brings no Go");
  return { goRoot: join(at('root/usr/lib'), go), goPath: at('root/usr/share/gocode') };
}

/** Runs `go`, or a program that reads sources as `go` does. The results of the compiler stay in the scratch. */
export async function runGo(
  { at, env, run }: DebianWork,
  { goRoot, goPath, cwd }: GoPlace,
  program: string,
  args: readonly string[],
): Promise<void> {
  await run('build.log', program, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env: {
      ...env,
      PATH: `${join(goRoot, 'bin')}:${env.PATH}`,
      // Go asks the shell where it is: if that is a link, it must see the link.
      ...(cwd === undefined ? {} : { PWD: cwd }),
      ...fastGo,
      GOROOT: goRoot,
      GOPATH: goPath,
      GOCACHE: at('gocache'),
      GO111MODULE: 'off',
      GOTOOLCHAIN: 'local',
      CGO_ENABLED: '0',
    },
  });
}

/** Builds a program without cgo. */
export async function goBuild(
  work: DebianWork,
  place: GoPlace,
  { source, output, variables = {} }: GoBuild,
): Promise<void> {
  const settings = Object.entries(variables).map(([name, value]) => `-X ${name}=${value}`);
  const tags = place.tags === undefined ? [] : ['-tags', place.tags];
  const args = ['build', ...tags, '-o', output, '-ldflags', ['-s', '-w', ...settings].join(' '), source];
  await runGo(work, place, 'go', args);
}
