import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { favouriteCloudClient } from '../../clients/favourite-cloud.ts';
import type { ExternalClient } from '../../controllers/core/managed/external-client.ts';
import type { FavouriteCloud } from '../../local/favourite-cloud/server.ts';
import { startFavouriteCloud } from '../../local/favourite-cloud/server.ts';
import { realClock } from '../../runtime/time/clock.ts';
import { freePort } from '../cluster/free-port.ts';
import type { Cluster } from '../cluster/stack-harness.ts';
import { eventually, startCluster } from '../cluster/stack-harness.ts';
import { codeBlocks } from './code-blocks.ts';
import type { ProjectCopy, Started } from './project-copy.ts';
import { copyProject, projectRoot } from './project-copy.ts';

const guide = await readFile(join(projectRoot, 'docs', 'adding-a-managed-service.md'), 'utf8');
const blocks = codeBlocks(guide).filter(({ file }) => file !== undefined);
const sources = blocks.filter(({ language }) => language === 'ts');
const conformanceTest = 'test/controllers/example/conformance.test.ts';
const manifest = blocks.find(({ language }) => language === 'yaml')?.content ?? '';

/** What the guide's claim looks like from here: its kind is known to the copy only. */
const ClaimKind: Kind<Claim> = {
  group: 'example.org',
  version: 'v1alpha1',
  kind: 'FancySQLInstance',
  plural: 'fancysqlinstances',
  scope: 'Namespaced',
};

/** The project with the guide followed to its end: its files written, its stack in the list of stacks, all generated. */
async function followGuide(): Promise<ProjectCopy> {
  const copy = await copyProject([
    ...['apis', 'clients', 'controllers', 'crds', 'deploy/base', 'runtime', 'testing'],
    ...['local/favourite-cloud'],
    ...['docs/api-reference.md', 'docs/decision-tables.md'],
    ...['main.ts', 'package.json', 'tsconfig.json', 'biome.json', 'test/rooms.test.ts'],
  ]);
  for (const { file, content } of blocks) await copy.write(file ?? '', content);
  const list = 'controllers/stacks.ts';
  const stacks = await copy.read(list);
  const withStack = stacks.replace(/(const stacks: readonly Stack\[\] = \[[^\]]*)\]/, '$1, exampleStack]');
  assert.notEqual(withStack, stacks, `${list} has a list of stacks`);
  await copy.write(list, `import { exampleStack } from './example/setup.ts';\n${withStack}`);
  return copy;
}

describe('the guide to adding a managed service', () => {
  let copy: ProjectCopy;
  before(async () => {
    copy = await followGuide();
  });
  after(() => copy?.remove());

  const succeeds = async (args: readonly string[]) => {
    const { code, output } = await copy.node(args);
    assert.equal(code, 0, output);
    return output;
  };
  const bin = (name: string) => join('node_modules', '.bin', name);

  test('names a file for each of its sources', () => {
    assert.deepEqual(
      sources.map(({ file }) => file),
      [
        'apis/example/v1alpha1/fancy-sql-instance.ts',
        'apis/example/v1alpha1/favourite-db-instance.ts',
        'apis/example/v1alpha1/provider.ts',
        'controllers/example/favourite-db-instance/external-client.ts',
        'controllers/example/favourite-db-instance/operations.ts',
        'controllers/example/favourite-db-instance/configure.ts',
        'controllers/example/setup.ts',
        conformanceTest,
      ],
    );
    assert.ok(codeBlocks(guide).every(({ language, file }) => file !== undefined || language === 'sh'));
  });

  test('its operations go on, end, fail and are forgotten', async () => {
    const operations = [
      undefined,
      { done: false },
      { done: true },
      { done: true, error: { message: 'quota' } },
    ];
    const script = `
      import { progressOf } from './controllers/example/favourite-db-instance/operations.ts';
      const told = [undefined, ...${JSON.stringify(operations.slice(1))}].map(progressOf);
      console.log(JSON.stringify(told.map(({ state, error }) => [state, error?.message ?? ''])));`;
    const output = await succeeds(['--input-type=module', '--eval', script]);
    assert.deepEqual(JSON.parse(output), [
      ['unknown', ''],
      ['running', ''],
      ['done', ''],
      ['failed', 'quota'],
    ]);
  });

  test('its code has no type errors', async () => {
    const { compilerOptions } = JSON.parse(await copy.read('tsconfig.json'));
    const include = ['main.ts', ...sources.map(({ file }) => file)];
    await copy.write('tsconfig.json', JSON.stringify({ compilerOptions, include }));
    await succeeds([bin('tsc'), '--noEmit', '-p', '.']);
  });

  test('its code is formatted and free of lint', async () => {
    const files = sources.map(({ file }) => file ?? '');
    await succeeds([bin('biome'), 'check', '--vcs-enabled=false', ...files]);
  });

  test('its imports point one way', async () => {
    const output = await succeeds(['--test', '--test-reporter=tap', 'test/rooms.test.ts']);
    const product = sources.filter(({ file }) => file !== conformanceTest);
    for (const { file } of product) assert.match(output, new RegExp(`^ *ok \\d+ - ${file}$`, 'm'));
  });

  test('its client passes the conformance kit, and no rule is skipped that its world has what it takes for', async () => {
    const output = await succeeds(['--test', '--test-reporter=tap', conformanceTest]);
    const skipped = [...output.matchAll(/^ *ok \d+ - .* # SKIP (.*)$/gm)].map(([, why]) => why);
    assert.deepEqual(skipped, [
      'there is no `withoutDetails`',
      'create answers with no name of an operation',
    ]);
    assert.match(output, /^ *ok \d+ - create twice makes one$/m);
  });

  test('npm run generate makes its definitions and roles, and they are up to date then', async () => {
    const output = await succeeds(['apis/generate.ts']);
    for (const plural of ['fancysqlinstances', 'favouritedbinstances', 'favouritedbinstanceclasses']) {
      assert.match(output, new RegExp(`wrote crds/example.org_${plural}.yaml`));
    }
    await succeeds(['apis/generate.ts', '--check']);

    await succeeds(['controllers/generate.ts']);
    const roles = await copy.read('deploy/base/cluster-role.yaml');
    for (const plural of ['fancysqlinstances', 'favouritedbinstances', 'favouritedbinstanceclasses']) {
      assert.match(roles, new RegExp(`apiGroups: .*\\bexample\\.org\\]\n +resources: \\[${plural}\\]`));
    }
    await succeeds(['controllers/generate.ts', '--check']);
  });

  test("its client changes and deletes nothing that has become somebody else's since it was observed", async () => {
    const signal = new AbortController().signal;
    const cloud = await startFavouriteCloud();
    try {
      const client = await guideClient(cloud);
      const managed = {
        apiVersion: 'example.org/v1alpha1',
        kind: 'FavouriteDBInstance',
        metadata: { name: 'moved' },
        spec: { forProvider: { fancinessLevel: 5 } },
      };
      const leaving = {
        ...managed,
        metadata: { ...managed.metadata, deletionTimestamp: '2026-01-02T03:04:05Z' },
      };
      await client.create(managed, {}, signal);
      assert.equal((await client.observe(managed, {}, signal)).exists, true);
      const levels = () => cloud.instances().map(({ item }) => item.level);

      cloud.drift('moved', { level: 9, tags: { 'crossplane-name': 'theirs' } });
      await assert.rejects(client.update(managed, {}, signal), /belongs to an unknown kind "theirs"/);
      await client.delete(leaving, signal);
      assert.deepEqual(levels(), [9]);

      cloud.drift('moved', { tags: {} });
      await assert.rejects(client.update(managed, {}, signal), /carries no tag of an owner/);
      await client.delete(leaving, signal);
      assert.deepEqual(levels(), [9]);
    } finally {
      await cloud.stop();
    }
  });

  /** The external client as the guide writes it. */
  async function guideClient(cloud: FavouriteCloud): Promise<ExternalClient> {
    const file = join(copy.directory, 'controllers/example/favourite-db-instance/external-client.ts');
    const { favouriteDBInstanceClient } = await import(file);
    return favouriteDBInstanceClient({
      cloud: favouriteCloudClient({ ...cloud, clock: realClock(), random: Math.random }),
      generatePassword: () => 'a-generated-password',
    });
  }

  describe('on a real control plane', () => {
    let cloud: FavouriteCloud;
    let cluster: Cluster;
    let stack: Started;
    let metrics: string;

    before(async () => {
      cloud = await startFavouriteCloud({ provisioningMs: 500 });
      cluster = await startCluster();
      metrics = `127.0.0.1:${await freePort()}`;
      const flags = [
        ...['--stacks', 'example', '--install-crds'],
        ...['--poll-interval', '2s', '--metrics-bind-address', metrics],
      ];
      stack = copy.startNode(['main.ts', ...flags, '--kubeconfig', cluster.controlPlane.kubeconfigPath]);
    });
    after(async () => {
      if (stack?.hasEnded()) console.error(stack.output()); // it should not have
      await stack?.end('SIGKILL');
      await cluster?.stop();
      await cloud?.stop();
    });

    test('it names the controllers that run', async () => {
      const running = await eventually('metrics are served', async () => {
        const samples = await (await fetch(`http://${metrics}/metrics`)).text();
        const names = samples.matchAll(/^controller_runtime_max_concurrent_reconciles\{controller="(.*?)"/gm);
        return [...names].map(([, name]) => name);
      });
      const inGuide = [...guide.matchAll(/^\| `(\S+\.example\.org)` \|/gm)].map(([, name]) => name);
      assert.deepEqual(running.toSorted(), inGuide.toSorted());
      assert.match(guide, /\bsix controllers\b/);
      assert.equal(inGuide.length, 6);
    });

    test('its claim is bound, its secret is complete, and its deletion leaves nothing', async () => {
      const key = { namespace: 'team-a', name: 'orders' };
      await eventually('the definitions are installed and the manifest applies', () =>
        cluster.kubectl(['apply', '-f', '-'], manifest.replaceAll('http://127.0.0.1:18080', cloud.url)),
      );
      const claim = await eventually('the claim is Bound and Ready', async () => {
        const found = await cluster.find(ClaimKind, key);
        const ready = found?.status?.conditions?.find(({ type }) => type === 'Ready');
        if (found?.status?.bindingPhase === 'Bound' && ready?.status === 'True') return found;
        throw new Error(JSON.stringify(found?.status ?? 'no status'));
      });
      assert.equal(claim.spec.classRef?.name, 'small');

      const [{ item: instance } = assert.fail('no instance'), ...others] = cloud.instances();
      assert.deepEqual(others, []);
      assert.deepEqual([instance.level, instance.version], [3, '5.7']);
      const secret = await cluster.find(SecretKind, { namespace: 'team-a', name: 'orders-connection' });
      const { password, host, type } = decodeDetails(secret);
      assert.deepEqual(
        { password, host, type },
        { password: instance.password, host: instance.hostname, type: 'fancysql' },
      );

      await cluster.kubectl(['delete', 'fancysqlinstances.example.org', '-n', 'team-a', 'orders']);
      await eventually('the instance is gone', async () => cloud.instances().length === 0);
      await eventually(
        'the managed resource is gone',
        async () => (await cluster.kubectl(['get', 'favouritedbinstances.example.org'])) === '',
      );
    });

    test('what drifts in the cloud, and a password that is lost, are repaired', async () => {
      const managed = {
        apiVersion: 'example.org/v1alpha1',
        kind: 'FavouriteDBInstance',
        metadata: { name: 'drifter' },
        spec: {
          writeConnectionSecretToRef: { namespace: 'default', name: 'drifter' },
          forProvider: { fancinessLevel: 7 },
        },
      };
      const secretKey = { namespace: 'default', name: 'drifter' };
      const passwordOf = async () => decodeDetails(await cluster.find(SecretKind, secretKey)).password;
      const instanceOf = () => cloud.instances().find(({ item }) => item.name === 'drifter')?.item;
      await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(managed));
      const first = await eventually('the password is published', passwordOf);
      await cluster.kubectl([
        'wait',
        '--for=condition=Ready',
        'favouritedbinstances.example.org/drifter',
        '--timeout=30s',
      ]);

      cloud.drift('drifter', { level: 99 });
      await eventually('the level is set back', async () => instanceOf()?.level === 7);

      await cluster.kubectl(['delete', 'secret', 'drifter']);
      const second = await eventually('a password is published again', passwordOf);
      await eventually('it is the one of the instance', async () => instanceOf()?.password === second);
      assert.notEqual(second, undefined);
      assert.ok(first !== undefined);
    });

    test("an instance that is somebody else's is left alone, and the condition says so", async () => {
      const name = 'foreign';
      const response = await fetch(`${cloud.url}/v1/instances`, {
        method: 'POST',
        headers: { authorization: `Bearer ${cloud.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name, fanciness_level: 1, password: 'a-password-of-theirs' }),
      });
      assert.equal(response.status, 201);
      const managed = {
        apiVersion: 'example.org/v1alpha1',
        kind: 'FavouriteDBInstance',
        metadata: { name },
        spec: { forProvider: { fancinessLevel: 5 } },
      };
      await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(managed));
      await eventually('the Synced condition names the instance', async () => {
        const conditions = await cluster.kubectl([
          ...['get', 'favouritedbinstances.example.org', name],
          ...['-o', 'jsonpath={.status.conditions[?(@.type=="Synced")].message}'],
        ]);
        return /instance "foreign" exists and carries no tag of an owner/.test(conditions);
      });
      await cluster.kubectl(['delete', 'favouritedbinstances.example.org', name]);
      assert.equal(cloud.instances().find(({ item }) => item.name === name)?.item.level, 1);
    });
  });
});
