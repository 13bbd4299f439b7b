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
import { cidrBlock } from '../../cidr-block.ts';
import { awsRegion } from '../../region.ts';
import { awsTags } from '../../tags.ts';

/** A subnet of a VPC of AWS. No claim binds to it; AWS assigns its id. */
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
        identity(awsRegion('The region of the subnet. Without it: the region of the Provider.')),
      ),
      vpcId: optional(immutable(late(text('Id of the VPC of the subnet.')))),
      vpcIdRef: optional(reference('The VPC whose id is used as vpcId.')),
      vpcIdSelector: optional(selector('Selects the VPC whose id is used as vpcId.')),
      cidrBlock: optional(
        immutable(
          late(
            cidrBlock('The addresses of the subnet, a part of those of the VPC, for example 10.0.1.0/24.'),
          ),
        ),
      ),
      availabilityZone: optional(
        immutable(late(text('The zone of the subnet, for example us-west-1a. Absent: AWS chooses.'))),
      ),
      availabilityZoneId: optional(
        immutable(
          late(
            text(
              'The id of the zone, which is the same for all accounts, for example usw1-az1. Set at most one of availabilityZone and this field.',
            ),
          ),
        ),
      ),
      mapPublicIpOnLaunch: optional(
        late(
          z
            .boolean()
            .describe('Whether instances in the subnet get a public address. Default of AWS: false.'),
        ),
      ),
      tags: optional(awsTags('subnet')),
    })
    .describe('The desired state of the subnet. Changes made elsewhere are reverted.'),
  {
    atProvider: optional(
      z
        .object({
          id: optional(z.string().describe('The id that AWS assigned.')),
          arn: optional(z.string().describe('The Amazon Resource Name.')),
          ownerId: optional(z.string().describe('The account of the subnet.')),
          state: optional(z.string().describe('The state of the subnet: pending or available.')),
        })
        .describe('The state of the subnet that AWS reports.'),
    ),
  },
);
export type Subnet = ObjectKind<typeof SubnetKind>;
