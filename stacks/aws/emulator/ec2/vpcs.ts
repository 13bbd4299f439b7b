import type { Snapshot } from '../collection.ts';
import { AwsProblem } from '../problem.ts';
import type { Action, Call } from '../service.ts';
import { cidrOf } from './cidr.ts';
import { existing, noVpc } from './missing.ts';
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
import type { StoredVpc } from './stored.ts';
import { subnetsOf, vpcsOf } from './stored.ts';

/** As it is. Throws AwsProblem. */
export const existingVpc = (call: Call, id: string): Snapshot<StoredVpc> => existing(vpcsOf(call), id, noVpc);

export function newVpc(
  call: Call,
  given: Pick<StoredVpc, 'cidrBlock' | 'isDefault' | 'instanceTenancy' | 'tags'>,
): Snapshot<StoredVpc> {
  return vpcsOf(call).add(call.newId('vpc'), {
    ...given,
    attributes: {
      enableDnsSupport: true,
      enableDnsHostnames: given.isDefault,
      enableNetworkAddressUsageMetrics: false,
    },
    securityGroupId: call.newId('sg'),
  });
}

const described = ({ account }: Call, { id, item, phase }: Snapshot<StoredVpc>): object => ({
  vpcId: id,
  ownerId: account.id,
  state: phase === 'creating' ? 'pending' : 'available',
  cidrBlock: item.cidrBlock,
  cidrBlockAssociationSet: {
    item: [
      {
        cidrBlock: item.cidrBlock,
        associationId: id.replace('vpc-', 'vpc-cidr-assoc-'),
        cidrBlockState: { state: 'associated' },
      },
    ],
  },
  dhcpOptionsId: 'dopt-0123456789abcdef0',
  tagSet: tagSet(item.tags),
  instanceTenancy: item.instanceTenancy,
  isDefault: item.isDefault,
});

/** Names of attributes in requests, by those in answers. */
const attributes = {
  enableDnsSupport: 'EnableDnsSupport',
  enableDnsHostnames: 'EnableDnsHostnames',
  enableNetworkAddressUsageMetrics: 'EnableNetworkAddressUsageMetrics',
} as const;

export const vpcActions: Readonly<Record<string, Action>> = {
  CreateVpc(call) {
    const { params } = call;
    const cidrBlock = required(params, 'CidrBlock');
    const { prefix } = cidrOf(cidrBlock);
    if (prefix < 16 || prefix > 28)
      throw new AwsProblem('InvalidVpc.Range', `The CIDR '${cidrBlock}' is invalid.`);
    const instanceTenancy = textOf(params, 'InstanceTenancy') ?? 'default';
    if (!['default', 'dedicated'].includes(instanceTenancy)) {
      throw new AwsProblem(
        'InvalidParameterValue',
        `Value (${instanceTenancy}) for parameter instanceTenancy is invalid.`,
      );
    }
    const tags = specifiedTags(params, 'vpc');
    if (vpcsOf(call).all().length >= call.quota('vpc')) {
      throw new AwsProblem('VpcLimitExceeded', 'The maximum number of VPCs has been reached.');
    }
    return { vpc: described(call, newVpc(call, { cidrBlock, isDefault: false, instanceTenancy, tags })) };
  },

  DescribeVpcs(call) {
    const { params } = call;
    const found = filtered(
      params,
      named(textsOf(params, 'VpcId'), vpcsOf(call).allVisible(), noVpc),
      ({ id, item }) => ({
        tags: item.tags,
        facts: {
          'vpc-id': id,
          cidr: item.cidrBlock,
          'owner-id': call.account.id,
          state: 'available',
          isDefault: String(item.isDefault),
          'is-default': String(item.isDefault),
        },
      }),
    );
    const { page, nextToken } = paged(params, found);
    return { vpcSet: { item: page.map((vpc) => described(call, vpc)) }, nextToken };
  },

  DescribeVpcAttribute(call) {
    const { params } = call;
    const id = required(params, 'VpcId');
    const attribute = required(params, 'Attribute');
    const vpc = vpcsOf(call).visible(id);
    if (vpc === undefined) throw noVpc(id);
    if (!(attribute in attributes)) {
      throw new AwsProblem(
        'InvalidParameterValue',
        `Value (${attribute}) for parameter attribute is invalid.`,
      );
    }
    return { vpcId: id, [attribute]: { value: vpc.item.attributes[attribute] } };
  },

  ModifyVpcAttribute(call) {
    const { id } = existingVpc(call, required(call.params, 'VpcId'));
    const given = Object.entries(attributes).flatMap(([name, parameter]) => {
      const value = attributeOf(call.params, parameter);
      return value === undefined ? [] : [[name, isTrue(value)] as const];
    });
    if (given.length !== 1) {
      throw new AwsProblem('InvalidParameterCombination', 'Exactly one attribute can be modified at a time.');
    }
    vpcsOf(call).change(id, (vpc) => ({
      ...vpc,
      attributes: { ...vpc.attributes, ...Object.fromEntries(given) },
    }));
    return { return: true };
  },

  DeleteVpc(call) {
    const { id } = existingVpc(call, required(call.params, 'VpcId'));
    const isUsed = subnetsOf(call)
      .all()
      .some(({ item }) => item.vpcId === id);
    if (isUsed) {
      throw new AwsProblem('DependencyViolation', `The vpc '${id}' has dependencies and cannot be deleted.`);
    }
    vpcsOf(call).remove(id);
    return { return: true };
  },
};
