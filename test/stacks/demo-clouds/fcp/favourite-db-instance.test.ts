import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { available, creating, deleting, unavailable } from '../../../../apis/core/v1alpha1/condition.ts';
import { annotationKeys } from '../../../../apis/core/v1alpha1/meta.ts';
import { realClock } from '../../../../runtime/time/clock.ts';
import { favouriteCloudClient } from '../../../../stacks/demo-clouds/client/favourite-cloud.ts';
import { favouriteDBInstanceClient } from '../../../../stacks/demo-clouds/fcp/favourite-db-instance/external-client.ts';
import { inProcessCloud } from '../../../fakes/in-process-cloud.ts';
import { instance } from './objects.ts';

let nowMs = 0;
const server = inProcessCloud({ elapsedMs: () => nowMs }, { provisioningMs: 1000, deletionMs: 1000 });
const cloud = favouriteCloudClient({ ...server, clock: realClock(), random: () => 0, timeoutMs: 2_000 });
const { signal } = new AbortController();
const tags = {
  'crossplane-kind': 'favouritedbinstance.database.fcp.crossplane.io',
  'crossplane-name': 'cool',
  'crossplane-providerconfig': 'default',
};
const details = (password?: string) => ({
  type: 'fancysql',
  provider: 'favourite-cloud',
  endpoint: 'cool.fcp.example.org',
  host: 'cool.fcp.example.org',
  port: '3306',
  username: 'admin',
  database: 'fancysql',
  ...(password === undefined
    ? {}
    : { uri: `fancysql://admin:${password}@cool.fcp.example.org:3306/fancysql` }),
});
const external = favouriteDBInstanceClient(cloud);
/** The content of the Secret before and after it is set in the cloud. */
const fresh = { value: 'from-the-secret', isApplied: false };
const applied = { ...fresh, isApplied: true };

beforeEach(async () => {
  server.faults.clear();
  for (const { item } of server.instances()) await cloud.instances.delete(item.name);
  nowMs += 1000;
});

const stored = () => server.instances().map(({ item }) => item);

/** A user creates an instance named `cool` that is online. */
async function foreign(its: Readonly<Record<string, string>> = {}, version = '5.7') {
  await cloud.instances.create({
    name: 'cool',
    fanciness_level: 100,
    version,
    password: 'their-password',
    tags: its,
  });
  nowMs += 1000;
}

/** One of ours, online. */
async function provisioned(managed = instance()): Promise<void> {
  await external.create(managed, fresh, signal);
  nowMs += 1000;
}

describe('from nothing to gone', () => {
  test('create asks for what the spec says, tags it as ours, and sets the password', async () => {
    assert.deepEqual(await external.create(instance(), fresh, signal), {});
    const [{ name, level, version, password, tags: given } = { name: 'nothing' }] = stored();
    assert.deepEqual(
      { name, level, version, password, given },
      { name: 'cool', level: 100, version: '5.7', password: fresh.value, given: tags },
    );
  });

  test('CREATING is Creating, ONLINE is Available with every detail, DELETING is Deleting, then nothing', async () => {
    await external.create(instance(), fresh, signal);
    const first = await external.observe(instance(), applied, signal);
    const created = [first.ready, first.operation, first.isUpToDate, first.details, first.status];
    assert.deepEqual(created, [
      creating(),
      'create',
      true,
      undefined,
      { id: stored()[0]?.id, status: 'CREATING' },
    ]);
    nowMs += 1000;
    assert.deepEqual(await external.observe(instance(), applied, signal), {
      exists: true,
      isUpToDate: true,
      ready: available(),
      details: details(fresh.value),
      status: { id: stored()[0]?.id, status: 'ONLINE', hostname: 'cool.fcp.example.org' },
    });
    await external.delete(instance(), signal);
    const { ready, operation } = await external.observe(instance(), applied, signal);
    assert.deepEqual([ready, operation], [deleting(), 'delete']);
    nowMs += 1000;
    await external.delete(instance(), signal);
    assert.equal((await external.observe(instance(), applied, signal)).exists, false);
  });

  test('the external name counts, not the name of the object', async () => {
    const imported = instance(undefined, { annotations: { [annotationKeys.externalName]: 'elsewhere' } });
    await external.create(imported, undefined, signal);
    const names = stored().map(({ name }) => name);
    assert.deepEqual(names, ['elsewhere']);
  });

  test('a network is passed on', async () => {
    const { id } = await cloud.networks.create({});
    nowMs += 1000;
    await external.create(instance({ fancinessLevel: 1, networkId: id }), undefined, signal);
    assert.equal(stored()[0]?.networkId, id);
  });

  test('a missing required field is named', async () => {
    await assert.rejects(
      external.create(instance({}), undefined, signal),
      /spec\.forProvider\.fancinessLevel/,
    );
    assert.deepEqual(stored(), []);
  });

  test('an optional reference that finds nothing is no obstacle, and the network can be joined later', async () => {
    const networkIdRef = { name: 'blue', policy: { resolution: 'Optional' } } as const;
    await provisioned(instance({ fancinessLevel: 1, networkIdRef }));
    assert.equal(stored()[0]?.networkId, undefined);
    const { id } = await cloud.networks.create({});
    const resolved = instance({ fancinessLevel: 1, networkIdRef, networkId: id });
    assert.equal((await external.observe(resolved, applied, signal)).difference, 'network_id');
    await external.update(resolved, applied, signal);
    assert.equal(stored()[0]?.networkId, id);
    assert.equal((await external.observe(resolved, applied, signal)).isUpToDate, true);
    const { id: other } = await cloud.networks.create({});
    await assert.rejects(cloud.instances.update('cool', { network_id: other }), /422 .*cannot be changed/);
  });
});

describe('drift', () => {
  test('an instance that is still being created is left alone', async () => {
    await external.create(instance(), undefined, signal);
    const observed = await external.observe(instance({ fancinessLevel: 1 }), undefined, signal);
    assert.deepEqual([observed.isUpToDate, observed.ready], [true, creating()]);
  });
});

describe('an instance of another owner', () => {
  const watching = { spec: { managementPolicies: ['Observe'] as const } };

  test('without tags becomes ours once it was observed and more is allowed: tagged', async () => {
    await foreign({ team: 'shop' });
    const { status } = await external.observe(instance(undefined, watching), undefined, signal);
    const managed = instance(undefined, { status: { id: Number(status?.id) } });
    assert.equal((await external.observe(managed, undefined, signal)).difference, 'tags');
    await external.update(managed, undefined, signal);
    const items = stored().map((item) => [item.tags, item.password]);
    assert.deepEqual(items, [[{ team: 'shop', ...tags }, 'their-password']]);
  });
});

test('an unknown state is not ready, and is named', async () => {
  const odd = { id: 1, name: 'cool', fanciness_level: 100, version: '5.7', status: 'ON_FIRE', tags };
  const strange = { instances: { ...cloud.instances, get: async () => odd } };
  const client = favouriteDBInstanceClient(strange);
  const observed = await client.observe(instance(), applied, signal);
  assert.deepEqual([observed.ready, observed.isUpToDate], [unavailable('the instance is ON_FIRE'), true]);
});
