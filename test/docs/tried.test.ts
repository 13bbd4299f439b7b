import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { commandsOf } from './code-blocks.ts';
import { projectRoot } from './project-copy.ts';

const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');

/** Pages for developers of this repository. Their commands are those of `npm run`, which tests start. */
const forDevelopers = /^docs\/(?:decisions\/|api-reference|decision-tables|performance|reliability|releases)/;

/** The tests that run the commands of a page as they stand. Each names the page. */
const runBy: Readonly<Record<string, readonly string[]>> = {
  // Its commands are those of docs/start-postgresql.md.
  'README.md': ['test/docs/readme.test.ts'],
  'deploy/README.md': ['test/docs/page-commands.test.ts'],
  'docs/adding-a-managed-service.md': ['test/docs/adding-a-managed-service.test.ts'],
  'docs/aws.md': ['test/docs/guides.test.ts'],
  'docs/backup.md': ['test/docs/restored-backup.test.ts', 'test/docs/page-commands.test.ts'],
  'docs/claim.md': ['test/cluster/docs.test.ts'],
  'docs/delete-a-claim.md': ['test/cluster/docs.test.ts'],
  'docs/deletion.md': ['test/docs/page-commands.test.ts'],
  'docs/flags.md': ['test/docs/page-commands.test.ts'],
  'docs/gcp.md': ['test/cluster/gcp.ts'],
  'docs/managed-resources.md': ['test/docs/page-commands.test.ts'],
  'docs/move-a-server.md': ['test/docs/page-commands.test.ts'],
  'docs/rotate.md': ['test/cluster/docs.test.ts'],
  'docs/start-postgresql.md': ['test/cluster/docs.test.ts'],
  'docs/tenancy.md': ['test/docs/page-commands.test.ts'],
  'docs/troubleshooting.md': ['test/docs/page-commands.test.ts'],
  'docs/uninstall.md': ['test/docs/uninstall.test.ts'],
  'docs/upgrade.md': ['test/docs/page-commands.test.ts'],
  'docs/use-the-secret.md': ['test/cluster/docs.test.ts'],
};

/** Commands that no test runs as they stand: a test does the same in another way, with other names or in another process. */
const substituted: Readonly<Record<string, readonly (readonly [start: string, by: string])[]>> = {
  'deploy/README.md': [
    ['npm run image', 'test/tools/image.test.ts'],
    ['kubectl -n crossplane-system set image', 'test/docs/install.test.ts'],
  ],
  'docs/aws.md': [
    ['npm run aws', 'test/docs/guides.test.ts'],
    ['npm run control-plane', 'test/cluster/control-plane.test.ts'],
    ['npm start', 'test/docs/guides.test.ts'],
  ],
  'docs/gcp.md': [
    ['npm run gcp', 'test/cluster/gcp.ts'],
    ['npm run control-plane', 'test/cluster/control-plane.test.ts'],
    ['npm start', 'test/cluster/gcp.ts'],
    ['redis-cli', 'test/redis/google-cloud.test.ts'],
    ['kubectl annotate cloudmemorystoreinstance NAME', 'test/cluster/advice/gcp-rows.ts'],
  ],
  'docs/install.md': [
    ['sed ', 'test/docs/install.test.ts'],
    ['sha256sum', 'test/tools/release.test.ts'],
    ['tar ', 'test/tools/release.test.ts'],
  ],
  'docs/kubectl-plugin.md': [['install ', 'test/tools/release.test.ts']],
  'docs/managed-resources.md': [
    ['kubectl get favouritedbinstance NAME', 'test/cluster/docs.test.ts'],
    ['kubectl annotate network', 'test/docs/guides.test.ts'],
    ['kubectl annotate favouritedbinstances', 'test/controllers/managed/recording/identity.test.ts'],
    ['kubectl annotate favouritedbinstance NAME', 'test/controllers/managed/credentials.test.ts'],
    ['kubectl patch favouritedbinstance NAME', 'test/plugin/plugin.test.ts'],
  ],
  'docs/mysql.md': [
    ['kubectl patch mysqldatabase NAME', 'test/stacks/mysql/server/claims.test.ts'],
    ['kubectl annotate mysqldatabases', 'test/stacks/mysql/server/controllers/promises.test.ts'],
  ],
  'docs/postgresql.md': [['kubectl patch postgresqldatabase NAME', 'test/plugin/plugin.test.ts']],
  'README.md': [
    ['git clone', 'test/tools/release.test.ts'],
    ['npm run demo', 'test/e2e/demo.test.ts'],
    ['npm start', 'test/cluster/docs.test.ts'],
  ],
  'docs/start-laptop.md': [
    ['git clone', 'test/tools/release.test.ts'],
    ['npm run demo', 'test/e2e/demo.test.ts'],
  ],
  'docs/start-kind.md': [['cp ', 'test/tools/release.test.ts']],
  'docs/start-postgresql.md': [['npm start', 'test/cluster/docs.test.ts']],
  'docs/uninstall.md': [
    ['kubectl api-resources', 'test/cluster/deleted-definitions.ts'],
    ['kubectl get claims,managed -A -o yaml', 'test/cluster/deleted-definitions.ts'],
    ['kubectl get managed -o name', 'test/cluster/deleted-definitions.ts'],
    ['npm start', 'test/cluster/namespace-deletion.test.ts'],
  ],
};

/** Commands that nothing tries: they need a whole cluster, a registry or a second machine. Their page states this. */
const notTried: Readonly<Record<string, readonly string[]>> = {
  'docs/alerts.md': ['sed ', 'kubectl '],
  'docs/backup.md': ['pg_dumpall', 'pg_dump', 'kubectl get postgresqldatabases,postgresqlroles', 'psql'],
  'docs/install.md': ['skopeo copy'],
  'docs/live-page.md': ['kubectl -n crossplane-system port-forward'],
  'docs/move-a-server.md': ['pg_dumpall', 'mariadb-dump'],
  'docs/start-kind.md': ['kind ', 'kubectl '],
  'docs/upgrade.md': ['kubectl -n crossplane-system rollout'],
};

/** Pages about a system that no test has, whatever their commands are. */
const withoutSystem: Readonly<Record<string, string>> = {
  'docs/aws.md': 'an account of AWS',
  'docs/gcp.md': 'a project of Google Cloud',
  'docs/gitops.md': 'Argo CD and Flux',
  'docs/tenancy.md': 'the controller manager, for quotas',
};

describe('each command of a page is run by a test, substituted, or not tried', () => {
  const pages = globSync(['README.md', 'docs/**/*.md', 'deploy/README.md'], { cwd: projectRoot })
    .filter((page) => !forDevelopers.test(page))
    .filter((page) => commandsOf(read(page)).length > 0);

  for (const page of pages) {
    test(page, () => {
      const inTable = [...(substituted[page] ?? []).map(([start]) => start), ...(notTried[page] ?? [])];
      const commands = commandsOf(read(page));
      const others = commands.filter((command) => !inTable.some((start) => command.startsWith(start)));
      if (runBy[page] === undefined) assert.deepEqual(others, []);
      const unused = inTable.filter((start) => !commands.some((command) => command.startsWith(start)));
      assert.deepEqual(unused, [], 'is in the table, and not on the page');
    });
  }

  test('the tests of the tables exist, and those that run a page name it', () => {
    for (const [page, tests] of Object.entries(runBy)) {
      const name = basename(page);
      for (const file of tests) assert.ok(read(file).includes(name), `${file} does not name ${name}`);
    }
    for (const file of Object.values(substituted).flatMap((rows) => rows.map(([, by]) => by))) read(file);
  });

  test('a page with a command or a system that nothing tries states this', () => {
    const pagesToAsk = [...Object.keys(notTried), ...Object.keys(withoutSystem)];
    const silent = pagesToAsk.filter((page) => !/\bnot tried\b/i.test(read(page)));
    assert.deepEqual(silent, []);
  });
});
