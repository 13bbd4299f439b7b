import type { Snapshot } from '../collection.ts';
import { AwsProblem } from '../problem.ts';
import type { Action, Call, Params } from '../service.ts';
import { addressIn, cidrOf, isWithin } from './cidr.ts';
import { existing, noInstance } from './missing.ts';
import {
  attributeOf,
  filtered,
  isTrue,
  listOf,
  named,
  paged,
  required,
  specifiedTags,
  tagSet,
  textOf,
  textsOf,
} from './parameters.ts';
import type { StoredInstance } from './stored.ts';
import { instancesOf } from './stored.ts';
import { defaultSubnet, existingSubnet, vpcOf, zoneNamed } from './subnets.ts';

/** How long it takes to start or stop, in milliseconds: a part of what its creation takes. */
const switchingMs = 1_000;

type State = 'pending' | 'running' | 'stopping' | 'stopped' | 'shutting-down' | 'terminated';
const stateCodes: Readonly<Record<State, number>> = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
};

function stateOf({ now }: Pick<Call, 'now'>, { item, phase }: Snapshot<StoredInstance>): State {
  if (phase === 'gone') return 'terminated';
  if (phase === 'deleting') return 'shutting-down';
  if (phase === 'creating') return 'pending';
  const isSettled = now() >= item.switchedAtMs + switchingMs;
  if (item.isOn) return isSettled ? 'running' : 'pending';
  return isSettled ? 'stopped' : 'stopping';
}

const describedState = (state: State): object => ({ code: stateCodes[state], name: state });

/** As it is, and not terminated. Throws AwsProblem. */
function existingInstance(call: Call, id: string): Snapshot<StoredInstance> {
  const instance = existing(instancesOf(call), id, noInstance);
  if (instance.phase === 'gone' || instance.phase === 'deleting') {
    throw new AwsProblem(
      'IncorrectInstanceState',
      `The instance '${id}' is not in a state from which it can be modified.`,
    );
  }
  return instance;
}

const types =
  /^(t2|t3|t3a|t4g|m5|m6i|m7g|c5|c6i|c7g|r5|r6i)\.(nano|micro|small|medium|large|xlarge|\d{1,2}xlarge)$/;

function checkType(instanceType: string): void {
  if (!types.test(instanceType)) {
    throw new AwsProblem('InvalidParameterValue', `Invalid value '${instanceType}' for InstanceType.`);
  }
}

function described(call: Call, instance: Snapshot<StoredInstance>): object {
  const { id, item, createdAtMs } = instance;
  const state = stateOf(call, instance);
  const isOn = state === 'running' || state === 'pending';
  const host = item.privateIp.replaceAll('.', '-');
  const isEnded = state === 'terminated';
  return {
    instanceId: id,
    imageId: item.imageId,
    instanceState: describedState(state),
    privateDnsName: isEnded ? '' : `ip-${host}.${call.region}.compute.internal`,
    dnsName: isOn ? `ec2-${host}.${call.region}.compute.amazonaws.com` : '',
    keyName: item.keyName,
    amiLaunchIndex: 0,
    instanceType: item.instanceType,
    launchTime: new Date(createdAtMs).toISOString(),
    placement: { availabilityZone: item.availabilityZone, groupName: '', tenancy: 'default' },
    monitoring: { state: 'disabled' },
    ...(!isEnded && { subnetId: item.subnetId, vpcId: item.vpcId, privateIpAddress: item.privateIp }),
    sourceDestCheck: true,
    groupSet: { item: item.groups.map((groupId) => ({ groupId, groupName: 'default' })) },
    architecture: 'x86_64',
    rootDeviceType: 'ebs',
    rootDeviceName: '/dev/xvda',
    virtualizationType: 'hvm',
    clientToken: item.clientToken ?? '',
    tagSet: tagSet(item.tags),
    hypervisor: 'xen',
    ebsOptimized: false,
  };
}

const reservation = (call: Call, instance: Snapshot<StoredInstance>): object => ({
  reservationId: instance.item.reservationId,
  ownerId: call.account.id,
  groupSet: {},
  instancesSet: { item: [described(call, instance)] },
});

/** Identifies the content of a request, without its token and the parts that differ in each try. */
const contentOf = (params: Params): string => {
  const { ClientToken: _token, ...rest } = params;
  return JSON.stringify(rest);
};

/** The instance of an earlier request with the same token. Throws AwsProblem if that request differed, or if the instance is terminated. */
function madeBefore(call: Call, token: string | undefined): Snapshot<StoredInstance> | undefined {
  if (token === undefined) return undefined;
  const before = instancesOf(call)
    .all()
    .find(({ item }) => item.clientToken === token);
  if (before === undefined) return undefined;
  if (before.item.content !== contentOf(call.params)) {
    throw new AwsProblem(
      'IdempotentParameterMismatch',
      'Arguments on this idempotent request are inconsistent with arguments used in previous request(s).',
    );
  }
  if (before.phase === 'gone' || before.phase === 'deleting') {
    throw new AwsProblem(
      'IdempotentInstanceTerminated',
      'The client token specified was used to launch an instance that is terminated.',
    );
  }
  return before;
}

function changeState(call: Call, isOn: boolean): object {
  const { now } = call;
  const ids = textsOf(call.params, 'InstanceId');
  const before = ids.map((id) => existingInstance(call, id));
  const switched = before.map((instance) => {
    const { id, item } = instance;
    const previous = stateOf(call, instance);
    const isSo = item.isOn === isOn;
    if (!isSo && !['running', 'stopped'].includes(previous)) {
      throw new AwsProblem(
        'IncorrectInstanceState',
        `The instance '${id}' is not in a state from which it can be ${isOn ? 'started' : 'stopped'}.`,
      );
    }
    const after = isSo
      ? instance
      : instancesOf(call).change(id, (one) => ({ ...one, isOn, switchedAtMs: now() }));
    return {
      instanceId: id,
      previousState: describedState(previous),
      currentState: describedState(stateOf(call, after)),
    };
  });
  return { instancesSet: { item: switched } };
}

export const instanceActions: Readonly<Record<string, Action>> = {
  RunInstances(call) {
    const { params } = call;
    const token = textOf(params, 'ClientToken');
    const imageId = required(params, 'ImageId');
    const instanceType = textOf(params, 'InstanceType') ?? 'm1.small';
    if (required(params, 'MinCount') !== '1' || required(params, 'MaxCount') !== '1') {
      throw new AwsProblem('InvalidParameterValue', 'One instance is made at a time here.');
    }
    const before = madeBefore(call, token);
    if (before !== undefined) return reservation(call, before);
    if (!/^ami-[0-9a-f]{8}([0-9a-f]{9})?$/.test(imageId)) {
      throw new AwsProblem('InvalidAMIID.Malformed', `Invalid id: "${imageId}" (expecting "ami-...")`);
    }
    if (instanceType !== 'm1.small') checkType(instanceType);
    const staying = instancesOf(call)
      .all()
      .filter(({ phase }) => phase !== 'gone');
    if (staying.length >= call.quota('instance')) {
      throw new AwsProblem(
        'VcpuLimitExceeded',
        'You have requested more vCPU capacity than your current vCPU limit allows for the instance bucket that the specified instance type belongs to.',
      );
    }
    const { AvailabilityZone: zone } = (params.Placement ?? {}) as { readonly AvailabilityZone?: string };
    const subnetId = textOf(params, 'SubnetId');
    const subnet = subnetId === undefined ? defaultSubnet(call, zone) : existingSubnet(call, subnetId);
    if (zone !== undefined && zoneNamed(call, zone) !== subnet.item.availabilityZone) {
      throw new AwsProblem(
        'InvalidParameterValue',
        `Value (${zone}) for parameter availabilityZone is invalid. It is not that of the subnet.`,
      );
    }
    const cidr = cidrOf(subnet.item.cidrBlock);
    const taken = new Set(
      staying.flatMap(({ item }) => (item.subnetId === subnet.id ? [item.privateIp] : [])),
    );
    const free = (number: number): string => {
      const address = addressIn(cidr, number);
      return taken.has(address) ? free(number + 1) : address;
    };
    const privateIp = textOf(params, 'PrivateIpAddress') ?? free(4);
    if (!isWithin(cidrOf(`${privateIp}/32`), cidr)) {
      throw new AwsProblem(
        'InvalidParameterValue',
        `Address ${privateIp} does not fall within the subnet's address range`,
      );
    }
    if (taken.has(privateIp))
      throw new AwsProblem('InvalidIPAddress.InUse', `Address ${privateIp} is in use.`);
    const keyName = textOf(params, 'KeyName');
    const userData = textOf(params, 'UserData');
    const groups = textsOf(params, 'SecurityGroupId');
    const defaultGroup = vpcOf(call, subnet)?.item.securityGroupId;
    const instance = instancesOf(call).add(call.newId('i'), {
      imageId,
      instanceType,
      privateIp,
      content: contentOf(params),
      subnetId: subnet.id,
      vpcId: subnet.item.vpcId,
      availabilityZone: subnet.item.availabilityZone,
      ...(keyName !== undefined && { keyName }),
      ...(userData !== undefined && { userData }),
      groups: groups.length > 0 ? groups : [defaultGroup ?? 'sg-00000000'],
      isTerminationDisabled: isTrue(textOf(params, 'DisableApiTermination')),
      tags: specifiedTags(params, 'instance'),
      ...(token !== undefined && { clientToken: token }),
      reservationId: call.newId('r'),
      isOn: true,
      switchedAtMs: 0,
    });
    return reservation(call, instance);
  },

  DescribeInstances(call) {
    const { params } = call;
    const all = named(textsOf(params, 'InstanceId'), instancesOf(call).allVisible(), noInstance);
    const found = filtered(params, all, (instance) => ({
      tags: instance.item.tags,
      facts: {
        'instance-id': instance.id,
        'instance-state-name': stateOf(call, instance),
        'instance-type': instance.item.instanceType,
        'image-id': instance.item.imageId,
        'subnet-id': instance.item.subnetId,
        'vpc-id': instance.item.vpcId,
        'availability-zone': instance.item.availabilityZone,
        'client-token': instance.item.clientToken,
        'private-ip-address': instance.item.privateIp,
      },
    }));
    const { page, nextToken } = paged(params, found);
    return { reservationSet: { item: page.map((instance) => reservation(call, instance)) }, nextToken };
  },

  ModifyInstanceAttribute(call) {
    const { params } = call;
    const instance = existingInstance(call, required(params, 'InstanceId'));
    const instanceType = attributeOf(params, 'InstanceType');
    const groups = listOf(params, 'GroupId').length > 0 ? textsOf(params, 'GroupId') : undefined;
    const isTerminationDisabled = attributeOf(params, 'DisableApiTermination');
    if (instanceType !== undefined) {
      checkType(instanceType);
      if (stateOf(call, instance) !== 'stopped') {
        throw new AwsProblem(
          'IncorrectInstanceState',
          `The instance '${instance.id}' is not in the 'stopped' state.`,
        );
      }
    }
    instancesOf(call).change(instance.id, (one) => ({
      ...one,
      ...(instanceType !== undefined && { instanceType }),
      ...(groups !== undefined && { groups }),
      ...(isTerminationDisabled !== undefined && { isTerminationDisabled: isTrue(isTerminationDisabled) }),
    }));
    return { return: true };
  },

  DescribeInstanceAttribute(call) {
    const id = required(call.params, 'InstanceId');
    const instance = instancesOf(call).visible(id);
    if (instance === undefined) throw noInstance(id);
    if (required(call.params, 'Attribute') !== 'disableApiTermination') {
      throw new AwsProblem('InvalidParameterValue', 'Only disableApiTermination is supported here.');
    }
    return { instanceId: id, disableApiTermination: { value: instance.item.isTerminationDisabled } };
  },

  StopInstances: (call) => changeState(call, false),
  StartInstances: (call) => changeState(call, true),

  TerminateInstances(call) {
    const instances = textsOf(call.params, 'InstanceId').map((id) => {
      const instance = instancesOf(call).get(id);
      if (instance === undefined) throw noInstance(id);
      if (instance.item.isTerminationDisabled && instance.phase !== 'gone') {
        throw new AwsProblem(
          'OperationNotPermitted',
          `The instance '${id}' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again.`,
        );
      }
      return instance;
    });
    const ended = instances.map((instance) => {
      const { id } = instance;
      const previous = stateOf(call, instance);
      instancesOf(call).remove(id);
      const after = instancesOf(call).get(id);
      return {
        instanceId: id,
        previousState: describedState(previous),
        currentState: describedState(after === undefined ? 'terminated' : stateOf(call, after)),
      };
    });
    return { instancesSet: { item: ended } };
  },
};
