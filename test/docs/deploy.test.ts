import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import { decodeDetails, SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { kubeconfigOfAccount } from '../../local/control-plane/account.ts';
import type { ControlPlane } from '../../local/control-plane/control-plane.ts';
import { startControlPlane } from '../../local/control-plane/control-plane.ts';
import { freePort } from '../../local/free-port.ts';
import { definitionHashAnnotation } from '../../runtime/client/install-crds.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FavouriteDBInstanceClassKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { ProviderConfigKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import type { FavouriteCloud } from '../../testing/favourite-cloud/server.ts';
import { startFavouriteCloud } from '../../testing/favourite-cloud/server.ts';
import { bundle } from '../../tools/bundle.ts';
import { adminClient, applyTo, eventually } from '../cluster/stack-harness.ts';
import { objectOf as manifestOf } from '../fakes/object-of.ts';
import { createAuditLog } from './audit-log.ts';
import type { Binding, Deployment, Role } from './manifests.ts';
import { objectOf, objectsOf, permissionsOf } from './manifests.ts';
import type { Folder, Started } from './project-copy.ts';
import { folderAt, projectRoot } from './project-copy.ts';

const namespace = 'crossplane-system';
/** A claim of the demo's stacks needs no more than a cloud on loopback. */
const manifests = ['base', 'cluster-wide', 'optional/install-crds.yaml', 'optional/demo-stacks.yaml'];
const account = `system:serviceaccount:${namespace}:services-stack`;
const base = objectsOf('deploy/base');
const [container] = objectOf<Deployment>(base, 'Deployment', 'services-stack').spec.template.spec.containers;

const fancySQL = 'fancysqlinstances.database.crossplane.io';

/** Without a namespace: in all. */
type Right = readonly [verb: string, key: string, inNamespace?: string];
const claims = 'database.crossplane.io/fancysqlinstances';

describe('deploy/ on a real API server: the process has the rights of its service account, and no others', () => {
  let audit: Awaited<ReturnType<typeof createAuditLog>>;
  let controlPlane: ControlPlane;
  let client: ReturnType<typeof adminClient>;
  let cloud: FavouriteCloud;
  let copy: Folder;
  let scratch: string;
  /** Of the service account. */
  let kubeconfig: string;
  let running: (Started & { readonly probes: string; readonly metrics: string }) | undefined;

  const kubectl = (...args: readonly string[]) => controlPlane.kubectl(args);
  const apply = (...items: readonly object[]) => applyTo(controlPlane, ...items);
  const deployed = (verb: 'apply' | 'delete', ...folders: readonly string[]) =>
    kubectl(verb, ...folders.flatMap((folder) => ['-f', join(projectRoot, 'deploy', folder)]));

  before(async () => {
    audit = await createAuditLog();
    controlPlane = await startControlPlane({ apiServerFlags: audit.apiServerFlags });
    client = adminClient(controlPlane);
    cloud = await startFavouriteCloud();
    // The file system of the container (the Dockerfile's own test builds it in the same way).
    copy = folderAt(await mkdtemp(join(tmpdir(), 'services-stack-image-')));
    await bundle(copy.directory);
    scratch = await mkdtemp(join(tmpdir(), 'services-stack-deploy-'));
    await deployed('apply', ...manifests);
    kubeconfig = join(scratch, 'kubeconfig');
    const accountConfig = await kubeconfigOfAccount(controlPlane, { namespace, name: 'services-stack' });
    await writeFile(kubeconfig, accountConfig, { mode: 0o600 });
  });

  after(async () => {
    await running?.end('SIGKILL');
    await client?.close();
    await controlPlane?.stop();
    await cloud?.stop();
    await copy?.remove();
    await audit?.remove();
    if (scratch !== undefined) await rm(scratch, { recursive: true });
  });

  /** The container, as the Deployment has it, but on ports of loopback. Ends the one before. */
  async function start(flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    await stop();
    const [probes, metrics] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
    const args = container.args.map((arg) =>
      arg.replace(/=:8081$/, `=${probes}`).replace(/=:8080$/, `=${metrics}`),
    );
    assert.ok(args.some((arg) => arg.endsWith(probes)) && args.some((arg) => arg.endsWith(metrics)));
    const stacks = 'postgresql,mysql,aws,gcp,fcp,ocp';
    const all = ['main.js', ...args, '--kubeconfig', kubeconfig, '--stacks', stacks, '--poll-interval', '2s'];
    running = { ...copy.startNode([...all, ...flags], env), probes, metrics };
    const started = running;
    const readyz = `http://${probes}/readyz`;
    await eventually('the container is ready', async () => started.hasEnded() || respondsAt(readyz));
    assert.ok(!started.hasEnded(), started.output());
    return started;
  }

  async function stop(): Promise<void> {
    if (running === undefined) return;
    const code = await running.end();
    running = undefined;
    assert.equal(code, 0);
  }

  const respondsAt = async (url: string) => (await fetch(url)).ok;

  /** Requests of the service account, without repetition. */
  const used = async () => {
    const requests = (await audit.requests()).filter(({ user }) => user === account);
    const resultOf = (code: number) => (code === 403 ? ' 403' : '');
    return new Set(requests.map(({ verb, resource, code }) => `${verb} ${resource}${resultOf(code)}`));
  };
  const refused = async () => [...(await used())].filter((request) => request.endsWith(' 403'));

  const claim = (team: string, name: string): Claim => {
    const spec = { classSelector: { matchLabels: { size: 'small' } }, writeConnectionSecretToRef: { name } };
    return manifestOf(FancySQLInstanceKind, { namespace: team, name }, { spec });
  };
  const claimOf = (team: string, name: string): Promise<Claim> =>
    client.get(FancySQLInstanceKind, { namespace: team, name });
  const phaseOf = async (team: string, name: string) => (await claimOf(team, name)).status?.bindingPhase;
  const readyOf = async (team: string, name: string) =>
    getCondition((await claimOf(team, name)).status?.conditions, 'Ready').message ?? '';
  const bound = (team: string, name: string) =>
    eventually(`claim ${team}/${name} is Bound`, async () => (await phaseOf(team, name)) === 'Bound');

  /** An external value changes, and reaches the claim's Secret. */
  async function secretFollows(): Promise<void> {
    const [{ item } = assert.fail('no instance')] = cloud.instances();
    cloud.drift(item.name, { hostname: 'moved.example.org' });
    await eventually('the secret follows', async () => {
      const { host } = decodeDetails(await client.get(SecretKind, { namespace: 'shop', name: 'orders' }));
      return host === 'moved.example.org';
    });
  }

  test('the manifests apply a second time without change', async () => {
    const lines = (await deployed('apply', ...manifests)).trim().split('\n');
    const changed = lines.filter((line) => !line.endsWith(' unchanged'));
    assert.deepEqual(changed, []);
  });

  test('install.yaml applies as well, whole', async () => {
    const install = join(projectRoot, 'deploy', 'install.yaml');
    const printed = await kubectl('apply', '--dry-run=server', '-f', install);
    assert.match(printed, /^networkpolicy\.networking\.k8s\.io\/services-stack unchanged/m);
    assert.match(printed, /^deployment\.apps\/services-stack configured/m);
  });

  test('optional/install-crds.yaml suffices to install definitions and to update them', async () => {
    await start(['--install-crds']);
    const older = `${definitionHashAnnotation}=of-an-older-release`;
    await kubectl('annotate', '--overwrite', 'crd', fancySQL, older);
    const { output } = await start(['--install-crds']);
    assert.match(
      output(),
      /"name":"fancysqlinstances\.database\.crossplane\.io".*"change":"updated"|"change":"updated".*"name":"fancysqlinstances/,
    );
    await stop();
    assert.deepEqual(await refused(), []);
    await deployed('delete', 'optional/install-crds.yaml');
    await kubectl('delete', 'clusterrolebinding', 'services-stack-demo-install-crds');
  });

  test('base and cluster-wide suffice from a claim to its deletion', async () => {
    const { probes, metrics } = await start();
    assert.ok(await respondsAt(`http://${probes}/healthz`));
    const samples = await (await fetch(`http://${metrics}/metrics`)).text();
    assert.match(samples, /^controller_runtime_reconcile_total\{/m);
    const key = { namespace: 'keys', name: 'favourite', key: 'credentials' };
    const specTemplate = {
      writeConnectionSecretsToNamespace: key.namespace,
      namespaceSelector: { matchLabels: { stage: 'live' } },
      reclaimPolicy: 'Delete',
      forProvider: { fancinessLevel: 3 },
    };
    const credentials = { source: 'Secret', secretRef: key };
    await apply(
      ...['keys', 'blog'].map((name) => manifestOf(NamespaceKind, { name })),
      manifestOf(NamespaceKind, { name: 'shop', labels: { stage: 'live' } }),
      manifestOf(
        SecretKind,
        { namespace: key.namespace, name: key.name },
        { stringData: { credentials: JSON.stringify({ url: cloud.url, token: cloud.token }) } },
      ),
      manifestOf(ProviderConfigKind, { name: 'default' }, { spec: { credentials } }),
      manifestOf(
        FavouriteDBInstanceClassKind,
        { name: 'small', labels: { size: 'small' } },
        { specTemplate },
      ),
      claim('shop', 'orders'),
      claim('blog', 'orders'),
    );
    await bound('shop', 'orders');
    await eventually('the class is not for blog', async () =>
      (await readyOf('blog', 'orders')).includes('1 of them may not be claimed from namespace blog'),
    );
    await kubectl('label', 'namespace', 'blog', 'stage=live');
    await bound('blog', 'orders');
    await kubectl('label', 'namespace', 'blog', 'stage-');
    await kubectl('delete', 'fancysqlinstance', '-n', 'blog', 'orders', '--timeout=30s');
    await eventually('it is gone', async () => cloud.instances().length === 1);
    await secretFollows();
    await kubectl('delete', 'fancysqlinstance', '-n', 'shop', 'orders', '--timeout=30s');
    await eventually('the instance is gone', async () => cloud.instances().length === 0);
    await eventually('the managed resource is gone', async () => (await kubectl('get', 'managed')) === '');
    await stop();
    assert.deepEqual(await refused(), []);
  });

  test('each right it has been given for these kinds, it has used', async () => {
    const all = [...base, ...objectsOf('deploy/optional')];
    const granted = ['demo-claims', 'demo', 'secrets', 'namespaces']
      .map((name) => objectOf<Role>(all, 'ClusterRole', `services-stack-${name}`))
      .flatMap((role) => Object.entries(permissionsOf(role)))
      .filter(([resource]) =>
        /\/(secrets|namespaces|fancysqlinstances|favouritedbinstance(s|classes))(\/status)?$/.test(resource),
      )
      .flatMap(([resource, verbs]) => verbs.map((verb) => `${verb} ${resource}`));
    assert.ok(granted.length > 15);
    const requests = await used();
    // Read again only if a write and the watch race, or a process ended in between.
    requests.add('get database.fcp.crossplane.io/favouritedbinstances');
    requests.add('get database.crossplane.io/fancysqlinstances');
    const unused = granted.filter((permission) => !requests.has(permission));
    assert.deepEqual(unused, []);
  });

  test('the process may read which kinds the API server serves', async () => {
    const listed = await kubectl('get', '--raw', '/apis', '--kubeconfig', kubeconfig);
    assert.equal((JSON.parse(listed) as { readonly kind: string }).kind, 'APIGroupList');
  });

  test('the process is refused when it asks for pods', async () => {
    const pods = kubectl('get', 'pods', '-A', '--kubeconfig', kubeconfig);
    await assert.rejects(pods, /cannot list resource "pods"/);
    assert.deepEqual(await refused(), ['list /pods 403']);
  });

  describe('namespaced, with other namespaces than its examples, and with one more', () => {
    /** How many requests had been made before its time. */
    let former: number;

    /** Those of the rights that the service account has. */
    async function allowed(rights: readonly Right[]): Promise<readonly Right[]> {
      const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview' };
      const items = rights.map(([verb, key, inNamespace = '']) => {
        const [group, resource] = key.split('/');
        const resourceAttributes = { verb, group, resource, namespace: inNamespace };
        return { ...review, spec: { user: account, resourceAttributes } };
      });
      const line = 'jsonpath={.status.allowed}{"\\n"}';
      const reviews = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
      const answer = await controlPlane.kubectl(['create', '-f', '-', '-o', line], reviews);
      const answers = answer.trim().split('\n');
      assert.equal(answers.length, rights.length, answer);
      return rights.filter((_, index) => answers[index] === 'true');
    }

    /** `namespaced/` for the claims of two namespaces and of the demo's stacks, edited as its comments and the README say. */
    function edited(): readonly KubernetesObject[] {
      const objects = JSON.parse(
        JSON.stringify(objectsOf('deploy/namespaced'))
          .replaceAll('team-a', 'shop')
          .replaceAll('cloud-credentials', 'keys')
          .replace('"SERVICES_STACK_NAMESPACE":"shop"', '"SERVICES_STACK_NAMESPACE":"shop,blog"')
          .replace('"resourceNames":["shop"]', '"resourceNames":["shop","blog"]'),
      ) as readonly KubernetesObject[];
      const shopObjects = objects.filter(
        ({ kind, metadata }) => kind === 'RoleBinding' && metadata.namespace === 'shop',
      );
      assert.equal(shopObjects.length, 3);
      const blogObjects = shopObjects.map((each) => ({
        ...each,
        metadata: { ...each.metadata, namespace: 'blog' },
      }));
      const claimsBinding = objectOf<Binding>(objects, 'RoleBinding', 'services-stack-claims');
      const demoNamespaces = ['shop', 'blog'].map((team) => ({
        ...claimsBinding,
        metadata: { namespace: team, name: 'services-stack-demo-claims' },
        roleRef: { ...claimsBinding.roleRef, name: 'services-stack-demo-claims' },
      }));
      return [...objects, ...blogObjects, ...demoNamespaces];
    }

    before(async () => {
      await stop();
      former = (await audit.requests()).length;
      await kubectl('delete', 'events', '--all', '-n', 'shop');
      await deployed('delete', 'cluster-wide');
      await kubectl('delete', 'clusterrolebinding', 'services-stack-demo-claims');
      await apply(manifestOf(NamespaceKind, { name: 'lab' }), ...edited());
      const { configMapRef } = container.envFrom[0] ?? assert.fail('no ConfigMap');
      const flags = await kubectl('get', 'configmap', configMapRef.name, '-n', namespace, '-o', 'json');
      const { data } = JSON.parse(flags) as { readonly data: Record<string, string> };
      const wanted = { SERVICES_STACK_NAMESPACE: 'shop,blog', SERVICES_STACK_SECRET_NAMESPACES: 'keys' };
      assert.deepEqual(data, wanted);
      await start([], data);
    });

    test('the roles suffice for the claims of both namespaces; those of others are left alone', async () => {
      await apply(claim('lab', 'orders'), claim('shop', 'orders'));
      await bound('shop', 'orders');
      await secretFollows();
      await eventually('an Event reports the copy', async () => {
        const reported = await kubectl('get', 'events', '-n', 'shop', '-o', 'jsonpath={..reason}');
        return reported.includes('PropagatedDataFrom');
      });
      await apply(claim('blog', 'orders'));
      await eventually('the class is not for blog', async () =>
        (await readyOf('blog', 'orders')).includes('may not be claimed from namespace blog'),
      );
      await kubectl('label', 'namespace', 'blog', 'stage=live');
      await bound('blog', 'orders');
      await kubectl('get', 'secret', 'orders', '-n', 'blog');
      await kubectl('delete', 'fancysqlinstance', '-n', 'blog', 'orders', '--timeout=30s');
      await eventually('its instance is gone', async () => cloud.instances().length === 1);
      await kubectl('delete', 'fancysqlinstance', '-n', 'shop', 'orders', '--timeout=30s');
      await eventually('the instance is gone', async () => cloud.instances().length === 0);
      assert.equal(await phaseOf('lab', 'orders'), undefined);
    });

    test('no claim and no secret was asked for anywhere else, nor of all namespaces', async () => {
      await stop();
      const requests = (await audit.requests()).slice(former).filter(({ user }) => user === account);
      const whereOf = (resources: RegExp) => {
        const about = requests.filter(({ resource }) => resources.test(resource));
        return [...new Set(about.map((request) => request.namespace))].toSorted();
      };
      assert.deepEqual(whereOf(/^\/secrets$/), ['blog', 'keys', 'shop']);
      assert.deepEqual(whereOf(/^(database|cache)\.crossplane\.io\//), ['blog', 'shop']);
      assert.deepEqual(await refused(), ['list /pods 403']); // from above
    });

    test('the process may claim, keep secrets and report in those namespaces, and nowhere else', async () => {
      const granted: readonly Right[] = [
        ['patch', claims, 'shop'],
        ['patch', claims, 'blog'],
        ['delete', '/secrets', 'shop'],
        ['delete', '/secrets', 'keys'],
        ['create', '/secrets', 'blog'],
        ['watch', '/secrets', 'shop'],
        ['list', '/secrets', 'keys'],
        ['create', '/events', 'blog'],
      ];
      const others: readonly Right[] = [
        ['list', claims, 'lab'],
        ['patch', claims, 'lab'],
        ['list', claims],
        ['create', '/secrets', 'lab'],
        ['get', '/secrets', 'lab'],
        ['delete', '/secrets', namespace],
        ['list', '/secrets', namespace],
        ['list', '/secrets'],
        ['watch', '/secrets'],
        ['get', '/secrets', 'team-a'],
        ['get', '/secrets', 'cloud-credentials'],
        ['create', '/events', 'lab'],
        ['get', '/namespaces', 'lab'],
        ['watch', '/namespaces'],
      ];
      assert.deepEqual(await allowed([...granted, ...others]), granted);
    });
  });
});
