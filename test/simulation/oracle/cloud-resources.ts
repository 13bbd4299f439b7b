import mapValues from 'lodash/mapValues.js';
import type {
  StoredInstance as StoredMachine,
  StoredSubnet,
  StoredVpc,
} from '../../../stacks/aws/emulator/ec2/stored.ts';
import type { NodeGroup } from '../../../stacks/aws/emulator/eks/node-group.ts';
import type { StoredInstance as StoredDBInstance } from '../../../stacks/aws/emulator/rds/db-instance.ts';
import type { Queue } from '../../../stacks/aws/emulator/sqs/queue.ts';
import type { ObservedWorld } from '../invariant.ts';

type Tags = Readonly<Record<string, string>>;

/** Something in AWS or in Google Cloud. */
export interface CloudResource {
  readonly system: 'aws' | 'gcp';
  /** As in `ec2/vpc`, `gcp/topics`. */
  readonly sort: string;
  /** The name that a managed resource has for it, without the part before a slash. */
  readonly name: string;
  /** Absent for what belongs to no region. Two regions may have the same name. */
  readonly region?: string;
  /** Labels, in Google Cloud. */
  readonly tags: Tags;
  readonly isGoing: boolean;
  /** Whether the cloud is at nothing with it. */
  readonly isThere: boolean;
  /** The password that opens it. */
  readonly password?: string | undefined;
  readonly item: object;
  /** A user deletes it in the cloud itself. */
  lose(): void;
  /** A user gives it exactly these tags there. */
  retag(tags: Tags): void;
}

const lastPart = (text: string): string => text.slice(text.lastIndexOf('/') + 1);

type AwsItem = StoredVpc | StoredSubnet | StoredMachine | StoredDBInstance | Queue | NodeGroup;

export const awsSorts = [
  'ec2/vpc',
  'ec2/subnet',
  'ec2/instance',
  'rds/db-instance',
  'sqs/queue',
  'eks/node-group',
] as const;

/**
 * The resources in AWS and Google Cloud that processes and users created. Terminated ones are absent, and so
 * are the VPC and subnets that AWS gives every account.
 */
export const resourcesIn = (world: Pick<ObservedWorld, 'aws' | 'gcp'>): readonly CloudResource[] => [
  ...inAws(world),
  ...inGoogleCloud(world),
];

const inAws = ({ aws }: Pick<ObservedWorld, 'aws'>): readonly CloudResource[] =>
  awsSorts.flatMap((sort) =>
    (aws?.collections<AwsItem>(sort) ?? []).flatMap(([{ region }, collection]) =>
      collection
        .all()
        .filter(({ phase, item }) => phase !== 'gone' && !('isDefault' in item && item.isDefault))
        .map(({ id, item, phase }) => ({
          system: 'aws' as const,
          sort,
          item,
          tags: item.tags,
          name: lastPart(id),
          region,
          isGoing: phase === 'deleting',
          isThere: phase === 'available',
          ...('password' in item && { password: item.password }),
          lose: () => collection.lose(id),
          retag: (tags: Tags) => collection.drift(id, (is) => ({ ...is, tags })),
        })),
    ),
  );

interface GoogleItem {
  readonly name: string;
  readonly fields: object;
}
interface GoogleCollection<Item> {
  drift(name: string, item: Item | undefined): void;
}

const inGoogleCloud = ({ gcp }: Pick<ObservedWorld, 'gcp'>): readonly CloudResource[] => {
  if (gcp === undefined) return [];
  const underWay = new Map(
    gcp
      .operations()
      .flatMap(({ target, verb, endedAtMs }) => (endedAtMs === undefined ? [[target, verb]] : [])),
  );
  const resource = <Item extends GoogleItem>(
    sort: string,
    item: Item,
    collection: GoogleCollection<Item>,
  ) => ({
    system: 'gcp' as const,
    sort,
    item,
    name: lastPart(item.name),
    tags: tagsIn(item.fields),
    lose: () => collection.drift(item.name, undefined),
    retag: (labels: Tags) =>
      collection.drift(item.name, { ...item, fields: { ...item.fields, labels: withoutDots(labels) } }),
  });
  return [
    ...gcp.instances.all().map((item) => ({
      ...resource('gcp/instances', item, gcp.instances),
      region: item.region,
      isGoing: underWay.get(item.name) === 'delete',
      isThere: !underWay.has(item.name),
      password: item.authString,
    })),
    ...gcp.topics
      .all()
      .map((item) => ({ ...resource('gcp/topics', item, gcp.topics), isGoing: false, isThere: true })),
  ];
};

const withoutDots = (labels: Tags): Tags => mapValues(labels, (value) => value.replaceAll('.', '_'));

/** Labels hold no dots, which names of kinds have. */
const tagsIn = ({ labels = {} }: { readonly labels?: unknown }): Tags =>
  mapValues(labels as Tags, (value, key) => (key === 'crossplane-kind' ? value.replaceAll('_', '.') : value));
