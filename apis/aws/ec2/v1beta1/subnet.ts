import { z } from 'zod';
import { identity, immutable, late } from '../../../core/marks.ts';
import type { ObjectKind } from '../../../core/schema.ts';
import { optional, text } from '../../../core/schema.ts';
import { defineManaged } from '../../../core/v1alpha1/define-managed.ts';
import { reference, selector } from '../../../core/v1alpha1/fields.ts';
import { cidrBlock } from '../../cidr-block.ts';
import { awsRegion } from '../../region.ts';
import { awsTags } from '../../tags.ts';

/** A subnet of a VPC of AWS. No claim asks for one; AWS assigns its id. */
export const SubnetKind = defineManaged(
  {
    group: 'ec2.aws.upbound.io',
    version: 'v1beta1',
    kind: 'Subnet',
    plural: 'subnets',
    isClaimable: false,
    stack: 'aws',
    description: 'A subnet of a VPC of AWS. Its external name is the id that AWS assigned.',
  },
  z
    .object({
      region: optional(
        identity(awsRegion('The region that the subnet is in. Without it: the region of the Provider.')),
      ),
      vpcId: optional(immutable(late(text('Id of the VPC that the subnet is in.')))),
      vpcIdRef: optional(reference('The VPC whose id is taken as vpcId.')),
      vpcIdSelector: optional(selector('Chooses the VPC whose id is taken as vpcId.')),
      cidrBlock: optional(
        immutable(late(cidrBlock('The addresses of the subnet, as 10.0.1.0/24: some of those of the VPC.'))),
      ),
      availabilityZone: optional(
        immutable(late(text('The zone that the subnet is in, as us-west-1a. AWS chooses if it is absent.'))),
      ),
      availabilityZoneId: optional(
        immutable(
          late(
            text(
              'The zone by the id that is the same for all accounts, as usw1-az1. At most one of the two is given.',
            ),
          ),
        ),
      ),
      mapPublicIpOnLaunch: optional(
        late(z.boolean().describe('Whether machines in the subnet get a public address. AWS: false.')),
      ),
      tags: optional(awsTags('subnet')),
    })
    .describe('The subnet as it should be. Changes made elsewhere are reverted.'),
  {
    atProvider: optional(
      z
        .object({
          id: optional(z.string().describe('The id that AWS assigned.')),
          arn: optional(z.string().describe('The name of the subnet among all resources of AWS.')),
          ownerId: optional(z.string().describe('The account that the subnet belongs to.')),
          state: optional(z.string().describe('The state of the subnet: pending or available.')),
        })
        .describe('What AWS tells of the subnet.'),
    ),
  },
);
export type Subnet = ObjectKind<typeof SubnetKind>;
