import { RDSInstanceClassKind, RDSInstanceKind } from '../../../apis/aws/database/v1beta1/rds-instance.ts';
import { RedisClusterKind } from '../../../apis/cache/v1alpha1/redis-cluster.ts';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { ObjectReference } from '../../../apis/core/v1alpha1/reference.ts';
import { FancySQLInstanceKind } from '../../../apis/database/v1alpha1/fancy-sql-instance.ts';
import { MySQLInstanceKind } from '../../../apis/database/v1alpha1/mysql-instance.ts';
import { PostgreSQLInstanceKind } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import {
  CloudMemorystoreInstanceClassKind,
  CloudMemorystoreInstanceKind,
} from '../../../apis/gcp/cache/v1beta1/cloud-memorystore-instance.ts';
import {
  AmbivalentDBInstanceClassKind,
  AmbivalentDBInstanceKind,
} from '../../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import {
  PostgreSQLDatabaseClassKind,
  PostgreSQLDatabaseKind,
} from '../../../apis/postgresql/v1alpha1/postgresql-database.ts';
import { isProvisionedName } from '../../../controllers/core/claim/provisioned-name.ts';
import { kindOf } from '../kinds.ts';
import { allows } from './expected-resource.ts';
import { isOffered, isSelected, isWellFormed, mayClaim } from './may-claim.ts';
import type { Objects } from './taken-secret.ts';

/* The expected state of a claim at rest: from the objects alone, without a line of the controllers. */

/** The kinds that can serve a claim kind. */
const services: readonly { readonly claim: Kind; readonly class: Kind; readonly managed: Kind }[] = [
  { claim: FancySQLInstanceKind, class: FavouriteDBInstanceClassKind, managed: FavouriteDBInstanceKind },
  { claim: FancySQLInstanceKind, class: AmbivalentDBInstanceClassKind, managed: AmbivalentDBInstanceKind },
  {
    claim: PostgreSQLInstanceKind,
    class: PostgreSQLDatabaseClassKind,
    managed: PostgreSQLDatabaseKind,
  },
  { claim: PostgreSQLInstanceKind, class: RDSInstanceClassKind, managed: RDSInstanceKind },
  { claim: MySQLInstanceKind, class: RDSInstanceClassKind, managed: RDSInstanceKind },
  {
    claim: RedisClusterKind,
    class: CloudMemorystoreInstanceClassKind,
    managed: CloudMemorystoreInstanceKind,
  },
];

const finalizer = 'finalizer.resourceclaim.crossplane.io';

const isOf = (reference: ObjectReference | undefined, kind: Kind): boolean =>
  reference?.kind === kind.kind && reference.apiVersion === apiVersionOf(kind);

const statusOf = ({ status }: Pick<Managed, 'status'> | Pick<Claim, 'status'>, type: string) =>
  status?.conditions?.find((each) => each.type === type)?.status;

const isWell = (managed: Managed): boolean =>
  ['Ready', 'Synced'].every((type) => statusOf(managed, type) === 'True');

/** The faults of a claim at rest that is not being deleted. */
export function claimFaults(claim: Claim, objects: Objects): readonly string[] {
  const { metadata, spec, status } = claim;
  const own = services.filter((service) => service.claim.kind === claim.kind);
  const resources = own.flatMap((service) => objects.all(service.managed) as readonly Managed[]);
  const owned = resources.filter(
    (one) => one.spec.claimRef?.uid === metadata.uid && one.status?.bindingPhase !== 'Released',
  );
  const bound = owned.find((one) => one.status?.bindingPhase === 'Bound');
  const named = resources.find(
    (one) => one.kind === spec.resourceRef?.kind && one.metadata.name === spec.resourceRef.name,
  );
  const isObserved = status?.observedGeneration === metadata.generation;
  const isHeld = metadata.finalizers?.includes(finalizer) === true;
  return [
    ...(isObserved
      ? []
      : [`has observed generation ${status?.observedGeneration} of ${metadata.generation}`]),
    ...(isHeld || owned.length === 0 ? [] : [`has no finalizer, and owns ${owned[0]?.metadata.name}`]),
    ...(bound === undefined
      ? faultsOfUnbound(claim, owned[0] ?? named, objects)
      : faultsOfBound(claim, bound)),
  ];
}

/**
 * A claim whose Secret cannot be written, or whose resource fails, reports it in Synced or in its message.
 */
function faultsOfBound(claim: Claim, managed: Managed): readonly string[] {
  if (statusOf(claim, 'Synced') !== 'True' || statusOf(managed, 'Synced') !== 'True') return [];
  const isGoing = managed.metadata.deletionTimestamp !== undefined;
  const ready = isGoing ? 'False' : (statusOf(managed, 'Ready') ?? 'False');
  const is = statusOf(claim, 'Ready');
  return [
    ...(claim.status?.bindingPhase === 'Bound'
      ? []
      : [`is ${claim.status?.bindingPhase}, and ${managed.metadata.name} is bound to it`]),
    ...(is === ready ? [] : [`has Ready ${is}, and should have ${ready}`]),
  ];
}

function faultsOfUnbound(claim: Claim, managed: Managed | undefined, objects: Objects): readonly string[] {
  const { bindingPhase } = claim.status ?? {};
  // Until a resource is Ready again, its claim keeps the phase.
  const isKept = managed !== undefined && !isWell(managed);
  const due =
    statusOf(claim, 'Synced') !== 'True'
      ? undefined
      : managed === undefined
        ? dueWithoutResource(claim, objects)
        : dueWith(claim, managed, objects);
  return [
    ...(bindingPhase === 'Bound' && !isKept ? ['is Bound, and no resource is bound to it'] : []),
    ...(statusOf(claim, 'Ready') === 'False' ? [] : ['does not have Ready False, and is not bound']),
    ...(due === undefined ? [] : [`waits, and has ${due}`]),
  ];
}

/** The action for the resource that a claim owns or names; undefined: none, the claim has to wait. */
function dueWith(claim: Claim, managed: Managed, objects: Objects): string | undefined {
  const { metadata, spec, status } = managed;
  const { claimRef } = spec;
  const isIts =
    claimRef === undefined ||
    (claimRef.kind === claim.kind &&
      claimRef.namespace === claim.metadata.namespace &&
      claimRef.name === claim.metadata.name &&
      claimRef.apiVersion === claim.apiVersion &&
      (claimRef.uid === undefined || claimRef.uid === claim.metadata.uid));
  const offered = { ...status, ...spec.initProvider, ...spec.forProvider };
  const canBind =
    isIts &&
    isWell(managed) &&
    status?.bindingPhase === 'Unbound' &&
    metadata.deletionTimestamp === undefined &&
    metadata.ownerReferences?.some(({ controller }) => controller === true) !== true &&
    // The credential of any other may have to stay, and be that of another claim.
    allows(managed, 'Update') &&
    managed.kind !== CloudMemorystoreInstanceKind.kind &&
    isOffered(managed) &&
    mayClaim(claim, managed, objects) &&
    isForAny(claim, offered);
  return canBind ? `to bind ${managed.kind} ${metadata.name}` : undefined;
}

const wasBound = ({ status }: Claim): boolean =>
  status?.bindingPhase === 'Bound' || status?.bindingPhase === 'Released';

/** The action for a claim whose resource does not exist: the choice of a class, and then the creation. */
function dueWithoutResource(claim: Claim, objects: Objects): string | undefined {
  const { classRef, classSelector, resourceRef } = claim.spec;
  const kinds = services.filter((service) => service.claim.kind === claim.kind).map((each) => each.class);
  if (wasBound(claim)) return undefined;
  const serving = kinds
    .flatMap((kind) => objects.all(kind))
    .filter((each) => isForAny(claim, templateOf(each)) && mayClaim(claim, each, objects));
  if (classRef !== undefined) {
    const found = serving.find(
      (each) => isOf(classRef, kindOf(each)) && each.metadata.name === classRef.name,
    );
    // A user may have written the name of another resource.
    const isOwnName = resourceRef === undefined || isProvisionedName(claim, resourceRef.name);
    return found === undefined || !isOwnName ? undefined : `to create a resource from ${found.metadata.name}`;
  }
  if (resourceRef !== undefined) return undefined;
  if (classSelector !== undefined) {
    if (!isWellFormed(classSelector)) return undefined;
    const found = serving.find(({ metadata }) => isSelected(classSelector, metadata.labels ?? {}));
    return found === undefined ? undefined : `to get the class ${found.metadata.name}, which matches`;
  }
  const standard = serving.find(
    ({ metadata }) => metadata.annotations?.['resourceclass.crossplane.io/is-default-class'] === 'true',
  );
  return standard === undefined ? undefined : `to get the class ${standard.metadata.name}, the default`;
}

/** The parameters of a class. */
const templateOf = (found: KubernetesObject): object =>
  (found as { readonly specTemplate?: { readonly forProvider?: object } }).specTemplate?.forProvider ?? {};

/**
 * Whether only the namespace and the policies decide which claim gets it. The versions and engines that
 * serve a claim are a table of the product, with a case for each row.
 */
const isForAny = ({ kind, spec }: Claim, offered: object): boolean =>
  kind !== MySQLInstanceKind.kind &&
  !['version', 'engineVersion'].some((key) => key in spec) &&
  !['engine', 'redisVersion'].some((key) => key in offered);
