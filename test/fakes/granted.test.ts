import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lastValueFrom } from 'rxjs';
import { isForbidden } from '../../runtime/client/errors.ts';
import type { KubernetesClient } from '../../runtime/client/kubernetes-client.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { inProcessClient } from '../../testing/in-process-client.ts';
import { testClock } from '../../testing/test-clock.ts';
import { EnforcingCluster } from './enforcing-cluster.ts';
import type { Deed } from './granted.ts';
import { granted } from './granted.ts';

const kind = FancySQLInstanceKind;
const [group, resource] = [kind.group, kind.plural];
const key = { namespace: 'team', name: 'orders' };
const object = { apiVersion: `${group}/v1alpha1`, kind: kind.kind, metadata: key } as never;

const requests: Readonly<Record<string, (client: KubernetesClient) => Promise<unknown>>> = {
  get: (client) => client.get(kind, key),
  list: (client) => client.list(kind, {}),
  watch: (client) => lastValueFrom(client.watch(kind, { resourceVersion: '1', timeoutSeconds: 1 })),
  create: (client) => client.create(kind, object),
  patch: (client) => client.patch(kind, key, {}),
  'patch of a status': (client) => client.patch(kind, key, {}, { subresource: 'status' }),
  apply: (client) => client.apply(kind, key, {}, { fieldManager: 'x' }),
  update: (client) => client.replace(kind, object),
  delete: (client) => client.delete(kind, key, {}),
};

describe('a client without permissions', () => {
  for (const [what, ask] of Object.entries(requests)) {
    test(`is forbidden: ${what}`, async () => {
      const sent: Deed[] = [];
      const client = granted(
        inProcessClient(new EnforcingCluster(), testClock()),
        () => false,
        (deed) => sent.push(deed),
      );
      await assert.rejects(ask(client), isForbidden);
      const isNamed = !['list', 'watch', 'create'].includes(what);
      const { name } = isNamed ? key : { name: undefined };
      const verb = what === 'apply' ? 'patch' : what.split(' ')[0]!;
      const suffix = what.endsWith('status') ? '/status' : '';
      assert.deepEqual(sent, [{ verb, group, resource: `${resource}${suffix}`, name }]);
    });
  }
});
