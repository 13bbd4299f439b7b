/**
 * Downloads and builds the programs of the tests before the tests run, so that no test waits: the binaries of the control
 * plane, its data with our definitions, the definitions server, two controllers of Kubernetes, Redis, MariaDB, the command
 * line of AWS, promtool, kustomize, containerd, Lua, psql, PgBouncer, the renderer of the chart, Chromium, and what the image is built of.
 * Downloads run beside the compilers.
 */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { prepareAwsCommandLine } from '../../tools/offline/aws-command-line.ts';
import type { BinarySource } from '../../tools/offline/binary-cache.ts';
import { chartRenderer } from '../../tools/offline/chart-renderer/binary.ts';
import { prepareChromium } from '../../tools/offline/chromium-binaries.ts';
import { isExecutable } from '../../tools/offline/command.ts';
import { CONTROLLER_MANAGER, controllerManagerBuild, debianBuild } from '../../tools/offline/debian-build.ts';
import { containerd, kustomize, lua, pgbouncer, promtool, psql } from '../../tools/offline/debian-program.ts';
import { ownArchitecture } from '../image/architecture.ts';
import { prepareBuildPrograms } from '../image/build-programs.ts';
import { prepareSystemParts } from '../image/system-parts.ts';
import { prepareMariadb } from '../mariadb-binaries.ts';
import { prepareRedis } from '../redis-binaries.ts';
import { textProgress } from '../text-progress.ts';
import type { ControlPlaneBinaries } from './binaries.ts';
import { controlPlaneBinaries } from './binaries.ts';
import { prepareControllerManager } from './controller-manager-binary.ts';
import { fetchRulesSource, prepareRules } from './definitions-server-binary.ts';
import { envtestDownload } from './envtest-download.ts';
import { preparedData } from './prepared-data.ts';

const progress = textProgress();
const options = { environment: process.env, progress };

/** Debian's kube-apiserver is older than rules. While it is compiled, the source of the server that has them is fetched. */
async function servers(): Promise<ControlPlaneBinaries> {
  let rulesSource: Promise<void> | undefined;
  const build: BinarySource = {
    ...debianBuild,
    async produce(work) {
      rulesSource = fetchRulesSource(options);
      await debianBuild.produce(work);
      // In the same scratch they take seconds. `controllers` builds them if this fails.
      await controllerManagerBuild.produce(work).catch(() => {});
    },
  };
  const binaries = await controlPlaneBinaries({ progress, sources: [envtestDownload, build] });
  progress.note(`binaries in ${binaries.directory} (${binaries.source})`);
  await rulesSource;
  return binaries;
}

/** The data with our definitions: for a control plane without rules, and for one with the definitions server. */
async function rulesAndData(binaries: ControlPlaneBinaries): Promise<void> {
  const { directory } = binaries;
  const [rules] = await Promise.all([prepareRules(binaries, options), preparedData({ directory })]);
  progress.note(`rules are enforced by ${rules.by}${rules.by === 'none' ? `: ${rules.reason}` : ''}`);
  if (rules.by === 'definitions server') await preparedData({ directory, definitionsServer: rules.path });
  progress.note('our definitions are ready to be begun with');
}

async function controllers(binaries: ControlPlaneBinaries): Promise<void> {
  const beside = join(binaries.directory, CONTROLLER_MANAGER);
  const builtBeside: BinarySource = {
    name: 'built beside kube-apiserver',
    produce: ({ target }) => rename(beside, join(target, CONTROLLER_MANAGER)),
  };
  const sources = [...((await isExecutable(beside)) ? [builtBeside] : []), controllerManagerBuild];
  const manager = await prepareControllerManager(binaries, { ...options, sources });
  progress.note(
    manager.by === 'none'
      ? `there is no kube-controller-manager: ${manager.reason}`
      : `kube-controller-manager is ${manager.path}`,
  );
}

/** The compilers of the servers run one after the other: each uses all cores. */
async function compiled(): Promise<void> {
  const binaries = await servers();
  await Promise.all([rulesAndData(binaries), controllers(binaries)]);
}

async function downloaded(): Promise<void> {
  const redis = await prepareRedis(options);
  progress.note(
    redis.by === 'none' ? `there is no Redis: ${redis.reason}` : `Redis is ${redis.server} (${redis.by})`,
  );
  const aws = await prepareAwsCommandLine(options);
  progress.note(aws.isThere ? `aws is ${aws.program}` : `there is no aws: ${aws.reason}`);
  const mariadb = await prepareMariadb(options);
  progress.note(
    mariadb.by === 'none' ? `there is no MariaDB: ${mariadb.reason}` : `MariaDB is ${mariadb.server}`,
  );
  const programs = {
    promtool,
    kustomize,
    containerd,
    'lua5.1': lua,
    psql,
    pgbouncer,
    'chart renderer': chartRenderer,
  };
  for (const [name, program] of Object.entries(programs)) {
    const found = await program.prepare(options);
    progress.note(
      found.by === 'none' ? `there is no ${name}: ${found.reason}` : `${name} is ${found.path} (${found.by})`,
    );
  }
  const chromium = await prepareChromium(options);
  progress.note(
    chromium.by === 'none' ? `there is no Chromium: ${chromium.reason}` : `Chromium is ${chromium.program}`,
  );
  const builder = await prepareBuildPrograms(options);
  if (builder.isThere && ownArchitecture !== undefined) {
    await prepareSystemParts(ownArchitecture, builder.directory, { ...options, isFresh: false });
  }
  progress.note(
    builder.isThere ? `images are built by ${builder.directory}` : `no image can be built: ${builder.reason}`,
  );
}

try {
  await Promise.all([compiled(), downloaded()]);
  // A download given up for being late may still hold the process.
  process.exit(0);
} catch (error) {
  progress.note(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
