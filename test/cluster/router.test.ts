import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as send } from 'node:https';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';
import { controlPlaneBinaries } from '../../local/control-plane/binaries.ts';
import { rulesSupport } from '../../local/control-plane/definitions-server-binary.ts';
import { apiErrorIn } from '../../runtime/client/errors.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { objectOf } from '../fakes/object-of.ts';
import type { Cluster } from './stack-harness.ts';
import { clientOf, eventually, kubeConfigOf, startCluster } from './stack-harness.ts';

const support = await rulesSupport(await controlPlaneBinaries());
const skip = support.by === 'itself' && 'kube-apiserver enforces rules itself';

interface Index {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}
interface Described {
  readonly components: {
    readonly schemas: Readonly<
      Record<string, { readonly 'x-kubernetes-group-version-kind'?: readonly { readonly kind: string }[] }>
    >;
  };
}
interface Resources {
  readonly resources: readonly { readonly name: string; readonly kind: string; readonly group?: string }[];
}

/** Whether a kubectl that reads OpenAPI v3 is on this machine. That of the control plane may be older. */
async function explains(): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)('kubectl', ['version', '--client', '-o', 'json']);
    const { clientVersion } = JSON.parse(stdout) as { clientVersion: { major: string; minor: string } };
    return Number(clientVersion.major) > 1 || Number.parseInt(clientVersion.minor, 10) >= 27;
  } catch {
    return false;
  }
}

const canExplain = await explains();

const namespace = 'default';
const claim = (name: string) => objectOf(FancySQLInstanceKind, { namespace, name }, { spec: {} });

/** The router between kube-apiserver and a definitions server. */
describe('two API servers behind one address', { skip }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster?.stop());

  test('kubectl finds the kinds of both', async () => {
    await cluster.kubectl(['create', '-f', '-'], JSON.stringify(claim('found')));
    assert.match(await cluster.kubectl(['get', 'claims', '-A']), /found/);
    assert.match(await cluster.kubectl(['get', 'namespaces']), /kube-system/);
    const kinds = await cluster.kubectl(['api-resources', '-o', 'name']);
    for (const name of ['deployments.apps', 'fancysqlinstances.database.crossplane.io']) {
      assert.ok(kinds.split('\n').includes(name), name);
    }
  });

  test('each group and version is described, with every kind of its list', async () => {
    const raw = async <T>(path: string): Promise<T> =>
      JSON.parse(await cluster.kubectl(['get', '--raw', path])) as T;
    const { paths } = await raw<Index>('/openapi/v3');
    const { groups } = await raw<{ groups: readonly { versions: readonly { groupVersion: string }[] }[] }>(
      '/apis',
    );
    const served = groups.flatMap(({ versions }) => versions.map((each) => `apis/${each.groupVersion}`));
    const described: string[] = [];
    const missing: string[] = [];
    // Of the core server a few will do: each is a call of kubectl.
    const few = served.filter((place) =>
      /(postgresql|database)\.crossplane|apiextensions|\/apps\//.test(place),
    );
    for (const place of ['api/v1', ...few]) {
      const { serverRelativeURL = 'absent' } = paths[place] ?? {};
      const { components } = await raw<Described>(serverRelativeURL);
      const kinds = Object.values(components.schemas).flatMap(
        (schema) => schema['x-kubernetes-group-version-kind']?.map(({ kind }) => kind) ?? [],
      );
      const { resources } = await raw<Resources>(`/${place}`);
      const listed = resources.filter(({ name, group = '' }) => !name.includes('/') && group === '');
      described.push(...(listed.length > 0 ? [place] : []));
      missing.push(
        ...listed.filter(({ kind }) => !kinds.includes(kind)).map(({ kind }) => `${place} ${kind}`),
      );
    }
    assert.deepEqual(missing, []);
    for (const place of ['api/v1', 'apis/apps/v1', 'apis/postgresql.crossplane.io/v1alpha1'])
      assert.ok(described.includes(place), place);
  });

  test('kubectl explains the kinds of both', { skip: !canExplain && 'no kubectl from 1.27' }, async () => {
    const explain = async (field: string) => {
      const env = { ...process.env, KUBECONFIG: cluster.controlPlane.kubeconfigPath };
      return (await promisify(execFile)('kubectl', ['explain', field], { env })).stdout;
    };
    assert.match(await explain('pods.spec.nodeName'), /KIND: +Pod/);
    assert.match(await explain('deployments.spec.replicas'), /<integer>/);
    assert.match(await explain('customresourcedefinitions'), /CustomResourceDefinition/);
    assert.match(await explain('postgresqldatabase.spec.forProvider.onDelete'), /open sessions are handled/);
  });

  test('a client that impersonates a user is in each group that it names', async () => {
    const apiGroup = 'rbac.authorization.k8s.io';
    const role = { apiVersion: `${apiGroup}/v1`, metadata: { name: 'auditors' } };
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }];
    const subjects = [{ apiGroup, kind: 'Group', name: 'auditors' }];
    const roleRef = { apiGroup, kind: 'ClusterRole', name: 'auditors' };
    await cluster.apply(
      { ...role, kind: 'ClusterRole', rules },
      { ...role, kind: 'ClusterRoleBinding', subjects, roleRef },
    );
    const can = (groups: readonly string[]) =>
      cluster.kubectl(['get', 'pods', '--as=visitor', ...groups.map((group) => `--as-group=${group}`)]);
    for (const groups of [
      ['auditors', 'others'],
      ['others', 'auditors'],
    ])
      await eventually(groups.join(), () => can(groups));
    await assert.rejects(can(['others']));
  });

  test('the router reports the version of the server that judges', async () => {
    const { major, minor } = await cluster.client.serverVersion();
    assert.ok(major === 1 && minor >= 28, `${major}.${minor}`);
  });

  test('the server verifies a token, and the identity that a client states does not count', async () => {
    const account = `/api/v1/namespaces/${namespace}/serviceaccounts/visitor/token`;
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    await cluster.kubectl(['create', 'serviceaccount', 'visitor']);
    const create = ['create', '--raw', account, '-f', '-'];
    const answer = await cluster.kubectl(create, JSON.stringify(request));
    const { token } = (JSON.parse(answer) as { readonly status: { readonly token: string } }).status;
    const { clusters, contexts, currentContext, users } = kubeConfigOf(cluster.controlPlane.kubeconfig);
    const visiting = new KubeConfig();
    const visitors = users.map(({ name }) => ({ name, token }));
    visiting.loadFromOptions({ clusters, contexts, currentContext, users: visitors });
    const client = clientOf(visiting);
    const refused = (error: unknown) => {
      assert.equal(apiErrorIn(error)?.code, 403);
      assert.match(apiErrorIn(error)?.message ?? '', /system:serviceaccount:default:visitor/);
      return true;
    };
    try {
      await assert.rejects(client.list(FancySQLInstanceKind, {}), refused);
      const path = '/apis/database.crossplane.io/v1alpha1/fancysqlinstances';
      const identity = { 'x-remote-user': 'root', 'x-remote-group': 'system:masters' };
      const forged = send(new URL(path, cluster.controlPlane.server), {
        ca: Buffer.from(clusters[0]?.caData ?? '', 'base64'),
        headers: { authorization: `Bearer ${token}`, ...identity },
      }).end();
      const [forgery] = (await once(forged, 'response')) as [IncomingMessage];
      forgery.resume();
      assert.equal(forgery.statusCode, 403);
      const role = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'visitor' } };
      const rules = [
        { apiGroups: ['database.crossplane.io'], resources: ['fancysqlinstances'], verbs: ['list'] },
      ];
      const subject = { kind: 'ServiceAccount', namespace, name: 'visitor' };
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'visitor' };
      await cluster.apply(
        { ...role, kind: 'ClusterRole', rules },
        { ...role, kind: 'ClusterRoleBinding', subjects: [subject], roleRef },
      );
      await eventually('what the role allows is allowed', () => client.list(FancySQLInstanceKind, {}));
      await assert.rejects(client.create(FancySQLInstanceKind, claim('theirs')), refused);
    } finally {
      await client.close();
    }
  });
});
