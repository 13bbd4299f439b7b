import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { EC2, paginateDescribeVpcs } from '@aws-sdk/client-ec2';
import map from 'lodash/map.js';
import { exampleAccount } from '../../../../stacks/aws/emulator/account.ts';
import type { LocalAws, LocalAwsOptions } from '../../../../stacks/aws/emulator/server.ts';
import { startAws } from '../../../../stacks/aws/emulator/server.ts';

const clientOf = ({ url }: LocalAws, { region = 'us-west-1', credentials = exampleAccount } = {}): EC2 =>
  new EC2({ region, endpoint: url, credentials: { ...credentials }, maxAttempts: 1 });

/** A cloud, and the official client of it. */
async function scene(options: LocalAwsOptions = {}) {
  const aws = await startAws(options);
  const ec2 = clientOf(aws);
  return {
    aws,
    ec2,
    async [Symbol.asyncDispose]() {
      ec2.destroy();
      await aws.stop();
    },
  };
}

const vpc = { CidrBlock: '10.0.0.0/16' };
const tagged = (type: 'vpc' | 'instance', tags: Readonly<Record<string, string>>) => [
  { ResourceType: type, Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) },
];
const machine = {
  ImageId: 'ami-0123456789abcdef0',
  InstanceType: 't2.micro',
  MinCount: 1,
  MaxCount: 1,
  ClientToken: 'token',
} as const;

describe('the official client of EC2', () => {
  test('creates a VPC with an id of the cloud, and finds it by tags, id and range', async () => {
    await using made = await scene();
    const tags = { Name: 'a & b <c>', team: 'blüe' };
    const { Vpc: created } = await made.ec2.createVpc({ ...vpc, TagSpecifications: tagged('vpc', tags) });
    await made.ec2.createVpc({ CidrBlock: '10.1.0.0/16' });
    assert.match(created?.VpcId ?? '', /^vpc-0[0-9a-f]{16}$/);
    const filters = [
      { VpcIds: [created?.VpcId ?? ''] },
      { Filters: [{ Name: 'tag:Name', Values: ['a & b <c>'] }] },
      { Filters: [{ Name: 'tag:team', Values: ['bl*'] }] },
      { Filters: [{ Name: 'cidr', Values: ['10.0.0.0/16', '10.9.0.0/16'] }] },
    ];
    for (const filter of filters) {
      const { Vpcs: found } = await made.ec2.describeVpcs(filter);
      assert.deepEqual(map(found, 'VpcId'), [created?.VpcId], JSON.stringify(filter));
      const foundTags = found?.[0]?.Tags?.map(({ Key, Value }) => [Key, Value]);
      assert.deepEqual(Object.fromEntries(foundTags ?? []), tags);
    }
    await assert.rejects(made.ec2.describeVpcs({ Filters: [{ Name: 'colour', Values: ['red'] }] }), {
      name: 'InvalidParameterValue',
    });
  });

  test('gets lists by pages', async () => {
    await using made = await scene({ quotas: { vpc: 20 } });
    for (let i = 0; i < 12; i += 1) await made.ec2.createVpc({ CidrBlock: `10.${i}.0.0/16` });
    const sizes = [];
    for await (const { Vpcs: page } of paginateDescribeVpcs({ client: made.ec2, pageSize: 5 }, {})) {
      sizes.push(page?.length);
    }
    assert.deepEqual(sizes, [5, 5, 2]);
  });

  test('creates one instance for a token, and refuses another request with that token', async () => {
    await using made = await scene();
    const { Instances: first } = await made.ec2.runInstances(machine);
    const { Instances: second } = await made.ec2.runInstances(machine);
    assert.deepEqual(map(second, 'InstanceId'), map(first, 'InstanceId'));
    await assert.rejects(made.ec2.runInstances({ ...machine, InstanceType: 't2.small' }), {
      name: 'IdempotentParameterMismatch',
    });
  });

  test('an instance starts, stops, and stays listed as terminated', async () => {
    let now = 1_000_000;
    await using made = await scene({ now: () => now, provisioningMs: 30_000, deletionMs: 20_000 });
    const { Instances: created } = await made.ec2.runInstances(machine);
    const InstanceIds = [created?.[0]?.InstanceId ?? ''];
    const state = async () => {
      const { Reservations: all } = await made.ec2.describeInstances({ InstanceIds });
      return all?.[0]?.Instances?.[0]?.State?.Name;
    };
    const states = [await state()];
    for (const act of [
      async () => {},
      () => made.ec2.stopInstances({ InstanceIds }),
      async () => {},
      () => made.ec2.startInstances({ InstanceIds }),
      async () => {},
      () => made.ec2.terminateInstances({ InstanceIds }),
      async () => {},
    ]) {
      now += 30_000;
      await act();
      states.push(await state());
    }
    const phases = 'pending, running, stopping, stopped, pending, running, shutting-down, terminated';
    assert.equal(states.join(', '), phases);
    now += 3_600_000;
    await assert.rejects(state(), { name: 'InvalidInstanceID.NotFound' });
  });

  test('cannot change the type of a running instance', async () => {
    await using made = await scene();
    const { Instances: created } = await made.ec2.runInstances(machine);
    const InstanceId = created?.[0]?.InstanceId ?? '';
    await assert.rejects(
      made.ec2.modifyInstanceAttribute({ InstanceId, InstanceType: { Value: 't2.small' } }),
      { name: 'IncorrectInstanceState' },
    );
  });

  test('reads the old state while reads lag', async () => {
    let now = 1_000_000;
    await using made = await scene({ now: () => now, readDelayMs: 3_000 });
    const { Vpc: created } = await made.ec2.createVpc(vpc);
    const VpcIds = [created?.VpcId ?? ''];
    await assert.rejects(made.ec2.describeVpcs({ VpcIds }), { name: 'InvalidVpcID.NotFound' });
    now += 3_000;
    assert.equal((await made.ec2.describeVpcs({ VpcIds })).Vpcs?.length, 1);
  });

  test('sees only resources of its account and region', async () => {
    const other = { id: '210987654321', accessKeyId: 'AKIAI44QH8DHBEXAMPLE', secretAccessKey: 'secret' };
    await using made = await scene({ accounts: [exampleAccount, other] });
    await made.ec2.createVpc(vpc);
    const counts = [];
    for (const options of [{}, { region: 'eu-west-1' }, { credentials: other }]) {
      const client = clientOf(made.aws, options);
      counts.push((await client.describeVpcs({})).Vpcs?.length ?? 0);
      client.destroy();
    }
    assert.deepEqual(counts, [1, 0, 0]);
  });

  test('is refused the actions that the policies of its key deny, and no others', async () => {
    await using made = await scene({ accounts: [{ ...exampleAccount, denied: ['ec2:CreateVpc'] }] });
    await assert.rejects(made.ec2.createVpc(vpc), { name: 'UnauthorizedOperation' });
    assert.deepEqual((await made.ec2.describeVpcs({})).Vpcs ?? [], []);
  });
});

describe('the cloud', () => {
  test('restores its inventory from its file', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'aws-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const dataFile = join(folder, 'inventory.json');
    const former = await scene({ dataFile });
    const { Vpc: created } = await former.ec2.createVpc(vpc);
    await former[Symbol.asyncDispose]();
    await using made = await scene({ dataFile });
    assert.deepEqual(map((await made.ec2.describeVpcs({})).Vpcs, 'VpcId'), [created?.VpcId]);
  });

  test('refuses a tag that XML cannot contain', async () => {
    await using made = await scene();
    const bad = { 'k\u0007': 'a\u0007\u001b[31mred' };
    await assert.rejects(made.ec2.createVpc({ ...vpc, TagSpecifications: tagged('vpc', bad) }), {
      name: 'InvalidParameterValue',
      message:
        'The value of parameter TagSpecification.1.Tag.1.Key contains characters that are not valid in XML.',
    });
    const lines = tagged('vpc', { lines: 'one\r\ntwo' });
    const { Vpc } = await made.ec2.createVpc({ ...vpc, TagSpecifications: lines });
    const { Vpcs } = await made.ec2.describeVpcs();
    assert.deepEqual(Vpcs, [Vpc]);
    assert.deepEqual(Vpc?.Tags, [{ Key: 'lines', Value: 'one\r\ntwo' }]);
  });

  test('injects faults and counts calls over HTTP', async () => {
    await using made = await scene();
    const { url } = made.aws;
    const fault = { kind: 'fail', action: 'ec2:CreateVpc', code: 'InternalError', status: 500 };
    await fetch(`${url}/_faults`, { method: 'POST', body: JSON.stringify(fault) });
    await assert.rejects(made.ec2.createVpc(vpc), { name: 'InternalError' });
    await made.ec2.createVpc(vpc);
    await fetch(`${url}/_faults`, { method: 'POST', body: JSON.stringify(fault) });
    await fetch(`${url}/_faults`, { method: 'DELETE' });
    await made.ec2.createVpc(vpc);
    assert.deepEqual(await (await fetch(`${url}/_calls`)).json(), { 'ec2:CreateVpc': 3 });
    assert.equal((await fetch(`${url}/_faults`, { method: 'POST', body: '{' })).status, 400);
    assert.equal((await fetch(`${url}/_other`)).status, 404);
  });

  test('refuses a request if its body differs from the signed one', async () => {
    await using made = await scene();
    made.ec2.middlewareStack.add(
      (next) => (args) => {
        const { request } = args as { request: { body: string } };
        request.body = request.body.replace('10.0.0.0', '10.1.0.0');
        return next(args);
      },
      { step: 'deserialize', priority: 'low', name: 'tamper' },
    );
    await assert.rejects(made.ec2.createVpc(vpc), { name: 'AuthFailure' });
  });

  test('refuses a request without signature, with an old signature, or for an unknown service', async () => {
    let date = new Date();
    await using made = await scene({ date: () => date });
    assert.equal((await fetch(made.aws.url)).status, 403);
    date = new Date(date.getTime() + 16 * 60_000);
    await assert.rejects(made.ec2.describeVpcs({}), { name: 'AuthFailure' });
  });
});
