import { chmod, copyFile, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BinarySource, BinaryWork } from './binary-cache.ts';
import { findExecutable } from './command.ts';
import type { DebianWork } from './debian-work.ts';
import { debianWork } from './debian-work.ts';

/** The version of the sources in the package. The version of the package itself begins with 1.20.5. */
const VERSION = '1.20.2';
/** The commit of v1.20.2, which the package does not record. */
const COMMIT = 'faecb196815e248d3ecfb03c680a4507229c2a56';
const RECIPE = {
  // The last suite with the whole tree in its source package `kubernetes`. Later suites have kubectl only.
  suite: 'bookworm',
  recipe: 1,
  neededBytes: 2.5e9,
  commands: ['apt-get', 'dpkg', 'tar', 'bash'],
};

const GO = ['golang-1.19-go', 'golang-1.19-src'];
const PARTS = ['golang-github-modern-go-reflect2-dev', 'etcd-server', 'kubernetes-client'];

/** Tools of the build and the packages, libraries included, that bring one to a machine without it. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  make: ['make'],
  jq: ['jq', 'libjq1', 'libonig5'],
  patch: ['patch'],
  xz: ['xz-utils', 'liblzma5'],
  rsync: ['rsync', 'libpopt0', 'libxxhash0', 'liblz4-1', 'libzstd1', 'libacl1', 'libssl3', 'zlib1g'],
};

async function unpackSource({ at, packages, run }: DebianWork): Promise<void> {
  const tree = at('tree');
  const files = await packages
    .source('kubernetes')
    .then((directory) => readdir(directory).then((names) => names.map((name) => join(directory, name))));
  const original = files.find((file) => file.endsWith(`really${VERSION}.orig.tar.gz`));
  const changes = files.find((file) => file.endsWith('.debian.tar.xz'));
  if (original === undefined || changes === undefined) {
    throw new Error(`Debian's source package is no longer ${VERSION}, for which this recipe was made`);
  }
  await rm(tree, { recursive: true, force: true });
  await mkdir(tree, { recursive: true });
  // As dpkg-source does for format "3.0 (quilt)", which slim machines lack together with its Perl.
  await run('source.log', 'tar', ['-xzf', original, '-C', tree, '--strip-components=1']);
  await run('source.log', 'tar', ['-xJf', changes, '-C', tree]);
  const series = await readFile(join(tree, 'debian/patches/series'), 'utf8');
  for (const patch of series.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))) {
    const path = join(tree, 'debian/patches', patch.trim());
    await run('source.log', 'patch', ['-p1', '-s', '-d', tree, '-i', path]);
  }
  await replaceReflect2(at);
}

/**
 * The tree brings reflect2 1.0.1, which reads map internals that Go 1.18 changed: such a server starts and then
 * dies with SIGSEGV at the first write of a custom resource. Debian's 1.0.2 is the fix.
 */
async function replaceReflect2(at: DebianWork['at']): Promise<void> {
  const path = 'github.com/modern-go/reflect2';
  const vendored = join(at('tree'), 'vendor', path);
  await rm(vendored, { recursive: true, force: true });
  await cp(join(at('root'), 'usr/share/gocode/src', path), vendored, {
    recursive: true,
    filter: (file) => !file.endsWith('_test.go'),
  });
}

/** Makes the missing tools callable: unpacked binaries do not find their unpacked libraries by themselves. */
async function unpackTools({ at, packages }: DebianWork, searchPath: string): Promise<void> {
  await mkdir(at('tools'), { recursive: true });
  const missing: string[] = [];
  for (const tool of Object.keys(TOOLS)) {
    if ((await findExecutable(tool, searchPath)) === undefined) missing.push(tool);
  }
  await packages.unpack([...GO, ...PARTS, ...missing.flatMap((tool) => TOOLS[tool] ?? [])], at('root'));
  const libraries: string[] = [];
  for (const parent of ['lib', 'usr/lib']) {
    const names = await readdir(join(at('root'), parent)).catch(() => []);
    libraries.push(
      ...names.filter((name) => name.includes('-linux-gnu')).map((name) => join(at('root'), parent, name)),
    );
  }
  for (const tool of missing) {
    const script = `#!/bin/sh\nLD_LIBRARY_PATH='${libraries.join(':')}' exec '${join(at('root'), 'usr/bin', tool)}' "$@"\n`;
    await writeFile(join(at('tools'), tool), script, { mode: 0o755 });
  }
}

async function compile({ at, env, run }: DebianWork): Promise<void> {
  const parent = join(at('gopath'), 'src/k8s.io');
  await mkdir(parent, { recursive: true });
  const source = join(parent, 'kubernetes');
  await rm(source, { force: true });
  await symlink(at('tree'), source);
  const goRoot = join(at('root'), 'usr/lib/go-1.19');
  await run('build.log', 'make', ['WHAT=cmd/kube-apiserver'], {
    cwd: source,
    env: {
      ...env,
      // The tree's scripts ask the shell where they are: it must see the linked path, inside GOPATH.
      PWD: source,
      PATH: `${join(goRoot, 'bin')}:${env.PATH}`,
      GOROOT: goRoot,
      GOPATH: at('gopath'),
      GOFLAGS: '-tags=providerless',
      CGO_ENABLED: '0',
      KUBE_GIT_VERSION: `v${VERSION}`,
      KUBE_GIT_MAJOR: '1',
      KUBE_GIT_MINOR: '20',
      KUBE_GIT_COMMIT: COMMIT,
      KUBE_GIT_TREE_STATE: 'clean',
    },
  });
}

async function build({ target, ...given }: BinaryWork): Promise<void> {
  const { environment, progress } = given;
  const work = await debianWork({ target, ...given }, RECIPE);
  const { at, step } = work;
  progress.note(`building kube-apiserver ${VERSION} from Debian's source; logs are in ${at('logs')}`);
  if (!(await work.isDone('2-source'))) {
    await progress.step("read the package lists of the machine's Debian archive (step 1 of 4)", () =>
      work.readLists(),
    );
  }
  await step('1-packages', 'fetch Go, etcd and tools (step 2 of 4)', () =>
    unpackTools(work, environment.PATH ?? ''),
  );
  await step('2-source', 'fetch and patch the source (step 3 of 4)', () => unpackSource(work));
  await step('3-build', 'build kube-apiserver (step 4 of 4, about 3 minutes on two cores)', () =>
    compile(work),
  );
  const results = {
    'kube-apiserver': join(at('tree'), '_output/bin/kube-apiserver'),
    etcd: join(at('root'), 'usr/bin/etcd'),
    kubectl: join(at('root'), 'usr/bin/kubectl'),
  };
  for (const [name, path] of Object.entries(results)) {
    await copyFile(path, join(target, name));
    await chmod(join(target, name), 0o755);
  }
}

/**
 * Builds kube-apiserver from Debian's source package and takes etcd and kubectl from Debian's packages: for
 * machines that reach a Debian mirror and little else. Needs no root, installs nothing and leaves the machine's
 * apt as it was. A broken attempt is resumed after the last step that was done. Throws an error that names the
 * failed step, its log file and the last lines of it.
 */
export const debianBuild: BinarySource = { name: 'debian-build', produce: build };
