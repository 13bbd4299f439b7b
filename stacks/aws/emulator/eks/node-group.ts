import type { Phase, Snapshot } from '../collection.ts';
import { AwsProblem } from '../problem.ts';

type Texts = Readonly<Record<string, string>>;

interface Scaling {
  readonly desiredSize?: number;
  readonly maxSize?: number;
  readonly minSize?: number;
}

interface Taint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
}

/** A change in progress. The node group has the new values at once; the end of the change is reported later. */
export interface Update {
  readonly id: string;
  readonly type: 'ConfigUpdate' | 'VersionUpdate';
  readonly startedAtMs: number;
  /** The error with which the change ends. */
  readonly failure?: { readonly errorCode: string; readonly errorMessage: string };
}

/** A node group, in the words of EKS. */
export interface NodeGroup {
  readonly clusterName: string;
  readonly nodegroupName: string;
  readonly nodegroupArn: string;
  readonly clientRequestToken?: string;
  readonly nodeRole: string;
  readonly subnets: readonly string[];
  readonly scalingConfig: Required<Scaling>;
  readonly amiType?: string;
  readonly capacityType: string;
  readonly diskSize?: number;
  readonly instanceTypes?: readonly string[];
  readonly labels: Texts;
  readonly taints: readonly Taint[];
  readonly tags: Texts;
  readonly version: string;
  readonly releaseVersion: string;
  readonly launchTemplate?: object;
  readonly remoteAccess?: object;
  readonly updateConfig: object;
  readonly updates: readonly Update[];
  /** Why it could not be made, although it was accepted. */
  readonly failure?: { readonly code: string; readonly message: string };
  readonly changedAtMs: number;
}

/** The request for a node group. */
export interface NodeGroupRequest {
  readonly clientRequestToken?: string;
  readonly nodegroupName?: string;
  readonly nodeRole?: string;
  readonly subnets?: readonly string[];
  readonly scalingConfig?: Scaling;
  readonly amiType?: string;
  readonly capacityType?: string;
  readonly diskSize?: number;
  readonly instanceTypes?: readonly string[];
  readonly labels?: Texts;
  readonly taints?: readonly Taint[];
  readonly tags?: Texts;
  readonly version?: string;
  readonly releaseVersion?: string;
  readonly launchTemplate?: object;
  readonly remoteAccess?: object;
  readonly updateConfig?: object;
}

export const invalid = (message: string): AwsProblem => new AwsProblem('InvalidParameterException', message);

const releaseOf = (version: string): string => `${version}.3-20241213`;

/** How many nodes there are to be, where something of it is said. Throws AwsProblem. */
function newScaling({ minSize = 1, maxSize, desiredSize }: Scaling): Required<Scaling> {
  const most = maxSize ?? Math.max(2, minSize, desiredSize ?? 0);
  const desired = desiredSize ?? Math.min(Math.max(2, minSize), most);
  if (minSize > desired) throw invalid("minSize can't be greater than desiredSize");
  if (desired > most) throw invalid("desiredSize can't be greater than maxSize");
  return { minSize, maxSize: most, desiredSize: desired };
}

/** How many nodes there are to be after a change. Throws AwsProblem where the number is not within its limits. */
function changedScaling(is: Required<Scaling>, requested: Scaling): Required<Scaling> {
  const next = { ...is, ...requested };
  const { minSize, maxSize, desiredSize } = next;
  if (minSize > desiredSize) {
    throw invalid(`Minimum capacity ${minSize} can't be greater than desired size ${desiredSize}`);
  }
  if (desiredSize > maxSize) {
    throw invalid(`desired capacity ${desiredSize} can't be greater than max size ${maxSize}`);
  }
  return next;
}

/** A node group as it is asked for, with all that EKS chooses. Throws AwsProblem. */
export function newNodeGroup(
  request: NodeGroupRequest,
  {
    arn,
    clusterName,
    clusterVersion,
    now,
  }: {
    readonly arn: string;
    readonly clusterName: string;
    readonly clusterVersion: string;
    readonly now: number;
  },
): NodeGroup {
  const { nodegroupName = '', nodeRole = '', subnets = [], clientRequestToken, scalingConfig = {} } = request;
  const {
    amiType,
    diskSize,
    instanceTypes,
    launchTemplate,
    remoteAccess,
    version = clusterVersion,
  } = request;
  if (!/^[0-9A-Za-z][\w-]{0,62}$/.test(nodegroupName)) {
    throw invalid(
      'The nodegroupName parameter contains invalid characters. It should begin with a letter or digit and can have any of the following characters: the set of Unicode letters, digits, hyphens and underscores.',
    );
  }
  if (!/^arn:aws:iam::\d{12}:role\/.+/.test(nodeRole)) throw invalid('The role with name cannot be found.');
  if (subnets.length === 0) throw invalid('Subnets are not specified.');
  const unknown = (instanceTypes ?? []).filter((type) => !/^[a-z]\w*[1-9]\w*(-\w+)?\.\w+$/.test(type));
  if (unknown.length > 0) {
    throw invalid(`The following supplied instance types do not exist: [${unknown.join(', ')}]`);
  }
  if (launchTemplate !== undefined && diskSize !== undefined) {
    throw invalid('Disk size must be specified within the launch template.');
  }
  if (version !== clusterVersion) {
    throw invalid(`Nodegroup Kubernetes version ${version} must be that of the cluster, ${clusterVersion}`);
  }
  return {
    clusterName,
    nodegroupName,
    nodegroupArn: arn,
    nodeRole,
    subnets,
    ...(clientRequestToken !== undefined && { clientRequestToken }),
    scalingConfig: newScaling(scalingConfig),
    capacityType: request.capacityType ?? 'ON_DEMAND',
    ...(launchTemplate === undefined
      ? {
          amiType: amiType ?? 'AL2023_x86_64_STANDARD',
          diskSize: diskSize ?? 20,
          instanceTypes: instanceTypes ?? ['t3.medium'],
        }
      : { launchTemplate, ...(instanceTypes && { instanceTypes }) }),
    ...(remoteAccess && { remoteAccess }),
    labels: request.labels ?? {},
    taints: request.taints ?? [],
    tags: newTags(request.tags),
    version,
    releaseVersion: request.releaseVersion ?? releaseOf(version),
    updateConfig: request.updateConfig ?? { maxUnavailable: 1 },
    updates: [],
    changedAtMs: now,
  };
}

/** Checks the tags of a request. Throws AwsProblem. */
export function newTags(tags: Texts = {}): Texts {
  if (!Object.keys(tags).some((key) => /^aws:/i.test(key))) return tags;
  throw invalid('aws: prefixed tag key names are not allowed for external use.');
}

/** A change that keeps the nodes. */
export interface ConfigChange {
  readonly scalingConfig?: Scaling;
  readonly updateConfig?: object;
  readonly labels?: { readonly addOrUpdateLabels?: Texts; readonly removeLabels?: readonly string[] };
  readonly taints?: {
    readonly addOrUpdateTaints?: readonly Taint[];
    readonly removeTaints?: readonly Taint[];
  };
}

const isSameTaint = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;

/** A node group after a change of its configuration. Throws AwsProblem. */
export function reconfigured(group: NodeGroup, change: ConfigChange): NodeGroup {
  const { scalingConfig, updateConfig, labels, taints } = change;
  if ([scalingConfig, updateConfig, labels, taints].every((part) => part === undefined)) {
    throw invalid('No changes needed for the labels, taints, update config, and/or scaling config provided');
  }
  const { addOrUpdateTaints: added = [], removeTaints: removed = [] } = taints ?? {};
  return {
    ...group,
    ...(scalingConfig && { scalingConfig: changedScaling(group.scalingConfig, scalingConfig) }),
    ...(updateConfig && { updateConfig }),
    labels: Object.fromEntries(
      Object.entries({ ...group.labels, ...labels?.addOrUpdateLabels }).filter(
        ([key]) => !labels?.removeLabels?.includes(key),
      ),
    ),
    taints: [
      ...group.taints.filter((one) => ![...added, ...removed].some((other) => isSameTaint(one, other))),
      ...added,
    ],
  };
}

/** A change that replaces the nodes. */
export interface VersionChange {
  readonly version?: string;
  readonly releaseVersion?: string;
  readonly launchTemplate?: object;
}

/** A node group after its nodes were replaced. Throws AwsProblem. */
export function upgraded(group: NodeGroup, change: VersionChange, clusterVersion: string): NodeGroup {
  const { version = group.version, launchTemplate } = change;
  if (minorOf(version) < minorOf(group.version)) {
    throw invalid(`Unsupported nodegroup update from Kubernetes version ${group.version} to ${version}`);
  }
  if (minorOf(version) > minorOf(clusterVersion)) {
    throw invalid(`Nodegroup Kubernetes version ${version} can't be greater than that of the cluster`);
  }
  if (launchTemplate !== undefined && group.launchTemplate === undefined) {
    throw invalid('You cannot specify a launch template: the node group was made without one.');
  }
  return {
    ...group,
    version,
    releaseVersion: change.releaseVersion ?? releaseOf(version),
    ...(launchTemplate !== undefined && { launchTemplate: { ...group.launchTemplate, ...launchTemplate } }),
  };
}

const minorOf = (version: string): number => Number(version.split('.')[1] ?? Number.NaN);

const words: Readonly<Record<Phase, string>> = {
  creating: 'CREATING',
  available: 'ACTIVE',
  deleting: 'DELETING',
  gone: 'DELETING',
};

/** The state of an update. */
export const stateOfUpdate = (
  { startedAtMs, failure }: Update,
  { now, updateMs }: { readonly now: number; readonly updateMs: number },
): 'InProgress' | 'Successful' | 'Failed' => {
  if (now < startedAtMs + updateMs) return 'InProgress';
  return failure === undefined ? 'Successful' : 'Failed';
};

/** The state of a node group. */
export function stateOf(
  { phase, item }: Snapshot<NodeGroup>,
  time: { readonly now: number; readonly updateMs: number },
): string {
  if (phase === 'available' && item.failure !== undefined) return 'CREATE_FAILED';
  const isUpdating = item.updates.some((update) => stateOfUpdate(update, time) === 'InProgress');
  return phase === 'available' && isUpdating ? 'UPDATING' : words[phase];
}
