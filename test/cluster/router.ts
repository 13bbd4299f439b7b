import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as send } from 'node:https';
import { describe, test } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import { FancySQLInstanceKind } from '../../apis/database/v1alpha1/fancy-sql-instance.ts';
import { controlPlaneBinaries } from '../../local/control-plane/binaries.ts';
import { rulesSupport } from '../../local/control-plane/definitions-server-binary.ts';
import { apiErrorIn } from '../../runtime/client/errors.ts';
import { objectOf } from '../fakes/object-of.ts';
import type { Cluster } from './stack-harness.ts';
import { clientOf, eventually, kubeConfigOf } from './stack-harness.ts';

const support = await rulesSupport(await controlPlaneBinaries());
const skip = support.by === 'itself' && 'kube-apiserver enforces rules itself';

const namespace = 'default';
const claim = (name: string) => objectOf(FancySQLInstanceKind, { namespace, name }, { spec: {} });

/** Declares the tests of the router between kube-apiserver and a definitions server. */
export function testRouter(cluster: () => Cluster): void {
  describe('two API servers behind one address', { skip }, () => {
    test('kubectl finds the kinds of both', async () => {
      await cluster().kubectl(['create', '-f', '-'], JSON.stringify(claim('found')));
      assert.match(await cluster().kubectl(['get', 'claims', '-A']), /found/);
      assert.match(await cluster().kubectl(['get', 'namespaces']), /kube-system/);
      const kinds = await cluster().kubectl(['api-resources', '-o', 'name']);
      for (const name of ['deployments.apps', 'fancysqlinstances.database.crossplane.io']) {
        assert.ok(kinds.split('\n').includes(name), name);
      }
    });

    test('it says the version of the server that judges', async () => {
      const { major, minor } = await cluster().client.serverVersion();
      assert.ok(major === 1 && minor >= 28, `${major}.${minor}`);
    });

    test('the server verifies a token, and the identity that a client states does not count', async () => {
      const account = `/api/v1/namespaces/${namespace}/serviceaccounts/visitor/token`;
      const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
      await cluster().kubectl(['create', 'serviceaccount', 'visitor']);
      const create = ['create', '--raw', account, '-f', '-'];
      const answer = await cluster().kubectl(create, JSON.stringify(request));
      const { token } = (JSON.parse(answer) as { readonly status: { readonly token: string } }).status;
      const { clusters, contexts, currentContext, users } = kubeConfigOf(cluster().controlPlane.kubeconfig);
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
        const forged = send(new URL(path, cluster().controlPlane.server), {
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
        await cluster().apply(
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
}
