import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { RedisClusterKind } from '../../apis/cache/v1alpha1/redis-cluster.ts';
import type { ConnectionDetails } from '../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { localRedis } from '../../demo/gcp/local-redis.ts';
import { redisSupport } from '../../local/redis-binaries.ts';
import type { RedisServers } from '../../stacks/gcp/emulator/memorystore/redis-backend.ts';
import type { LocalGoogleCloud } from '../../stacks/gcp/emulator/server.ts';
import { startGoogleCloud } from '../../stacks/gcp/emulator/server.ts';
import { CloudMemorystoreInstanceClassKind } from '../../stacks/gcp/kinds/cache/v1beta1/cloud-memorystore-instance.ts';
import { ProviderKind } from '../../stacks/gcp/kinds/v1alpha3/provider.ts';
import { objectOf } from '../fakes/object-of.ts';
import type { Cluster, StackProcess } from './stack-harness.ts';
import { eventually } from './stack-harness.ts';

const root = join(import.meta.dirname, '..', '..');
const redis = await redisSupport();
const flags = ['--stacks', 'gcp', '--poll-interval', '2s'];
const namespace = 'team-shop';

export function testGoogleCloud(clusterOf: () => Cluster): void {
  describe('Google Cloud, with a process of its own', () => {
    let cluster: Cluster;
    let cloud: LocalGoogleCloud;
    let backend: RedisServers | undefined;
    let stack: StackProcess;

    before(async () => {
      cluster = clusterOf();
      backend = redis.by === 'none' ? undefined : localRedis(redis);
      const times = { provisioningMs: 400, updateMs: 200, deletionMs: 200 };
      cloud = await startGoogleCloud({ ...times, ...(backend && { backend }) });
      stack = cluster.startProcess(flags);
    });

    after(async () => {
      await stack?.end();
      await cloud?.stop();
      await backend?.stop();
    });

    const example = (name: string): Promise<string> =>
      readFile(join(root, 'examples', 'gcp', `${name}.yaml`), 'utf8');

    /** The objects of a class that names a Provider of the older API. */
    const legacy = () => [
      objectOf(
        ProviderKind,
        { name: 'legacy' },
        {
          spec: {
            projectID: 'example-project',
            endpoint: cloud.url,
            credentialsSecretRef: { namespace: 'gcp-credentials', name: 'crossplane', key: 'key.json' },
          },
        },
      ),
      objectOf(
        CloudMemorystoreInstanceClassKind,
        { name: 'memorystore-large', labels: { size: 'large' } },
        {
          specTemplate: {
            writeConnectionSecretsToNamespace: 'gcp-credentials',
            providerRef: { name: 'legacy' },
            reclaimPolicy: 'Retain',
            forProvider: { region: 'us-central1', tier: 'STANDARD_HA', memorySizeGb: 5, authEnabled: true },
          },
        },
      ),
    ];

    const cartClaim = {
      engineVersion: '7.0',
      classSelector: { matchLabels: { size: 'large' } },
      writeConnectionSecretToRef: { name: 'cart-connection' },
    };

    const details = async (name: string, from = namespace): Promise<ConnectionDetails | undefined> =>
      decodeDetails(await cluster.find(SecretKind, { namespace: from, name }));

    /** The connection details of a claim, once it can be used. */
    const bound = (name: string): Promise<ConnectionDetails> =>
      eventually(`${name} is Bound, with its secret`, async () => {
        const claim = await cluster.find(RedisClusterKind, { namespace, name });
        const found = await details(`${name}-connection`);
        return claim?.status?.bindingPhase === 'Bound' && found?.endpoint !== undefined && found;
      });

    /** The answers of a Redis to commands of plain words, one line each. */
    async function ask(
      { host = '', port = '' }: ConnectionDetails,
      ...commands: readonly string[]
    ): Promise<readonly string[]> {
      const socket = createConnection({ host, port: Number(port) });
      socket.end(`${[...commands, 'QUIT'].join('\r\n')}\r\n`);
      return (await text(socket)).trim().split('\r\n');
    }

    /** Manifests as they are written for a reader, with the address and a key of this cloud. */
    const atHome = (yaml: string): string =>
      yaml
        .replaceAll('http://127.0.0.1:18085', cloud.url)
        // A JSON string is a scalar of YAML.
        .replaceAll('put-a-key-here', JSON.stringify(JSON.stringify(cloud.createKey())));

    test('docs/gcp.md, followed word for word', async (t) => {
      const home = await mkdtemp(join(tmpdir(), 'gcp-page-'));
      t.after(() => rm(home, { recursive: true }));
      await writeFile(join(home, 'gcp-key.json'), JSON.stringify(cloud.createKey())); // npm run gcp -- key
      const page = await readFile(join(root, 'docs/gcp.md'), 'utf8');
      const blocks = [...page.matchAll(/^```(yaml|console)( expect=\w+)?\n(.*?)^```$/gms)];
      const followed: string[] = [];
      for (const [, language, isRefused, content = ''] of blocks) {
        if (language === 'yaml') {
          await cluster.kubectl(['apply', '-f', '-'], atHome(content));
          if (isRefused) continue;
          const kinds = new Set(content.match(/(?<=^kind: )\S+/gm));
          const name = /^ {2}name: (\S+)$/m.exec(content)?.[1] ?? '';
          const isWaitedFor = ['RedisCluster', 'CloudMemorystoreInstance', 'Topic'].find((each) =>
            kinds.has(each),
          );
          if (isWaitedFor === undefined) continue;
          const namespaced = isWaitedFor === 'RedisCluster' ? ['-n', namespace] : [];
          const ready = ['wait', isWaitedFor.toLowerCase(), name, '--for=condition=Ready', '--timeout=60s'];
          await cluster.kubectl([...namespaced, ...ready]);
          followed.push(`${isWaitedFor} ${name}`);
          continue;
        }
        // Commands other than kubectl use a shell, or continue to run.
        const commands = content.matchAll(/^\$ kubectl ([^|$]*(?:\$HOME[^|$]*)?)$/gm);
        for (const [, words = ''] of commands) {
          const args = words.trim().split(' ');
          await cluster.kubectl(args.map((word) => word.replaceAll('"', '').replaceAll('$HOME', home)));
          followed.push(args.filter((word) => /^[a-z]+$/.test(word)).join(' '));
        }
      }
      assert.deepEqual(followed, [
        'create namespace',
        'create secret generic crossplane',
        'CloudMemorystoreInstance docs-sessions',
        'Topic docs-orders',
        'create namespace',
        'RedisCluster docs-cart',
        'wait rediscluster',
      ]);
      const made = ['docs-sessions', 'docs-refused'].map((name) => `cloudmemorystoreinstance/${name}`);
      await cluster.kubectl(['delete', '--wait=false', 'topic/docs-orders', ...made]);
      await cluster.kubectl(['delete', '-n', namespace, 'rediscluster/docs-cart']);
      const claimedName = 'jsonpath={.items[?(@.spec.claimRef.name=="docs-cart")].metadata.name}';
      const retained = await cluster.kubectl(['get', 'cloudmemorystoreinstances', '-o', claimedName]);
      await cluster.kubectl(['delete', '--wait=false', 'cloudmemorystoreinstance', retained.trim()]); // its class has retainFor
      const redisCommands = page.match(/(?<=^\$ )redis-cli .*$/gm) ?? [];
      const withTls = redisCommands.map((command) => /--tls --cacert/.test(command));
      assert.deepEqual(withTls, [false, true]);
    });

    test('kubectl apply -f examples/gcp/ leaves the key alone', async () => {
      const before = await details('crossplane', 'gcp-credentials');
      const folder = join(root, 'examples', 'gcp');
      const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml')).toSorted();
      for (const file of files) {
        if (file.startsWith('30')) continue; // claims are for a test of their own
        await cluster.kubectl(['apply', '-f', '-'], atHome(await readFile(join(folder, file), 'utf8')));
      }
      assert.deepEqual(await details('crossplane', 'gcp-credentials'), before);
      await cluster.kubectl(['apply', '-f', '-'], atHome(await example('00-key/secret')));
      await cluster.apply(...legacy());
    });

    test('the examples: each claim gets a Redis that its Secret opens, and no other Secret does', {
      skip: redis.by === 'none' && `no Redis: ${redis.reason}`,
    }, async () => {
      await cluster.kubectl(['apply', '-f', '-'], await example('30-claims'));
      await cluster.create(RedisClusterKind, { namespace, name: 'cart' }, { spec: cartClaim });
      const [sessions, cart] = [await bound('sessions'), await bound('cart')];
      for (const found of [sessions, cart]) {
        const keys = ['endpoint', 'host', 'password', 'port', 'provider', 'type', 'uri'];
        assert.deepEqual(Object.keys(found).toSorted(), keys);
        const reply = await ask(found, `AUTH ${found.password}`, 'SET greeting hello', 'GET greeting');
        assert.deepEqual(reply, ['+OK', '+OK', '$5', 'hello', '+OK']);
      }
      const [refusal = ''] = await ask(sessions, `AUTH ${cart.password}`);
      assert.match(refusal, /^-WRONGPASS/);
      const [unasked = ''] = await ask(sessions, 'GET greeting');
      assert.match(unasked, /^-NOAUTH/);
    });

    test('without a Redis behind it, a claim is Bound all the same', {
      skip: redis.by !== 'none' && 'there is one',
    }, async () => {
      await cluster.kubectl(['apply', '-f', '-'], await example('30-claims'));
      assert.equal((await bound('sessions')).type, 'redis');
    });

    test('a claim that is deleted takes its instance along, or leaves it, as its class says', async () => {
      await Promise.all([bound('sessions'), bound('cart')].slice(0, redis.by === 'none' ? 1 : 2));
      await cluster.kubectl(['delete', '-n', namespace, 'rediscluster', '--all', '--timeout=30s']);
      await eventually('the small one is gone, the large one stays', async () => {
        const tiers = cloud.instances.all().map(({ fields }) => fields.tier);
        return tiers.length === 1 && tiers[0] === 'STANDARD_HA';
      });
    });
  });
}
