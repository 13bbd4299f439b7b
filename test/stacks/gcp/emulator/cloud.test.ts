import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGoogleCloud } from '../../../../stacks/gcp/emulator/server.ts';
import type { ServiceAccountKey } from '../../../../stacks/gcp/emulator/service-accounts.ts';
import type { Answer } from './caller.ts';
import { call, emulator, start, tokenOf } from './caller.ts';

const location = '/v1/projects/example-project/locations/us-central1';
const instance = `${location}/instances/cache`;
const create = [
  'POST',
  `${location}/instances?instanceId=cache`,
  { tier: 'BASIC', memorySizeGb: 1 },
] as const;
const topic = '/v1/projects/example-project/topics/news';

const messageOf = ({ body }: Answer) => (body.error as { message: string } | undefined)?.message;

describe('an account may do what its roles allow:', () => {
  const cases: Readonly<Record<string, Readonly<Record<string, number>>>> = {
    'roles/owner': { read: 200, create: 200, auth: 200, remove: 200, topic: 200 },
    'roles/viewer': { read: 200, create: 403, auth: 403, remove: 403, topic: 403 },
    'roles/redis.admin': { read: 200, create: 200, auth: 200, remove: 200, topic: 403 },
    'roles/redis.editor': { read: 200, create: 403, auth: 200, remove: 403, topic: 403 },
    'roles/redis.viewer': { read: 200, create: 403, auth: 403, remove: 403, topic: 403 },
    'roles/pubsub.editor': { read: 403, create: 403, auth: 403, remove: 403, topic: 200 },
  };
  for (const [role, want] of Object.entries(cases)) {
    test(role, async () => {
      const { cloud, send } = await start({}, { name: 'limited', roles: [role] });
      const admin = await tokenOf(cloud.createKey());
      const second = create[1].replace('cache', 'second');
      await call(cloud, admin, ['POST', second, create[2]]);
      const got = {
        read: (await send('GET', `${location}/instances/second`)).status,
        create: (await send(...create)).status,
        auth: (await send('GET', `${location}/instances/second/authString`)).status,
        remove: (await send('DELETE', `${location}/instances/second`)).status,
        topic: (await send('PUT', topic, {})).status,
      };
      assert.deepEqual(got, want);
    });
  }

  test('roles are removed at once, and the error names the missing permission', async () => {
    const { cloud, send } = await start();
    cloud.accounts.grant('crossplane@example-project.iam.gserviceaccount.com', 'example-project', []);
    const resource = 'projects/example-project/locations/us-central1/instances/cache';
    assert.deepEqual((await send('GET', instance)).body, {
      error: {
        code: 403,
        message: `Permission 'redis.instances.get' denied on '${resource}'`,
        status: 'PERMISSION_DENIED',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'IAM_PERMISSION_DENIED',
            domain: 'iam.googleapis.com',
            metadata: { permission: 'redis.instances.get', resource },
          },
        ],
      },
    });
    assert.equal(messageOf(await send('GET', topic)), 'User not authorized to perform this action.');
  });

  test('an account has rights in its own project only', async () => {
    const { cloud, send } = await start();
    cloud.createKey({ project: 'other-project' });
    const other = location.replace('example-project', 'other-project');
    const message =
      "Permission 'redis.instances.list' denied on 'projects/other-project/locations/us-central1'";
    assert.equal(messageOf(await send('GET', `${other}/instances`)), message);
    const none = location.replace('example-project', 'no-project');
    assert.equal(
      messageOf(await send('GET', `${none}/instances`)),
      'Permission denied on resource project no-project.',
    );
  });
});

test('the error of a disabled API says where to enable it, and other APIs work', async () => {
  const { send } = await start({ disabled: ['redis.googleapis.com'] });
  const refused = await send(...create);
  assert.equal(refused.status, 403);
  assert.match(
    messageOf(refused) ?? '',
    /^Google Cloud Memorystore for Redis API has not been used in project example-project before or it is disabled\. Enable it by visiting https:/,
  );
  assert.equal((await send('PUT', topic, {})).status, 200);
});

test('requests beyond the rate limit are refused until the limit allows more', async () => {
  let nowMs = Date.now();
  const { send } = await start({ now: () => nowMs, rateLimit: 2 });
  const statuses = async () => [
    (await send('GET', instance)).status,
    (await send('GET', instance)).status,
    (await send(...create)).status,
  ];
  assert.deepEqual(await statuses(), [404, 404, 429]);
  assert.match(
    messageOf(await send(...create)) ?? '',
    /^Quota exceeded for quota metric 'Mutate requests' and limit 'Mutate requests per minute' of service 'redis\.googleapis\.com' for consumer 'project_number:\d{12}'\.$/,
  );
  nowMs += 1000;
  assert.equal((await send(...create)).status, 200);
});

describe('a fault of a request:', () => {
  const template = '/v1/projects/{project}/locations/{location}/instances';

  for (const kind of ['fail', 'gateway', 'cut'] as const) {
    test(`${kind}: the work is not done`, async () => {
      const { cloud, send } = await start();
      cloud.faults.inject({ kind, method: 'POST', path: template });
      if (kind === 'cut') await assert.rejects(send(...create));
      else assert.equal((await send(...create)).status, kind === 'fail' ? 500 : 502);
      assert.deepEqual(cloud.instances.all(), []);
      assert.equal((await send(...create)).status, 200);
    });
  }

  test('hang and stall: the caller gets no response', async () => {
    const { cloud } = await start();
    const token = await tokenOf(cloud.createKey());
    for (const [kind, done] of [
      ['hang', 0],
      ['stall', 1],
    ] as const) {
      cloud.faults.inject({ kind, method: 'POST', path: template });
      const aborting = new AbortController();
      const asking = fetch(cloud.url + create[1], {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify(create[2]),
        signal: aborting.signal,
      });
      const unanswered = assert.rejects(asking, { name: 'AbortError' });
      while (cloud.instances.all().length < done) await sleep(5);
      await sleep(200);
      aborting.abort();
      await unanswered;
      assert.equal(cloud.instances.all().length, done);
    }
  });

  test('the token endpoint can have a fault', async () => {
    const { cloud } = await start();
    const key = cloud.createKey();
    cloud.faults.inject({ kind: 'fail', status: 503, path: '/token' });
    await assert.rejects(tokenOf(key));
    assert.notEqual(await tokenOf(key), '');
  });

  test('the failure rate fails half of the requests before the work and half after', async () => {
    const draws = [0.1, 0.1, 0.1, 0.9, 0.9];
    const cloud = await emulator({ failRate: 0.2, random: () => draws.shift() ?? 0.9 });
    const key = cloud.createKey();
    await assert.rejects(tokenOf(key)); // before
    draws.unshift(0.9);
    const token = await tokenOf(key);
    assert.deepEqual(draws, [0.1, 0.9, 0.9]);
    assert.equal((await call(cloud, token, create)).status, 500);
    assert.equal(cloud.instances.all().length, 1);
  });
});

describe('control requests over HTTP:', () => {
  const post = (url: string, body: unknown) => fetch(url, { method: 'POST', body: JSON.stringify(body) });

  test('create a key, inject faults, and count calls', async () => {
    const { cloud, send } = await start();
    const made = await post(`${cloud.url}/_keys`, { name: 'another', roles: ['roles/viewer'] });
    const key = (await made.json()) as ServiceAccountKey;
    assert.equal((await call(cloud, await tokenOf(key), create)).status, 403);
    await post(`${cloud.url}/_faults`, { kind: 'fail', status: 503 });
    assert.equal((await send(...create)).status, 503);
    await post(`${cloud.url}/_faults`, { kind: 'fail', times: 5 });
    await fetch(`${cloud.url}/_faults`, { method: 'DELETE' });
    await post(`${cloud.url}/_operation-faults`, { verb: 'create' });
    const { body } = await send(...create);
    assert.deepEqual((await send('GET', `/v1/${body.name}`)).body.error, {
      code: 13,
      message: 'Internal error',
    });
    assert.deepEqual(await (await fetch(`${cloud.url}/_calls`)).json(), cloud.calls());
    assert.equal(cloud.calls()['POST /v1/projects/{project}/locations/{location}/instances'], 3);
  });

  test('an invalid control request is refused', async () => {
    const { cloud } = await start();
    assert.equal((await fetch(`${cloud.url}/_nothing`)).status, 404);
  });
});

test('a cloud restores accounts, tokens, resources and running operations from its file', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'services-stack-gcp-'));
  t.after(() => rm(directory, { recursive: true }));
  let nowMs = Date.now();
  const options = { dataFile: join(directory, 'held.json'), now: () => nowMs, provisioningMs: 1000 };
  const former = await startGoogleCloud(options);
  const key = former.createKey();
  const token = await tokenOf(key);
  await call(former, token, ['PUT', topic, { labels: { a: 'b' } }]);
  const { body } = await call(former, token, create);
  await former.stop();
  assert.equal((await stat(options.dataFile)).mode & 0o777, 0o600);

  const next = await emulator(options);
  assert.deepEqual((await call(next, token, ['GET', topic])).body.labels, { a: 'b' });
  assert.equal((await call(next, token, ['GET', instance])).body.state, 'CREATING');
  nowMs += 1000;
  assert.equal((await call(next, token, ['GET', `/v1/${body.name}`])).body.done, true);
  assert.equal((await call(next, token, ['GET', instance])).body.state, 'READY');
  assert.notEqual(await tokenOf({ ...key, token_uri: `${next.url}/token` }), '');
});

test('a key of another emulator is accepted after acceptKey', async () => {
  const [one, other] = [await start(), await start()];
  const key = { ...one.cloud.createKey({ name: 'shared' }), token_uri: `${other.cloud.url}/token` };
  await assert.rejects(tokenOf(key), /account not found/);
  other.cloud.accounts.acceptKey(key);
  assert.equal((await call(other.cloud, await tokenOf(key), create)).status, 200);
});
