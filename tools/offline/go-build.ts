import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DebianWork } from './debian-work.ts';

/**
 * Fetches the suite's own Go, and libraries of Debian with all that they import, into the folder `root`. Returns the version
 * of each package.
 */
export async function unpackGo(
  { at, packages }: DebianWork,
  libraries: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const closure = await packages.closure([...libraries, 'golang-go']);
  // The rest is what installed packages of a development machine need: compilers for C, documentation.
  return packages.unpack(
    closure.filter((name) => name.startsWith('golang-')),
    at('root'),
  );
}

/** Go's compilers end soon: they collect garbage seldom, which saves a sixth of their time and needs 1 GB more at most. */
export const fastGo: NodeJS.ProcessEnv = { GOGC: '400' };

export interface GoBuild {
  /** A package of the libraries, or a file. */
  readonly source: string;
  readonly output: string;
  /** Values of variables, by their paths: `k8s.io/component-base/version.gitMajor`. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Builds a program with the Go and the libraries of `unpackGo`. */
export async function goBuild(
  { at, env, run }: DebianWork,
  { source, output, variables = {} }: GoBuild,
): Promise<void> {
  const go = (await readdir(at('root/usr/lib'))).find((name) => /^go-\d/.test(name));
  if (go === undefined) throw new Error("Debian's golang-go brings no Go");
  const goRoot = join(at('root/usr/lib'), go);
  const settings = Object.entries(variables).map(([name, value]) => `-X ${name}=${value}`);
  const args = ['build', '-o', output, '-ldflags', ['-s', '-w', ...settings].join(' '), source];
  await run('build.log', join(goRoot, 'bin/go'), args, {
    env: {
      ...env,
      ...fastGo,
      GOROOT: goRoot,
      GOPATH: at('root/usr/share/gocode'),
      GOCACHE: at('gocache'),
      GO111MODULE: 'off',
      GOTOOLCHAIN: 'local',
      CGO_ENABLED: '0',
    },
  });
}
