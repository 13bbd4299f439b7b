import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { encodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { realClock } from '../../../runtime/time/clock.ts';
import { awsClient } from '../../../stacks/aws/client/aws-client.ts';
import { credentialsFile, exampleAccount } from '../../../stacks/aws/emulator/account.ts';
import type { LocalAws } from '../../../stacks/aws/emulator/server.ts';
import { startAws } from '../../../stacks/aws/emulator/server.ts';
import type { VPC } from '../../../stacks/aws/kinds/ec2/v1beta1/vpc.ts';
import { ProviderConfigKind } from '../../../stacks/aws/kinds/v1beta1/provider-config.ts';
import { withLabelTags } from '../../../stacks/aws/label-tags.ts';
import { createAwsStack } from '../../../stacks/aws/stack.ts';
import type { Tags } from '../../../stacks/aws/tags.ts';
import { tagChange } from '../../../stacks/aws/tags.ts';
import { FakeCluster } from '../../controllers/cluster-fake.ts';
import { FakeProcess } from '../../controllers/environment-fake.ts';
import { managed } from '../../controllers/objects.ts';

const labels = { costCentre: '4711', 'example.com/team': 'a', other: 'b' };
const keys = ['costCentre', 'example.com/team', 'absent'];

describe('the labels that a provider lists are among the tags', () => {
  const listed = { costCentre: '4711', 'example.com/team': 'a' };
  const of = (kind: string, forProvider: object) => ({
    ...managed({ forProvider }, { labels }),
    kind,
  });
  const rows: Readonly<Record<string, readonly [kind: string, forProvider: object, tags: unknown]>> = {
    'of a resource without tags': ['VPC', {}, listed],
    'of a resource with other tags, and replace one of their key': [
      'Queue',
      { tags: { stage: 'test', costCentre: '1' } },
      { stage: 'test', ...listed },
    ],
    'of an RDSInstance, in a list': [
      'RDSInstance',
      { tags: [{ key: 'stage', value: 'test' }] },
      [
        { key: 'stage', value: 'test' },
        { key: 'costCentre', value: '4711' },
        { key: 'example.com/team', value: 'a' },
      ],
    ],
  };
  for (const [name, [kind, forProvider, tags]] of Object.entries(rows)) {
    test(name, () => {
      const tagged = withLabelTags(of(kind, forProvider), keys);
      assert.deepEqual(tagged.spec.forProvider, { ...forProvider, tags });
    });
  }

  test('of no resource that lacks them, or whose provider lists none', () => {
    const resource = of('VPC', { tags: { stage: 'test' } });
    for (const without of [undefined, [], ['absent']])
      assert.equal(withLabelTags(resource, without), resource);
  });
});

test('the labels that a provider lists never replace the owner of a resource, or a tag of AWS', () => {
  const names = ['crossplane-kind', 'crossplane-name', 'crossplane-class', 'crossplane-provider'];
  const hostile = Object.fromEntries([...names, 'constructor', 'toString'].map((key) => [key, 'mine']));
  const resource = managed({ forProvider: {} }, { labels: hostile });
  const { tags } = withLabelTags(resource, [...Object.keys(hostile), '__proto__']).spec.forProvider as {
    readonly tags: Tags;
  };
  const owner = { kind: 'vpc.ec2', name: 'orders' };
  const change = tagChange({ actual: {}, wanted: tags, owner, isChanging: true });
  assert.deepEqual(change, {
    set: { constructor: 'mine', toString: 'mine', 'crossplane-kind': 'vpc.ec2', 'crossplane-name': 'orders' },
    remove: [],
  });
});

describe('a VPC whose provider lists a label', () => {
  const { signal } = new AbortController();
  const region = 'us-west-1';
  let aws: LocalAws;
  before(async () => {
    aws = await startAws();
  });
  after(() => aws.stop());

  test('is created with the tag, and gets the value of a changed label', async () => {
    const cluster = new FakeCluster();
    const secretRef = { namespace: 'infra', name: 'aws', key: 'credentials' };
    cluster.put(SecretKind, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'infra', name: 'aws' },
      data: encodeDetails({ credentials: credentialsFile(exampleAccount) }),
    });
    const endpoint = { url: { type: 'Static', static: aws.url } } as const;
    cluster.put(ProviderConfigKind, {
      apiVersion: 'aws.crossplane.io/v1beta1',
      kind: 'ProviderConfig',
      metadata: { name: 'default' },
      spec: { credentials: { source: 'Secret', secretRef }, endpoint, tagsFromLabels: ['costCentre'] },
    } as never);
    const { env } = new FakeProcess(cluster);
    const [service] = createAwsStack().managed(env);
    assert.equal(service?.kind.kind, 'VPC');
    const vpc = (costCentre: string, name?: string): VPC => ({
      apiVersion: 'ec2.aws.upbound.io/v1beta1',
      kind: 'VPC',
      metadata: {
        name: 'orders',
        labels: { costCentre },
        ...(name !== undefined && { annotations: { 'crossplane.io/external-name': name } }),
      },
      spec: { forProvider: { region, cidrBlock: '10.0.0.0/16' } },
    });
    const tagsOf = async (id: string): Promise<unknown> => {
      const door = awsClient({
        accessKey: exampleAccount,
        clock: realClock(),
        random: () => 0,
        parameters: { endpoint },
      });
      const call = { service: 'ec2', region, what: 'describe VPCs', isRepeatable: true, fields: {} } as const;
      const { Vpcs = [] } = await door.call(
        { ...call, run: (ec2, http) => ec2.describeVpcs({ VpcIds: [id] }, http) },
        signal,
      );
      return Vpcs[0]?.Tags?.find(({ Key }) => Key === 'costCentre')?.Value;
    };
    const created = await service.connector.connect(vpc('1'), signal);
    const { externalName = '' } = await created.create(vpc('1'), undefined, signal);
    assert.equal(await tagsOf(externalName), '1');

    const changed = vpc('2', externalName);
    const client = await service.connector.connect(changed, signal);
    const { isUpToDate } = await client.observe(changed, undefined, signal);
    assert.equal(isUpToDate, false);
    await client.update(changed, undefined, signal);
    assert.equal(await tagsOf(externalName), '2');
    assert.equal((await client.observe(changed, undefined, signal)).isUpToDate, true);
  });
});
