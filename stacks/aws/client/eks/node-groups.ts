import type {
  CreateNodegroupCommandInput,
  Nodegroup,
  UpdateNodegroupConfigCommandInput,
  UpdateNodegroupVersionCommandInput,
} from '@aws-sdk/client-eks';
import { CloudError, invalidAnswer } from '../../../../package/http.ts';
import type { AwsClient } from '../aws-client.ts';

type Tags = Readonly<Record<string, string>>;

export interface CloudTaint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
}

export interface CloudScaling {
  readonly desiredSize?: number;
  readonly maxSize?: number;
  readonly minSize?: number;
}

interface CloudUpdateConfig {
  readonly maxUnavailable?: number;
  readonly maxUnavailablePercentage?: number;
}

interface CloudLaunchTemplate {
  readonly id?: string;
  readonly name?: string;
  readonly version?: string;
}

interface CloudRemoteAccess {
  readonly ec2SshKey?: string;
  readonly sourceSecurityGroups?: readonly string[];
}

/** The fields of a node group that are the same in requests and answers of EKS. */
interface NodeGroupParts {
  readonly nodeRole?: string;
  readonly subnets?: readonly string[];
  readonly scalingConfig?: CloudScaling;
  readonly amiType?: string;
  readonly capacityType?: string;
  readonly diskSize?: number;
  readonly instanceTypes?: readonly string[];
  readonly labels?: Tags;
  readonly taints?: readonly CloudTaint[];
  readonly version?: string;
  readonly releaseVersion?: string;
  readonly launchTemplate?: CloudLaunchTemplate;
  readonly remoteAccess?: CloudRemoteAccess;
  readonly updateConfig?: CloudUpdateConfig;
}

export interface NewNodeGroup extends NodeGroupParts {
  readonly tags: Tags;
}

/** A node group in the answers of EKS. */
export interface CloudNodeGroup extends NodeGroupParts {
  readonly name: string;
  readonly arn?: string;
  /** `CREATING`, `ACTIVE`, `UPDATING`, `DELETING`, `CREATE_FAILED`, `DELETE_FAILED`, `DEGRADED`. */
  readonly status: string;
  /** The problems of the node group: `NodeCreationFailure: …`. */
  readonly issues: readonly string[];
  readonly tags: Tags;
  readonly autoscalingGroups: readonly string[];
}

/** The changes that EKS can make without replacing nodes. Absent fields stay as they are. */
export interface NodeGroupConfigChange {
  readonly scalingConfig?: CloudScaling;
  readonly updateConfig?: CloudUpdateConfig;
  readonly labels?: { readonly set: Tags; readonly remove: readonly string[] };
  readonly taints?: { readonly set: readonly CloudTaint[]; readonly remove: readonly CloudTaint[] };
}

/** The changes for which EKS replaces nodes. */
export interface NodeGroupVersionChange {
  readonly version?: string;
  readonly releaseVersion?: string;
  readonly launchTemplate?: CloudLaunchTemplate;
  readonly force?: boolean;
}

/** The progress of an update. `errors` are the reasons that EKS gives for an update that failed or was cancelled. */
export interface CloudUpdate {
  readonly status: string;
  readonly errors: readonly { readonly code: string; readonly message: string }[];
}

export interface NodeGroupsOptions {
  readonly aws: Pick<AwsClient, 'call'>;
  /** Absent: the provider's region. */
  readonly region: string | undefined;
  /** The name of the cluster. */
  readonly cluster: string;
}

/** The node groups of a cluster. All methods throw CloudError. */
export interface NodeGroups {
  /** Undefined: EKS itself answers that there is no such node group, or no such cluster. */
  get(name: string, signal: AbortSignal): Promise<CloudNodeGroup | undefined>;
  create(name: string, group: NewNodeGroup, signal: AbortSignal): Promise<void>;
  /** Returns the id of the update, which takes minutes. */
  changeConfig(name: string, change: NodeGroupConfigChange, signal: AbortSignal): Promise<string>;
  /** Returns the id of the update, which takes minutes. */
  changeVersion(name: string, change: NodeGroupVersionChange, signal: AbortSignal): Promise<string>;
  /** The progress of an update. Undefined: EKS knows no update with that id. */
  getUpdate(name: string, id: string, signal: AbortSignal): Promise<CloudUpdate | undefined>;
  tag(arn: string, tags: Tags, signal: AbortSignal): Promise<void>;
  untag(arn: string, keys: readonly string[], signal: AbortSignal): Promise<void>;
  /** A node group that was deleted before is no error. */
  delete(name: string, signal: AbortSignal): Promise<void>;
}

const isAbsent = (error: unknown): boolean =>
  // guard: otherwise a bare 404 proves absence
  error instanceof CloudError && error.code === 'ResourceNotFoundException';

/** Whether a node group of that name exists already. */
export const isNameTaken = (error: unknown): boolean =>
  error instanceof CloudError && error.code === 'ResourceInUseException';

/** Fields of `forProvider`, by the names that EKS uses in its refusals. */
const fields = {
  nodeRoleArn: /\b[nN]ode ?[rR]ole|\brole\b/,
  subnetIds: /\b[sS]ubnets?\b/,
  amiType: /\b(amiType|AMI [tT]ype)\b/,
  instanceTypes: /\b[iI]nstance ?[tT]ypes?\b/,
  capacityType: /\bcapacityType\b/,
  diskSize: /\b[dD]isk ?[sS]ize\b/,
  launchTemplate: /\b[lL]aunch ?[tT]emplate\b/,
  scalingConfig:
    /\b(desiredSize|minSize|maxSize|scalingConfig|desired size|[mM]inimum capacity|[mM]aximum capacity)\b/,
  releaseVersion: /\breleaseVersion\b|AMI [vV]ersion/,
  version: /\b[kK]ubernetes version\b|\bversion\b/,
  taint: /\btaints?\b/i,
  labels: /\blabels?\b/i,
  updateConfig: /\b(updateConfig|maxUnavailable)/,
  remoteAccess: /\b(remoteAccess|ec2SshKey|[kK]ey ?[pP]air)/,
  clusterName: /\b[cC]luster\b/,
  tags: /\btags?\b/i,
};

/** A client for the node groups of Amazon EKS. */
export function eksNodeGroups({ aws, region, cluster }: NodeGroupsOptions): NodeGroups {
  const clusterName = cluster;
  const facts = { service: 'eks', region, fields, isRepeatable: true } as const;
  const sentence = (verb: string, name: string) => `${verb} node group "${name}" of cluster "${clusterName}"`;

  return {
    async get(name, signal) {
      const what = sentence('get', name);
      try {
        const { nodegroup } = await aws.call(
          {
            ...facts,
            what,
            run: (eks, http) => eks.describeNodegroup({ clusterName, nodegroupName: name }, http),
          },
          signal,
        );
        const group = given(nodegroup, what); // guard: otherwise an empty answer counts
        const about = `${group.clusterName}/${group.nodegroupName}`;
        // guard: otherwise an answer about another node group counts
        if (about !== `${clusterName}/${name}`) throw nonsense(what, `it is about "${about}"`);
        return nodeGroupOf(name, group);
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },

    async create(name, { subnets = [], nodeRole, ...group }, signal) {
      await aws.call(
        {
          ...facts,
          what: sentence('create', name),
          // The official client adds a token. Its own repeated attempts create one node group.
          run: (eks, http) =>
            eks.createNodegroup(
              inputOf<CreateNodegroupCommandInput>({
                clusterName,
                nodegroupName: name,
                subnets,
                nodeRole,
                ...group,
              }),
              http,
            ),
        },
        signal,
      );
    },

    async changeConfig(name, { labels, taints, ...change }, signal) {
      const what = sentence('change', name);
      const { update } = await aws.call(
        {
          ...facts,
          what,
          run: (eks, http) =>
            eks.updateNodegroupConfig(
              inputOf<UpdateNodegroupConfigCommandInput>({
                clusterName,
                nodegroupName: name,
                ...change,
                ...(labels && { labels: { addOrUpdateLabels: labels.set, removeLabels: labels.remove } }),
                ...(taints && { taints: { addOrUpdateTaints: taints.set, removeTaints: taints.remove } }),
              }),
              http,
            ),
        },
        signal,
      );
      return given(update?.id, what);
    },

    async changeVersion(name, change, signal) {
      const what = sentence('change the version of', name);
      const { update } = await aws.call(
        {
          ...facts,
          what,
          run: (eks, http) =>
            eks.updateNodegroupVersion(
              inputOf<UpdateNodegroupVersionCommandInput>({ clusterName, nodegroupName: name, ...change }),
              http,
            ),
        },
        signal,
      );
      return given(update?.id, what);
    },

    async getUpdate(name, updateId, signal) {
      const what = sentence(`get update "${updateId}" of`, name);
      try {
        const { update } = await aws.call(
          {
            ...facts,
            what,
            run: (eks, http) =>
              eks.describeUpdate({ name: clusterName, nodegroupName: name, updateId }, http),
          },
          signal,
        );
        const { status = '', errors = [] } = given(update, what);
        return {
          status,
          errors: errors.map(({ errorCode = '', errorMessage = '' }) => ({
            code: errorCode,
            message: errorMessage,
          })),
        };
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },

    async tag(resourceArn, tags, signal) {
      await aws.call(
        {
          ...facts,
          what: `tag ${resourceArn}`,
          run: (eks, http) => eks.tagResource({ resourceArn, tags: { ...tags } }, http),
        },
        signal,
      );
    },

    async untag(resourceArn, keys, signal) {
      await aws.call(
        {
          ...facts,
          what: `untag ${resourceArn}`,
          run: (eks, http) => eks.untagResource({ resourceArn, tagKeys: [...keys] }, http),
        },
        signal,
      );
    },

    async delete(name, signal) {
      try {
        await aws.call(
          {
            ...facts,
            what: sentence('delete', name),
            run: (eks, http) => eks.deleteNodegroup({ clusterName, nodegroupName: name }, http),
          },
          signal,
        );
      } catch (error) {
        if (!isAbsent(error)) throw error;
      }
    },
  };
}

function nodeGroupOf(name: string, group: Nodegroup): CloudNodeGroup {
  const { nodegroupArn: arn, status = '', health, resources, tags = {}, ...parts } = group;
  const issues = (health?.issues ?? []).map(({ code, message }) =>
    [code, message].filter(Boolean).join(': '),
  );
  const groups = (resources?.autoScalingGroups ?? []).flatMap((one) => one.name ?? []);
  const { nodeRole, subnets, scalingConfig, amiType, capacityType, diskSize, instanceTypes } = parts;
  const { labels, taints, version, releaseVersion, launchTemplate, remoteAccess, updateConfig } = parts;
  return withoutUndefined({
    name,
    arn,
    status,
    issues,
    tags,
    autoscalingGroups: groups,
    nodeRole,
    subnets,
    scalingConfig,
    amiType,
    capacityType,
    diskSize,
    instanceTypes,
    labels,
    taints,
    version,
    releaseVersion,
    launchTemplate,
    remoteAccess,
    updateConfig,
  }) as CloudNodeGroup;
}

/** The value without undefined fields, at any depth. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined && one !== null);
  return Object.fromEntries(entries.map(([key, one]) => [key, withoutUndefined(one)]));
}

/**
 * The type of the official client. Where the client allows certain words only, we accept any text: EKS refuses words
 * that it does not know.
 */
const inputOf = <I extends object>(input: object): I => input as I;

function given<T>(value: T | undefined, what: string): T {
  if (value !== undefined) return value;
  throw nonsense(what, 'it is empty');
}

const nonsense = (what: string, why: string): CloudError =>
  invalidAnswer(`cannot ${what}: the answer of AWS EKS makes no sense: ${why}`);
