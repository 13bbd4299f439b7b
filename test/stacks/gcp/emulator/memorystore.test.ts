import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import map from 'lodash/map.js';
import snakeCase from 'lodash/snakeCase.js';
import type { Answer } from './caller.ts';
import { call, start, tokenOf } from './caller.ts';

const location = '/v1/projects/example-project/locations/us-central1';
const name = 'projects/example-project/locations/us-central1/instances/cache';
const small = { tier: 'BASIC', memorySizeGb: 1 };
const create = (fields: object = {}, id = 'cache', at = location) =>
  ['POST', `${at}/instances?instanceId=${id}`, { ...small, ...fields }] as const;
const change = (mask: string, fields: object = {}, of = name) =>
  ['PATCH', `/v1/${of}?updateMask=${mask}`, fields] as const;
const inEurope = location.replace('us-central1', 'europe-west1');
const messageOf = ({ body }: Answer) => (body.error as { message: string } | undefined)?.message;

test('an operation creates an instance, which has an address when the operation ends', async () => {
  const { send, pass } = await start({ provisioningMs: 1000 });
  const begun = await send(...create());
  assert.equal(begun.status, 200);
  assert.equal(begun.body.done, false);
  const { state, host } = (await send('GET', `/v1/${name}`)).body;
  assert.deepEqual({ state, host }, { state: 'CREATING', host: undefined });
  assert.equal((await send('GET', `/v1/${begun.body.name}`)).body.done, false);

  pass(1000);
  const there = (await send('GET', `/v1/${name}`)).body;
  const { createTime, ...rest } = there;
  assert.match(String(createTime), /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{9}Z$/);
  assert.deepEqual(rest, {
    name,
    locationId: 'us-central1-a',
    redisVersion: 'REDIS_7_0',
    authorizedNetwork: 'projects/example-project/global/networks/default',
    connectMode: 'DIRECT_PEERING',
    transitEncryptionMode: 'DISABLED',
    readReplicasMode: 'READ_REPLICAS_DISABLED',
    persistenceConfig: { persistenceMode: 'DISABLED' },
    ...small,
    reservedIpRange: '10.0.0.8/29',
    currentLocationId: 'us-central1-a',
    state: 'READY',
    host: '10.0.0.11',
    port: 6379,
    persistenceIamIdentity: 'serviceAccount:709322964338-compute@developer.gserviceaccount.com',
    nodes: [{ id: 'node-0', zone: 'us-central1-a' }],
  });
  const { done, response } = (await send('GET', `/v1/${begun.body.name}`)).body;
  const type = { '@type': 'type.googleapis.com/google.cloud.redis.v1.Instance' };
  assert.deepEqual([done, response], [true, { ...type, ...there }]);
});

test('an update is an operation: fields outside of the mask stay, and readers see the old values until its end', async () => {
  const { send, pass } = await start({ updateMs: 1000 });
  await send(...create({ labels: { a: 'b' }, displayName: 'old' }));
  const body = { memorySizeGb: '2', display_name: 'new', labels: { c: 'd' } };
  const begun = await send(...change('memorySizeGb,display_name', body));
  assert.equal((begun.body.metadata as { verb: string }).verb, 'update');
  const observed = async () => {
    const { state, memorySizeGb, displayName, labels } = (await send('GET', `/v1/${name}`)).body;
    return { state, memorySizeGb, displayName, labels };
  };
  const labels = { a: 'b' };
  assert.deepEqual(await observed(), { state: 'UPDATING', memorySizeGb: 1, displayName: 'old', labels });
  pass(1000);
  assert.deepEqual(await observed(), { state: 'READY', memorySizeGb: 2, displayName: 'new', labels });
});

test('a field in the mask without a value in the body is removed', async () => {
  const { send } = await start();
  const configs = { 'maxmemory-policy': 'allkeys-lru' };
  await send(...create({ redisConfigs: configs, labels: { a: 'b' } }));
  assert.deepEqual((await send('GET', `/v1/${name}`)).body.redisConfigs, configs);
  assert.equal((await send(...change('redisConfigs,labels'))).status, 200);
  const { redisConfigs, labels } = (await send('GET', `/v1/${name}`)).body;
  assert.deepEqual([redisConfigs, labels], [undefined, undefined]);
});

test('an instance exists until the operation that deletes it ends', async () => {
  const { send, pass } = await start({ deletionMs: 1000 });
  await send(...create());
  const begun = await send('DELETE', `/v1/${name}`);
  assert.equal((await send('GET', `/v1/${name}`)).body.state, 'DELETING');
  pass(1000);
  assert.equal((await send('GET', `/v1/${name}`)).status, 404);
  const { done, response } = (await send('GET', `/v1/${begun.body.name}`)).body;
  assert.deepEqual([done, response], [true, { '@type': 'type.googleapis.com/google.protobuf.Empty' }]);
  assert.equal((await send(...create())).status, 200);
});

test('an instance accepts one operation at a time', async () => {
  const { send, pass } = await start({ provisioningMs: 1000 });
  await send(...create());
  const refusal = (verb: string) => ({
    error: {
      code: 400,
      message: `Unable to ${verb} due to ongoing operations. Please wait until instance is in READY state.`,
      status: 'FAILED_PRECONDITION',
    },
  });
  assert.deepEqual((await send('DELETE', `/v1/${name}`)).body, refusal('delete'));
  assert.deepEqual((await send(...change('labels'))).body, refusal('update'));
  const upgrade = await send('POST', `/v1/${name}:upgrade`, { redisVersion: 'REDIS_7_2' });
  assert.deepEqual(upgrade.body, refusal('upgrade'));
  pass(1000);
  assert.equal((await send('POST', `/v1/${name}:upgrade`, { redisVersion: 'REDIS_7_2' })).status, 200);
  assert.equal((await send('GET', `/v1/${name}`)).body.redisVersion, 'REDIS_7_2');
});

test('AUTH gets a new string each time it is enabled, and the instance never contains the string', async () => {
  const { send } = await start();
  const authString = async () => (await send('GET', `/v1/${name}/authString`)).body.authString;
  const turn = (authEnabled: boolean) => send(...change('authEnabled', { authEnabled }));
  await send(...create({ authEnabled: true }));
  const first = await authString();
  assert.match(String(first), /^[0-9a-f-]{36}$/);
  assert.ok(!JSON.stringify((await send('GET', `/v1/${name}`)).body).includes(String(first)));
  await turn(false);
  assert.deepEqual((await send('GET', `/v1/${name}/authString`)).body, {});
  assert.equal((await send('GET', `/v1/${name}`)).body.authEnabled, undefined);
  await turn(true);
  const second = await authString();
  assert.ok(typeof second === 'string' && second !== first);
  await turn(true);
  assert.equal(await authString(), second);
});

test('the standard tier has a second node in another zone, and TLS has a certificate', async () => {
  const { send } = await start();
  const wanted = { tier: 'STANDARD_HA', memorySizeGb: 5, transitEncryptionMode: 'SERVER_AUTHENTICATION' };
  await send(...create({ ...wanted, locationId: 'us-central1-b' }));
  const { replicaCount, nodes, port, serverCaCerts } = (await send('GET', `/v1/${name}`)).body;
  const both = ['us-central1-b', 'us-central1-a'].map((zone, index) => ({ id: `node-${index}`, zone }));
  assert.deepEqual([replicaCount, nodes, port], [1, both, 6378]);
  assert.match((serverCaCerts as readonly { cert: string }[])[0]?.cert ?? '', /^-----BEGIN CERTIFICATE-----/);
});

describe("an invalid request gets Google's error:", () => {
  const existing = name.replace('cache', 'there');
  const info = (resourceName: string) => [
    { '@type': 'type.googleapis.com/google.rpc.ResourceInfo', resourceName },
  ];
  const noSuch = [404, `Resource '${name}' was not found`, info(name)] as const;
  const invalid = (field: string, message: string, description = message) => {
    const type = { '@type': 'type.googleapis.com/google.rpc.BadRequest' };
    return [400, message, [{ ...type, fieldViolations: [{ field, description }] }]] as const;
  };
  /** The refusal of a creation with this value. */
  const wrong = (field: string, value: string | number, message: string): Case => [
    create({ [field]: value }),
    ...invalid(`instance.${snakeCase(field)}`, message, `Invalid value: ${value}`),
  ];
  type Case = readonly [
    request: readonly [string, string, unknown?],
    code: number,
    message: string,
    details?: unknown,
  ];
  const cases: Readonly<Record<string, Case>> = {
    'an instance that is not there': [['GET', `/v1/${name}`], ...noSuch],
    'the AUTH string of one': [['GET', `/v1/${name}/authString`], ...noSuch],
    'a change of one': [change('labels'), ...noSuch],
    'a deletion of one': [['DELETE', `/v1/${name}`], ...noSuch],
    'a name that is taken': [
      create({}, 'there'),
      409,
      `Resource '${existing}' already exists`,
      info(existing),
    ],
    'a name that none can have': [
      create({}, 'Cache_1'),
      ...invalid(
        'instance_id',
        'Instance ID must have 1 to 40 lowercase letters, numbers, and hyphens. It must start with a letter and end with a number or a letter.',
        'Invalid value: Cache_1',
      ),
    ],
    'no tier': [create({ tier: undefined }), ...invalid('instance.tier', 'Tier must be specified.')],
    'a tier that is none': [
      create({ tier: 'GOLD' }),
      ...invalid(
        'instance.tier',
        `Invalid value at 'instance.tier' (type.googleapis.com/google.cloud.redis.v1.Instance.Tier), "GOLD"`,
      ),
    ],
    'a size that cannot be had': wrong('memorySizeGb', 301, 'Memory size must be between 1 and 300 GB.'),
    'a version that there is not': wrong(
      'redisVersion',
      'REDIS_9_0',
      'Redis version is not supported; it must be one of REDIS_3_2, REDIS_4_0, REDIS_5_0, REDIS_6_X, REDIS_7_0, REDIS_7_2.',
    ),
    'a configuration that came later': [
      create({ redisVersion: 'REDIS_3_2', redisConfigs: { activedefrag: 'yes' } }),
      ...invalid(
        'instance.redis_configs',
        'Redis configuration activedefrag is not supported by REDIS_3_2.',
        'Invalid value: activedefrag',
      ),
    ],
    'a network elsewhere': wrong(
      'authorizedNetwork',
      'projects/other-project/global/networks/default',
      'authorized_network must exist in the same project as redis instance',
    ),
    'a second zone for the basic tier': wrong(
      'alternativeLocationId',
      'us-central1-b',
      'Alternative zone is only applicable to the standard tier.',
    ),
    'a zone of another region': wrong(
      'locationId',
      'europe-west1-b',
      'Zone must be one of region us-central1: us-central1-a, us-central1-b, us-central1-c, us-central1-f.',
    ),
    'a label that is none': [
      create({ labels: { 'crossplane.io/kind': 'x' } }),
      ...invalid(
        'instance.labels',
        'Labels must consist of lowercase letters, numbers, dashes and underscores, of at most 63 characters. Keys must start with a letter, and not with goog-.',
        'Invalid value: crossplane.io/kind=x',
      ),
    ],
    'a field that there is not': [
      create({ size: 1 }),
      ...invalid(
        'instance',
        `Invalid JSON payload received. Unknown name "size" at 'instance': Cannot find field.`,
      ),
    ],
    'a query that there is not': [
      ['GET', `/v1/${existing}?view=FULL`],
      ...invalid(
        '',
        `Invalid JSON payload received. Unknown name "view": Cannot bind query parameter. Field 'view' could not be found in request message.`,
      ),
    ],
    'a body that is no JSON': [
      ['POST', create()[1], '{'],
      400,
      'Invalid JSON payload received. Unexpected token.',
    ],
    'an empty mask': [change('', {}, existing), ...invalid('update_mask', 'update_mask must be specified')],
    'a change of what cannot be changed': [
      change('tier', { tier: 'STANDARD_HA' }, existing),
      ...invalid('update_mask', 'Update of field tier is not supported.'),
    ],
    'a step back to an older version': [
      ['POST', `/v1/${existing}:upgrade`, { redisVersion: 'REDIS_6_X' }],
      400,
      'Cannot upgrade from REDIS_7_0 to REDIS_6_X: the target must be a later version.',
    ],
  };
  for (const [what, [request, code, message, details]] of Object.entries(cases)) {
    test(what, async () => {
      const { send, cloud } = await start();
      await send(...create({}, 'there'));
      const { status, body } = await send(...request);
      const { status: _status, ...error } = body.error as Readonly<Record<string, unknown>>;
      assert.deepEqual([status, error], [code, { code, message, ...(details !== undefined && { details }) }]);
      assert.deepEqual(map(cloud.instances.all(), 'name'), [existing]);
    });
  }

  test('an unknown region is refused', async () => {
    const { send } = await start();
    for (const path of ['', '/instances', '/instances/cache', '/operations/o']) {
      const answer = await send('GET', `${location.replace('central1', 'central9')}${path}`);
      const message = "Permission denied on 'locations/us-central9' (or it may not exist).";
      assert.deepEqual([answer.status, messageOf(answer)], [403, message]);
    }
  });

  test('an unknown method or path gets a page of the front end', async () => {
    const { send } = await start();
    for (const [method, path] of [
      ['PUT', `/v1/${name}`],
      ['GET', '/v2/projects'],
    ] as const) {
      const { status, headers } = await send(method, path);
      assert.deepEqual([status, headers.get('content-type')], [404, 'text/html; charset=UTF-8']);
    }
  });
});

test('instances of one region or of all regions are listed by pages', async () => {
  const { send, cloud } = await start();
  for (const id of ['b', 'a', 'c']) await send(...create({}, id));
  await send(...create({}, 'd', inEurope));
  const namesOf = ({ body }: Answer) =>
    ((body.instances ?? []) as readonly { name: string }[]).map((one) => one.name.split('/').at(-1));
  const first = await send('GET', `${location}/instances?pageSize=2`);
  assert.deepEqual(namesOf(first), ['a', 'b']);
  const second = await send('GET', `${location}/instances?pageSize=2&pageToken=${first.body.nextPageToken}`);
  assert.deepEqual([namesOf(second), second.body.nextPageToken], [['c'], undefined]);
  const inAll = await send('GET', location.replace('us-central1', '-/instances'));
  assert.deepEqual(namesOf(inAll), ['d', 'a', 'b', 'c']);
  const token = await tokenOf(cloud.createKey({ project: 'other-project' }));
  const elsewhere = '/v1/projects/other-project/locations/-/instances';
  assert.deepEqual((await call(cloud, token, ['GET', elsewhere])).body, {});
});

test('readers lag behind writers', async () => {
  const { send, pass } = await start({ readDelayMs: 500 });
  await send(...create());
  assert.equal((await send('GET', `/v1/${name}`)).status, 404);
  assert.deepEqual((await send('GET', `${location}/instances`)).body, {});
  assert.equal((await send(...create())).status, 409);
  pass(500);
  assert.equal((await send('GET', `/v1/${name}`)).status, 200);
});

test('a quota limits the number and the size of instances in each region', async () => {
  const { send } = await start({ quotas: { instances: 2, memoryGb: 4 } });
  const make = (id: string, memorySizeGb: number) => send(...create({ memorySizeGb }, id));
  const tooBig = "Quota limit 'TotalCapacityGbPerRegion' has been exceeded. Limit: 4 in region us-central1.";
  assert.equal((await make('a', 3)).status, 200);
  const refused = await make('b', 2);
  assert.deepEqual([refused.status, messageOf(refused)], [429, tooBig]);
  assert.equal((await make('b', 1)).status, 200);
  assert.equal(
    messageOf(await make('c', 1)),
    "Quota limit 'InstancesPerRegion' has been exceeded. Limit: 2 in region us-central1.",
  );
  const grow = change('memorySizeGb', { memorySizeGb: 2 }, name.replace('cache', 'b'));
  assert.equal(messageOf(await send(...grow)), tooBig);
  assert.equal((await send(...create({}, 'c', inEurope))).status, 200);
});

test('a failed creation leaves no instance, and a failed update changes nothing', async () => {
  const { send, cloud } = await start();
  const error = {
    code: 8,
    message: 'Unable to create instance. System limit for internal resources has been reached.',
  };
  const outcome = async ({ body }: Answer) => (await send('GET', `/v1/${body.name}`)).body;
  cloud.failOperation({ verb: 'create', error });
  const failed = await outcome(await send(...create()));
  assert.deepEqual([failed.done, failed.error, failed.response], [true, error, undefined]);
  assert.equal((await send('GET', `/v1/${name}`)).status, 404);

  await send(...create());
  const changes: Record<'update' | 'delete', Parameters<typeof send>> = {
    update: [...change('memorySizeGb', { memorySizeGb: 2 })],
    delete: ['DELETE', `/v1/${name}`],
  };
  for (const verb of ['update', 'delete'] as const) {
    cloud.failOperation({ verb });
    const { error: refused } = await outcome(await send(...changes[verb]));
    assert.deepEqual(refused, { code: 13, message: 'Internal error' });
    const { state, memorySizeGb } = (await send('GET', `/v1/${name}`)).body;
    assert.deepEqual({ state, memorySizeGb }, { state: 'READY', memorySizeGb: 1 });
  }
});
