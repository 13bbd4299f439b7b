import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { kubeconfigOfAccount } from '../../local/control-plane/account.ts';
import { controlPlaneBinaries } from '../../local/control-plane/binaries.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import type { FancySQLFixture } from './fancysql-fixture.ts';
import { credentialsNamespace, favouriteClassRef, favouriteRef } from './fancysql-fixture.ts';
import { eventually } from './stack-harness.ts';

const plugin = join(import.meta.dirname, '..', '..', 'trace', 'kubectl-services_stack');

/** Declares the tests of the plugin, beside a process that observes a resource only because an object changed. */
export function testPlugin(fixture: () => FancySQLFixture): void {
  describe('the plugin of kubectl on a real API server, with the real process', () => {
    let path: string;

    before(async () => {
      const { kubectl } = await controlPlaneBinaries();
      path = `${dirname(kubectl)}:${process.env.PATH}`;
      await fixture().favouriteClass('kept', { template: { reclaimPolicy: 'Retain' } });
    });

    const run = (args: readonly string[], kubeconfig = fixture().cluster.controlPlane.kubeconfigPath) =>
      new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
        const env = { ...process.env, PATH: path, KUBECONFIG: kubeconfig };
        execFile(plugin, args, { env }, (error, stdout, stderr) =>
          resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
        );
      });
    /** Runs a verb that must succeed; answers with its output. */
    const succeeds = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await run(args);
      assert.deepEqual([code, stderr], [0, ''], stdout);
      return stdout;
    };

    const find = (name: string) => fixture().cluster.find(FavouriteDBInstanceKind, { name });
    const secretOf = async (namespace: string, name: string) =>
      decodeDetails(await fixture().cluster.find(SecretKind, { namespace, name }));
    const passwordInCloud = (name: string) =>
      fixture()
        .favourite.instances()
        .find(({ item }) => item.name === name)?.item.password;

    /** Deletes a claim and waits until its resource is Released. */
    const release = async (namespace: string, claim: string, name: string) => {
      await fixture().cluster.client.delete(FancySQLInstanceKind, { namespace, name: claim }, {});
      await eventually(`${name} is Released`, async () => {
        const isGone = (await fixture().getClaim(namespace, claim)) === undefined;
        return isGone && (await find(name))?.status?.bindingPhase === 'Released';
      });
    };
    const claims = async (namespace: string, claim: string, name: string) => {
      await fixture().claim(namespace, claim, {
        resourceRef: favouriteRef(name),
        writeConnectionSecretToRef: { name: claim },
      });
      return (await fixture().bound(namespace, claim)).spec.resourceRef?.name;
    };

    test('offer makes a Released resource available: to the same claim, to another one, to any', async () => {
      await fixture().claim('team-a', 'orders', {
        classRef: favouriteClassRef('kept'),
        writeConnectionSecretToRef: { name: 'orders' },
      });
      const name = (await fixture().bound('team-a', 'orders')).spec.resourceRef?.name ?? '';
      const bound = await run(['offer', 'favouritedbinstance', name]);
      const stderr = `services-stack: FavouriteDBInstance ${name} is Bound to FancySQLInstance team-a/orders: delete that claim first, and the resource is Released and keeps its data\n`;
      assert.deepEqual(bound, { code: 2, stdout: '', stderr });

      await release('team-a', 'orders', name);
      const before = await find(name);
      const tried = await succeeds('offer', 'favouritedbinstance', name, '--dry-run');
      assert.match(tried, /^Dry run: the API server checks the change, and nothing is changed\.$/m);
      assert.deepEqual(await find(name), before);

      const output = await succeeds('offer', 'favouritedbinstance', name);
      assert.match(output, /^Cluster: https:\/\/[\d.:]+ \(context .+\)\n/);
      assert.equal(
        output.split('\n')[1],
        `FavouriteDBInstance ${name}: FancySQLInstance team-a/orders can have it with its data, if its spec.resourceRef names it`,
      );
      assert.equal(await claims('team-a', 'orders', name), name);

      await release('team-a', 'orders', name);
      const cart = ['--to', 'team-b/cart', '--kind', 'fancysqlinstance'];
      await succeeds('offer', `favouritedbinstance/${name}`, ...cart);
      assert.equal(await claims('team-b', 'cart', name), name);

      await release('team-b', 'cart', name);
      await succeeds('offer', 'favouritedbinstance', name, '--any');
      assert.equal(await claims('team-b', 'any', name), name);
    });

    test('a Bound resource with the policy Delete keeps its data if the refusal of offer is followed', async () => {
      await fixture().favouriteClass('deleted', { template: { reclaimPolicy: 'Delete' } });
      await fixture().claim('team-a', 'precious', {
        classRef: favouriteClassRef('deleted'),
        writeConnectionSecretToRef: { name: 'precious' },
      });
      const name = (await fixture().bound('team-a', 'precious')).spec.resourceRef?.name ?? '';
      const { stderr } = await run(['offer', 'favouritedbinstance', name]);
      const [, patch = ''] = /deletes the data\. Run kubectl (patch .*), and then/.exec(stderr) ?? [];
      await fixture().cluster.kubectl(patch.split(' ').map((word) => word.replace(/^'(.*)'$/, '$1')));
      await release('team-a', 'precious', name);
      assert.ok(passwordInCloud(name) !== undefined);
      await succeeds('offer', 'favouritedbinstance', name);
    });

    test('rotate has another password set, and copied to the claim', async () => {
      await fixture().managed('rotated');
      await claims('team-a', 'rotated', 'rotated');
      const { password: previous } = await secretOf('team-a', 'rotated');
      await succeeds('rotate', 'favouritedbinstance', 'rotated');
      const password = await eventually('the claim has another password', async () => {
        const { password: current } = await secretOf('team-a', 'rotated');
        return current !== previous && current;
      });
      const source = await secretOf(credentialsNamespace, 'rotated');
      assert.deepEqual([source.password, passwordInCloud('rotated')], [password, password]);
    });

    test('a missing object, missing rights and a missing cluster are one line each', async () => {
      const { kubectl, controlPlane } = fixture().cluster;
      await kubectl(['-n', 'team-a', 'create', 'serviceaccount', 'member']);
      const member = `${controlPlane.kubeconfigPath}-of-member`;
      const account = { namespace: 'team-a', name: 'member' };
      await writeFile(member, await kubeconfigOfAccount(controlPlane, account), { mode: 0o600 });
      const silent = `${controlPlane.kubeconfigPath}-of-nowhere`;
      const nowhere = controlPlane.kubeconfig.replaceAll(/server: \S+/g, 'server: https://127.0.0.1:1');
      await writeFile(silent, nowhere);

      const kubeconfigs = [undefined, member, silent, '/dev/null'];
      const words = ['pause', 'favouritedbinstance', 'absent'];
      const ended = await Promise.all(kubeconfigs.map((each) => run(words, each)));
      const patterns = [
        /^services-stack: cannot read favouritedbinstance absent: .*"absent" not found\n$/,
        /^services-stack: cannot read favouritedbinstance absent: .* is forbidden: User "system:serviceaccount:team-a:member" cannot get resource.*\n$/,
        /^services-stack: cannot read favouritedbinstance absent: .*127\.0\.0\.1:1 was refused.*\n$/,
        /^services-stack: cannot find the cluster; name one with --kubeconfig or --context: .*current-context.*\n$/,
      ];
      for (const [index, { code, stdout, stderr }] of ended.entries()) {
        assert.deepEqual([code, stdout], [2, '']);
        assert.match(stderr, patterns[index]!);
      }
    });
  });
}
