import { z } from 'zod';
import type { ObjectKind } from '../../../../../package/schema.ts';
import {
  defineManaged,
  identity,
  immutable,
  late,
  optional,
  reference,
  selector,
  text,
} from '../../../../../package/schema.ts';
import { awsRegion } from '../../region.ts';
import { awsTags } from '../../tags.ts';

/** A virtual machine of EC2. No claim binds to it; AWS assigns its id. */
export const InstanceKind = defineManaged(
  {
    group: 'ec2.aws.upbound.io',
    version: 'v1beta1',
    kind: 'Instance',
    plural: 'instances',
    shortNames: ['ec2'],
    isClaimable: false,
    stack: 'aws',
    description: 'A virtual machine of EC2. Its external name is the id that AWS assigned.',
  },
  z
    .object({
      region: optional(
        identity(awsRegion('The region of the instance. Without it: the region of the Provider.')),
      ),
      ami: optional(
        immutable(late(text('Id of the image of the instance, for example ami-0123456789abcdef0.'))),
      ),
      instanceType: optional(
        late(
          text('The instance type, for example t2.micro. A change stops the instance and starts it again.'),
        ),
      ),
      availabilityZone: optional(
        immutable(late(text('The zone of the instance, for example us-west-1a. Absent: AWS chooses.'))),
      ),
      subnetId: optional(
        immutable(
          late(text('Id of the subnet of the instance. Without it: the default subnet of its zone.')),
        ),
      ),
      subnetIdRef: optional(reference('The Subnet whose id is used as subnetId.')),
      subnetIdSelector: optional(selector('Selects the Subnet whose id is used as subnetId.')),
      privateIp: optional(
        immutable(late(text('The address of the instance in its subnet. Absent: AWS chooses.'))),
      ),
      keyName: optional(immutable(late(text('Name of the key pair with which administrators log in.')))),
      userData: optional(
        immutable(
          text(
            'User data for the first start of the instance, for example a script. It must not hold secrets.',
          ),
        ),
      ),
      vpcSecurityGroupIds: optional(
        late(
          z
            .array(text('Id of a security group.'))
            .describe(
              'Ids of the security groups of the instance. Without them: the default security group of its VPC.',
            ),
        ),
      ),
      tags: optional(awsTags('instance')),
    })
    .describe('The desired state of the instance. Changes made elsewhere are reverted.'),
  {
    atProvider: optional(
      z
        .object({
          id: optional(z.string().describe('The id that AWS assigned.')),
          arn: optional(z.string().describe('The Amazon Resource Name.')),
          instanceState: optional(
            z
              .string()
              .describe('The state of the instance: pending, running, stopping, stopped, shutting-down.'),
          ),
          privateDns: optional(z.string().describe('The DNS name of the instance within its VPC.')),
          publicDns: optional(z.string().describe('The public DNS name of the instance, if it has one.')),
          publicIp: optional(z.string().describe('The public address of the instance, if it has one.')),
          vpcId: optional(z.string().describe('Id of the VPC of the instance.')),
        })
        .describe('The state of the instance that AWS reports.'),
    ),
  },
);
export type Instance = ObjectKind<typeof InstanceKind>;
