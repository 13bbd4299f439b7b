import { z } from 'zod';
import type { ObjectKind } from '../../../../../package/schema.ts';
import { defineManaged, identity, immutable, late, optional } from '../../../../../package/schema.ts';
import { cidrBlock } from '../../cidr-block.ts';
import { awsRegion } from '../../region.ts';
import { awsTags } from '../../tags.ts';

/** A virtual private cloud of AWS. No claim binds to it; AWS assigns its id. */
export const VPCKind = defineManaged(
  {
    group: 'ec2.aws.upbound.io',
    version: 'v1beta1',
    kind: 'VPC',
    plural: 'vpcs',
    isClaimable: false,
    stack: 'aws',
    description: 'A virtual private cloud of AWS. Its external name is the id that AWS assigned.',
  },
  z
    .object({
      region: optional(identity(awsRegion('The region of the VPC. Without it: the region of the Provider.'))),
      cidrBlock: optional(
        immutable(late(cidrBlock('The addresses of the VPC, from /16 to /28, for example 10.0.0.0/16.'))),
      ),
      instanceTenancy: optional(
        immutable(
          late(
            z
              .enum(['default', 'dedicated'])
              .describe(
                'The tenancy of instances in the VPC. dedicated: they do not share hardware with other accounts.',
              ),
          ),
        ),
      ),
      enableDnsSupport: optional(
        z.boolean().describe('Whether the DNS server of AWS resolves names. Default of AWS: true.'),
      ),
      enableDnsHostnames: optional(
        z
          .boolean()
          .describe('Whether instances with a public address get a public DNS name. Default of AWS: false.'),
      ),
      enableNetworkAddressUsageMetrics: optional(
        z.boolean().describe('Whether AWS collects metrics about address usage. Default of AWS: false.'),
      ),
      tags: optional(awsTags('VPC')),
    })
    .describe('The desired state of the VPC. Changes made elsewhere are reverted.'),
  {
    atProvider: optional(
      z
        .object({
          id: optional(z.string().describe('The id that AWS assigned.')),
          arn: optional(z.string().describe('The Amazon Resource Name.')),
          ownerId: optional(z.string().describe('The account of the VPC.')),
          state: optional(z.string().describe('The state of the VPC: pending or available.')),
          dhcpOptionsId: optional(z.string().describe('The DHCP options of the VPC.')),
        })
        .describe('The state of the VPC that AWS reports.'),
    ),
  },
);
export type VPC = ObjectKind<typeof VPCKind>;
