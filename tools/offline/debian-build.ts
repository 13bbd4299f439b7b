import { chmod, copyFile, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { BinarySource, BinaryWork } from './binary-cache.ts';
import { findExecutable } from './command.ts';
import type { DebianWork } from './debian-work.ts';
import { debianWork } from './debian-work.ts';
import type { GoPlace } from './go-build.ts';
import { goBuild, runGo, withoutTests } from './go-build.ts';

/** The version of the sources in the package. The version of the package itself begins with 1.20.5. */
const VERSION = '1.20.2';
/** The commit of v1.20.2, which the package does not record. */
const COMMIT = 'faecb196815e248d3ecfb03c680a4507229c2a56';
const RECIPE = {
  // The last suite with the whole tree in its source package `kubernetes`. Later suites have kubectl only.
  suite: 'bookworm',
  recipe: 3,
  neededBytes: 2.5e9,
  commands: ['apt-get', 'dpkg', 'tar'],
};

const GO = ['golang-1.19-go', 'golang-1.19-src'];
const REFLECT2 = 'golang-github-modern-go-reflect2-dev';

/** The commands that unpack the source, and the packages that bring them to a machine without them. */
const TOOLS = { patch: ['patch'], xz: ['xz-utils', 'liblzma5'] };

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
  parts: readonly string[],
  searchPath: string,
): Promise<void> {
  await mkdir(at('tools'), { recursive: true });
  const missing: string[] = [];
  const needed: string[] = [];
  for (const [tool, its] of Object.entries(TOOLS)) {
    if ((await findExecutable(tool, searchPath)) !== undefined) continue;
    missing.push(tool);
    needed.push(...its);
  }
  await packages.unpack([...GO, REFLECT2, ...parts, ...needed], at('root'), { without: withoutTests });
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

/** The tree in a GOPATH: Go 1.19 looks for the packages of the tree there. */
async function inGopath({ at }: DebianWork): Promise<Required<GoPlace>> {
  const parent = join(at('gopath'), 'src/k8s.io');
  await mkdir(parent, { recursive: true });
  const cwd = join(parent, 'kubernetes');
  await rm(cwd, { force: true });
  await symlink(at('tree'), cwd);
  return { goRoot: join(at('root'), 'usr/lib/go-1.19'), goPath: at('gopath'), cwd, tags: 'providerless' };
}

const MODULE = 'k8s.io/kubernetes';
/** The packages with the version that `--version` prints, and with that of `/version`. */
const VERSIONED = ['component-base/version', 'client-go/pkg/version'];
/** Where the API types are of which kube-apiserver describes the schemas. */
const API_TYPES = ['api', 'apimachinery', 'apiextensions-apiserver', 'kube-aggregator'];

/** The packages below a folder with a file that asks for descriptions of its types: paths from the tree. */
async function describedPackages(tree: string, folder: string): Promise<readonly string[]> {
  const files = (await readdir(join(tree, folder), { recursive: true })).filter((name) =>
    name.endsWith('.go'),
  );
  const marked = await Promise.all(
    files.map(async (name) => {
      const text = await readFile(join(tree, folder, name), 'utf8');
      return /^\/\/ \+k8s:openapi-gen=true$/m.test(text) ? [join(folder, dirname(name))] : [];
    }),
  );
  return [...new Set(marked.flat())].toSorted();
}

/**
 * The file with the schemas of the API types, the only generated one that the source lacks. Its generator reads the paths of
 * the packages in the GOPATH.
 */
async function describeTypes(work: DebianWork, go: Required<GoPlace>): Promise<void> {
  const generator = work.at('openapi-gen');
  await goBuild(work, go, {
    source: `${MODULE}/vendor/k8s.io/kube-openapi/cmd/openapi-gen`,
    output: generator,
  });
  const packages = await Promise.all(
    API_TYPES.map((name) => describedPackages(go.cwd, join('vendor/k8s.io', name))),
  );
  const args = {
    'input-dirs': packages
      .flat()
      .map((path) => join(MODULE, path))
      .join(','),
    'output-package': join(MODULE, 'pkg/generated/openapi'),
    'output-file-base': 'zz_generated.openapi',
    'go-header-file': 'vendor/k8s.io/code-generator/hack/boilerplate.go.txt',
    'report-filename': work.at('openapi-report'),
  };
  const flags = Object.entries(args).map(([name, value]) => `--${name}=${value}`);
  await runGo(work, go, generator, flags);
}

/**
 * With Go alone. The tree's own `make` needs more programs and a fifth more time: it compiles Go's libraries again, and
 * looks for files to generate.
 */
async function makeApiServer(work: DebianWork): Promise<void> {
  const go = await inGopath(work);
  await describeTypes(work, go);
  const version = {
    gitVersion: `v${VERSION}`,
    gitMajor: '1',
    gitMinor: '20',
    gitCommit: COMMIT,
    gitTreeState: 'clean',
  };
  await goBuild(work, go, {
    source: `${MODULE}/cmd/kube-apiserver`,
    output: work.at('kube-apiserver'),
    variables: Object.fromEntries(
      VERSIONED.flatMap((path) =>
        Object.entries(version).map(([name, value]) => [`${MODULE}/vendor/k8s.io/${path}.${name}`, value]),
      ),
    ),
  });
}

async function buildControllers(work: DebianWork): Promise<void> {
  const go = await inGopath(work);
  const folder = 'cmd/services-stack-controllers';
  await mkdir(join(go.cwd, folder), { recursive: true });
  await copyFile(controllersSource, join(go.cwd, folder, 'main.go'));
  await goBuild(work, go, { source: `${MODULE}/${folder}`, output: work.at(CONTROLLER_MANAGER) });
}

interface Product {
  readonly program: string;
  readonly minutes: string;
  /** Packages with executables. */
  readonly parts: readonly string[];
  compile(work: DebianWork): Promise<void>;
  /** The executables that it makes: paths in the scratch. The first one is compiled. */
  readonly results: readonly [string, ...string[]];
}

async function build(
  { program, minutes, parts, compile, results }: Product,
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
  await step('1-packages', 'fetch Go, tools, parts and the source (step 2 of 4)', () =>
    Promise.all([unpackTools(work, parts, environment.PATH ?? ''), work.packages.source('kubernetes')]),
  );
  await step('2-source', 'unpack and patch the source (step 3 of 4)', () => unpackSource(work));
  const title = `build ${program} (step 4 of 4, about ${minutes} on two cores)`;
  await step(`3-${basename(results[0])}`, title, () => compile(work));
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
        compile: makeApiServer,
        results: ['kube-apiserver', 'root/usr/bin/etcd', 'root/usr/bin/kubectl'],
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
        compile: buildControllers,
        results: [CONTROLLER_MANAGER],
      },
      work,
    ),
};
