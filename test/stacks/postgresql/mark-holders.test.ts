import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { resourceId } from '../../../package/stack.ts';
import { markOf } from '../../../stacks/postgresql/client/mark.ts';
import { PostgreSQLDatabaseKind } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { PostgreSQLRoleKind } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-role.ts';
import { roleHolders } from '../../../stacks/postgresql/mark-holders.ts';
import { FakeCluster, FakeProcess } from '../../controllers/environment-fake.ts';

const classRef = { name: 'small' };
const claimRef = { kind: 'PostgreSQLInstance', namespace: 'team-a', name: 'ledger' };

test('a tenant has the password of the role of a claim, and of no PostgreSQLRole, whatever its spec says', async () => {
  const cluster = new FakeCluster();
  const process = new FakeProcess(cluster);
  const holderOf = roleHolders(process.env);
  const put = (kind: Kind<Managed>, name: string, spec = {}) => {
    const apiVersion = `${kind.group}/${kind.version}`;
    const object = { apiVersion, kind: kind.kind, metadata: { name }, spec: { forProvider: {}, ...spec } };
    cluster.put(kind, object);
  };
  put(PostgreSQLRoleKind, 'app');
  put(PostgreSQLRoleKind, 'edited', { classRef });
  put(PostgreSQLDatabaseKind, 'by-hand');
  put(PostgreSQLDatabaseKind, 'provisioned', { classRef, claimRef });
  await process.synced();
  const holder = (kind: Kind<Managed>, name: string) => holderOf(markOf(resourceId(kind, name)), name);
  assert.deepEqual(
    {
      app: holder(PostgreSQLRoleKind, 'app'),
      edited: holder(PostgreSQLRoleKind, 'edited'),
      deleted: holder(PostgreSQLRoleKind, 'deleted'),
      byHand: holder(PostgreSQLDatabaseKind, 'by-hand'),
      provisioned: holder(PostgreSQLDatabaseKind, 'provisioned'),
      unknown: holder(PostgreSQLDatabaseKind, 'gone'),
    },
    {
      app: { isClaims: false, what: 'PostgreSQLRole app', externalName: 'app' },
      edited: { isClaims: false, what: 'PostgreSQLRole edited', externalName: 'edited' },
      deleted: { isClaims: false, what: 'PostgreSQLRole deleted' },
      byHand: { isClaims: false, what: 'PostgreSQLDatabase by-hand', externalName: 'by-hand' },
      provisioned: {
        isClaims: true,
        what: 'PostgreSQLDatabase provisioned of PostgreSQLInstance team-a/ledger',
        externalName: 'provisioned',
      },
      unknown: undefined,
    },
  );
});
