import { z } from 'zod';
import { identity, immutable, late } from '../../../core/marks.ts';
import type { ObjectKind } from '../../../core/schema.ts';
import { optional } from '../../../core/schema.ts';
import { defineManaged } from '../../../core/v1alpha1/define-managed.ts';
import { cidrBlock } from '../../cidr-block.ts';
import { awsRegion } from '../../region.ts';
import { awsTags } from '../../tags.ts';

/** A virtual private cloud of AWS. No claim asks for one; AWS assigns its id. */
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
      region: optional(
        identity(awsRegion('The region that the VPC is in. Without it: the region of the Provider.')),
      ),
      cidrBlock: optional(
        immutable(late(cidrBlock('The addresses of the VPC, as 10.0.0.0/16: from /16 to /28.'))),
      ),
      instanceTenancy: optional(
        immutable(
          late(
            z
              .enum(['default', 'dedicated'])
              .describe('Whether machines in the VPC share hardware with those of other accounts.'),
          ),
        ),
      ),
      enableDnsSupport: optional(
        z.boolean().describe('Whether names are looked up by the DNS server of AWS. AWS: true.'),
      ),
      enableDnsHostnames: optional(
        z.boolean().describe('Whether machines with a public address get a public name. AWS: false.'),
      ),
      enableNetworkAddressUsageMetrics: optional(
        z.boolean().describe('Whether AWS counts the addresses that are in use. AWS: false.'),
      ),
      tags: optional(awsTags('VPC')),
    })
    .describe('The VPC as it should be. Changes made elsewhere are reverted.'),
  {
    atProvider: optional(
      z
        .object({
          id: optional(z.string().describe('The id that AWS assigned.')),
          arn: optional(z.string().describe('The name of the VPC among all resources of AWS.')),
          ownerId: optional(z.string().describe('The account that the VPC belongs to.')),
          state: optional(z.string().describe('The state of the VPC: pending or available.')),
          dhcpOptionsId: optional(z.string().describe('The DHCP options of the VPC.')),
        })
        .describe('What AWS tells of the VPC.'),
    ),
  },
);
export type VPC = ObjectKind<typeof VPCKind>;
