import type { _InstanceType, Instance } from '@aws-sdk/client-ec2';
import type { AwsClient } from '../aws-client.ts';
import { allPages } from '../pages.ts';
import type { Place, Tags } from './tags.ts';
import { required, setTags, tagFilters, tagList, tagsIn, tagsOfNew, unlessMissing } from './tags.ts';

/** An EC2 instance in AWS's answers. */
export interface CloudInstance {
  readonly id: string;
  /** `pending`, `running`, `stopping`, `stopped`, `shutting-down`, `terminated`. */
  readonly state: string;
  readonly ami: string | undefined;
  readonly instanceType: string | undefined;
  readonly availabilityZone: string | undefined;
  readonly subnetId: string | undefined;
  readonly vpcId: string | undefined;
  readonly privateIp: string | undefined;
  readonly publicIp: string | undefined;
  readonly privateDns: string | undefined;
  readonly publicDns: string | undefined;
  readonly keyName: string | undefined;
  readonly securityGroupIds: readonly string[];
  readonly ownerId: string | undefined;
  readonly tags: Tags;
}

interface NewInstance {
  readonly ami: string;
  readonly instanceType: string;
  readonly availabilityZone?: string;
  readonly subnetId?: string;
  readonly privateIp?: string;
  readonly keyName?: string;
  /** Plain text, not encoded. */
  readonly userData?: string;
  readonly vpcSecurityGroupIds?: readonly string[];
  readonly tags: Tags;
  /** A second request with the same token creates no second instance. Up to 64 characters. */
  readonly clientToken: string;
}

type Its = Place & { readonly id: string };

/** The instances of EC2. Every method may throw CloudError. */
export interface Instances {
  /** Undefined if AWS answers that there is no such instance, or that it is terminated. */
  get(its: Its, signal: AbortSignal): Promise<CloudInstance | undefined>;
  /** All instances with these tags. Terminated instances that AWS still lists are included. */
  tagged(its: Place & { readonly tags: Tags }, signal: AbortSignal): Promise<readonly CloudInstance[]>;
  create(its: Place, wanted: NewInstance, signal: AbortSignal): Promise<CloudInstance>;
  /** The instance must be stopped. */
  setType(its: Its, instanceType: string, signal: AbortSignal): Promise<void>;
  setSecurityGroups(its: Its, ids: readonly string[], signal: AbortSignal): Promise<void>;
  start(its: Its, signal: AbortSignal): Promise<void>;
  stop(its: Its, signal: AbortSignal): Promise<void>;
  setTags(its: Its & { readonly tags: Tags }, signal: AbortSignal): Promise<void>;
  removeTags(its: Its & { readonly tags: Tags }, signal: AbortSignal): Promise<void>;
  /** An instance that was deleted before is no error. */
  delete(its: Its, signal: AbortSignal): Promise<void>;
}

const missing = /^InvalidInstanceID\.NotFound$/;
const fields = {
  vpcSecurityGroupIds: /InvalidGroup|security group/i,
  availabilityZone: /availabilityZone/i,
  subnetId: /subnet ?ID/i,
  privateIp: /\baddress\b|InvalidIPAddress/i,
  keyName: /key ?pair|KeyName/i,
  instanceType: /InstanceType|instance type/i,
  ami: /AMI|ImageId|image id/i,
  userData: /user ?data/i,
  region: /valid region/i,
};

export function ec2Instances(aws: AwsClient): Instances {
  const read = (
    what: string,
    ownerId: string | undefined,
    instance: Instance | undefined,
  ): CloudInstance => ({
    id: required(what, 'InstanceId', instance?.InstanceId),
    state: required(what, 'State', instance?.State?.Name),
    ami: instance?.ImageId,
    instanceType: instance?.InstanceType,
    availabilityZone: instance?.Placement?.AvailabilityZone,
    subnetId: instance?.SubnetId,
    vpcId: instance?.VpcId,
    privateIp: instance?.PrivateIpAddress,
    publicIp: instance?.PublicIpAddress,
    privateDns: instance?.PrivateDnsName,
    publicDns: instance?.PublicDnsName,
    keyName: instance?.KeyName,
    securityGroupIds: (instance?.SecurityGroups ?? []).flatMap(({ GroupId }) => GroupId ?? []),
    ownerId,
    tags: tagsIn(instance?.Tags),
  });
  const about = (what: string, { region, id }: Its) =>
    ({ service: 'ec2', region, what: `${what} instance "${id}"`, isRepeatable: true, fields }) as const;

  return {
    async get(its, signal) {
      const call = about('get', its);
      const found = await unlessMissing(
        missing,
        aws.call(
          { ...call, run: (ec2, http) => ec2.describeInstances({ InstanceIds: [its.id] }, http) },
          signal,
        ),
      );
      if (found === undefined) return undefined;
      const reservations = required(call.what, 'reservationSet', found.Reservations);
      for (const { OwnerId, Instances: instances = [] } of reservations) {
        const instance = instances.find(({ InstanceId }) => InstanceId === its.id);
        if (instance === undefined) continue;
        return instance.State?.Name === 'terminated' ? undefined : read(call.what, OwnerId, instance);
      }
      return undefined;
    },

    async tagged({ region, tags }, signal) {
      const what = 'list instances';
      const found = await allPages(what, async (token) => {
        const { Reservations: items, NextToken: next } = await aws.call(
          {
            service: 'ec2',
            region,
            what,
            isRepeatable: true,
            fields,
            run: (ec2, http) =>
              ec2.describeInstances({ Filters: tagFilters(tags), ...(token && { NextToken: token }) }, http),
          },
          signal,
        );
        return { items: required(what, 'reservationSet', items), next };
      });
      return found.flatMap(({ OwnerId, Instances: instances = [] }) =>
        instances.map((instance) => read(what, OwnerId, instance)),
      );
    },

    async create({ region }, wanted, signal) {
      const what = 'create instance';
      const { availabilityZone, subnetId, privateIp, keyName, userData, vpcSecurityGroupIds } = wanted;
      const { OwnerId, Instances: [created] = [] } = await aws.call(
        {
          service: 'ec2',
          region,
          what,
          isRepeatable: true,
          fields,
          run: (ec2, http) =>
            ec2.runInstances(
              {
                MinCount: 1,
                MaxCount: 1,
                ClientToken: wanted.clientToken, // guard: otherwise it creates a second instance after a lost answer
                ImageId: wanted.ami,
                InstanceType: wanted.instanceType as _InstanceType,
                ...(availabilityZone !== undefined && { Placement: { AvailabilityZone: availabilityZone } }),
                ...(subnetId !== undefined && { SubnetId: subnetId }),
                ...(privateIp !== undefined && { PrivateIpAddress: privateIp }),
                ...(keyName !== undefined && { KeyName: keyName }),
                ...(userData !== undefined && { UserData: Buffer.from(userData).toString('base64') }),
                ...(vpcSecurityGroupIds !== undefined && { SecurityGroupIds: [...vpcSecurityGroupIds] }),
                TagSpecifications: tagsOfNew('instance', wanted.tags),
              },
              http,
            ),
        },
        signal,
      );
      return read(what, OwnerId, created);
    },

    async setType(its, instanceType, signal) {
      const { id } = its;
      await aws.call(
        {
          ...about('change the type of', its),
          run: (ec2, http) =>
            ec2.modifyInstanceAttribute({ InstanceId: id, InstanceType: { Value: instanceType } }, http),
        },
        signal,
      );
    },

    async setSecurityGroups(its, ids, signal) {
      await aws.call(
        {
          ...about('change the security groups of', its),
          run: (ec2, http) => ec2.modifyInstanceAttribute({ InstanceId: its.id, Groups: [...ids] }, http),
        },
        signal,
      );
    },

    async start(its, signal) {
      await aws.call(
        { ...about('start', its), run: (ec2, http) => ec2.startInstances({ InstanceIds: [its.id] }, http) },
        signal,
      );
    },

    async stop(its, signal) {
      await aws.call(
        { ...about('stop', its), run: (ec2, http) => ec2.stopInstances({ InstanceIds: [its.id] }, http) },
        signal,
      );
    },

    setTags: (its, signal) => setTags(aws, { ...its, noun: 'instance' }, signal),

    async removeTags({ tags, ...its }, signal) {
      await aws.call(
        {
          ...about('untag', its),
          run: (ec2, http) => ec2.deleteTags({ Resources: [its.id], Tags: tagList(tags) }, http),
        },
        signal,
      );
    },

    async delete(its, signal) {
      await unlessMissing(
        missing,
        aws.call(
          {
            ...about('terminate', its),
            run: (ec2, http) => ec2.terminateInstances({ InstanceIds: [its.id] }, http),
          },
          signal,
        ),
      );
    },
  };
}
