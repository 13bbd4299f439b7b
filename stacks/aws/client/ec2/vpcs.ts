import type { Vpc } from '@aws-sdk/client-ec2';
import type { AwsClient } from '../aws-client.ts';
import { allPages } from '../pages.ts';
import type { Place, Tags } from './tags.ts';
import { required, setTags, tagFilters, tagsIn, tagsOfNew, unlessMissing } from './tags.ts';

/** The attributes of a VPC that can be switched on and off. */
export interface VpcAttributes {
  readonly enableDnsSupport?: boolean;
  readonly enableDnsHostnames?: boolean;
  readonly enableNetworkAddressUsageMetrics?: boolean;
}
type AttributeName = keyof VpcAttributes;

/** The names of the attributes in requests, by our names. */
const attributeNames = {
  enableDnsSupport: 'EnableDnsSupport',
  enableDnsHostnames: 'EnableDnsHostnames',
  enableNetworkAddressUsageMetrics: 'EnableNetworkAddressUsageMetrics',
} as const;

/** A VPC in AWS's answers. */
export interface CloudVpc {
  readonly id: string;
  readonly ownerId: string | undefined;
  /** `pending`, `available`, or a later state of AWS. */
  readonly state: string;
  readonly cidrBlock: string | undefined;
  readonly instanceTenancy: string | undefined;
  readonly dhcpOptionsId: string | undefined;
  readonly tags: Tags;
  /** The requested attributes. */
  readonly attributes: VpcAttributes;
}

interface NewVpc {
  readonly cidrBlock: string;
  readonly instanceTenancy?: 'default' | 'dedicated';
  readonly tags: Tags;
}

/** The VPCs of AWS. Every method may throw CloudError. */
export interface Vpcs {
  /**
   * The VPC with the named attributes, each of which costs one request. Undefined if AWS answers that there is no such
   * VPC.
   */
  get(
    its: Place & { readonly id: string; readonly attributes: readonly AttributeName[] },
    signal: AbortSignal,
  ): Promise<CloudVpc | undefined>;
  /** All VPCs with these tags, without their attributes. */
  tagged(its: Place & { readonly tags: Tags }, signal: AbortSignal): Promise<readonly CloudVpc[]>;
  create(its: Place, wanted: NewVpc, signal: AbortSignal): Promise<CloudVpc>;
  /** Sets attributes of a VPC. The VPC may be so new that it is not visible everywhere. */
  setAttributes(
    its: Place & { readonly id: string },
    wanted: VpcAttributes,
    signal: AbortSignal,
  ): Promise<void>;
  setTags(its: Place & { readonly id: string; readonly tags: Tags }, signal: AbortSignal): Promise<void>;
  /** A VPC that was deleted before is no error. */
  delete(its: Place & { readonly id: string }, signal: AbortSignal): Promise<void>;
}

const missing = /^InvalidVpcID\.NotFound$/;
const fields = {
  enableDnsHostnames: /enableDnsHostnames/i,
  instanceTenancy: /tenancy/i,
  cidrBlock: /cidr|InvalidVpc\.Range/i,
  region: /valid region/i,
};

export function ec2Vpcs(aws: AwsClient): Vpcs {
  const read = (what: string, vpc: Vpc | undefined, attributes: VpcAttributes = {}): CloudVpc => ({
    id: required(what, 'VpcId', vpc?.VpcId),
    ownerId: vpc?.OwnerId,
    state: required(what, 'State', vpc?.State),
    cidrBlock: vpc?.CidrBlock,
    instanceTenancy: vpc?.InstanceTenancy,
    dhcpOptionsId: vpc?.DhcpOptionsId,
    tags: tagsIn(vpc?.Tags),
    attributes,
  });

  async function attributeOf(
    { region, id }: Place & { readonly id: string },
    name: AttributeName,
    signal: AbortSignal,
  ): Promise<VpcAttributes> {
    const answer = await aws.call(
      {
        service: 'ec2',
        region,
        what: `get ${name} of VPC "${id}"`,
        isRepeatable: true,
        run: (ec2, http) => ec2.describeVpcAttribute({ VpcId: id, Attribute: name }, http),
      },
      signal,
    );
    const value = answer[attributeNames[name]]?.Value;
    return value === undefined ? {} : { [name]: value };
  }

  return {
    async get({ region, id, attributes }, signal) {
      const what = `get VPC "${id}"`;
      const found = await unlessMissing(
        missing,
        aws.call(
          {
            service: 'ec2',
            region,
            what,
            isRepeatable: true,
            fields,
            run: (ec2, http) => ec2.describeVpcs({ VpcIds: [id] }, http),
          },
          signal,
        ),
      );
      if (found === undefined) return undefined;
      const vpc = required(what, 'vpcSet', found.Vpcs).find(({ VpcId }) => VpcId === id);
      if (vpc === undefined) return undefined;
      const all: VpcAttributes[] = [];
      for (const name of attributes) {
        const one = await unlessMissing(missing, attributeOf({ region, id }, name, signal));
        if (one === undefined) return undefined;
        all.push(one);
      }
      return read(what, vpc, Object.assign({}, ...all) as VpcAttributes);
    },

    async tagged({ region, tags }, signal) {
      const what = 'list VPCs';
      const found = await allPages(what, async (token) => {
        const { Vpcs: items, NextToken: next } = await aws.call(
          {
            service: 'ec2',
            region,
            what,
            isRepeatable: true,
            fields,
            run: (ec2, http) =>
              ec2.describeVpcs({ Filters: tagFilters(tags), ...(token && { NextToken: token }) }, http),
          },
          signal,
        );
        return { items: required(what, 'vpcSet', items), next };
      });
      return found.map((vpc) => read(what, vpc));
    },

    async create({ region }, { cidrBlock, instanceTenancy, tags }, signal) {
      const what = 'create VPC';
      const { Vpc: created } = await aws.call(
        {
          service: 'ec2',
          region,
          what,
          isRepeatable: false,
          fields,
          run: (ec2, http) =>
            ec2.createVpc(
              {
                CidrBlock: cidrBlock,
                ...(instanceTenancy !== undefined && { InstanceTenancy: instanceTenancy }),
                TagSpecifications: tagsOfNew('vpc', tags), // guard: otherwise a VPC has no owner
              },
              http,
            ),
        },
        signal,
      );
      return read(what, created);
    },

    async setAttributes({ region, id }, wanted, signal) {
      for (const [name, Value] of Object.entries(wanted) as [AttributeName, boolean][]) {
        await aws.call(
          {
            service: 'ec2',
            region,
            what: `set ${name} of VPC "${id}"`,
            isRepeatable: true,
            fields,
            notYet: missing, // guard: otherwise it gives up while a new VPC is not shown everywhere
            run: (ec2, http) =>
              ec2.modifyVpcAttribute({ VpcId: id, [attributeNames[name]]: { Value } }, http),
          },
          signal,
        );
      }
    },

    setTags: (its, signal) => setTags(aws, { ...its, noun: 'VPC' }, signal),

    async delete({ region, id }, signal) {
      await unlessMissing(
        missing,
        aws.call(
          {
            service: 'ec2',
            region,
            what: `delete VPC "${id}"`,
            isRepeatable: true,
            run: (ec2, http) => ec2.deleteVpc({ VpcId: id }, http),
          },
          signal,
        ),
      );
    },
  };
}
