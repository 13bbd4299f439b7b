import { chmod, copyFile, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { BinarySource, BinaryWork } from './binary-cache.ts';
import { findExecutable } from './command.ts';
import type { DebianWork } from './debian-work.ts';
import { debianWork } from './debian-work.ts';
import { fastGo } from './go-build.ts';

/** The version of the sources in the package. The version of the package itself begins with 1.20.5. */
const VERSION = '1.20.2';
/** The commit of v1.20.2, which the package does not record. */
const COMMIT = 'faecb196815e248d3ecfb03c680a4507229c2a56';
const RECIPE = {
  // The last suite with the whole tree in its source package `kubernetes`. Later suites have kubectl only.
  suite: 'bookworm',
  recipe: 2,
  neededBytes: 2.5e9,
  commands: ['apt-get', 'dpkg', 'tar', 'bash'],
};

const GO = ['golang-1.19-go', 'golang-1.19-src'];
const REFLECT2 = 'golang-github-modern-go-reflect2-dev';

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

/**
 * Fetches Go, and packages with executables. Makes the missing tools callable: unpacked binaries do not find their unpacked
 * libraries by themselves.
 */
async function unpackTools(
  { at, packages }: DebianWork,
  { parts, tools, searchPath }: Parts & { readonly searchPath: string },
): Promise<void> {
  await mkdir(at('tools'), { recursive: true });
  const missing: string[] = [];
  for (const tool of tools) {
    if ((await findExecutable(tool, searchPath)) === undefined) missing.push(tool);
  }
  const needed = missing.flatMap((tool) => TOOLS[tool] ?? []);
  await packages.unpack([...GO, REFLECT2, ...parts, ...needed], at('root'));
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

/** The tree in a GOPATH, and the variables with which Go builds it. */
async function inGopath({ at, env }: DebianWork) {
  const parent = join(at('gopath'), 'src/k8s.io');
  await mkdir(parent, { recursive: true });
  const source = join(parent, 'kubernetes');
  await rm(source, { force: true });
  await symlink(at('tree'), source);
  const goRoot = join(at('root'), 'usr/lib/go-1.19');
  return {
    cwd: source,
    env: {
      ...env,
      // The tree's scripts, and Go, ask the shell where they are: they must see the linked path, inside GOPATH.
      PWD: source,
      PATH: `${join(goRoot, 'bin')}:${env.PATH}`,
      ...fastGo,
      GOROOT: goRoot,
      GOPATH: at('gopath'),
      GOFLAGS: '-tags=providerless',
      CGO_ENABLED: '0',
    },
  };
}

/** `make WHAT=cmd/kube-apiserver` would take a minute longer: it generates files that the source has. It lacks those of OpenAPI. */
async function makeApiServer(work: DebianWork): Promise<void> {
  const { cwd, env } = await inGopath(work);
  const version = {
    KUBE_GIT_VERSION: `v${VERSION}`,
    KUBE_GIT_MAJOR: '1',
    KUBE_GIT_MINOR: '20',
    KUBE_GIT_COMMIT: COMMIT,
    KUBE_GIT_TREE_STATE: 'clean',
  };
  const settings = { cwd, env: { ...env, ...version } };
  await work.run('build.log', 'make', ['gen_openapi'], settings);
  await work.run('build.log', 'bash', ['hack/make-rules/build.sh', 'cmd/kube-apiserver'], settings);
}

async function buildControllers(work: DebianWork): Promise<void> {
  const { cwd, env } = await inGopath(work);
  const folder = join(cwd, 'cmd/services-stack-controllers');
  await mkdir(folder, { recursive: true });
  await copyFile(controllersSource, join(folder, 'main.go'));
  const args = [
    'build',
    '-o',
    work.at(CONTROLLER_MANAGER),
    '-ldflags',
    '-s -w',
    './cmd/services-stack-controllers',
  ];
  await work.run('build.log', 'go', args, {
    cwd,
    env: { ...env, GO111MODULE: 'off', GOCACHE: work.at('gocache') },
  });
}

interface Parts {
  /** Packages with executables. */
  readonly parts: readonly string[];
  /** Names in `TOOLS`. */
  readonly tools: readonly string[];
}

interface Product extends Parts {
  readonly program: string;
  readonly minutes: string;
  compile(work: DebianWork): Promise<void>;
  /** The executables that it makes: paths in the scratch. */
  readonly results: readonly string[];
}

async function build(
  { program, minutes, compile, results, ...parts }: Product,
  { target, ...given }: BinaryWork,
): Promise<void> {
  const { environment, progress } = given;
  const work = await debianWork(given, RECIPE);
  const { at, step } = work;
  progress.note(`building ${program} ${VERSION} from Debian's source; logs are in ${at('logs')}`);
  if (!(await work.isDone('2-source'))) {
    await progress.step("read the package lists of the machine's Debian archive (step 1 of 4)", () =>
      work.readLists(),
    );
  }
  await step('1-packages', 'fetch Go, tools and parts (step 2 of 4)', () =>
    unpackTools(work, { ...parts, searchPath: environment.PATH ?? '' }),
  );
  await step('2-source', 'fetch and patch the source (step 3 of 4)', () => unpackSource(work));
  await step('3-build', `build ${program} (step 4 of 4, about ${minutes} on two cores)`, () => compile(work));
  for (const path of results) {
    const file = join(target, basename(path));
    await copyFile(at(path), file);
    await chmod(file, 0o755);
  }
}

/**
 * Builds kube-apiserver from Debian's source package and takes etcd and kubectl from Debian's packages: for
 * machines that reach only a Debian mirror. Needs no root, installs nothing, and does not change the machine's apt. An
 * interrupted attempt is resumed after its last complete step. Throws an Error with the failed step, its log file and the
 * last lines of that.
 */
export const debianBuild: BinarySource = {
  name: 'debian-build',
  produce: (work) =>
    build(
      {
        program: 'kube-apiserver',
        minutes: '2 to 3 minutes',
        parts: ['etcd-server', 'kubernetes-client'],
        tools: Object.keys(TOOLS),
        compile: makeApiServer,
        results: ['tree/_output/bin/kube-apiserver', 'root/usr/bin/etcd', 'root/usr/bin/kubectl'],
      },
      work,
    ),
};

/** The file that `controllerManagerBuild` makes. */
export const CONTROLLER_MANAGER = 'kube-controller-manager';
/** To build all of kube-controller-manager takes five times as long: it generates code, and has twice as many packages. */
export const controllersSource = join(import.meta.dirname, 'controller-manager.go');

/** Builds two controllers of kube-controller-manager in the same way: see `controller-manager.go`. */
export const controllerManagerBuild: BinarySource = {
  name: 'controller-manager-build',
  produce: (work) =>
    build(
      {
        program: `two controllers of ${CONTROLLER_MANAGER}`,
        minutes: '1 minute',
        parts: [],
        tools: ['patch', 'xz'],
        compile: buildControllers,
        results: [CONTROLLER_MANAGER],
      },
      work,
    ),
};
