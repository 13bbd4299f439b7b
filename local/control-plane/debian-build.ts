import {
  access,
  chmod,
  copyFile,
  cp,
  mkdir,
  readdir,
  readFile,
  rm,
  statfs,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { debianArchives, readAptSources } from './apt-sources.ts';
import type { BinarySource, BinaryWork } from './binaries.ts';
import { findExecutable, runCommand } from './command.ts';
import type { DebianPackages } from './debian-packages.ts';
import { debianPackages } from './debian-packages.ts';

/** The last suite whose source package `kubernetes` is the whole tree; later ones ship kubectl only. */
const SUITE = 'bookworm';
/** What that package really holds; its own version number begins with 1.20.5. */
const VERSION = '1.20.2';
/** The commit of v1.20.2, which the package does not record. */
const COMMIT = 'faecb196815e248d3ecfb03c680a4507229c2a56';
/** Bytes the build needs at its peak, with room to spare. */
const NEEDED_BYTES = 2.5e9;
/** Counts up when the recipe changes, so that a half-done build of an older one is not resumed. */
const RECIPE = 1;

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

/** The folders of a build. */
function layout(scratch: string) {
  const at = (name: string) => join(scratch, name);
  return {
    apt: at('apt'),
    root: at('root'),
    tools: at('tools'),
    tree: at('tree'),
    gopath: at('gopath'),
    home: at('home'),
    temporary: at('tmp'),
    done: at('done'),
    logs: at('logs'),
    pids: at('pids'),
  };
}

type Layout = ReturnType<typeof layout>;

/** The first archive of the machine's own that carries the suite; the machine's list is only read. */
async function readLists(packages: DebianPackages): Promise<void> {
  const archives = debianArchives(await readAptSources());
  if (archives.length === 0) {
    throw new Error("the machine's apt configuration names no Debian archive to take the source from");
  }
  let last: unknown;
  for (const archive of archives) {
    try {
      return await packages.update(archive);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

async function unpackSource(folders: Layout, packages: DebianPackages, run: Run): Promise<void> {
  const files = await packages
    .source('kubernetes')
    .then((directory) => readdir(directory).then((names) => names.map((name) => join(directory, name))));
  const original = files.find((file) => file.endsWith(`really${VERSION}.orig.tar.gz`));
  const changes = files.find((file) => file.endsWith('.debian.tar.xz'));
  if (original === undefined || changes === undefined) {
    throw new Error(`Debian's source package is no longer ${VERSION}, for which this recipe was made`);
  }
  await rm(folders.tree, { recursive: true, force: true });
  await mkdir(folders.tree, { recursive: true });
  // As dpkg-source does for format "3.0 (quilt)", which slim machines lack together with its Perl.
  await run('source.log', 'tar', ['-xzf', original, '-C', folders.tree, '--strip-components=1']);
  await run('source.log', 'tar', ['-xJf', changes, '-C', folders.tree]);
  const series = await readFile(join(folders.tree, 'debian/patches/series'), 'utf8');
  for (const patch of series.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))) {
    const path = join(folders.tree, 'debian/patches', patch.trim());
    await run('source.log', 'patch', ['-p1', '-s', '-d', folders.tree, '-i', path]);
  }
  await replaceReflect2(folders);
}

/**
 * The tree brings reflect2 1.0.1, which reads map internals that Go 1.18 changed: such a server starts and then
 * dies with SIGSEGV at the first write of a custom resource. Debian's 1.0.2 is the fix.
 */
async function replaceReflect2(folders: Layout): Promise<void> {
  const path = 'github.com/modern-go/reflect2';
  const vendored = join(folders.tree, 'vendor', path);
  await rm(vendored, { recursive: true, force: true });
  await cp(join(folders.root, 'usr/share/gocode/src', path), vendored, {
    recursive: true,
    filter: (file) => !file.endsWith('_test.go'),
  });
}

/** Makes the missing tools callable: unpacked binaries do not find their unpacked libraries by themselves. */
async function unpackTools(folders: Layout, packages: DebianPackages, searchPath: string): Promise<void> {
  await mkdir(folders.tools, { recursive: true });
  const missing: string[] = [];
  for (const tool of Object.keys(TOOLS)) {
    if ((await findExecutable(tool, searchPath)) === undefined) missing.push(tool);
  }
  await packages.unpack([...GO, ...PARTS, ...missing.flatMap((tool) => TOOLS[tool] ?? [])], folders.root);
  const libraries: string[] = [];
  for (const parent of ['lib', 'usr/lib']) {
    const names = await readdir(join(folders.root, parent)).catch(() => []);
    libraries.push(
      ...names.filter((name) => name.includes('-linux-gnu')).map((name) => join(folders.root, parent, name)),
    );
  }
  for (const tool of missing) {
    const script = `#!/bin/sh\nLD_LIBRARY_PATH='${libraries.join(':')}' exec '${join(folders.root, 'usr/bin', tool)}' "$@"\n`;
    await writeFile(join(folders.tools, tool), script, { mode: 0o755 });
  }
}

async function compile(folders: Layout, environment: NodeJS.ProcessEnv, run: Run): Promise<void> {
  const parent = join(folders.gopath, 'src/k8s.io');
  await mkdir(parent, { recursive: true });
  const source = join(parent, 'kubernetes');
  await rm(source, { force: true });
  await symlink(folders.tree, source);
  const goRoot = join(folders.root, 'usr/lib/go-1.19');
  await run('build.log', 'make', ['WHAT=cmd/kube-apiserver'], {
    cwd: source,
    env: {
      ...environment,
      // The tree's scripts ask the shell where they are: it must see the linked path, inside GOPATH.
      PWD: source,
      PATH: `${join(goRoot, 'bin')}:${environment.PATH}`,
      GOROOT: goRoot,
      GOPATH: folders.gopath,
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

type Run = (
  log: string,
  command: string,
  args: readonly string[],
  settings?: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv },
) => Promise<void>;

async function requireMachine(environment: NodeJS.ProcessEnv, scratch: string): Promise<void> {
  for (const command of ['apt-get', 'dpkg', 'tar', 'bash']) {
    if ((await findExecutable(command, environment.PATH)) === undefined) {
      throw new Error(`this machine has no ${command}: the build from source needs a Debian system`);
    }
  }
  const { bavail, bsize } = await statfs(scratch);
  if (bavail * bsize < NEEDED_BYTES) {
    throw new Error(`the build needs ${NEEDED_BYTES / 1e9} GB of free space in ${scratch}`);
  }
}

async function build({ target, scratch, environment, progress }: BinaryWork): Promise<void> {
  await requireMachine(environment, scratch);
  const folders = layout(scratch);
  const done = join(folders.done, `recipe-${RECIPE}`);
  if (!(await exists(done))) {
    // Of an older recipe, or nothing yet.
    await rm(scratch, { recursive: true, force: true });
    await mkdir(done, { recursive: true });
  }
  for (const folder of [folders.home, folders.temporary]) await mkdir(folder, { recursive: true });
  const searchPath = environment.PATH ?? '';
  // Proxies and the like stay; what steers Go, make or the caches of the machine's user must not reach the build.
  const kept = Object.entries(environment).filter(([name]) => /^(LANG|.*_proxy)$/i.test(name));
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(kept),
    PATH: `${folders.tools}:${searchPath}`,
    HOME: folders.home,
    TMPDIR: folders.temporary,
    DEBIAN_FRONTEND: 'noninteractive',
  };
  const run: Run = (log, command, args, settings = {}) =>
    runCommand(command, args, {
      env,
      pidDirectory: folders.pids,
      logPath: join(folders.logs, log),
      ...settings,
    });
  const packages = await debianPackages({
    directory: folders.apt,
    suite: SUITE,
    command: { env, pidDirectory: folders.pids },
    logDirectory: folders.logs,
  });
  const step = async (name: string, title: string, act: () => Promise<void>) => {
    const mark = join(done, name);
    if (await exists(mark)) return progress.note(`${title}: done by an earlier attempt`);
    await progress.step(title, act);
    await writeFile(mark, '');
  };
  progress.note(`building kube-apiserver ${VERSION} from Debian's source; logs are in ${folders.logs}`);
  if (!(await exists(join(done, '2-source')))) {
    await progress.step("read the package lists of the machine's Debian archive (step 1 of 4)", () =>
      readLists(packages),
    );
  }
  await step('1-packages', 'fetch Go, etcd and tools (step 2 of 4)', () =>
    unpackTools(folders, packages, searchPath),
  );
  await step('2-source', 'fetch and patch the source (step 3 of 4)', () =>
    unpackSource(folders, packages, run),
  );
  await step('3-build', 'build kube-apiserver (step 4 of 4, about 3 minutes on two cores)', () =>
    compile(folders, env, run),
  );
  const results = {
    'kube-apiserver': join(folders.tree, '_output/bin/kube-apiserver'),
    etcd: join(folders.root, 'usr/bin/etcd'),
    kubectl: join(folders.root, 'usr/bin/kubectl'),
  };
  for (const [name, path] of Object.entries(results)) {
    await copyFile(path, join(target, name));
    await chmod(join(target, name), 0o755);
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/**
 * Builds kube-apiserver from Debian's source package and takes etcd and kubectl from Debian's packages: for
 * machines that reach a Debian mirror and little else. Needs no root, installs nothing and leaves the machine's
 * apt as it was. A broken attempt is resumed after the last step that was done. Throws an error that names the
 * failed step, its log file and the last lines of it.
 */
export const debianBuild: BinarySource = { name: 'debian-build', produce: build };
