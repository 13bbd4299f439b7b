import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { isConditionTrue } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { kubeconfigOfAccount } from '../../local/control-plane/account.ts';
import { freePort } from '../../local/free-port.ts';
import type { FavouriteCloud } from '../../testing/favourite-cloud/server.ts';
import { startFavouriteCloud } from '../../testing/favourite-cloud/server.ts';
import type { Cluster } from '../cluster/stack-harness.ts';
import { eventually, startCluster } from '../cluster/stack-harness.ts';
import { ownRepository, succeeds } from '../package/own-repository.ts';
import { codeBlocks } from './code-blocks.ts';
import type { Deployment } from './manifests.ts';
import { objectOf } from './manifests.ts';
import type { Folder, Started } from './project-copy.ts';
import { folderAt, projectRoot } from './project-copy.ts';

const guide = await readFile(join(projectRoot, 'docs', 'adding-a-managed-service.md'), 'utf8');
const blocks = codeBlocks(guide);
const named = blocks.filter(({ file }) => file !== undefined);
const sources = named.filter(({ language }) => language === 'ts');
const manifest = named.find(({ language }) => language === 'yaml')?.content ?? '';

/** The guide's claim: its kind is known in the guide only. */
const ClaimKind: Kind<Claim> = {
  group: 'example.org',
  version: 'v1alpha1',
  scope: 'Namespaced',
  kind: 'FancySQLInstance',
  plural: 'fancysqlinstances',
};

/** A folder that was empty, with the package in it, and the guide followed to its end: all its files written. */
async function followGuide(): Promise<Folder> {
  const own = await ownRepository();
  for (const { file, content } of named) await own.write(file ?? '', content);
  await own.write('tsconfig.json', blocks.find(({ language }) => language === 'json')?.content ?? '');
  return own;
}

describe('the guide to adding a managed service', () => {
  let own: Folder;
  before(async () => {
    own = await followGuide();
  });
  after(() => own?.remove());

  /** A line of the guide, by what it begins with, without its remark: run where the guide runs it. */
  const line = (start: string): Promise<string> => {
    const lines = blocks
      .filter(({ language }) => language === 'sh')
      .flatMap(({ content }) => content.split('\n'));
    const found = lines.find((candidate) => candidate.startsWith(start));
    assert.ok(found !== undefined, `the guide has no line "${start}…"`);
    const [command = '', ...args] = found.replace(/ +#.*$/, '').split(' ');
    return succeeds(own, command, args);
  };

  test('names a file for each of its sources', () => {
    const names = ['kinds', 'favourite-cloud', 'external-client', 'operations', 'stack', 'main'];
    const tests = ['conformance', 'claims'];
    const files = [...names.map((name) => `src/${name}.ts`), ...tests.map((name) => `test/${name}.test.ts`)];
    assert.deepEqual(
      sources.map(({ file }) => file),
      files,
    );
    const unnamed = blocks.filter(({ file }) => file === undefined);
    assert.deepEqual(new Set(unnamed.map(({ language }) => language)), new Set(['sh', 'json']));
  });

  test('takes at most 150 lines of code beside the client of the cloud', () => {
    const beside = sources.filter(
      ({ file = '' }) => file.startsWith('src/') && !/favourite-cloud|external-client|operations/.test(file),
    );
    const lines = beside.flatMap(({ content }) => content.split('\n')).filter((text) => text.trim() !== '');
    assert.ok(lines.length <= 150, `${lines.length} lines`);
  });

  test('imports nothing but the package, what lies beside it, and Node', () => {
    const specifiers = sources.flatMap(({ content }) =>
      [...content.matchAll(/\bfrom '(.+?)'/g)].map(([, from]) => from),
    );
    const others = specifiers.filter(
      (from) => !/^(?:services-stack\/[a-z]+|\.{1,2}\/.*|node:.*)$/.test(from ?? ''),
    );
    assert.deepEqual(others, []);
  });

  test('the code of the guide has no type errors', async () => {
    await line('npx tsc');
  });

  test('the code of the guide is formatted and free of lint', async () => {
    await own.write('biome.json', await readFile(join(projectRoot, 'biome.json'), 'utf8'));
    const files = sources.map(({ file }) => file ?? '');
    const biome = join(projectRoot, 'node_modules', '.bin', 'biome');
    await succeeds(own, biome, ['check', '--vcs-enabled=false', ...files]);
  });

  test('the operations of the guide go on, end, fail and are forgotten', async () => {
    const operations = [{ done: false }, { done: true }, { done: true, error: { message: 'quota' } }];
    const script = `
      import { progressOf } from './src/operations.ts';
      const told = [undefined, ...${JSON.stringify(operations)}].map(progressOf);
      console.log(JSON.stringify(told.map(({ state, error }) => [state, error?.message ?? ''])));`;
    const output = await succeeds(own, process.execPath, ['--input-type=module', '--eval', script]);
    const inProgress = ['unknown', 'running', 'done'].map((state) => [state, '']);
    assert.deepEqual(JSON.parse(output), [...inProgress, ['failed', 'quota']]);
  });

  test('the definitions and roles of the guide are generated, and are up to date then', async () => {
    const output = await line('npx services-stack generate');
    const claimKinds = ['fancysqlinstances', 'favouritedbinstances', 'favouritedbinstanceclasses'];
    for (const plural of [...claimKinds, 'providers', 'providerconfigs']) {
      assert.match(output, new RegExp(`^wrote crds/example.org_${plural}.yaml$`, 'm'));
    }
    const roles = await own.read('deploy/roles.yaml');
    for (const plural of claimKinds) {
      assert.match(roles, new RegExp(`apiGroups: .*\\bexample\\.org\\]\n +resources: \\[${plural}\\]`));
    }
    assert.match(roles, /^ {2}name: example-claims$/m);
    assert.match(await own.read('deploy/workload.yaml'), /^ {10}image: example:latest$/m);

    const check = ['services-stack', 'generate', 'src/stack.ts', '--name', 'example', '--check'];
    await succeeds(own, 'npx', check);
    const file = 'crds/example.org_providers.yaml';
    const generated = await own.read(file);
    await own.write(file, `${generated}edited: true\n`);
    const { code, output: refused } = await own.run('npx', check);
    assert.equal(code, 1);
    assert.match(
      refused,
      /not up to date, run the command again without --check: crds\/example\.org_providers\.yaml/,
    );
    await line('npx services-stack generate');
    assert.equal(await own.read(file), generated);
  });

  test('the client of the guide passes the conformance kit, and no rule is skipped that its world can serve', async () => {
    const output = await succeeds(own, process.execPath, ['--test', '--test-reporter=tap']);
    const skipped = [...output.matchAll(/^ *ok \d+ - .* # SKIP (.*)$/gm)].map(([, why]) => why);
    assert.deepEqual(skipped, [
      'the test provides no `rotation`',
      'the test provides no `withoutDetails`',
      'the test provides no `tags`',
      'the system does not assign names',
      'create returns no name of an operation',
    ]);
    assert.match(output, /^ *ok \d+ - two calls of create make one external resource$/m);
    assert.match(output, /^ *ok \d+ - after the last claim nothing is left$/m);
  });

  test('a rule of the kit can be tried alone', async () => {
    const args = ['--test', '--test-reporter=tap', '--test-name-pattern', 'two calls of create'];
    const output = await succeeds(own, process.execPath, args);
    assert.match(output, /^ *ok \d+ - two calls of create make one external resource$/m);
    assert.doesNotMatch(output, /observe changes nothing/);
  });

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
        '--install-crds',
        '--log-format',
        'pretty',
        '--poll-interval',
        '2s',
        '--metrics-bind-address',
        metrics,
      ];
      stack = own.startNode(['src/main.ts', ...flags, '--kubeconfig', cluster.controlPlane.kubeconfigPath]);
    });
    after(async () => {
      if (stack?.hasEnded()) console.error(stack.output()); // it should not have
      await stack?.end('SIGKILL');
      await cluster?.stop();
      await cloud?.stop();
    });

    test('the log names the controllers that run', async () => {
      const running = await eventually('metrics are served', async () => {
        const samples = await (await fetch(`http://${metrics}/metrics`)).text();
        const names = samples.matchAll(/^controller_runtime_max_concurrent_reconciles\{controller="(.*?)"/gm);
        return [...names].map(([, name]) => name);
      });
      const inGuide = [
        ...guide.matchAll(/^\| `(\S+\.example\.org|storeconfig\.\S+|propagation\.secret)` \|/gm),
      ].map(([, name]) => name);
      assert.deepEqual(running.toSorted(), inGuide.toSorted());
      assert.match(guide, /\bEight controllers\b/);
      assert.equal(inGuide.length, 8);
    });

    test('the claim of the guide is bound, its Secret is complete, and its deletion can be taken back', async () => {
      const key = { namespace: 'team-a', name: 'orders' };
      const apply = () =>
        cluster.kubectl(['apply', '-f', '-'], manifest.replaceAll('http://127.0.0.1:18080', cloud.url));
      const bound = () =>
        eventually('the claim is Bound and Ready', async () => {
          const found = await cluster.find(ClaimKind, key);
          const isReady = isConditionTrue(found?.status?.conditions, 'Ready');
          if (found?.status?.bindingPhase === 'Bound' && isReady) return found;
          throw new Error(JSON.stringify(found?.status ?? 'no status'));
        });
      await eventually('the definitions are installed and the manifest applies', apply);
      const claim = await bound();
      assert.equal(claim.spec.classRef?.name, 'small');

      const [{ item: instance } = assert.fail('no instance'), ...others] = cloud.instances();
      assert.deepEqual(others, []);
      assert.deepEqual([instance.level, instance.version], [3, '5.7']);
      const secret = await cluster.find(SecretKind, { namespace: 'team-a', name: 'orders-connection' });
      const { password, host, type } = decodeDetails(secret);
      const published = { password, host, type };
      assert.deepEqual(published, { password: instance.password, host: instance.hostname, type: 'fancysql' });

      const remove = () =>
        cluster.kubectl(['delete', 'fancysqlinstances.example.org', '-n', 'team-a', 'orders']);
      await remove();
      await apply();
      await bound();
      const [{ item: again } = assert.fail('no instance')] = cloud.instances();
      assert.equal(again.id, instance.id);
      await remove();
      await cluster.kubectl(['delete', 'favouritedbinstances.example.org', '--all']);
      await eventually('the instance is gone', async () => cloud.instances().length === 0);
      const left = () => cluster.kubectl(['get', 'favouritedbinstances.example.org']);
      await eventually('the managed resource is gone', async () => (await left()) === '');
    });

    describe('deployed', () => {
      let image: Folder;
      before(async () => {
        image = folderAt(await mkdtemp(join(tmpdir(), 'own-image-')));
      });
      after(() => image?.remove());

      test('the Dockerfile copies all that the process needs to start', async () => {
        const dockerfile = await own.read('deploy/Dockerfile');
        const copied = [...dockerfile.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, paths = '']) =>
          paths.split(' '),
        );
        for (const path of copied) {
          await cp(join(own.directory, path), join(image.directory, path), { recursive: true });
        }
        await symlink(join(own.directory, 'node_modules'), join(image.directory, 'node_modules'));
        assert.match(dockerfile, /^ENTRYPOINT \["node", "src\/main\.ts"\]$/m);
        assert.deepEqual(await image.node(['src/main.ts', '--version']), { code: 0, output: '0.1.0\n' });
        const { dependencies } = JSON.parse(await image.read('package.json'));
        const isCopied = copied.includes(dependencies['services-stack'].replace('file:', ''));
        assert.ok(isCopied, 'what npm ci installs');
      });

      test('the manifests apply, a second time without change', async () => {
        await line('npx services-stack generate src/stack.ts --name example --image');
        const folders = ['crds', 'deploy'].flatMap((name) => ['-f', join(own.directory, name)]);
        await cluster.kubectl(['apply', ...folders]);
        const lines = (await cluster.kubectl(['apply', ...folders])).trim().split('\n');
        const changed = lines.filter((text) => !text.endsWith(' unchanged'));
        assert.deepEqual(changed, []);
      });

      test('the process has the rights of its service account, and a claim is bound with them', async () => {
        assert.equal(await stack.end(), 0);
        const workload = parseAllDocuments(await own.read('deploy/workload.yaml')).map((each) => each.toJS());
        const { template } = objectOf<Deployment>(workload, 'Deployment', 'example').spec;
        const [container] = template.spec.containers;
        const account = { namespace: 'example', name: template.spec.serviceAccountName };
        const kubeconfig = join(image.directory, 'kubeconfig');
        await image.write('kubeconfig', await kubeconfigOfAccount(cluster.controlPlane, account));
        const probes = `127.0.0.1:${await freePort()}`;
        const args = container.args.map((arg) =>
          arg.replace(/=:8081$/, `=${probes}`).replace(/=:8080$/, `=${metrics}`),
        );
        assert.ok(args.some((arg) => arg.endsWith(probes)) && args.some((arg) => arg.endsWith(metrics)));
        // In a pod this is the namespace of the service account.
        const lease = `--leader-election-namespace=${account.namespace}`;
        const more = ['--kubeconfig', kubeconfig, lease, '--poll-interval', '2s'];
        stack = image.startNode(['src/main.ts', ...args, ...more]);
        await eventually('the container is ready', async () => (await fetch(`http://${probes}/readyz`)).ok);

        await cluster.kubectl(['apply', '-f', '-'], manifest.replaceAll('http://127.0.0.1:18080', cloud.url));
        await eventually('the claim is Bound', async () => {
          const found = await cluster.find(ClaimKind, { namespace: 'team-a', name: 'orders' });
          return found?.status?.bindingPhase === 'Bound';
        });
        await cluster.kubectl(['delete', 'fancysqlinstances.example.org', '-n', 'team-a', 'orders']);
        const holder = ['get', 'lease', '-n', 'example', 'example', '-o', 'jsonpath={.spec.holderIdentity}'];
        assert.notEqual(await cluster.kubectl(holder), '');
        assert.doesNotMatch(stack.output(), /forbidden/);
      });
    });
  });
});
