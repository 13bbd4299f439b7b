import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import map from 'lodash/map.js';
import type { FavouriteCloud, FavouriteCloudOptions } from '../../../testing/favourite-cloud/server.ts';
import { startFavouriteCloud } from '../../../testing/favourite-cloud/server.ts';

/** A cloud that stops when the test ends. */
async function start(options: FavouriteCloudOptions = {}): Promise<FavouriteCloud> {
  const cloud = await startFavouriteCloud(options);
  after(() => cloud.stop());
  return cloud;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** As far as these tests go into it. */
  readonly body: {
    readonly [field: string]: unknown;
    readonly error: { readonly code: string; readonly message: string };
    readonly instances: readonly { readonly name: string }[];
  };
}

async function call(
  cloud: FavouriteCloud,
  method: string,
  path: string,
  body?: unknown,
  { token = cloud.token }: { token?: string | null } = {},
): Promise<Reply> {
  const response = await fetch(cloud.url + path, {
    signal: AbortSignal.timeout(20_000),
    method,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(text || '{}') };
}

const cool = { name: 'cool', fanciness_level: 100, version: '5.6', password: 'correct-horse' };

test('a cloud restores resources, their order, running operations and counters from its data file', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'services-stack-cloud-'));
  t.after(() => rm(directory, { recursive: true }));
  const dataFile = join(directory, 'held.json');
  let nowMs = 1000;
  const options = { dataFile, now: () => nowMs, provisioningMs: 100, deletionMs: 100 };
  const former = await start(options);
  for (const name of ['first', 'second', 'gone', 'going']) {
    await call(former, 'POST', '/v1/instances', { ...cool, name });
  }
  await call(former, 'POST', '/v1/networks', {});
  await call(former, 'DELETE', '/v1/instances/gone');
  nowMs += 150;
  await call(former, 'DELETE', '/v1/instances/going');
  await call(former, 'PATCH', '/v1/instances/first', { password: 'battery-staple' });
  const held = former.instances();
  await former.stop();

  const next = await start(options);
  assert.deepEqual(next.instances(), held);
  assert.deepEqual(
    held.map(({ item, phase }) => [item.name, phase, item.password]),
    [
      ['first', 'online', 'battery-staple'],
      ['second', 'online', 'correct-horse'],
      ['going', 'deleting', 'correct-horse'],
    ],
  );
  const fifth = await call(next, 'POST', '/v1/instances', { ...cool, name: 'fifth' });
  const network = await call(next, 'POST', '/v1/networks', {});
  assert.deepEqual([fifth.body.id, network.body.id], [5, 'net-000002']);
  const list = await call(next, 'GET', '/v1/instances');
  assert.deepEqual(map(list.body.instances, 'name'), ['first', 'second', 'going', 'fifth']);
});

describe('an instance lives as in a cloud', () => {
  test('created, read, changed, deleted', async () => {
    const cloud = await start();
    const created = await call(cloud, 'POST', '/v1/instances', { ...cool, tags: { team: 'shop' } });
    assert.equal(created.status, 201);
    assert.deepEqual(created.body, {
      id: 1,
      name: 'cool',
      fanciness_level: 100,
      version: '5.6',
      status: 'ONLINE',
      hostname: 'cool.fcp.example.org',
      port: 3306,
      username: 'admin',
      database: 'fancysql',
      tags: { team: 'shop' },
    });
    assert.deepEqual((await call(cloud, 'GET', '/v1/instances/cool')).body, created.body);
    const change = { fanciness_level: 3, password: 'battery-staple' };
    const changed = await call(cloud, 'PATCH', '/v1/instances/cool', change);
    assert.deepEqual([changed.status, changed.body.fanciness_level], [200, 3]);
    assert.equal(cloud.instances()[0]?.item.password, 'battery-staple');
    assert.equal((await call(cloud, 'DELETE', '/v1/instances/cool')).status, 202);
    assert.equal((await call(cloud, 'GET', '/v1/instances/cool')).status, 404);
    assert.deepEqual(cloud.instances(), []);
  });

  test('the password is never returned', async () => {
    const cloud = await start();
    const replies = [
      await call(cloud, 'POST', '/v1/instances', cool),
      await call(cloud, 'POST', '/v1/instances', cool),
      await call(cloud, 'GET', '/v1/instances/cool'),
      await call(cloud, 'GET', '/v1/instances'),
      await call(cloud, 'PATCH', '/v1/instances/cool', { password: cool.password }),
      await call(cloud, 'PATCH', '/v1/instances/cool', { password: cool.password, bad: 1 }),
    ];
    for (const { body } of replies) assert.ok(!JSON.stringify(body).includes(cool.password));
  });

  test('creation and deletion take time', async () => {
    let nowMs = 0;
    const cloud = await start({ provisioningMs: 2000, deletionMs: 1000, now: () => nowMs });
    const created = await call(cloud, 'POST', '/v1/instances', cool);
    assert.deepEqual([created.body.status, created.body.hostname], ['CREATING', undefined]);
    assert.equal((await call(cloud, 'PATCH', '/v1/instances/cool', { fanciness_level: 1 })).status, 409);
    nowMs = 2000;
    assert.equal((await call(cloud, 'GET', '/v1/instances/cool')).body.status, 'ONLINE');
    await call(cloud, 'DELETE', '/v1/instances/cool');
    nowMs = 2999;
    assert.equal((await call(cloud, 'GET', '/v1/instances/cool')).body.status, 'DELETING');
    assert.equal((await call(cloud, 'POST', '/v1/instances', cool)).status, 409, 'the name is still taken');
    assert.equal((await call(cloud, 'DELETE', '/v1/instances/cool')).status, 202, 'again is no error');
    nowMs = 3000;
    assert.equal((await call(cloud, 'GET', '/v1/instances/cool')).status, 404);
    const again = await call(cloud, 'POST', '/v1/instances', cool);
    assert.deepEqual([again.status, again.body.id], [201, 2], 'a new one has an id of its own');
  });

  test('reads lag behind writes, writes do not', async () => {
    let nowMs = 0;
    const cloud = await start({ readDelayMs: 500, now: () => nowMs });
    await call(cloud, 'POST', '/v1/instances', cool);
    assert.equal((await call(cloud, 'GET', '/v1/instances/cool')).status, 404);
    assert.deepEqual((await call(cloud, 'GET', '/v1/instances')).body.instances, []);
    assert.equal((await call(cloud, 'POST', '/v1/instances', cool)).status, 409);
    nowMs = 500;
    assert.equal((await call(cloud, 'GET', '/v1/instances/cool')).status, 200);
    await call(cloud, 'PATCH', '/v1/instances/cool', { fanciness_level: 1 });
    assert.equal((await call(cloud, 'GET', '/v1/instances/cool')).body.fanciness_level, 100);
    nowMs = 1000;
    assert.equal((await call(cloud, 'GET', '/v1/instances/cool')).body.fanciness_level, 1);
    await call(cloud, 'DELETE', '/v1/instances/cool');
    assert.equal((await call(cloud, 'GET', '/v1/instances/cool')).body.status, 'ONLINE');
    assert.equal((await call(cloud, 'DELETE', '/v1/instances/cool')).status, 404);
    nowMs = 1500;
    assert.equal((await call(cloud, 'GET', '/v1/instances/cool')).status, 404);
  });
});

test('a list comes in pages, in the order of creation, and survives deletions between pages', async () => {
  const cloud = await start();
  for (let i = 0; i < 5; i++) await call(cloud, 'POST', '/v1/instances', { ...cool, name: `db-${i}` });
  const first = await call(cloud, 'GET', '/v1/instances?page_size=2');
  assert.deepEqual(map(first.body.instances, 'name'), ['db-0', 'db-1']);
  await call(cloud, 'DELETE', '/v1/instances/db-1');
  const rest = await call(cloud, 'GET', `/v1/instances?page_size=3&page_token=${first.body.next_page_token}`);
  assert.deepEqual(map(rest.body.instances, 'name'), ['db-2', 'db-3', 'db-4']);
  assert.equal(rest.body.next_page_token, undefined);
});

describe('networks', () => {
  test('get their id from the cloud, and contain instances', async () => {
    const cloud = await start();
    const { status, body } = await call(cloud, 'POST', '/v1/networks', { display_name: 'blue' });
    assert.deepEqual([status, body.id, body.cidr], [201, 'net-000001', '10.0.0.0/16']);
    const inside = await call(cloud, 'POST', '/v1/instances', { ...cool, network_id: body.id });
    assert.equal(inside.body.network_id, 'net-000001');
    const refused = await call(cloud, 'DELETE', '/v1/networks/net-000001');
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'InUse']);
    const renamed = await call(cloud, 'PATCH', '/v1/networks/net-000001', { display_name: 'red' });
    assert.equal(renamed.body.display_name, 'red');
    await call(cloud, 'DELETE', '/v1/instances/cool');
    assert.equal((await call(cloud, 'DELETE', '/v1/networks/net-000001')).status, 202);
    assert.deepEqual((await call(cloud, 'GET', '/v1/networks')).body.networks, []);
    assert.equal((await call(cloud, 'POST', '/v1/networks', {})).body.id, 'net-000002', 'ids are not reused');
  });
});

describe('an invalid request is refused with a reason', () => {
  type Request = readonly [method: string, path: string, body?: unknown, token?: string | null];
  const create = (fields: object): Request => ['POST', '/v1/instances', { ...cool, ...fields }];
  const change = (fields: object): Request => ['PATCH', '/v1/instances/taken', fields];
  const refusals: Record<string, readonly [request: Request, status: number, says: RegExp]> = {
    'no token': [['GET', '/v1/instances', undefined, null], 401, /token/],
    'wrong token': [['GET', '/v1/instances', undefined, 'x'], 401, /token/],
    'unknown path': [['GET', '/v9/things'], 404, /path "\/v9\/things"/],
    'unknown instance': [['GET', '/v1/instances/none'], 404, /"none"/],
    'change of an unknown instance': [['PATCH', '/v1/instances/none', {}], 404, /"none"/],
    'deletion of an unknown instance': [['DELETE', '/v1/instances/none'], 404, /"none"/],
    'method that is not there': [['PUT', '/v1/instances'], 405, /PUT/],
    'no JSON': [['POST', '/v1/instances', '{'], 400, /JSON/],
    'a list': [['POST', '/v1/instances', '[]'], 400, /object/],
    'name taken': [create({ name: 'taken' }), 409, /"taken" exists/],
    'no name': [create({ name: undefined }), 422, /^name is required/],
    'bad name': [create({ name: 'A b' }), 422, /^name must/],
    'level out of range': [create({ fanciness_level: 1001 }), 422, /^fanciness_level must/],
    'level no integer': [change({ fanciness_level: 1.5 }), 422, /^fanciness_level must/],
    'unknown version': [create({ version: '4.0' }), 422, /^version must be one of 2.3, 5.6, 5.7, 8.0/],
    'change of the version': [change({ version: '5.7' }), 422, /^version is not a field/],
    'short password': [create({ password: 'abc' }), 422, /^password must/],
    'tags that are no texts': [change({ tags: { a: 1 } }), 422, /^tags must/],
    'unknown network': [create({ network_id: 'net-9' }), 422, /net-9/],
    'bad address range': [['POST', '/v1/networks', { cidr: '10.0.0.256/16' }], 422, /^cidr must/],
    'bad page': [['GET', '/v1/instances?page_size=many'], 422, /^page_size must/],
  };
  for (const [name, [[method, path, body, token], status, says]] of Object.entries(refusals)) {
    test(`${name}: ${status}`, async () => {
      const cloud = await start();
      await call(cloud, 'POST', '/v1/instances', { ...cool, name: 'taken' });
      const reply = await call(cloud, method, path, body, token === undefined ? {} : { token });
      assert.equal(reply.status, status);
      assert.match(reply.body.error.message, says);
      assert.deepEqual(
        cloud.instances().map(({ item }) => [item.name, item.level, item.version]),
        [['taken', 100, '5.6']],
        'nothing was done',
      );
    });
  }

  test('405 names the allowed methods', async () => {
    const { headers } = await call(await start(), 'DELETE', '/v1/instances');
    assert.equal(headers.get('allow'), 'GET, POST');
  });
});

describe('faults', () => {
  test('gateway: the page of a proxy, and the work is not done', async () => {
    const cloud = await start();
    cloud.faults.inject({ kind: 'gateway', method: 'DELETE', status: 404 });
    await call(cloud, 'POST', '/v1/instances', cool);
    const headers = { authorization: `Bearer ${cloud.token}` };
    const response = await fetch(`${cloud.url}/v1/instances/cool`, { method: 'DELETE', headers });
    assert.equal(response.status, 404);
    assert.match(await response.text(), /^<html>/);
    assert.equal(cloud.instances().length, 1);
  });

  test('hang: there is no response, and stop does not wait for it', async () => {
    const cloud = await start();
    cloud.faults.inject({ kind: 'hang' });
    const answer = call(cloud, 'GET', '/v1/instances');
    const refused = assert.rejects(answer, { message: 'fetch failed' });
    while (cloud.calls()['GET /v1/instances'] === undefined) await new Promise((tick) => setTimeout(tick, 5));
    await cloud.stop();
    await refused;
  });

  test('the failure rate fails half of the requests before the work and half after', async () => {
    const rolls = [0.05, 0.2, 0.05, 0.7, 0.5];
    const cloud = await start({ failRate: 0.1, random: () => rolls.shift() ?? 0.99 });
    assert.equal((await call(cloud, 'POST', '/v1/instances', cool)).status, 503);
    assert.equal(cloud.instances().length, 0);
    assert.equal((await call(cloud, 'POST', '/v1/instances', cool)).status, 500);
    assert.equal(cloud.instances().length, 1);
    assert.equal((await call(cloud, 'GET', '/v1/instances/cool')).status, 200);
  });

  test('a request beyond the rate limit gets 429 with the time to wait', async () => {
    let nowMs = 0;
    const cloud = await start({ rateLimit: 2, now: () => nowMs });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await call(cloud, 'GET', '/v1/instances')).status);
    assert.deepEqual(statuses, [200, 200, 429]);
    const { headers } = await call(cloud, 'GET', '/v1/instances');
    assert.equal(headers.get('retry-after'), '1');
    nowMs = 500;
    assert.equal((await call(cloud, 'GET', '/v1/instances')).status, 200);
  });
});

test('the other flavour has the same functions with other names', async () => {
  let nowMs = 0;
  const cloud = await start({ flavour: 'other', provisioningMs: 1000, now: () => nowMs });
  assert.equal(cloud.token, 'other-token');
  const labels = { team: 'shop' };
  const wanted = { databaseName: 'cart', ambivalence: 5, adminPassword: 'correct-horse', labels };
  const { status, body } = await call(cloud, 'POST', '/v2/databases', wanted);
  assert.equal(status, 201);
  assert.match(String(body.uuid), /^[0-9a-f-]{36}$/);
  assert.deepEqual([body.state, body.endpoint], ['Provisioning', null]);
  nowMs = 1000;
  const online = (await call(cloud, 'GET', '/v2/databases/cart')).body;
  assert.deepEqual(online, {
    uuid: body.uuid,
    databaseName: 'cart',
    ambivalence: 5,
    engineVersion: '5.7',
    state: 'Available',
    endpoint: { host: 'cart.ocp.example.com', port: 3306 },
    adminUser: 'admin',
    labels,
  });
  assert.equal((await call(cloud, 'PATCH', '/v2/databases/cart', { ambivalence: 101 })).status, 422);
  assert.equal((await call(cloud, 'PATCH', '/v2/databases/cart', { ambivalence: 6 })).body.ambivalence, 6);
  assert.deepEqual((await call(cloud, 'GET', '/v2/databases')).body.nextCursor, null);
  assert.equal((await call(cloud, 'DELETE', '/v2/databases/cart')).status, 204);
  assert.equal((await call(cloud, 'GET', '/v2/databases/cart')).status, 404);
  assert.equal((await call(cloud, 'GET', '/v1/instances')).status, 404);
});
