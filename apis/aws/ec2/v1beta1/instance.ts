import { z } from 'zod';
import { identity, immutable, late } from '../../../core/marks.ts';
import type { ObjectKind } from '../../../core/schema.ts';
import { optional, text } from '../../../core/schema.ts';
import { defineManaged } from '../../../core/v1alpha1/define-managed.ts';
import { reference, selector } from '../../../core/v1alpha1/fields.ts';
import { awsRegion } from '../../region.ts';
import { awsTags } from '../../tags.ts';

/** A machine of EC2. No claim asks for one; AWS assigns its id. */
export const InstanceKind = defineManaged(
  {
    group: 'ec2.aws.upbound.io',
    version: 'v1beta1',
    kind: 'Instance',
    plural: 'instances',
    shortNames: ['ec2'],
    isClaimable: false,
    stack: 'aws',
    description: 'A machine of EC2. Its external name is the id that AWS assigned.',
  },
  z
    .object({
      region: optional(
        identity(awsRegion('The region that the instance is in. Without it: the region of the Provider.')),
      ),
      ami: optional(
        immutable(late(text('Id of the image that the instance starts from, as ami-0123456789abcdef0.'))),
      ),
      instanceType: optional(
        late(
          text(
            'What the instance is like, as t2.micro. A change stops the instance for as long as it takes, and starts it again.',
          ),
        ),
      ),
      availabilityZone: optional(
        immutable(
          late(text('The zone that the instance is in, as us-west-1a. AWS chooses if it is absent.')),
        ),
      ),
      subnetId: optional(
        immutable(
          late(text('Id of the subnet that the instance is in. Without it: the default subnet of its zone.')),
        ),
      ),
      subnetIdRef: optional(reference('The Subnet whose id is taken as subnetId.')),
      subnetIdSelector: optional(selector('Chooses the Subnet whose id is taken as subnetId.')),
      privateIp: optional(
        immutable(late(text('The address of the instance in its subnet. AWS chooses if it is absent.'))),
      ),
      keyName: optional(immutable(late(text('Name of the key pair by which administrators log in.')))),
      userData: optional(
        immutable(text('What the instance is told at its first start, as a script. Not for secrets.')),
      ),
      vpcSecurityGroupIds: optional(
        late(
          z
            .array(text('Id of a security group.'))
            .describe(
              'Ids of the security groups of the instance. Without them: the default one of its VPC.',
            ),
        ),
      ),
      tags: optional(awsTags('instance')),
    })
    .describe('The instance as it should be. Changes made elsewhere are reverted.'),
  {
    atProvider: optional(
      z
        .object({
          id: optional(z.string().describe('The id that AWS assigned.')),
          arn: optional(z.string().describe('The name of the instance among all resources of AWS.')),
          instanceState: optional(
            z
              .string()
              .describe('The state of the instance: pending, running, stopping, stopped, shutting-down.'),
          ),
          privateDns: optional(z.string().describe('The name of the instance within its VPC.')),
          publicDns: optional(z.string().describe('The name of the instance in the world, if it has one.')),
          publicIp: optional(z.string().describe('The address of the instance in the world, if it has one.')),
          vpcId: optional(z.string().describe('Id of the VPC that the instance is in.')),
        })
        .describe('What AWS tells of the instance.'),
    ),
  },
);
export type Instance = ObjectKind<typeof InstanceKind>;
