import { describeConformance } from '../../../../package/testing.ts';
import { ec2Instances } from '../../../../stacks/aws/client/ec2/instances.ts';
import { ec2Subnets } from '../../../../stacks/aws/client/ec2/subnets.ts';
import { ec2Vpcs } from '../../../../stacks/aws/client/ec2/vpcs.ts';
import { ec2 } from '../../../../stacks/aws/emulator/ec2/ec2.ts';
import type { StoredInstance } from '../../../../stacks/aws/emulator/ec2/stored.ts';
import { InstanceKind } from '../../../../stacks/aws/kinds/ec2/v1beta1/instance.ts';
import { SubnetKind } from '../../../../stacks/aws/kinds/ec2/v1beta1/subnet.ts';
import { VPCKind } from '../../../../stacks/aws/kinds/ec2/v1beta1/vpc.ts';
import type { InProcessAws } from '../../../fakes/in-process-aws.ts';
import { awsWorld, clientOf, failureOf, region, tags, withVpc } from './aws-world.ts';

const { signal } = new AbortController();

const failure = failureOf(ec2);
const foreign = (kind: string) => ({ 'crossplane-kind': kind, 'crossplane-name': 'theirs' });

const all = <T extends object>(aws: InProcessAws, sort: string) =>
  aws.collections<T>(sort).flatMap(([, collection]) => collection.all());

describeConformance({
  managed: VPCKind,
  forProvider: { region, cidrBlock: '10.0.0.0/16', tags: { team: 'blue' } },
  tags,
  changes: [{ enableDnsHostnames: true }, { tags: { team: 'green' } }],
  refusedChanges: [{ cidrBlock: '10.1.0.0/16' }, { region: 'us-east-1' }],
  open: (given) =>
    awsWorld(given, {
      failure,
      creation: 'ec2:CreateVpc',
      quotas: { vpc: 500 },
      externals: (aws) => all(aws, 'ec2/vpc'),
      async foreign(aws) {
        const wanted = { cidrBlock: '10.9.0.0/16', tags: foreign('vpc.ec2.aws.upbound.io') };
        return (await ec2Vpcs(clientOf(aws)).create({ region }, wanted, signal)).id;
      },
    }),
});

/** A VPC that a user created by hand. */
const vpcId = 'vpc-0123456789abcdef0';
const saved = withVpc(vpcId);

describeConformance({
  managed: SubnetKind,
  forProvider: { region, vpcId, cidrBlock: '10.0.1.0/24' },
  another: (number) => ({ region, vpcId, cidrBlock: `10.0.${10 + number}.0/24` }),
  tags,
  changes: [{ mapPublicIpOnLaunch: true }, { tags: { team: 'green' } }],
  refusedChanges: [
    { cidrBlock: '10.0.3.0/24' },
    { region: 'us-east-1' },
    { vpcId: 'vpc-0fedcba9876543210' },
    { availabilityZone: 'us-west-1z' },
  ],
  open: (given) =>
    awsWorld(given, {
      failure,
      saved,
      creation: 'ec2:CreateSubnet',
      externals: (aws) => all(aws, 'ec2/subnet'),
      async foreign(aws) {
        const wanted = { vpcId, cidrBlock: '10.0.9.0/24', tags: foreign('subnet.ec2.aws.upbound.io') };
        return (await ec2Subnets(clientOf(aws)).create({ region }, wanted, signal)).id;
      },
    }),
});

const machine = { ami: 'ami-0123456789abcdef0', instanceType: 't2.micro' };

describeConformance({
  managed: InstanceKind,
  forProvider: { region, ...machine },
  tags: (requested) => tags({ ...requested, 'crossplane-stopped-for': 'instanceType' }),
  changes: [{ instanceType: 't2.small' }, { tags: { team: 'green' } }],
  refusedChanges: [
    { ami: 'ami-0fedcba9876543210' },
    { region: 'us-east-1' },
    { availabilityZone: 'us-west-1z' },
  ],
  open: (given) =>
    awsWorld(given, {
      failure,
      creation: 'ec2:RunInstances',
      quotas: { instance: 500 },
      // The time of the last start is not compared: a change of the type starts the instance again.
      externals: (aws) =>
        all<StoredInstance>(aws, 'ec2/instance').flatMap(
          ({ id, phase, item: { switchedAtMs: _at, ...item } }) =>
            phase === 'gone' ? [] : [{ id, phase, item }],
        ),
      async foreign(aws) {
        const tags = foreign('instance.ec2.aws.upbound.io');
        const wanted = { ...machine, clientToken: 'theirs', tags };
        return (await ec2Instances(clientOf(aws)).create({ region }, wanted, signal)).id;
      },
    }),
});
