/*
 *   instanceType differs: running ──▶ marked, stopped ──▶ stopping ──▶ stopped ──▶ changed, started ──▶ pending ──▶ running ──▶ unmarked
 *
 *   Each arrow is one look and one update, whichever process does it: where it is, the state and the mark say.
 */

import { createHash } from 'node:crypto';
import omit from 'lodash/omit.js';
import type { ExternalClient, Reported } from '../../../package/stack.ts';
import {
  comparison,
  creating,
  deleting,
  inAnyOrder,
  meaningOf,
  namedByCloud,
  outOfService,
  unavailable,
  withNeeded,
} from '../../../package/stack.ts';
import type { AwsClient } from '../client/aws-client.ts';
import type { CloudInstance } from '../client/ec2/instances.ts';
import { ec2Instances } from '../client/ec2/instances.ts';
import { countedTags } from '../client/tag-limit.ts';
import type { Instance } from '../kinds/ec2/v1beta1/instance.ts';
import { InstanceKind } from '../kinds/ec2/v1beta1/instance.ts';
import { regionOf } from '../region-of.ts';
import { ownTags } from '../tags.ts';

const needs = ['ami', 'instanceType'] as const;
const compare = comparison(InstanceKind, {
  // An instance always has a group: an empty list asks for none in particular.
  vpcSecurityGroupIds: {
    equals: (wanted, actual) => wanted.length === 0 || inAnyOrder(wanted, actual),
  },
});

/**
 * The tag of an instance that was stopped for a change of its type. Only an instance with this tag is started again.
 */
const stoppedMark = { 'crossplane-stopped-for': 'instanceType' };
const isMarked = ({ tags }: Pick<CloudInstance, 'tags'>): boolean =>
  Object.entries(stoppedMark).every(([key, value]) => tags[key] === value);

/** Instances of EC2, whose external names are the ids that AWS assigns. */
export function instanceClient(aws: AwsClient): ExternalClient<Instance> {
  const instances = ec2Instances(aws);
  return namedByCloud<Instance, CloudInstance>({
    noun: 'instance',
    idOf: ({ id }) => id,
    ids: /i-[0-9a-f]+/,
    needs,
    compare,
    // Only our own tag shows why it was stopped.
    // guard: otherwise users set the mark by a tag
    tagsOf: ({ spec }) => omit(ownTags(spec.forProvider?.tags), Object.keys(stoppedMark)),
    get: (managed, id, signal) => instances.get({ region: regionOf(managed), id }, signal),
    tagged: (managed, tags, signal) => instances.tagged({ region: regionOf(managed), tags }, signal),

    create(managed, { tags, former }, signal) {
      const wanted = withNeeded(managed, 'instance', needs);
      const { region: _region, subnetIdRef: _ref, subnetIdSelector: _selector, ...parameters } = wanted;
      const clientToken = tokenOf(managed, former);
      return instances.create(
        { region: regionOf(managed) },
        { ...parameters, clientToken, tags: countedTags(tags) },
        signal,
      );
    },

    reported: (managed, instance) => reportedOf(aws.regionOf(regionOf(managed)), instance),

    async change(managed, instance, { wanted, tags }, signal) {
      const { id, state } = instance;
      countedTags({ ...instance.tags, ...tags });
      const its = { region: regionOf(managed), id };
      const { instanceType, vpcSecurityGroupIds } = wanted;
      if (vpcSecurityGroupIds !== undefined) {
        await instances.setSecurityGroups(its, vpcSecurityGroupIds, signal);
      }
      await instances.setTags({ ...its, tags }, signal);
      if (instanceType !== undefined && state === 'running') {
        // guard: otherwise the instance stays stopped after a crash
        await instances.setTags({ ...its, tags: stoppedMark }, signal);
        await instances.stop(its, signal);
      }
      if (state === 'stopped') {
        if (instanceType !== undefined) await instances.setType(its, instanceType, signal);
        // guard: otherwise it starts an instance that a user stopped
        if (isMarked(instance)) await instances.start(its, signal);
      }
      if (instanceType === undefined && state === 'running' && isMarked(instance)) {
        await instances.removeTags({ ...its, tags: stoppedMark }, signal);
      }
    },

    delete: (managed, id, signal) => instances.delete({ region: regionOf(managed), id }, signal),
  });
}

/**
 * The token is the same for each attempt to create the same instance, so that AWS creates one. If an instance from this
 * token was deleted, the token is another.
 */
function tokenOf({ metadata: { uid, name } }: Instance, former: readonly string[]): string {
  // guard: otherwise AWS returns the terminated instance of this token
  const parts = ['instance', uid ?? name, ...former.toSorted()];
  return createHash('sha256').update(parts.join('/')).digest('hex');
}

/** The operation in progress, and whether the instance can be used. */
export function meaningOfState(
  instance: Pick<CloudInstance, 'state' | 'tags'>,
): Reported<Instance>['meaning'] {
  switch (instance.state) {
    case 'stopping':
      return { ready: unavailable('the instance is stopping'), operation: 'update' };
    case 'stopped':
      return isMarked(instance)
        ? { ready: unavailable('the instance is stopped for a change of its type') }
        : { ready: outOfService('the instance is stopped: start it in AWS') };
    case 'terminated':
      return { ready: outOfService('the instance is terminated') };
    case 'shutting-down':
      return { ready: deleting(), operation: 'delete' };
    case 'pending':
      return isMarked(instance)
        ? { ready: unavailable('the instance is starting'), operation: 'update' }
        : { ready: creating(), operation: 'create' };
    default:
      return meaningOf(
        instance.state,
        { creating: 'pending', online: 'running', deleting: 'shutting-down' },
        'instance',
      );
  }
}

function reportedOf(region: string, instance: CloudInstance): Reported<Instance> {
  const { id, state, ownerId, vpcId, privateDns, publicDns, publicIp, tags } = instance;
  return {
    tags,
    isStaying: state !== 'shutting-down' && state !== 'terminated', // guard: otherwise it adopts a terminated instance
    meaning: meaningOfState(instance),
    actual: {
      ami: instance.ami,
      instanceType: instance.instanceType,
      availabilityZone: instance.availabilityZone,
      subnetId: instance.subnetId,
      privateIp: instance.privateIp,
      keyName: instance.keyName,
      vpcSecurityGroupIds: instance.securityGroupIds,
    },
    status: {
      atProvider: {
        id,
        instanceState: state,
        ...(ownerId && { arn: `arn:aws:ec2:${region}:${ownerId}:instance/${id}` }),
        ...(vpcId && { vpcId }),
        ...(privateDns && { privateDns }),
        ...(publicDns && { publicDns }),
        ...(publicIp && { publicIp }),
      },
    },
    unfinished: isMarked(instance) ? 'stopped for a change of its type' : undefined,
  };
}
