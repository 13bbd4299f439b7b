import { chmod, copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BinarySource, BinaryWork, FetchWork } from './binary-cache.ts';
import type { DebianWork } from './debian-work.ts';
import { debianWork } from './debian-work.ts';
import { goBuild, unpackedGo, unpackGo } from './go-build.ts';

/** The file that it builds. */
export const DEFINITIONS_SERVER = 'apiextensions-apiserver';

const RECIPE = {
  // Debian packages the parts of Kubernetes as Go libraries; those of its newest release are here.
  suite: 'unstable',
  recipe: 1,
  neededBytes: 5e9,
  commands: ['apt-get', 'dpkg'],
};
const SERVER = 'golang-k8s-apiextensions-apiserver-dev';
const PATH_IN_GO = 'k8s.io/apiextensions-apiserver';

/**
 * Clouds, databases, mathematics and Git. The server imports none of them: they are needed by tests and commands of its
 * libraries. They are two thirds of what would be fetched.
 */
const UNNEEDED =
  /^golang-(golang-x-tools$|golang-x-image|google-(cloud|api)-|gonum-|mongodb-|github-(apache-arrow|aws|charmbracelet|cloudflare|go-git|nats-io|nxadm|pierrec|pjbgf|protonmail)-)/;

/** Helpers of tests in a package of the server. They import a double of each client: 60 packages, a sixteenth of the work. */
const TEST_HELPERS = 'k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_test_context.go';

/** Fetches the server's source with all it imports, and the suite's own Go. Notes the version. */
async function unpackSource(work: DebianWork): Promise<void> {
  const versions = await unpackGo(work, [SERVER], UNNEEDED);
  const { goPath } = await unpackedGo(work);
  await rm(join(goPath, 'src', TEST_HELPERS), { force: true });
  await writeFile(work.at('version'), versions.get(SERVER) ?? '');
}

async function compile(work: DebianWork): Promise<void> {
  const packaged = await readFile(work.at('version'), 'utf8');
  const [, minor, patch] = /^0\.(\d+)\.(\d+)/.exec(packaged) ?? [];
  if (minor === undefined)
    throw new Error(`Debian's ${SERVER} has the version ${packaged}, not 0.MINOR.PATCH`);
  const version = 'k8s.io/component-base/version';
  await goBuild(work, await unpackedGo(work), {
    source: PATH_IN_GO,
    output: work.at(DEFINITIONS_SERVER),
    variables: {
      [`${version}.gitVersion`]: `v1.${minor}.${patch}`,
      [`${version}.gitMajor`]: '1',
      [`${version}.gitMinor`]: minor,
    },
  });
}

async function fetchSource(given: FetchWork): Promise<DebianWork> {
  const work = await debianWork(given, RECIPE);
  if (!(await work.isDone('1-source'))) {
    given.progress.note(
      `building ${DEFINITIONS_SERVER} from Debian's packages; logs are in ${work.at('logs')}`,
    );
    await given.progress.step("read the package lists of Debian's unstable suite (step 1 of 3)", () =>
      work.readLists(),
    );
  }
  await work.step(
    '1-source',
    "fetch Go and the source from Debian's unstable suite, 110 MB (step 2 of 3)",
    () => unpackSource(work),
  );
  return work;
}

async function build({ target, ...given }: BinaryWork): Promise<void> {
  const work = await fetchSource(given);
  await work.step('2-build', `build ${DEFINITIONS_SERVER} (step 3 of 3, about 3 minutes on two cores)`, () =>
    compile(work),
  );
  await copyFile(work.at(DEFINITIONS_SERVER), join(target, DEFINITIONS_SERVER));
  await chmod(join(target, DEFINITIONS_SERVER), 0o755);
}

/**
 * Builds today's apiextensions-apiserver, which serves CustomResourceDefinitions and their kinds, and nothing
 * else, from Debian's Go packages: for machines with a kube-apiserver that is older than CEL rules. Like `debianBuild` it
 * needs no root, installs nothing, is resumed, and names the step that failed and its log. Debian unstable changes: a build
 * that fails today may work tomorrow.
 */
export const definitionsServerBuild: BinarySource = {
  name: 'definitions-server-build',
  produce: build,
  fetch: async (work) => void (await fetchSource(work)),
};
