import type { ExternalClient } from '../../../package/stack.ts';
import { comparison, meaningOf, namedByCloud, withNeeded } from '../../../package/stack.ts';
import type { AwsClient } from '../client/aws-client.ts';
import type { CloudVpc, VpcAttributes } from '../client/ec2/vpcs.ts';
import { ec2Vpcs } from '../client/ec2/vpcs.ts';
import { countedTags } from '../client/tag-limit.ts';
import type { VPC } from '../kinds/ec2/v1beta1/vpc.ts';
import { VPCKind } from '../kinds/ec2/v1beta1/vpc.ts';
import { regionOf } from '../region-of.ts';
import { ownTags } from '../tags.ts';

const needs = ['cidrBlock'] as const;
const compare = comparison(VPCKind);
const states = { creating: 'pending', online: 'available', deleting: 'deleting' };

/** VPCs of AWS, whose external names are the ids that AWS assigns. */
export function vpcClient(aws: AwsClient): ExternalClient<VPC> {
  const vpcs = ec2Vpcs(aws);
  return namedByCloud<VPC, CloudVpc>({
    noun: 'VPC',
    idOf: ({ id }) => id,
    ids: /vpc-[0-9a-f]+/,
    needs,
    compare,
    tagsOf: ({ spec }) => ownTags(spec.forProvider?.tags),
    get: (managed, id, signal) => {
      // Each attribute costs one request, so only wanted attributes are read.
      const attributes = namesOf(attributesIn(managed.spec.forProvider));
      return vpcs.get({ region: regionOf(managed), id, attributes }, signal);
    },
    tagged: (managed, tags, signal) => vpcs.tagged({ region: regionOf(managed), tags }, signal),

    async create(managed, { tags }, signal) {
      const wanted = withNeeded(managed, 'VPC', needs);
      const { cidrBlock, instanceTenancy } = wanted;
      const region = regionOf(managed);
      const created = await vpcs.create(
        { region },
        {
          cidrBlock,
          tags: countedTags(tags),
          ...(instanceTenancy !== undefined && { instanceTenancy }),
        },
        signal,
      );
      // The VPC is recorded first. The next update sets the remaining attributes that forProvider wants.
      // guard: otherwise the ID is lost
      await vpcs.setAttributes({ region, id: created.id }, attributesIn(wanted), signal).catch(() => {});
      return created;
    },

    reported(managed, vpc) {
      const { id, ownerId, state, dhcpOptionsId, tags, attributes } = vpc;
      const arn = `arn:aws:ec2:${aws.regionOf(regionOf(managed))}:${ownerId}:vpc/${id}`;
      return {
        tags,
        isStaying: true,
        meaning: meaningOf(state, states, 'VPC'),
        actual: {
          ...attributes,
          cidrBlock: vpc.cidrBlock,
          instanceTenancy: tenancyOf(vpc),
        },
        status: {
          atProvider: {
            id,
            state,
            ...(ownerId !== undefined && { ownerId, arn }),
            ...(dhcpOptionsId !== undefined && { dhcpOptionsId }),
          },
        },
      };
    },

    async change(managed, { id, tags: present }, { wanted, tags }, signal) {
      const region = regionOf(managed);
      countedTags({ ...present, ...tags });
      await vpcs.setAttributes({ region, id }, attributesIn(wanted), signal);
      await vpcs.setTags({ region, id, tags }, signal);
    },

    delete: (managed, id, signal) => vpcs.delete({ region: regionOf(managed), id }, signal),
  });
}

const tenancyOf = ({ instanceTenancy }: CloudVpc): 'default' | 'dedicated' | undefined =>
  instanceTenancy === 'default' || instanceTenancy === 'dedicated' ? instanceTenancy : undefined;

/** The attributes that have a value. */
const attributesIn = ({
  enableDnsSupport,
  enableDnsHostnames,
  enableNetworkAddressUsageMetrics,
}: VpcAttributes = {}): VpcAttributes => ({
  ...(enableDnsSupport !== undefined && { enableDnsSupport }),
  ...(enableDnsHostnames !== undefined && { enableDnsHostnames }),
  ...(enableNetworkAddressUsageMetrics !== undefined && { enableNetworkAddressUsageMetrics }),
});

const namesOf = (attributes: VpcAttributes): readonly (keyof VpcAttributes)[] =>
  Object.keys(attributes) as (keyof VpcAttributes)[];
