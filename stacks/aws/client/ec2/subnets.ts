import type { Subnet } from '@aws-sdk/client-ec2';
import type { AwsClient } from '../aws-client.ts';
import { allPages } from '../pages.ts';
import type { Place, Tags } from './tags.ts';
import { required, setTags, tagFilters, tagsIn, tagsOfNew, unlessMissing } from './tags.ts';

/** A subnet in AWS's answers. */
export interface CloudSubnet {
  readonly id: string;
  readonly arn: string | undefined;
  readonly ownerId: string | undefined;
  /** `pending`, `available`, or a later state of AWS. */
  readonly state: string;
  readonly vpcId: string | undefined;
  readonly cidrBlock: string | undefined;
  readonly availabilityZone: string | undefined;
  readonly availabilityZoneId: string | undefined;
  readonly mapPublicIpOnLaunch: boolean | undefined;
  readonly tags: Tags;
}

interface NewSubnet {
  readonly vpcId: string;
  readonly cidrBlock: string;
  readonly availabilityZone?: string;
  readonly availabilityZoneId?: string;
  readonly tags: Tags;
}

/** The subnets of AWS. Every method may throw CloudError. */
export interface Subnets {
  /** Undefined if AWS answers that there is no such subnet. */
  get(its: Place & { readonly id: string }, signal: AbortSignal): Promise<CloudSubnet | undefined>;
  /** All subnets with these tags. */
  tagged(its: Place & { readonly tags: Tags }, signal: AbortSignal): Promise<readonly CloudSubnet[]>;
  create(its: Place, wanted: NewSubnet, signal: AbortSignal): Promise<CloudSubnet>;
  /** The subnet may be so new that it is not visible everywhere. */
  setPublicIps(its: Place & { readonly id: string }, isOn: boolean, signal: AbortSignal): Promise<void>;
  setTags(its: Place & { readonly id: string; readonly tags: Tags }, signal: AbortSignal): Promise<void>;
  /** A subnet that was deleted before is no error. */
  delete(its: Place & { readonly id: string }, signal: AbortSignal): Promise<void>;
}

const missing = /^InvalidSubnetID\.NotFound$/;
const fields = {
  availabilityZoneId: /availabilityZoneId/i,
  availabilityZone: /availabilityZone/i,
  vpcId: /vpc ?ID/i,
  cidrBlock: /cidr|InvalidSubnet\.(Range|Conflict)/i,
  region: /valid region/i,
};

export function ec2Subnets(aws: AwsClient): Subnets {
  const read = (what: string, subnet: Subnet | undefined): CloudSubnet => ({
    id: required(what, 'SubnetId', subnet?.SubnetId),
    arn: subnet?.SubnetArn,
    ownerId: subnet?.OwnerId,
    state: required(what, 'State', subnet?.State),
    vpcId: subnet?.VpcId,
    cidrBlock: subnet?.CidrBlock,
    availabilityZone: subnet?.AvailabilityZone,
    availabilityZoneId: subnet?.AvailabilityZoneId,
    mapPublicIpOnLaunch: subnet?.MapPublicIpOnLaunch,
    tags: tagsIn(subnet?.Tags),
  });

  return {
    async get({ region, id }, signal) {
      const what = `get subnet "${id}"`;
      const found = await unlessMissing(
        missing,
        aws.call(
          {
            service: 'ec2',
            region,
            what,
            isRepeatable: true,
            fields,
            run: (ec2, http) => ec2.describeSubnets({ SubnetIds: [id] }, http),
          },
          signal,
        ),
      );
      if (found === undefined) return undefined;
      const subnet = required(what, 'subnetSet', found.Subnets).find(({ SubnetId }) => SubnetId === id);
      return subnet && read(what, subnet);
    },

    async tagged({ region, tags }, signal) {
      const what = 'list subnets';
      const found = await allPages(what, async (token) => {
        const { Subnets: items, NextToken: next } = await aws.call(
          {
            service: 'ec2',
            region,
            what,
            isRepeatable: true,
            fields,
            run: (ec2, http) =>
              ec2.describeSubnets({ Filters: tagFilters(tags), ...(token && { NextToken: token }) }, http),
          },
          signal,
        );
        return { items: required(what, 'subnetSet', items), next };
      });
      return found.map((subnet) => read(what, subnet));
    },

    async create({ region }, { vpcId, cidrBlock, availabilityZone, availabilityZoneId, tags }, signal) {
      const what = `create subnet in VPC "${vpcId}"`;
      const { Subnet: created } = await aws.call(
        {
          service: 'ec2',
          region,
          what,
          isRepeatable: false,
          fields,
          run: (ec2, http) =>
            ec2.createSubnet(
              {
                VpcId: vpcId,
                CidrBlock: cidrBlock,
                ...(availabilityZone !== undefined && { AvailabilityZone: availabilityZone }),
                ...(availabilityZoneId !== undefined && { AvailabilityZoneId: availabilityZoneId }),
                TagSpecifications: tagsOfNew('subnet', tags), // guard: otherwise a subnet has no owner
              },
              http,
            ),
        },
        signal,
      );
      return read(what, created);
    },

    async setPublicIps({ region, id }, isOn, signal) {
      await aws.call(
        {
          service: 'ec2',
          region,
          what: `set mapPublicIpOnLaunch of subnet "${id}"`,
          isRepeatable: true,
          notYet: missing,
          run: (ec2, http) =>
            ec2.modifySubnetAttribute({ SubnetId: id, MapPublicIpOnLaunch: { Value: isOn } }, http),
        },
        signal,
      );
    },

    setTags: (its, signal) => setTags(aws, { ...its, noun: 'subnet' }, signal),

    async delete({ region, id }, signal) {
      await unlessMissing(
        missing,
        aws.call(
          {
            service: 'ec2',
            region,
            what: `delete subnet "${id}"`,
            isRepeatable: true,
            run: (ec2, http) => ec2.deleteSubnet({ SubnetId: id }, http),
          },
          signal,
        ),
      );
    },
  };
}
