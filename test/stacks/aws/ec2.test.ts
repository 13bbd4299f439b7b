import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import type { Definition } from '../../../apis/core/schema.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName } from '../../../apis/core/v1alpha1/meta.ts';
import { ec2Instances } from '../../../stacks/aws/client/ec2/instances.ts';
import type { StoredInstance, StoredVpc } from '../../../stacks/aws/emulator/ec2/stored.ts';
import type { Instance } from '../../../stacks/aws/kinds/ec2/v1beta1/instance.ts';
import { InstanceKind } from '../../../stacks/aws/kinds/ec2/v1beta1/instance.ts';
import { SubnetKind } from '../../../stacks/aws/kinds/ec2/v1beta1/subnet.ts';
import type { VPC } from '../../../stacks/aws/kinds/ec2/v1beta1/vpc.ts';
import { VPCKind } from '../../../stacks/aws/kinds/ec2/v1beta1/vpc.ts';
import { Bench } from '../../../testing/bench.ts';
import type { InProcessAwsOptions } from '../../fakes/in-process-aws.ts';
import { awsWorld, clientOf, region, withVpc } from './conformance/aws-world.ts';

const { signal } = new AbortController();
const ami = 'ami-0123456789abcdef0';
const small = { region, ami, instanceType: 't2.micro' };

/** The reconciler over a local AWS, in virtual time. */
async function scene<M extends Managed>(managed: Definition<M>, options: InProcessAwsOptions = {}) {
  let world: Awaited<ReturnType<typeof awsWorld>> | undefined;
  const bench = await Bench.open({
    managed: managed as Definition<Managed>,
    forProvider: {},
    async open(given) {
      world = await awsWorld(given, {
        creation: 'ec2:RunInstances',
        failure: () => assert.fail(),
        externals: () => [],
        ...options,
      });
      return world;
    },
  });
  const aws = world!.aws;
  const of = <T extends object>(sort: string) =>
    aws.collections<T>(sort).flatMap(([, collection]) => collection.all());
  return {
    bench,
    aws,
    of,
    instances: () => of<StoredInstance>('ec2/instance'),
    vpcs: () => of<StoredVpc>('ec2/vpc'),
    drift(id: string, change: Partial<StoredInstance>) {
      for (const [, collection] of aws.collections<StoredInstance>('ec2/instance')) {
        if (collection.get(id) !== undefined) collection.drift(id, (item) => ({ ...item, ...change }));
      }
    },
    object: (name: string) => bench.existing(name) as M,
    idOf: (name: string) => externalName(bench.existing(name)) ?? assert.fail('it has no external name'),
    async [Symbol.asyncDispose]() {
      await bench.close();
    },
  };
}

describe('an Instance', () => {
  test('takes over the zone, the subnet and the address that AWS chose', async () => {
    await using made = await scene<Instance>(InstanceKind);
    await made.bench.ready('web', small);
    await made.bench.passes('web', 3);
    const [{ item } = assert.fail()] = made.instances();
    const { availabilityZone, subnetId, privateIp, groups: vpcSecurityGroupIds } = item;
    const chosen = { availabilityZone, subnetId, privateIp, vpcSecurityGroupIds };
    assert.deepEqual(made.object('web').spec.forProvider, { ...small, ...chosen });
  });

  test('an instance whose type a user changes is stopped, changed back and started, and loses its mark', async () => {
    await using made = await scene<Instance>(InstanceKind);
    await made.bench.ready('web', small);
    const tags = made.instances()[0]?.item.tags;
    made.drift(made.idOf('web'), { instanceType: 't2.large' });
    const isBack = () => made.instances()[0]?.item.instanceType === 't2.micro';
    await made.bench.until('web', () => isBack() && made.bench.isReady('web'), 'it was not changed back');
    await made.bench.passes('web', 3);
    assert.deepEqual(made.instances()[0]?.item.tags, tags);
    const { 'ec2:StopInstances': stops, 'ec2:StartInstances': starts } = made.aws.calls();
    assert.deepEqual([stops, starts], [1, 1]);
  });

  test('is started again after such a change, at whatever step the process dies', async () => {
    let died = 0;
    for (let steps = 1; steps <= 40; steps += 1) {
      await using made = await scene<Instance>(InstanceKind);
      await made.bench.ready('web', small);
      made.bench.edit('web', { instanceType: 't2.large' });
      made.bench.process.stepsLeft = steps;
      const isDone = () => made.instances()[0]?.item.instanceType === 't2.large' && made.bench.isReady('web');
      await made.bench.until('web', () => made.bench.process.hasCrashed || isDone(), 'it was not changed');
      if (!made.bench.process.hasCrashed) break;
      died += 1;
      made.bench.restart();
      await made.bench.until('web', isDone, `after it died at step ${steps} it was not changed`);
      assert.equal(made.instances().length, 1);
    }
    assert.ok(died >= 5, `it died ${died} times`);
  });

  test('an instance that a user stops stays stopped, and is not Ready', async () => {
    await using made = await scene<Instance>(InstanceKind);
    await made.bench.ready('web', small);
    await ec2Instances(clientOf(made.aws)).stop({ region, id: made.idOf('web') }, signal);
    await made.bench.passes('web', 3);
    const stopped = { status: 'False', message: 'the instance is stopped: start it in AWS' };
    assert.deepEqual(made.bench.condition('web', 'Ready'), stopped);
    assert.equal(made.aws.calls()['ec2:StartInstances'], undefined);
  });

  test('is not stopped for such a change before it is marked', async () => {
    await using made = await scene<Instance>(InstanceKind);
    const { bench, aws } = made;
    await bench.ready('web', small);
    aws.faults.inject({ kind: 'fail', action: 'ec2:CreateTags', code: 'UnauthorizedOperation', status: 403 });
    bench.edit('web', { instanceType: 't2.large' });
    const hasFailed = () => /UnauthorizedOperation/.test(bench.condition('web', 'Synced').message);
    await bench.until('web', hasFailed, 'the failure was not reported');
    assert.equal(aws.calls()['ec2:StopInstances'], undefined);
  });

  test('an instance that a user stops stays stopped, whatever fields or tags are edited', async () => {
    await using made = await scene<Instance>(InstanceKind);
    await made.bench.ready('web', small);
    await ec2Instances(clientOf(made.aws)).stop({ region, id: made.idOf('web') }, signal);
    const tags = { 'crossplane-stopped-for': 'instanceType', team: 'a' };
    made.bench.edit('web', { instanceType: 't2.large', tags });
    await made.bench.passes('web', 5);
    const [{ item } = assert.fail()] = made.instances();
    assert.deepEqual([item.instanceType, item.tags.team], ['t2.large', 'a']);
    assert.equal(made.aws.calls()['ec2:StartInstances'], undefined);
  });

  test("a creation whose answer is lost has one instance by its token, after an administrator's approval", async () => {
    await using made = await scene<Instance>(InstanceKind, { readDelayMs: 5_000 });
    const { bench, aws } = made;
    aws.faults.inject({ kind: 'loseResponse', action: 'ec2:RunInstances', times: 4 });
    bench.put('web', small);
    await bench.pass('web');
    assert.match(
      bench.condition('web', 'Synced').message,
      /cannot create instance: .* closed the connection before it answered/,
    );
    await bench.pass('web');
    assert.match(bench.condition('web', 'Synced').message, /cannot determine creation result/);
    const { [annotationKeys.externalCreatePending]: _, ...annotations } =
      bench.existing('web').metadata.annotations!;
    const { metadata, ...rest } = bench.existing('web');
    bench.cluster.put(InstanceKind as Definition<Managed>, {
      ...rest,
      metadata: { ...metadata, annotations },
    });
    await bench.until('web', () => bench.isReady('web'), 'it did not become Ready');
    assert.equal(made.instances().length, 1);
    assert.equal(made.idOf('web'), made.instances()[0]?.id);
  });

  test('an instance that is created again after its termination is a new one, although AWS remembers the token', async () => {
    await using made = await scene<Instance>(InstanceKind);
    const { bench, aws } = made;
    await bench.ready('web', small);
    const first = made.idOf('web');
    await ec2Instances(clientOf(aws)).delete({ region, id: first }, signal);
    await bench.passTime(60_000);
    bench.remove('web');
    for (let i = 0; i < 10 && bench.object('web') !== undefined; i += 1) await bench.pass('web');
    await bench.ready('web', small);
    assert.notEqual(made.idOf('web'), first);
    const phases = made.instances().map(({ phase }) => phase);
    assert.deepEqual(phases, ['gone', 'available']);
  });
});

const addressed = { region, cidrBlock: '10.0.0.0/16' };

describe('a request that AWS refuses is reported in its own words, with the field to change', () => {
  const noSubnet = 'subnet-0123456789abcdef0';
  const huge = { region, cidrBlock: '10.0.0.0/8' };
  const refused: Readonly<Record<string, readonly [forProvider: object, says: RegExp, kind?: Definition]>> = {
    'a type that there is not': [
      { ...small, instanceType: 't9.huge' },
      /cannot create instance: AWS EC2 \(us-west-1, http:\/\/aws\.test\) refused \(400 InvalidParameterValue\): Invalid value 't9\.huge' for InstanceType; change spec\.forProvider\.instanceType$/,
    ],
    'an image that is none': [
      { ...small, ami: 'debian' },
      /\(400 InvalidAMIID\.Malformed\): Invalid id: "debian" \(expecting "ami-\.\.\."\); change spec\.forProvider\.ami$/,
    ],
    'a subnet that is not there': [
      { ...small, subnetId: noSubnet },
      /\(400 InvalidSubnetID\.NotFound\): The subnet ID 'subnet-0123456789abcdef0' does not exist; change spec\.forProvider\.subnetId$/,
    ],
    'no region at all': [
      { ami, instanceType: 't2.micro' },
      /spec\.forProvider\.region is needed: the provider names no region/,
    ],
    'addresses that no VPC may have': [
      huge,
      /cannot create VPC: .*\(400 InvalidVpc\.Range\): The CIDR '10\.0\.0\.0\/8' is invalid; change spec\.forProvider\.cidrBlock$/,
      VPCKind,
    ],
  };
  for (const [what, [forProvider, says, kind = InstanceKind]] of Object.entries(refused)) {
    test(what, async () => {
      await using made = await scene(kind as Definition<Managed>);
      made.bench.put('it', forProvider);
      await made.bench.passes('it', 3);
      assert.match(made.bench.condition('it', 'Synced').message, says);
      const within = new RegExp(says.source.replace(/\$$/, ''));
      const { output } = made.bench;
      assert.ok(
        output.some((line) => within.test(line)),
        `an Event says so too: ${output.join('; ')}`,
      );
      assert.deepEqual([...made.instances(), ...made.vpcs()], []);
    });
  }
});

describe('a VPC in a region that there is not', () => {
  const lost = { ...addressed, region: 'us-west-9' };
  /** It was refused; with one that is there the account is known, and EC2 is asked at once. */
  async function refused({ isAccountKnown }: { readonly isAccountKnown: boolean }) {
    const made = await scene<VPC>(VPCKind);
    if (isAccountKnown) await made.bench.ready('first', { region, cidrBlock: '10.1.0.0/16' });
    made.bench.put('net', lost);
    await made.bench.passes('net', 3);
    assert.match(made.bench.condition('net', 'Synced').message, /change spec\.forProvider\.region/);
    return made;
  }

  for (const isAccountKnown of [true, false]) {
    const known = isAccountKnown ? 'known' : 'not known';
    test(`is made where it is to be once that is corrected, the account being ${known}`, async () => {
      await using made = await refused({ isAccountKnown });
      made.bench.replaceForProvider('net', { ...lost, region });
      await made.bench.until('net', () => made.bench.isReady('net'), 'it did not become Ready');
      assert.equal(made.vpcs().length, isAccountKnown ? 2 : 1);
    });

    test(`goes, the account being ${known}`, async () => {
      await using made = await refused({ isAccountKnown });
      if (isAccountKnown) made.bench.restart();
      made.bench.remove('net');
      await made.bench.until('net', () => made.bench.object('net') === undefined, 'it did not go');
    });
  }
});

describe('a field that the creation needs and that is missing', () => {
  const rows = {
    'an instance without an image': [InstanceKind, small, 'ami', 'an instance'],
    'an instance without a type': [InstanceKind, small, 'instanceType', 'an instance'],
    'a VPC without addresses': [VPCKind, addressed, 'cidrBlock', 'a VPC'],
  } as const;
  for (const [what, [kind, all, field, item]] of Object.entries(rows)) {
    test(`${what}: nothing is written for an attempt, and initProvider will do`, async () => {
      await using made = await scene(kind as Definition<Managed>);
      const { bench } = made;
      bench.put('it', omit(all, field));
      await bench.passes('it', 3);
      const says = new RegExp(`spec\\.forProvider\\.${field} is needed to create ${item}$`);
      assert.match(bench.condition('it', 'Synced').message, says);
      assert.deepEqual(Object.keys(bench.existing('it').metadata.annotations ?? {}), []);
      const { spec, ...object } = bench.existing('it');
      bench.cluster.put(kind as Definition<Managed>, {
        ...object,
        spec: { ...spec, initProvider: pick(all, field) },
      });
      await bench.until('it', () => bench.isReady('it'), 'it did not become Ready');
    });
  }
});

describe('a VPC', () => {
  test('an instance has the attributes of initProvider, and keeps the changes of other users', async () => {
    await using made = await scene<VPC>(VPCKind);
    const { bench } = made;
    bench.put('net', { region, cidrBlock: '10.0.0.0/16' });
    const { spec, ...rest } = bench.existing('net');
    const initProvider = { enableDnsHostnames: true };
    bench.cluster.put(VPCKind as Definition<Managed>, { ...rest, spec: { ...spec, initProvider } });
    await bench.until('net', () => bench.isReady('net'), 'it did not become Ready');
    assert.equal(made.vpcs()[0]?.item.attributes.enableDnsHostnames, true);
  });

  test('has them also where it does not show everywhere at once', async () => {
    await using made = await scene<VPC>(VPCKind);
    const { bench, aws } = made;
    const code = 'InvalidVpcID.NotFound';
    aws.faults.inject({ kind: 'fail', action: 'ec2:ModifyVpcAttribute', code, status: 400 });
    await bench.ready('net', { region, cidrBlock: '10.0.0.0/16', enableDnsHostnames: true });
    assert.equal(made.vpcs()[0]?.item.attributes.enableDnsHostnames, true);
    const failedAt = bench.existing('net').metadata.annotations?.[annotationKeys.externalCreateFailed];
    assert.equal(failedAt, undefined);
  });

  test('shows its id in its status, and as its external name', async () => {
    await using made = await scene<VPC>(VPCKind);
    await made.bench.ready('net', { region, cidrBlock: '10.0.0.0/16' });
    const id = made.vpcs()[0]?.id;
    assert.equal(made.idOf('net'), id);
    assert.deepEqual(made.object('net').status?.atProvider, {
      id,
      state: 'available',
      ownerId: '123456789012',
      arn: `arn:aws:ec2:us-west-1:123456789012:vpc/${id}`,
      dhcpOptionsId: 'dopt-0123456789abcdef0',
    });
  });

  test('a VPC is deleted once it is empty, and reports until then what it contains', async () => {
    await using made = await scene<VPC>(VPCKind);
    await made.bench.ready('net', { region, cidrBlock: '10.0.0.0/16' });
    const aws = clientOf(made.aws);
    const its = { service: 'ec2', what: 'try', isRepeatable: true } as const;
    const subnet = { VpcId: made.idOf('net'), CidrBlock: '10.0.1.0/24' };
    const created = await aws.call({ ...its, run: (ec2, http) => ec2.createSubnet(subnet, http) }, signal);
    made.bench.remove('net');
    await made.bench.passes('net', 2);
    assert.match(
      made.bench.condition('net', 'Synced').message,
      /\(400 DependencyViolation\): The vpc 'vpc-\w+' has dependencies and cannot be deleted$/,
    );
    const SubnetId = created.Subnet?.SubnetId ?? '';
    await aws.call({ ...its, run: (ec2, http) => ec2.deleteSubnet({ SubnetId }, http) }, signal);
    for (let i = 0; i < 10 && made.bench.object('net') !== undefined; i += 1) await made.bench.pass('net');
    assert.deepEqual(made.vpcs(), []);
  });
});

describe('AWS creates no second one of these by itself', () => {
  const vpcId = 'vpc-0123456789abcdef0';
  const saved = withVpc(vpcId);
  const sorts = {
    'a VPC': {
      kind: VPCKind as Definition<Managed>,
      forProvider: { region, cidrBlock: '10.1.0.0/16', enableDnsHostnames: true },
      sort: 'ec2/vpc',
      creation: 'ec2:CreateVpc',
      setting: 'ec2:ModifyVpcAttribute',
    },
    'a subnet': {
      kind: SubnetKind as Definition<Managed>,
      forProvider: { region, vpcId, cidrBlock: '10.0.1.0/24', mapPublicIpOnLaunch: true },
      sort: 'ec2/subnet',
      creation: 'ec2:CreateSubnet',
      setting: 'ec2:ModifySubnetAttribute',
    },
  };
  const idsIn = ({ of }: Pick<Awaited<ReturnType<typeof scene>>, 'of'>, sort: string) =>
    of(sort).flatMap(({ id }) => (id === vpcId ? [] : [id]));

  for (const [what, { kind, forProvider, sort, creation, setting }] of Object.entries(sorts)) {
    test(`${what} is asked for once: where the answer is lost, it is found by the tags that it was made with`, async () => {
      await using made = await scene(kind, { saved });
      made.aws.faults.inject({ kind: 'loseResponse', action: creation });
      await made.bench.ready('it', forProvider);
      assert.equal(made.aws.calls()[creation], 1);
      assert.deepEqual(idsIn(made, sort), [made.idOf('it')]);
    });

    test(`${what} is recorded before a failed later step is tried again`, async () => {
      await using made = await scene(kind, { saved });
      const { bench, aws } = made;
      aws.faults.inject({ kind: 'fail', action: setting, code: 'OperationNotPermitted', status: 400 });
      bench.put('it', forProvider);
      await bench.until('it', () => aws.calls()[setting] === 2, 'it was not tried again');
      const { [annotationKeys.externalCreateFailed]: failed } = bench.existing('it').metadata.annotations!;
      assert.deepEqual([failed, aws.calls()[creation]], [undefined, 1]);
    });
  }
});
