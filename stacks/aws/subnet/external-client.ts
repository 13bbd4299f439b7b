import type { ExternalClient } from '../../../package/stack.ts';
import { comparison, meaningOf, namedByCloud, outOfService, withNeeded } from '../../../package/stack.ts';
import type { AwsClient } from '../client/aws-client.ts';
import type { CloudSubnet } from '../client/ec2/subnets.ts';
import { ec2Subnets } from '../client/ec2/subnets.ts';
import { countedTags } from '../client/tag-limit.ts';
import type { Subnet } from '../kinds/ec2/v1beta1/subnet.ts';
import { SubnetKind } from '../kinds/ec2/v1beta1/subnet.ts';
import { regionOf } from '../region-of.ts';
import { ownTags } from '../tags.ts';

const needs = ['vpcId', 'cidrBlock'] as const;
const compare = comparison(SubnetKind);
/** The states that AWS does not end by itself. */
const broken = ['failed', 'failed-insufficient-capacity'];
const states = { creating: 'pending', online: 'available', deleting: 'deleting' };

/** The meaning of a subnet's state. */
export const meaningOfState = (state: string): ReturnType<typeof meaningOf> =>
  broken.includes(state)
    ? { ready: outOfService(`the subnet is ${state}`) }
    : meaningOf(state, states, 'subnet');

/** Subnets of AWS, whose external names are the ids that AWS assigns. */
export function subnetClient(aws: AwsClient): ExternalClient<Subnet> {
  const subnets = ec2Subnets(aws);
  return namedByCloud<Subnet, CloudSubnet>({
    noun: 'subnet',
    idOf: ({ id }) => id,
    ids: /subnet-[0-9a-f]+/,
    needs,
    compare,
    tagsOf: ({ spec }) => ownTags(spec.forProvider?.tags),
    get: (managed, id, signal) => subnets.get({ region: regionOf(managed), id }, signal),
    tagged: (managed, tags, signal) => subnets.tagged({ region: regionOf(managed), tags }, signal),

    async create(managed, { tags }, signal) {
      const wanted = withNeeded(managed, 'subnet', needs);
      const { vpcId, cidrBlock, availabilityZone, availabilityZoneId, mapPublicIpOnLaunch } = wanted;
      const region = regionOf(managed);
      const created = await subnets.create(
        { region },
        {
          vpcId,
          cidrBlock,
          tags: countedTags(tags),
          ...(availabilityZone !== undefined && { availabilityZone }),
          ...(availabilityZoneId !== undefined && { availabilityZoneId }),
        },
        signal,
      );
      if (mapPublicIpOnLaunch === true) {
        // The subnet is recorded first. If forProvider wants the attribute and this call fails, the next update sets
        // it.
        // guard: otherwise the ID is lost
        await subnets.setPublicIps({ region, id: created.id }, true, signal).catch(() => {});
      }
      return created;
    },

    reported(_managed, subnet) {
      const { id, arn, ownerId, state, tags } = subnet;
      return {
        tags,
        isStaying: true,
        meaning: meaningOfState(state),
        actual: {
          vpcId: subnet.vpcId,
          cidrBlock: subnet.cidrBlock,
          availabilityZone: subnet.availabilityZone,
          availabilityZoneId: subnet.availabilityZoneId,
          mapPublicIpOnLaunch: subnet.mapPublicIpOnLaunch,
        },
        status: {
          atProvider: {
            id,
            state,
            ...(arn !== undefined && { arn }),
            ...(ownerId !== undefined && { ownerId }),
          },
        },
      };
    },

    async change(managed, { id, tags: present }, { wanted: { mapPublicIpOnLaunch }, tags }, signal) {
      countedTags({ ...present, ...tags });
      const its = { region: regionOf(managed), id };
      if (mapPublicIpOnLaunch !== undefined) await subnets.setPublicIps(its, mapPublicIpOnLaunch, signal);
      await subnets.setTags({ ...its, tags }, signal);
    },

    delete: (managed, id, signal) => subnets.delete({ region: regionOf(managed), id }, signal),
  });
}
