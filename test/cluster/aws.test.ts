import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Instance } from '../../apis/aws/ec2/v1beta1/instance.ts';
import { InstanceKind } from '../../apis/aws/ec2/v1beta1/instance.ts';
import { SubnetKind } from '../../apis/aws/ec2/v1beta1/subnet.ts';
import { VPCKind } from '../../apis/aws/ec2/v1beta1/vpc.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName } from '../../apis/core/v1alpha1/meta.ts';
import type { Account } from '../../emulators/aws/account.ts';
import { credentialsFile, exampleAccount } from '../../emulators/aws/account.ts';
import type { StoredInstance, StoredSubnet, StoredVpc } from '../../emulators/aws/ec2/stored.ts';
import type { LocalAws } from '../../emulators/aws/server.ts';
import { startAws } from '../../emulators/aws/server.ts';
import type { Cluster, StackProcess } from './stack-harness.ts';
import { eventually, startCluster } from './stack-harness.ts';

const other: Account = {
  id: '210987654321',
  accessKeyId: 'AKIAI44QH8DHBEXAMPLE',
  secretAccessKey: 'je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY',
};
const region = 'us-west-1';
const flags = ['--stacks', 'aws', '--poll-interval', '2s'];

describe('networks and machines of AWS on a real API server', () => {
  let aws: LocalAws;
  let cluster: Cluster;
  let stack: StackProcess;

  before(async () => {
    aws = await startAws({
      ...{ accounts: [exampleAccount, other], quotas: { vpc: 50 } },
      ...{ provisioningMs: 500, deletionMs: 200, readDelayMs: 200 },
    });
    cluster = await startCluster();
    await cluster.kubectl(['create', 'namespace', 'crossplane-system']);
    await apply(...access('default', exampleAccount), ...access('other', other));
    stack = cluster.startProcess(flags);
  });
  after(async () => {
    await cluster?.stop();
    await aws?.stop();
  });

  async function apply(...items: readonly object[]): Promise<void> {
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  }
  function access(name: string, account: Account): readonly object[] {
    const secretRef = { namespace: 'crossplane-system', name: `aws-${name}`, key: 'credentials' };
    return [
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: 'crossplane-system', name: `aws-${name}` },
        stringData: { credentials: credentialsFile(account) },
      },
      {
        apiVersion: 'aws.crossplane.io/v1beta1',
        kind: 'ProviderConfig',
        metadata: { name },
        spec: {
          credentials: { source: 'Secret', secretRef },
          endpoint: { url: { type: 'Static', static: aws.url } },
        },
      },
    ];
  }
  const ec2 = (kind: string, name: string, spec: object, labels = {}): object => ({
    apiVersion: 'ec2.aws.upbound.io/v1beta1',
    ...{ kind, metadata: { name, labels }, spec },
  });
  const network = (name: string, spec: object = {}, labels = {}): object =>
    ec2('VPC', name, { forProvider: { region, cidrBlock: '10.0.0.0/16' }, ...spec }, labels);

  const isReady = ({ status }: Managed): boolean =>
    ['Ready', 'Synced'].every((type) => getCondition(status?.conditions, type).status === 'True');
  const ready = <M extends Managed>(kind: Kind<M>, name: string): Promise<M> =>
    eventually(`${kind.kind} ${name} is ready`, async () => {
      const found = await cluster.find(kind, { name });
      if (found !== undefined && isReady(found)) return found;
      throw new Error(JSON.stringify(found?.status?.conditions));
    });
  /** The resources of the cloud, by account. */
  const inCloud = <T extends object>(sort: string) =>
    aws
      .things<T>(sort)
      .flatMap(([{ account }, things]) => things.all().map((thing) => ({ account, ...thing })));

  test('a VPC gets the id that AWS assigns as its external name, in the account of its ProviderConfig', async () => {
    await apply(
      network('my-vpc', {}, { 'my-label': 'label-value' }),
      network('theirs', { providerConfigRef: { name: 'other' } }),
    );
    const [mine, theirs] = [await ready(VPCKind, 'my-vpc'), await ready(VPCKind, 'theirs')];
    const accounts = inCloud<StoredVpc>('ec2/vpc').map(({ account, id }) => [account, id]);
    assert.deepEqual(accounts.toSorted(), [
      [exampleAccount.id, externalName(mine)],
      [other.id, externalName(theirs)],
    ]);
    const shown = await cluster.kubectl(['get', 'vpc', 'my-vpc']);
    assert.match(shown, /^NAME +READY +SYNCED +EXTERNAL-NAME +AGE\nmy-vpc +True +True +vpc-0\w{16} +\d+s\n$/);
  });

  test('a Subnet is in the VPC that it refers to, or selects, and a machine in the subnet', async () => {
    const cidr = (number: number) => ({ region, cidrBlock: `10.0.${number}.0/24` });
    const vpcIdSelector = { matchLabels: { 'my-label': 'label-value' } };
    await apply(
      ec2('Subnet', 'by-ref', { forProvider: { ...cidr(1), vpcIdRef: { name: 'my-vpc' } } }),
      ec2('Subnet', 'by-selector', { forProvider: { ...cidr(2), vpcIdSelector } }),
      ec2('Instance', 'web', {
        forProvider: {
          ...{ region, ami: 'ami-0123456789abcdef0', instanceType: 't2.micro' },
          subnetIdRef: { name: 'by-ref' },
        },
      }),
    );
    const vpc = await ready(VPCKind, 'my-vpc');
    const [first] = [await ready(SubnetKind, 'by-ref'), await ready(SubnetKind, 'by-selector')];
    const subnets = inCloud<StoredSubnet>('ec2/subnet').map(({ item }) => item.vpcId);
    assert.deepEqual(subnets, [externalName(vpc), externalName(vpc)]);
    const machine = await ready<Instance>(InstanceKind, 'web');
    assert.deepEqual(
      inCloud<StoredInstance>('ec2/instance').map(({ id, item }) => [id, item.subnetId]),
      [[externalName(machine), externalName(first)]],
    );
    await eventually('the zone that AWS chose is taken over', async () => {
      const { spec } = (await cluster.find(InstanceKind, { name: 'web' })) ?? assert.fail();
      return spec.forProvider?.availabilityZone?.startsWith(region);
    });
  });

  test('a change by another user in the cloud is reverted', async () => {
    const { id } = inCloud<StoredInstance>('ec2/instance')[0] ?? assert.fail();
    for (const [, things] of aws.things<StoredInstance>('ec2/instance')) {
      things.drift(id, (item) => ({ ...item, instanceType: 't2.large' }));
    }
    await eventually(
      'its type is what it was, and it runs',
      async () => {
        const [{ item } = assert.fail()] = inCloud<StoredInstance>('ec2/instance');
        return item.instanceType === 't2.micro' && item.isOn && isReady(await ready(InstanceKind, 'web'));
      },
      30_000,
    );
  });

  test('a refusal is a condition and an Event, in the words of AWS, with what to change', async () => {
    await apply(network('huge', { forProvider: { region, cidrBlock: '10.0.0.0/8' } }));
    const says =
      /refused \(400 InvalidVpc\.Range\): The CIDR '10\.0\.0\.0\/8' is invalid; change spec\.forProvider\.cidrBlock/g;
    await eventually('kubectl describe shows both', async () => {
      const text = await cluster.kubectl(['describe', 'vpc', 'huge']);
      return [...text.matchAll(says)].length >= 2 && /CannotCreateExternalResource/.test(text);
    });
    await cluster.kubectl(['delete', 'vpc', 'huge']);
  });

  test('a process that is killed repeatedly creates one VPC of each, or waits for an administrator', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `net-${i}`);
    await apply(...names.map((name) => network(name)));
    for (let life = 0; life < 5; life += 1) {
      await sleep(700 + life * 150);
      await stack.end('SIGKILL');
      stack = cluster.startProcess(flags);
    }
    const pending = annotationKeys.externalCreatePending;
    const isTold = ({ status }: Managed): boolean =>
      /cannot determine creation result/.test(getCondition(status?.conditions, 'Synced').message ?? '');
    await eventually(
      'each is ready, by a human where nobody else could know',
      async () => {
        const all = (await cluster.all(VPCKind)).filter(({ metadata }) => names.includes(metadata.name));
        for (const { metadata } of all.filter(isTold)) {
          await cluster.kubectl(['annotate', 'vpc', metadata.name, `${pending}-`]);
        }
        if (all.length === names.length && all.every(isReady)) return true;
        throw new Error(
          all
            .filter((vpc) => !isReady(vpc))
            .map(({ metadata }) => metadata.name)
            .join(),
        );
      },
      40_000,
    );
    const made = inCloud<StoredVpc>('ec2/vpc').map(({ item }) => item.tags['crossplane-name']);
    assert.deepEqual(made.filter((name) => names.includes(name ?? '')).toSorted(), names.toSorted());
  });

  test('deleted resources are removed from the inside out, and leave nothing', async () => {
    const left = {
      instances: async () => (await cluster.all(InstanceKind)).length,
      subnets: async () => (await cluster.all(SubnetKind)).length,
      vpcs: async () => (await cluster.all(VPCKind)).length,
    };
    for (const [kind, count] of Object.entries(left)) {
      await cluster.kubectl(['delete', `${kind}.ec2.aws.upbound.io`, '--all', '--wait=false']);
      await eventually(`the ${kind} are gone`, async () => (await count()) === 0, 45_000);
    }
    const held = ['ec2/vpc', 'ec2/subnet', 'ec2/instance'].flatMap((sort) => inCloud(sort));
    assert.deepEqual(
      held.map(({ phase }) => phase),
      ['gone'],
      'a machine that was terminated is told of for a while',
    );
    assert.equal(await stack.end(), 0);
  });
});
