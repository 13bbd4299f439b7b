import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { encodeDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { objectsOf } from '../../docs/manifests.ts';
import { awsUrl } from '../../fakes/in-process-aws.ts';
import { googleCredentials, googleUrl } from '../../fakes/in-process-google-cloud.ts';
import { assignedKinds, kindOf } from '../kinds.ts';
import type { Act, Scenario, StackName, Step } from '../scenario.ts';
import { nameOf } from '../workload/exemplars.ts';
import { credentials as usualCredentials } from '../workload/inventory.ts';

/** One way in which an example is used, and the part of it that is perturbed. */
export interface Reference {
  /** `fancysql applied`. */
  readonly name: string;
  readonly scenario: Scenario;
  /** The requests from here on are perturbed; the ones before belong to another reference. */
  readonly fromMs: number;
}

/** Some of the guides' manifests, which stand side by side and have nothing to do with each other, and what all of them need. */
const fromGuides = (isOne: (object: KubernetesObject) => boolean): readonly KubernetesObject[] =>
  objectsOf('examples/guides').filter((object) => isFoundation(object) || isOne(object));

/** The manifests of an example, in the order in which they are applied. */
const manifests = {
  fancysql: () => objectsOf('examples/fancysql'),
  // It has a comment that its providers, and the instance that it observes, belong to the other example.
  managed: () => [
    ...objectsOf('examples/fancysql').filter(
      (object) => isFoundation(object) || object.metadata.name === 'legacy-orders',
    ),
    ...objectsOf('examples/managed'),
  ],
  postgresql: () => objectsOf('examples/postgresql'),
  aws: () => objectsOf('examples/aws'),
  gcp: () => objectsOf('examples/gcp'),
  'guides-subnets': () => fromGuides(({ kind }) => kind === 'VPC' || kind === 'Subnet'),
  'guides-machines': () =>
    fromGuides(
      ({ apiVersion, kind, metadata: { name } }) =>
        (kind === 'Instance' && apiVersion.startsWith('ec2.')) ||
        ['VPC', 'NodeGroup'].includes(kind) ||
        name === 'by-name-reference',
    ),
  'guides-databases': () =>
    fromGuides(({ apiVersion, kind, metadata }) =>
      kind === 'RDSInstance' ? metadata.annotations === undefined : apiVersion.startsWith('rds.'),
    ),
  // The same instance under a name of its own.
  'guides-names': () =>
    fromGuides(({ kind, metadata }) =>
      kind === 'RDSInstance' ? metadata.annotations !== undefined : kind === 'Queue',
    ),
} as const satisfies Readonly<Record<string, () => readonly KubernetesObject[]>>;

/** The stacks that a process runs for it, if they are not the usual ones. */
const stacks: Readonly<Partial<Record<ExampleName, readonly StackName[]>>> = {
  aws: ['aws'],
  gcp: ['gcp'],
  'guides-subnets': ['aws'],
  'guides-machines': ['aws'],
  'guides-databases': ['aws'],
  'guides-names': ['aws'],
};

export type ExampleName = keyof typeof manifests;

export const exampleNames = Object.keys(manifests) as readonly ExampleName[];

/** Instead of those of local servers: the credentials of the systems in memory, by the secret that holds them. */
const credentials: Readonly<Record<string, ConnectionDetails>> = {
  'gcp-credentials/crossplane': { 'key.json': googleCredentials },
  'favourite-cloud': usualCredentials.favourite,
  'other-cloud': usualCredentials.other,
  'vault-token': { token: 'vault-token' },
  'demo-server': usualCredentials.postgresql,
};

type Manifest = KubernetesObject & {
  readonly stringData?: ConnectionDetails;
  readonly spec?: { readonly vault?: object; readonly endpoint?: object | string };
};

/** The objects of an example, as an API server would store them. Namespaces are of no simulated kind. */
const objectsOfExample = (name: ExampleName): readonly KubernetesObject[] =>
  manifests[name]()
    .filter(({ kind }) => kind !== 'Namespace')
    .map((object) => {
      const { stringData, spec, ...rest } = object as Manifest;
      const { namespace, name: called } = object.metadata;
      const details = credentials[`${namespace}/${called}`] ?? credentials[called] ?? stringData;
      const vault = spec?.vault && { ...spec.vault, server: 'https://vault.test:8200' };
      const endpoint = spec?.endpoint && endpointLike(spec.endpoint);
      return {
        ...rest,
        ...(spec && { spec: { ...spec, ...(vault && { vault }), ...(endpoint && { endpoint }) } }),
        ...(details && stringData && { data: encodeDetails(details) }),
      };
    });

/** Where AWS is, or Google Cloud, which says it with less words. */
const endpointLike = (given: object | string): object | string =>
  typeof given === 'string' ? googleUrl : { url: { type: 'Static', static: awsUrl } };

const secondMs = 1_000;
const appliedAtMs = 1 * secondMs;
/** So long after something was begun it is not on its way any more, however late. */
const lateMs = 80 * secondMs;
/** Once what an external system chose has been filled in, at the first poll. */
const deletedAtMs = 150 * secondMs;
/**
 * Waits like `kubectl delete`. A single fault lasts for up to a minute, and a deletion that failed during
 * that time is tried again up to a minute later.
 */
const patienceMs = 180 * secondMs;
/** Between two objects of one `kubectl apply`. */
const betweenMs = 20;

/** Quick enough to be played often, slow enough that everything is on its way at some time. */
const pace = {
  requestMs: 20,
  watchMs: 20,
  outsideMs: 60,
  provisioningMs: 1_500,
  deletionMs: 1_500,
  readDelayMs: 300,
};

/** Its external name is assigned when it is created. */
const isAssigned = (object: KubernetesObject): boolean =>
  object.kind !== 'Secret' && assignedKinds.includes(kindOf(object));

const inTurn = (atMs: number, acts: readonly Act[]): readonly Step[] =>
  acts.map((act, index) => ({ atMs: atMs + index * betweenMs, act }));

const creation = (object: KubernetesObject): Act => ({ type: 'create', object });
const deletion = (object: KubernetesObject): Act => ({ type: 'delete', of: nameOf(object) });

/** The objects that an administrator creates first, and deletes last. */
const isFoundation = ({ kind }: KubernetesObject): boolean =>
  kind === 'Secret' || kind.startsWith('Provider') || kind === 'StoreConfig';

const isClaim = ({ metadata }: KubernetesObject): boolean => metadata.namespace?.startsWith('team-') ?? false;

/** An example applied; applied and deleted again in order; and the same the wrong way round, and put right. */
export function referencesOf(name: ExampleName): readonly Reference[] {
  const objects = objectsOfExample(name);
  const foundation = objects.filter(isFoundation);
  const claims = objects.filter((object) => !isFoundation(object) && isClaim(object));
  const rest = objects.filter((object) => !isFoundation(object) && !isClaim(object));
  const applied = inTurn(appliedAtMs, objects.map(creation));
  const clearing = objects
    .filter(isAssigned)
    .map((object): Act => ({ type: 'clear mark', of: nameOf(object) }));
  const marksCleared = (atMs: number): readonly Step[] => inTurn(atMs, clearing);
  const reference = (what: string, fromMs: number, steps: readonly Step[], troubleMs: number): Reference => ({
    name: `${name} ${what}`,
    fromMs,
    scenario: {
      seed: 1,
      isSteady: true,
      pace,
      ...(stacks[name] && { stacks: stacks[name] }),
      objects: [],
      // Once more in the end: what is refused is asked for again and again, and may be cut off at any time.
      steps: [...applied, ...marksCleared(lateMs), ...steps, ...marksCleared(troubleMs + lateMs)],
      troubleMs,
      faults: [],
      collectsGarbage: true,
    },
  });
  return [
    reference('applied', 0, [], deletedAtMs),
    reference(
      'deleted in order',
      deletedAtMs,
      [
        ...inTurn(deletedAtMs, claims.map(deletion)),
        ...inTurn(deletedAtMs + patienceMs, rest.map(deletion)),
        ...marksCleared(deletedAtMs + patienceMs + lateMs),
        ...inTurn(deletedAtMs + 2 * patienceMs, foundation.toReversed().map(deletion)),
      ],
      deletedAtMs + 2 * patienceMs + 15 * secondMs,
    ),
    reference(
      'deleted out of order',
      deletedAtMs,
      [
        // Credentials first: what needs them waits until they are back.
        ...inTurn(deletedAtMs, [...foundation, ...rest, ...claims].map(deletion)),
        ...inTurn(deletedAtMs + 10 * secondMs, foundation.map(creation)),
        // Once more for what was still on its way out.
        ...inTurn(deletedAtMs + patienceMs, foundation.map(creation)),
      ],
      deletedAtMs + 25 * secondMs,
    ),
  ];
}
