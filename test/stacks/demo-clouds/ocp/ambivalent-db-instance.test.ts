import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { available, creating, deleting, unavailable } from '../../../../apis/core/v1alpha1/condition.ts';
import type { ObjectMeta } from '../../../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../../../apis/core/v1alpha1/meta.ts';
import { realClock } from '../../../../runtime/time/clock.ts';
import { otherCloudClient } from '../../../../stacks/demo-clouds/client/other-cloud.ts';
import type { AmbivalentDBInstance } from '../../../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import { ambivalentDBInstanceClient } from '../../../../stacks/demo-clouds/ocp/ambivalent-db-instance/external-client.ts';
import { inProcessCloud } from '../../../fakes/in-process-cloud.ts';

let nowMs = 0;
const server = inProcessCloud(
  { elapsedMs: () => nowMs },
  { flavour: 'other', provisioningMs: 1000, deletionMs: 1000 },
);
const cloud = otherCloudClient({ ...server, clock: realClock(), random: () => 0 });
const { signal } = new AbortController();
const labels = {
  'crossplane-kind': 'ambivalentdbinstance.database.ocp.crossplane.io',
  'crossplane-name': 'cart',
  'crossplane-providerconfig': 'default',
};
const external = ambivalentDBInstanceClient(cloud);
/** The content of the Secret before and after it is set in the cloud. */
const fresh = { value: 'from-the-secret', isApplied: false };
const applied = { ...fresh, isApplied: true };

beforeEach(async () => {
  server.faults.clear();
  for (const { item } of server.instances()) await cloud.databases.delete(item.name);
  nowMs += 1000;
});

const database = (
  forProvider: AmbivalentDBInstance['spec']['forProvider'] = { ambivalence: 5, engineVersion: '5.7' },
  metadata: Partial<ObjectMeta> = {},
): AmbivalentDBInstance => ({
  apiVersion: 'database.ocp.crossplane.io/v1alpha1',
  kind: 'AmbivalentDBInstance',
  metadata: { name: 'cart', annotations: { [annotationKeys.externalName]: 'cart' }, ...metadata },
  spec: { writeConnectionSecretToRef: { namespace: 'infra', name: 'cart' }, forProvider },
});
const stored = () => server.instances().map(({ item }) => item);

test('from nothing to gone', async () => {
  assert.equal((await external.observe(database(), undefined, signal)).exists, false);
  assert.deepEqual(await external.create(database(), fresh, signal), {});
  const items = stored().map((item) => [item.name, item.level, item.version, item.password, item.tags]);
  assert.deepEqual(items, [['cart', 5, '5.7', fresh.value, labels]]);
  const first = await external.observe(database(), applied, signal);
  assert.deepEqual([first.ready, first.operation], [creating(), 'create']);
  nowMs += 1000;
  assert.deepEqual(await external.observe(database(), applied, signal), {
    exists: true,
    isUpToDate: true,
    ready: available(),
    details: {
      type: 'fancysql',
      provider: 'other-cloud',
      endpoint: 'cart.ocp.example.com',
      host: 'cart.ocp.example.com',
      port: '3306',
      username: 'admin',
      database: 'cart',
      uri: 'fancysql://admin:from-the-secret@cart.ocp.example.com:3306/cart',
    },
    status: { uuid: stored()[0]?.uuid, state: 'Available', endpoint: 'cart.ocp.example.com:3306' },
  });
  await external.delete(database(), signal);
  const last = await external.observe(database(), applied, signal);
  assert.deepEqual([last.ready, last.operation], [deleting(), 'delete']);
  nowMs += 1000;
  await external.delete(database(), signal);
  assert.equal((await external.observe(database(), applied, signal)).exists, false);
});

test('a missing required field is named', async () => {
  await assert.rejects(external.create(database({}), undefined, signal), /spec\.forProvider\.ambivalence/);
});

test('an unknown state is not ready, and is named', async () => {
  const odd = {
    uuid: 'u',
    databaseName: 'cart',
    ambivalence: 5,
    engineVersion: '5.7',
    state: 'Torn',
    endpoint: null,
    adminUser: 'admin',
    labels,
  };
  const strange = { databases: { ...cloud.databases, get: async () => odd } };
  const client = ambivalentDBInstanceClient(strange);
  const observed = await client.observe(database(), applied, signal);
  const shown = [observed.ready, observed.isUpToDate, observed.details];
  assert.deepEqual(shown, [unavailable('the database is Torn'), true, undefined]);
});
