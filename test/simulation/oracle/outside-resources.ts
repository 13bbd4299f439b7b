import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { ObservedWorld } from '../invariant.ts';
import { resourcesIn } from './cloud-resources.ts';

type System = 'favourite' | 'other' | 'postgresql' | 'aws' | 'gcp';

/** An external resource that a process created. */
export interface Outside {
  readonly system: System;
  /** By which a managed resource knows it; of an address, the last part. */
  readonly name: string;
  /** The name of its managed resource, and its kind as in `favouritedbinstance.database.fcp.crossplane.io`. */
  readonly owner: string | undefined;
  readonly ownerKind: string | undefined;
  readonly isGoing: boolean;
  /** Two of different sorts may have one name: `networks`, `ec2/vpc`. */
  readonly sort: string;
}

interface Item extends Pick<Outside, 'system' | 'sort' | 'name' | 'isGoing'> {
  readonly tags: Readonly<Record<string, string>>;
}

/** The names of databases in the demo's clouds. */
const databases = { favourite: 'instances', other: 'databases' } as const;

/** All resources of the clouds. */
export function inClouds(world: Pick<ObservedWorld, 'clouds' | 'aws' | 'gcp'>): readonly Outside[] {
  const inDemoClouds = (['favourite', 'other'] as const).flatMap((system) => {
    const cloud = world.clouds[system];
    return [
      ...cloud.instances().map(({ item, phase }) => ({ ...item, phase, sort: databases[system] })),
      ...cloud.networks().map(({ item, phase }) => ({ ...item, name: item.id, phase, sort: 'networks' })),
    ].map(({ phase, ...item }) => ({ ...item, system, isGoing: phase === 'deleting' }));
  });
  const items: readonly Item[] = [...inDemoClouds, ...resourcesIn(world)];
  return items.map(({ system, sort, name, isGoing, tags }) => ({
    system,
    sort,
    name,
    isGoing,
    owner: tags['crossplane-name'],
    ownerKind: tags['crossplane-kind'],
  }));
}

/** Databases and roles of PostgreSQL whose mark is that of one of these owners. */
export function inPostgresql(
  { postgresql }: Pick<ObservedWorld, 'postgresql'>,
  owners: ReadonlyMap<string, Pick<Outside, 'owner' | 'ownerKind'>>,
): readonly Outside[] {
  return [...postgresql.databases(), ...postgresql.roles()].flatMap(({ name, comment = '' }) => {
    const owner = owners.get(comment);
    return owner === undefined
      ? []
      : [{ system: 'postgresql' as const, name, ...owner, isGoing: false, sort: '' }];
  });
}

/** As in `favouritedbinstance.database.fcp.crossplane.io`. */
export const kindTag = ({ kind, apiVersion }: Pick<Managed, 'kind' | 'apiVersion'>): string =>
  `${kind}.${apiVersion.split('/')[0]}`.toLowerCase();

/** Where what a kind stands for is: a system, and the sort of things there. Databases and roles may have one name. */
export function whereIs({ kind, group }: Pick<Kind, 'kind' | 'group'>): Pick<Outside, 'system' | 'sort'> {
  if (group.endsWith('fcp.crossplane.io')) {
    return { system: 'favourite', sort: kind === 'Network' ? 'networks' : databases.favourite };
  }
  if (group.endsWith('ocp.crossplane.io')) return { system: 'other', sort: databases.other };
  if (group.includes('postgresql')) return { system: 'postgresql', sort: '' };
  const sort = sorts[`${kind}.${group}`];
  if (sort === undefined) throw new Error(`nothing is known of what a ${kind} of ${group} stands for`);
  return { system: sort.startsWith('gcp/') ? 'gcp' : 'aws', sort };
}

const sorts: Readonly<Record<string, string>> = {
  'VPC.ec2.aws.upbound.io': 'ec2/vpc',
  'Subnet.ec2.aws.upbound.io': 'ec2/subnet',
  'Instance.ec2.aws.upbound.io': 'ec2/instance',
  'RDSInstance.database.aws.crossplane.io': 'rds/db-instance',
  'Instance.rds.aws.upbound.io': 'rds/db-instance',
  'Queue.sqs.aws.crossplane.io': 'sqs/queue',
  'NodeGroup.eks.aws.upbound.io': 'eks/node-group',
  'CloudMemorystoreInstance.cache.gcp.crossplane.io': 'gcp/instances',
  'Topic.pubsub.gcp.crossplane.io': 'gcp/topics',
};

/** The resource that a call deletes, and its sort, if a managed resource can stand for it. */
export interface Deletion extends Pick<Outside, 'sort' | 'name'> {}

/** The sort of what an action of AWS deletes. */
const deletions: Readonly<Record<string, string>> = {
  DeleteVpc: 'ec2/vpc',
  DeleteSubnet: 'ec2/subnet',
  TerminateInstances: 'ec2/instance',
  DeleteDBInstance: 'rds/db-instance',
  DeleteQueue: 'sqs/queue',
  DeleteNodegroup: 'eks/node-group',
};

/** The subject of a call: the last part of its target, and the sort in the rest of it. */
function subjectOf(system: string, verb: string, target: string): Deletion {
  const cut = target.lastIndexOf('/');
  const name = decodeURIComponent(target.slice(cut + 1));
  if (system === 'aws') return { sort: deletions[verb] ?? '', name };
  const within = target.slice(0, cut).split('/').at(-1) ?? '';
  return { sort: system === 'gcp' ? `gcp/${within}` : within, name };
}

/** The resource that a call deletes in a system; undefined: none that a managed resource stands for. */
export function deletionIn(system: string, verb: string, target: string): Deletion | undefined {
  if (system === 'postgresql') {
    // The remains of an unfinished creation stand for nothing yet, and their name shows that they are ours.
    const isOfSomething = !target.includes('services-stack-unfinished-');
    const isDrop = verb === 'DROP DATABASE' || verb === 'DROP ROLE';
    return isDrop && isOfSomething ? { sort: '', name: target } : undefined;
  }
  if (system === 'vault' || (system === 'aws' ? deletions[verb] === undefined : verb !== 'DELETE')) {
    return undefined;
  }
  return subjectOf(system, verb, target);
}
