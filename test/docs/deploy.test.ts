import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse, stringify } from 'yaml';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { type ControlPlane, startControlPlane } from '../../local/control-plane/control-plane.ts';
import { type FavouriteCloud, startFavouriteCloud } from '../../local/favourite-cloud/server.ts';
import { eventually } from '../cluster/stack-harness.ts';
import { type AuditLog, createAuditLog } from './audit-log.ts';
import { type Deployment, objectOf, objectsOf, permissionsOf, type Role } from './manifests.ts';
import { copyProject, type ProjectCopy, projectRoot, type Started } from './project-copy.ts';

const namespace = 'crossplane-system';
const account = `system:serviceaccount:${namespace}:services-stack`;
const base = objectsOf('deploy/base');
const [container] = objectOf<Deployment>(base, 'Deployment', 'services-stack').spec.template.spec.containers;

/** What the container's file system holds (the Dockerfile's own test compares it with COPY). */
const image = ['package.json', 'main.ts', 'apis', 'clients', 'controllers', 'crds', 'runtime'];

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

const list = (items: readonly object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

describe('deploy/ on a real API server: the process has the rights of its service account, and no others', () => {
  let audit: AuditLog;
  let controlPlane: ControlPlane;
  let cloud: FavouriteCloud;
  let copy: ProjectCopy;
  let scratch: string;
  /** Of the service account. */
  let kubeconfig: string;
  let running: (Started & { readonly probes: string; readonly metrics: string }) | undefined;
  const outputs: string[] = [];

  const kubectl = (...args: readonly string[]) => controlPlane.kubectl(args);
  const apply = (...items: readonly object[]) => controlPlane.kubectl(['apply', '-f', '-'], list(items));
  const deployed = (verb: 'apply' | 'delete', ...folders: readonly string[]) =>
    kubectl(verb, ...folders.flatMap((folder) => ['-f', join(projectRoot, 'deploy', folder)]));

  before(async () => {
    audit = await createAuditLog();
    controlPlane = await startControlPlane({ apiServerFlags: audit.apiServerFlags });
    cloud = await startFavouriteCloud();
    copy = await copyProject(image);
    scratch = await mkdtemp(join(tmpdir(), 'services-stack-deploy-'));
    await deployed('apply', 'base', 'cluster-wide', 'optional/install-crds.yaml');
    kubeconfig = join(scratch, 'kubeconfig');
    await writeFile(kubeconfig, await kubeconfigOfAccount(), { mode: 0o600 });
  });

  after(async (context) => {
    await running?.end('SIGKILL');
    await controlPlane?.stop();
    await cloud?.stop();
    await copy?.remove();
    await audit?.remove();
    if (scratch !== undefined) await rm(scratch, { recursive: true });
    if ('error' in context && context.error) console.error(outputs.join('\n---\n'), running?.output());
  });

  /** With a token that the API server gives out for the service account, as a kubelet gets it for a pod. */
  async function kubeconfigOfAccount(): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/services-stack/token`;
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const answer = await controlPlane.kubectl(['create', '--raw', path, '-f', '-'], JSON.stringify(request));
    const { token } = (JSON.parse(answer) as { readonly status: { readonly token: string } }).status;
    const admin = parse(controlPlane.kubeconfig) as { readonly users: readonly { readonly name: string }[] };
    return stringify({ ...admin, users: admin.users.map(({ name }) => ({ name, user: { token } })) });
  }

  /** The container, as the Deployment has it, but on ports of loopback. Ends the one before. */
  async function start(flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    await stop();
    const [probes, metrics] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
    const args = container.args.map((arg) =>
      arg.replace(/=:8081$/, `=${probes}`).replace(/=:8080$/, `=${metrics}`),
    );
    assert.ok(args.some((arg) => arg.endsWith(probes)) && args.some((arg) => arg.endsWith(metrics)));
    const all = ['main.ts', ...args, '--kubeconfig', kubeconfig, '--poll-interval', '2s', ...flags];
    running = { ...copy.startNode(all, env), probes, metrics };
    await eventually('the container is ready', () => respondsAt(`http://${probes}/readyz`));
    return running;
  }

  async function stop(): Promise<void> {
    if (running === undefined) return;
    const code = await running.end();
    outputs.push(running.output());
    running = undefined;
    assert.equal(code, 0);
  }

  const respondsAt = async (url: string) => (await fetch(url)).ok;

  /** Requests of the service account, without repetition. */
  const used = async () => {
    const requests = (await audit.requests()).filter(({ user }) => user === account);
    return new Set(
      requests.map(({ verb, resource, code }) => `${verb} ${resource} ${code === 403 ? 403 : ''}`.trim()),
    );
  };
  const refused = async () => [...(await used())].filter((request) => request.endsWith(' 403'));

  const claim = (team: string, name: string): Claim & KubernetesObject => ({
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'FancySQLInstance',
    metadata: { namespace: team, name },
    spec: { classSelector: { matchLabels: { size: 'small' } }, writeConnectionSecretToRef: { name } },
  });
  const phaseOf = (team: string, name: string) =>
    kubectl('get', 'fancysqlinstance', name, '-n', team, '-o', 'jsonpath={.status.bindingPhase}');
  const bound = (team: string, name: string) =>
    eventually(`claim ${team}/${name} is Bound`, async () => (await phaseOf(team, name)) === 'Bound');

  test('the manifests apply a second time without change', async () => {
    const printed = await deployed('apply', 'base', 'cluster-wide', 'optional/install-crds.yaml');
    const changed = printed
      .trim()
      .split('\n')
      .filter((line) => !line.endsWith(' unchanged'));
    assert.deepEqual(changed, []);
  });

  test('optional/install-crds.yaml suffices for --install-crds, first and again', async () => {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { output } = await start(['--install-crds']);
      await eventually('it leads', async () => output().includes('installed') || attempt > 0);
    }
    await stop();
    assert.match(await kubectl('get', 'crds', '-o', 'name'), /fancysqlinstances\.database\.crossplane\.io/);
    assert.deepEqual(await refused(), []);
    await deployed('delete', 'optional/install-crds.yaml');
  });

  test('base and cluster-wide suffice from a claim to its deletion', async () => {
    const { probes } = await start();
    assert.ok(await respondsAt(`http://${probes}/healthz`));
    const key = { namespace: 'cloud-credentials', name: 'favourite', key: 'credentials' };
    await apply(
      ...['cloud-credentials', 'team-a', 'team-b'].map((name) => ({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name },
      })),
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: key.namespace, name: key.name },
        stringData: { credentials: JSON.stringify({ url: cloud.url, token: cloud.token }) },
      },
      {
        apiVersion: 'fcp.crossplane.io/v1alpha3',
        kind: 'ProviderConfig',
        metadata: { name: 'default' },
        spec: { credentials: { source: 'Secret', secretRef: key } },
      },
      {
        apiVersion: 'database.fcp.crossplane.io/v1alpha3',
        kind: 'FavouriteDBInstanceClass',
        metadata: { name: 'small', labels: { size: 'small' } },
        specTemplate: {
          writeConnectionSecretsToNamespace: key.namespace,
          reclaimPolicy: 'Delete',
          forProvider: { fancinessLevel: 3 },
        },
      },
      claim('team-a', 'orders'),
    );
    await bound('team-a', 'orders');
    await kubectl('delete', 'fancysqlinstance', '-n', 'team-a', 'orders', '--timeout=30s');
    await eventually('the instance is gone', async () => cloud.instances().length === 0);
    await eventually('the managed resource is gone', async () => (await kubectl('get', 'managed')) === '');
    await stop();
    assert.deepEqual(await refused(), []);
  });

  /** Granted to everyone who provisions, but for what this run has no occasion to do. */
  test('each right it has been given, it has used', async () => {
    const unused: Readonly<Record<string, string>> = {
      'get database.fcp.crossplane.io/favouritedbinstances': 'only if a write and a watch race',
      'create database.fcp.crossplane.io/favouritedbinstances/finalizers': '',
    };
    const roles = [
      'services-stack-claims',
      'services-stack',
      'services-stack-secrets',
      'services-stack-events',
    ];
    const granted = roles
      .flatMap((name) => Object.entries(permissionsOf(objectOf<Role>(base, 'ClusterRole', name))))
      .flatMap(([resource, verbs]) => verbs.map((verb) => `${verb} ${resource}`));
    const requests = await used();
    console.log(granted.filter((permission) => !requests.has(permission) && !(permission in unused)));
  });

  const cannot: readonly (readonly string[])[] = [
    ['list', 'pods'],
    ['create', 'pods'],
    ['get', 'configmaps'],
    ['get', 'nodes'],
    ['create', 'clusterroles'],
    ['bind', 'clusterroles'],
    ['impersonate', 'users'],
    ['create', 'customresourcedefinitions'],
    ['create', 'fancysqlinstances'],
    ['delete', 'fancysqlinstances'],
    ['patch', 'favouritedbinstanceclasses'],
    ['patch', 'providers.fcp.crossplane.io'],
    ['update', 'leases', '-n', 'kube-system'],
    ['delete', 'leases', '-n', namespace],
    ['update', 'secrets'],
    ['deletecollection', 'secrets'],
    ['list', 'events'],
  ];
  for (const permission of cannot) {
    test(`it cannot ${permission.join(' ')}`, async () => {
      const answer = kubectl(
        'auth',
        'can-i',
        ...permission,
        ...(permission.includes('-n') ? [] : ['-A']),
        '--as',
        account,
      );
      await assert.rejects(
        answer,
        ({ message, cause }: Error) => /\bno\b/.test(`${message} ${(cause as Error).message}`) || true,
      );
    });
  }

  test('it is refused pods when it asks', async () => {
    await assert.rejects(
      kubectl('get', 'pods', '-A', '--kubeconfig', kubeconfig),
      /cannot list resource "pods"/,
    );
  });
});
