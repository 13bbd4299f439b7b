import clamp from 'lodash/clamp.js';
import differenceWith from 'lodash/differenceWith.js';
import isEqual from 'lodash/isEqual.js';
import isMatch from 'lodash/isMatch.js';
import omitBy from 'lodash/omitBy.js';
import type { Actual, Observation, ReadyFacts, Wanted } from '../../../package/stack.ts';
import {
  available,
  comparison,
  creating,
  deleting,
  inAnyOrder,
  neededFields,
  notNow,
  observing,
  outOfService,
  ownerOf,
  ownerTags,
  unavailable,
} from '../../../package/stack.ts';
import { advice } from '../advice.ts';
import type {
  CloudNodeGroup,
  CloudScaling,
  CloudTaint,
  NewNodeGroup,
  NodeGroupConfigChange,
  NodeGroupVersionChange,
} from '../client/eks/node-groups.ts';
import { countedTags } from '../client/tag-limit.ts';
import type { NodeGroup } from '../kinds/eks/v1beta1/node-group.ts';
import { NodeGroupKind } from '../kinds/eks/v1beta1/node-group.ts';
import { ownTags, tagChange, tagsRule } from '../tags.ts';

type Parameters = NonNullable<NodeGroup['spec']['forProvider']>;

/**
 * The node group that a managed resource asks for, merged with `initProvider` element by element. Throws an Error that
 * names missing fields.
 */
export function newNodeGroup(managed: NodeGroup): NewNodeGroup {
  const { nodeRoleArn, subnetIds, scalingConfig, launchTemplate, remoteAccess, updateConfig, ...own } =
    managed.spec.forProvider;
  const missing = Object.entries({ nodeRoleArn, subnetIds: subnetIds?.[0] }).flatMap(([field, value]) =>
    value === undefined ? [field] : [],
  );
  if (missing.length > 0) throw neededFields(missing, 'node group');
  const { amiType, capacityType, diskSize, instanceTypes, labels, taint, version, releaseVersion } = own;
  const [access] = remoteAccess ?? [];
  return given({
    nodeRole: nodeRoleArn,
    subnets: subnetIds,
    scalingConfig: scalingConfig?.[0],
    amiType,
    capacityType,
    diskSize,
    instanceTypes,
    labels,
    taints: taint,
    version,
    releaseVersion,
    launchTemplate: launchTemplate?.[0],
    remoteAccess: access && {
      ...(access.ec2SshKey !== undefined && { ec2SshKey: access.ec2SshKey }),
      ...(access.sourceSecurityGroupIds && { sourceSecurityGroups: access.sourceSecurityGroupIds }),
    },
    updateConfig: updateConfig?.[0],
    tags: countedTags({ ...ownTags(own.tags), ...ownerTags(ownerOf(managed)) }),
  });
}

type Given<T> = { readonly [F in keyof T]?: Exclude<T[F], undefined> };

/** Without undefined values. */
const given = <T extends object>(values: T): Given<T> & Pick<T, Required<T>> =>
  omitBy(values, (value) => value === undefined) as Given<T> & Pick<T, Required<T>>;
type Required<T> = { [F in keyof T]: undefined extends T[F] ? never : F }[keyof T];

/** Terraform's form of a single object: a list with one element or none. */
const listed = <T>(one: T | undefined): readonly T[] | undefined => (one === undefined ? undefined : [one]);

/** EKS's values for the fields of `forProvider`. */
function actualOf(group: CloudNodeGroup): Actual<NodeGroup> {
  const { nodeRole, subnets, amiType, capacityType, diskSize, instanceTypes, labels, taints } = group;
  const { ec2SshKey, sourceSecurityGroups: sourceSecurityGroupIds } = group.remoteAccess ?? {};
  return {
    nodeRoleArn: nodeRole,
    subnetIds: subnets,
    scalingConfig: listed(group.scalingConfig),
    amiType,
    diskSize,
    instanceTypes,
    labels: labels ?? {},
    capacityType: capacityType as Parameters['capacityType'],
    taint: (taints ?? []) as Parameters['taint'],
    version: group.version,
    releaseVersion: group.releaseVersion,
    launchTemplate: listed(group.launchTemplate),
    remoteAccess: group.remoteAccess && [given({ ec2SshKey, sourceSecurityGroupIds })],
    updateConfig: listed(group.updateConfig),
    tags: ownTags(group.tags),
  };
}

/** EKS keeps the versions that these had at the creation. */
const isLookedUp = (version: string | undefined): boolean => version === '$Latest' || version === '$Default';

const compareNodeGroup = comparison(NodeGroupKind, {
  subnetIds: { equals: inAnyOrder },
  taint: { equals: (wanted, actual) => inAnyOrder(wanted.map(plainTaint), actual.map(plainTaint)) },
  launchTemplate: {
    equals: ([wanted], [actual]) =>
      wanted === undefined ||
      (actual !== undefined &&
        isMatch(actual, isLookedUp(wanted.version) ? omitBy(wanted, isLookedUp) : wanted)),
  },
  tags: tagsRule,
});

/** The value of a taint without a value is empty. */
const plainTaint = ({ key, value = '', effect }: CloudTaint): CloudTaint => given({ key, value, effect });

/** The differences of a node group that we own. EKS accepts each part in a call of its own. */
export function differenceOf(managed: NodeGroup, group: CloudNodeGroup) {
  const compared = compareNodeGroup(managed, actualOf(group));
  const config = configChange(compared.change, group);
  const version = versionChange(compared.change, managed);
  const isChanging = config !== undefined || version !== undefined;
  const wanted = compared.change.tags;
  const tags = tagChange({ actual: group.tags, wanted, owner: ownerOf(managed), isChanging });
  return { ...compared, config, version, tags };
}

function configChange(
  { scalingConfig, updateConfig, labels, taint }: Wanted<NodeGroup>,
  group: CloudNodeGroup,
): NodeGroupConfigChange | undefined {
  const change = given({
    scalingConfig: scalingConfig?.[0] && scalingChange(scalingConfig[0], group.scalingConfig),
    updateConfig: updateConfig?.[0],
    labels: labels && {
      // Without lodash, whose omitBy leaves out a label `constructor`.
      set: Object.fromEntries(Object.entries(labels).filter(([key, value]) => group.labels?.[key] !== value)),
      remove: Object.keys(group.labels ?? {}).filter((key) => !Object.hasOwn(labels, key)),
    },
    taints: taint && taintChange(taint, group.taints),
  });
  return Object.keys(change).length === 0 ? undefined : change;
}

/**
 * The wanted sizes only. If the spec does not name the number of nodes, it is left alone. But EKS refuses limits that
 * exclude the current number, and only this client can move the number into the limits.
 */
function scalingChange(wanted: CloudScaling, is: CloudScaling = {}): CloudScaling {
  const { desiredSize = 0, minSize = 0, maxSize = Number.POSITIVE_INFINITY } = { ...is, ...wanted };
  const within = clamp(desiredSize, minSize, maxSize);
  return wanted.desiredSize === undefined && within !== desiredSize
    ? { ...wanted, desiredSize: within }
    : wanted;
}

/** Key and effect identify a taint. */
function taintChange(wanted: readonly CloudTaint[], is: readonly CloudTaint[] = []) {
  const isOne = (a: CloudTaint, b: CloudTaint) => a.key === b.key && a.effect === b.effect;
  return {
    set: differenceWith(wanted, is, (a, b) => isEqual(plainTaint(a), plainTaint(b))),
    remove: differenceWith(is, wanted, isOne),
  };
}

function versionChange(
  { version, releaseVersion, launchTemplate }: Wanted<NodeGroup>,
  { spec: { forProvider } }: NodeGroup,
): NodeGroupVersionChange | undefined {
  const change = given({ version, releaseVersion, launchTemplate: launchTemplate?.[0] });
  if (Object.keys(change).length === 0) return undefined;
  return { ...change, ...(forProvider.forceUpdateVersion && { force: true }) };
}

/** The meaning of a node group's state. */
function meaningOf({
  status,
  issues,
}: CloudNodeGroup): Pick<Observation, 'operation'> & { readonly ready: ReadyFacts } {
  const why = issues.length === 0 ? '' : `: ${issues.join('; ')}`;
  switch (status) {
    case 'ACTIVE':
      return { ready: available() };
    case 'UPDATING':
      return { ready: available(), operation: 'update' };
    case 'CREATING':
      return { ready: creating(), operation: 'create' };
    case 'DELETING':
      return { ready: deleting(), operation: 'delete' };
    case 'CREATE_FAILED':
      return {
        ready: outOfService(`the node group could not be created${why}; ${advice.createNodeGroupAgain}`),
      };
    case 'DELETE_FAILED':
    case 'DEGRADED':
      return { ready: outOfService(`the node group is ${status}${why}`) };
    default:
      return { ready: unavailable(`the node group is ${status}${why}`) };
  }
}

/** The state in which EKS accepts changes; it refuses them in all others. */
const isChangeable = ({ status }: CloudNodeGroup): boolean => status === 'ACTIVE' || status === 'DEGRADED';

/** The observation of a node group. */
export function observationOf(managed: NodeGroup, group: CloudNodeGroup): Observation<NodeGroup> {
  const { change, tags, ...compared } = differenceOf(managed, group);
  const differing = [
    ...Object.keys(change).filter((field) => field !== 'tags'),
    ...(tags === undefined ? [] : ['tags']),
  ];
  const { arn, status, version, releaseVersion, scalingConfig } = group;
  const meaning = meaningOf(group);
  return {
    ...(isChangeable(group) ? observing(compared, differing) : notNow(compared, meaning, 'node group')),
    exists: true,
    ...meaning,
    status: {
      atProvider: given({
        arn,
        status,
        version,
        releaseVersion,
        desiredSize: scalingConfig?.desiredSize,
        autoscalingGroups: group.autoscalingGroups.length === 0 ? undefined : group.autoscalingGroups,
      }),
    },
  };
}
