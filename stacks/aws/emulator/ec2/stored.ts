import type { Collection } from '../collection.ts';
import type { Call } from '../service.ts';
import type { Tags } from './parameters.ts';

export interface StoredVpc {
  readonly cidrBlock: string;
  readonly instanceTenancy: string;
  readonly isDefault: boolean;
  readonly tags: Tags;
  /** For example `enableDnsSupport`. */
  readonly attributes: Readonly<Record<string, boolean>>;
  readonly securityGroupId: string;
}

export interface StoredSubnet {
  readonly vpcId: string;
  readonly cidrBlock: string;
  readonly availabilityZone: string;
  readonly mapPublicIpOnLaunch: boolean;
  readonly isDefault: boolean;
  readonly tags: Tags;
}

export interface StoredInstance {
  readonly imageId: string;
  readonly instanceType: string;
  readonly subnetId: string;
  readonly vpcId: string;
  readonly availabilityZone: string;
  readonly privateIp: string;
  readonly keyName?: string;
  readonly groups: readonly string[];
  readonly userData?: string;
  readonly isTerminationDisabled: boolean;
  readonly tags: Tags;
  readonly clientToken?: string;
  /** The content of the request with that token. A different request with the same token is refused. */
  readonly content: string;
  readonly reservationId: string;
  /** Whether it is to run, and since when. */
  readonly isOn: boolean;
  readonly switchedAtMs: number;
}

/** A VPC is created in a moment, and deleted at once. */
export const vpcsOf = (call: Call): Collection<StoredVpc> =>
  call.collection('ec2/vpc', { provisioningMs: 0, deletionMs: 0 });

/** A subnet is created in a moment, and deleted at once. */
export const subnetsOf = (call: Call): Collection<StoredSubnet> =>
  call.collection('ec2/subnet', { provisioningMs: 0, deletionMs: 0 });

/** A terminated instance is still listed for some time. */
export const instancesOf = (call: Call): Collection<StoredInstance> =>
  call.collection('ec2/instance', { lingersMs: 3_600_000 });
