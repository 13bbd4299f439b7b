import type { Snapshot } from '../collection.ts';
import { AwsProblem } from '../problem.ts';
import type { Action, Call } from '../service.ts';
import { cidrOf, isWithin, overlap } from './cidr.ts';
import { existing, noSubnet } from './missing.ts';
import {
  attributeOf,
  filtered,
  isTrue,
  named,
  paged,
  required,
  specifiedTags,
  tagSet,
  textOf,
  textsOf,
} from './parameters.ts';
import type { StoredSubnet, StoredVpc } from './stored.ts';
import { instancesOf, subnetsOf, vpcsOf } from './stored.ts';
import { existingVpc, newVpc } from './vpcs.ts';

/** As it is. Throws AwsProblem. */
export const existingSubnet = (call: Call, id: string): Snapshot<StoredSubnet> =>
  existing(subnetsOf(call), id, noSubnet);

const zoneLetters = ['a', 'b', 'c'];

/** Zones by the ids that are the same for all accounts: `usw1-az1`. */
const zonesOf = ({ region }: Pick<Call, 'region'>): ReadonlyMap<string, string> => {
  const [area = '', direction = '', number = ''] = region.split('-');
  const short = `${area}${direction.replace(/^(north|south|central|west|east)(east|west)?.*$/, (_all, one: string, two = '') => one.charAt(0) + String(two).charAt(0))}${number}`;
  return new Map(zoneLetters.map((letter, i) => [`${region}${letter}`, `${short}-az${i + 1}`]));
};

/** Throws AwsProblem for a zone that the region does not have. */
export function zoneNamed(call: Call, zone: string | undefined): string {
  const zones = [...zonesOf(call).keys()];
  if (zone === undefined) return zones[Math.floor(call.random() * zones.length)]!;
  if (zones.includes(zone)) return zone;
  throw new AwsProblem(
    'InvalidParameterValue',
    `Value (${zone}) for parameter availabilityZone is invalid. Subnets can currently only be created in the following availability zones: ${zones.join(', ')}.`,
  );
}

function zoneOfId(call: Call, zoneId: string): string {
  const found = [...zonesOf(call)].find(([, id]) => id === zoneId);
  if (found !== undefined) return found[0];
  throw new AwsProblem(
    'InvalidParameterValue',
    `Value (${zoneId}) for parameter availabilityZoneId is invalid.`,
  );
}

/** Where machines go that are given no place: a region's default VPC, with a subnet in each zone. Made when first needed. */
export function defaultSubnet(call: Call, zone: string | undefined): Snapshot<StoredSubnet> {
  const wanted = zoneNamed(call, zone);
  const find = () =>
    subnetsOf(call)
      .all()
      .find(({ item }) => item.isDefault && item.availabilityZone === wanted);
  const found = find();
  if (found !== undefined) return found;
  const { id: vpcId } = newVpc(call, {
    cidrBlock: '172.31.0.0/16',
    isDefault: true,
    instanceTenancy: 'default',
    tags: {},
  });
  [...zonesOf(call).keys()].forEach((availabilityZone, i) => {
    subnetsOf(call).add(call.newId('subnet'), {
      vpcId,
      cidrBlock: `172.31.${i * 16}.0/20`,
      availabilityZone,
      mapPublicIpOnLaunch: true,
      isDefault: true,
      tags: {},
    });
  });
  return find()!;
}

const described = (call: Call, { id, item, phase }: Snapshot<StoredSubnet>): object => ({
  subnetId: id,
  subnetArn: `arn:aws:ec2:${call.region}:${call.account.id}:subnet/${id}`,
  state: phase === 'creating' ? 'pending' : 'available',
  ownerId: call.account.id,
  vpcId: item.vpcId,
  cidrBlock: item.cidrBlock,
  availableIpAddressCount: 2 ** (32 - cidrOf(item.cidrBlock).prefix) - 5,
  availabilityZone: item.availabilityZone,
  availabilityZoneId: zonesOf(call).get(item.availabilityZone),
  defaultForAz: item.isDefault,
  mapPublicIpOnLaunch: item.mapPublicIpOnLaunch,
  tagSet: tagSet(item.tags),
});

export const subnetActions: Readonly<Record<string, Action>> = {
  CreateSubnet(call) {
    const { params } = call;
    const vpcId = required(params, 'VpcId');
    const cidrBlock = required(params, 'CidrBlock');
    const vpc = existingVpc(call, vpcId);
    const cidr = cidrOf(cidrBlock);
    if (!isWithin(cidr, cidrOf(vpc.item.cidrBlock)) || cidr.prefix > 28) {
      throw new AwsProblem('InvalidSubnet.Range', `The CIDR '${cidrBlock}' is invalid.`);
    }
    const zoneId = textOf(params, 'AvailabilityZoneId');
    const availabilityZone =
      zoneId === undefined ? zoneNamed(call, textOf(params, 'AvailabilityZone')) : zoneOfId(call, zoneId);
    const others = subnetsOf(call)
      .all()
      .filter(({ item }) => item.vpcId === vpcId);
    if (others.some(({ item }) => overlap(cidr, cidrOf(item.cidrBlock)))) {
      throw new AwsProblem('InvalidSubnet.Conflict', `The CIDR '${cidrBlock}' conflicts with another subnet`);
    }
    if (others.length >= call.quota('subnet')) {
      throw new AwsProblem('SubnetLimitExceeded', 'The maximum number of subnets has been reached.');
    }
    const subnet = subnetsOf(call).add(call.newId('subnet'), {
      vpcId,
      cidrBlock,
      availabilityZone,
      mapPublicIpOnLaunch: false,
      isDefault: false,
      tags: specifiedTags(params, 'subnet'),
    });
    return { subnet: described(call, subnet) };
  },

  DescribeSubnets(call) {
    const { params } = call;
    const all = named(textsOf(params, 'SubnetId'), subnetsOf(call).allVisible(), noSubnet);
    const found = filtered(params, all, ({ id, item }) => ({
      tags: item.tags,
      facts: {
        'subnet-id': id,
        'vpc-id': item.vpcId,
        cidr: item.cidrBlock,
        'cidr-block': item.cidrBlock,
        'availability-zone': item.availabilityZone,
        state: 'available',
        'default-for-az': String(item.isDefault),
      },
    }));
    const { page, nextToken } = paged(params, found);
    return { subnetSet: { item: page.map((subnet) => described(call, subnet)) }, nextToken };
  },

  ModifySubnetAttribute(call) {
    const { id } = existingSubnet(call, required(call.params, 'SubnetId'));
    const value = attributeOf(call.params, 'MapPublicIpOnLaunch');
    if (value === undefined) {
      throw new AwsProblem('InvalidParameterCombination', 'No attribute is given that can be modified here.');
    }
    subnetsOf(call).change(id, (subnet) => ({ ...subnet, mapPublicIpOnLaunch: isTrue(value) }));
    return { return: true };
  },

  DeleteSubnet(call) {
    const { id } = existingSubnet(call, required(call.params, 'SubnetId'));
    const isUsed = instancesOf(call)
      .all()
      .some(({ item, phase }) => item.subnetId === id && phase !== 'gone');
    if (isUsed) {
      throw new AwsProblem(
        'DependencyViolation',
        `The subnet '${id}' has dependencies and cannot be deleted.`,
      );
    }
    subnetsOf(call).remove(id);
    return { return: true };
  },

  DescribeAvailabilityZones: (call) => ({
    availabilityZoneInfo: {
      item: [...zonesOf(call)].map(([zoneName, zoneId]) => ({
        zoneName,
        zoneId,
        zoneState: 'available',
        regionName: call.region,
      })),
    },
  }),
};

/** The VPC that a subnet is in. */
export const vpcOf = (call: Call, { item }: Snapshot<StoredSubnet>): Snapshot<StoredVpc> | undefined =>
  vpcsOf(call).get(item.vpcId);
