import { createHash } from 'node:crypto';
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
import { boundClaimUid } from './bound-claim.ts';
import { isOffered, isSelected, isWellFormed, mayClaim, wasTakenBy } from './may-claim.ts';
import type { Objects } from './taken-secret.ts';
import { isTakenFrom, secretAt } from './taken-secret.ts';

/*
 * What docs/decision-tables.md says about a claim that nothing happens to any more, read as a specification: from the
 * objects alone, without a line of the controllers.
 */

/** What satisfies a claim kind. */
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

/** How a claim that rests looks; where something is yet to be done, it is not at rest: `due` says what. */
export type ExpectedClaim =
  | { readonly due: string }
  | {
      readonly phase: 'Unbound' | 'Bound' | 'Released';
      /** The reason of Ready False; undefined: True. */
      readonly notReady?: string;
      /** Of one that is Ready: the last attempt at its managed resource failed. */
      readonly hasTrouble?: boolean;
      readonly isSynced: boolean;
    };

const finalizer = 'finalizer.resourceclaim.crossplane.io';

const isOf = (reference: ObjectReference | undefined, kind: Kind): boolean =>
  reference?.kind === kind.kind && reference.apiVersion === apiVersionOf(kind);

const pending = (notReady: string, isSynced = true): ExpectedClaim => ({
  phase: 'Unbound',
  notReady,
  isSynced,
});

/** Its last attempt failed; of one that is paused there was none. */
const isFailing = ({ status }: Managed): boolean =>
  status?.conditions?.some(
    ({ type, status: is, reason }) => type === 'Synced' && is === 'False' && reason !== 'ReconcilePaused',
  ) ?? false;

const readyOf = (managed: Managed) => managed.status?.conditions?.find(({ type }) => type === 'Ready');

/** How a claim that nobody deletes should look by now. One that was bound is Released wherever others are Unbound. */
export function expectedClaim(claim: Claim, objects: Objects): ExpectedClaim {
  const expected = expectedOf(claim, objects);
  return 'phase' in expected && expected.phase === 'Unbound' && wasBound(claim)
    ? { ...expected, phase: 'Released' }
    : expected;
}

function expectedOf(claim: Claim, objects: Objects): ExpectedClaim {
  const { uid, namespace, name } = claim.metadata;
  const { resourceRef } = claim.spec;
  const own = services.filter((service) => service.claim.kind === claim.kind);
  const resources = own.flatMap((service) => objects.all(service.managed) as readonly Managed[]);
  const names = ({ spec: { claimRef } }: Managed): boolean =>
    claimRef?.namespace === namespace &&
    claimRef?.name === name &&
    claimRef?.kind === claim.kind &&
    claimRef?.apiVersion === claim.apiVersion;
  const naming = resources.filter(
    (one) => names(one) && one.spec.claimRef?.uid === uid && !isAnothers(one, claim, objects),
  );
  const ownOnes = naming.filter((one) => !wasBoundToAnother(one, claim));
  const isRestored = (one: Managed): boolean =>
    claim.status?.bindingPhase === 'Bound' && one.metadata.name === resourceRef?.name;
  const holding = ownOnes.length > 0 ? ownOnes : naming.filter(isRestored);
  const held = holding.find((one) => one.metadata.name === resourceRef?.name) ?? holding[0];
  if (held === undefined && resourceRef === undefined) return withoutResource(claim, objects);
  if (held === undefined && !own.some((service) => isOf(resourceRef, service.managed))) {
    return pending('UnknownKind', false);
  }
  const managed =
    held ??
    resources.find((one) => one.kind === resourceRef?.kind && one.metadata.name === resourceRef?.name);
  if (managed === undefined) return withResourceGone(claim, objects);

  const { claimRef } = managed.spec;
  const phase = managed.status?.bindingPhase;
  const isGoing = managed.metadata.deletionTimestamp !== undefined;
  if (held !== undefined && claim.metadata.finalizers?.includes(finalizer) !== true) {
    return { due: `to get its finalizer back, as it has ${held.kind} ${held.metadata.name}` };
  }
  const isOnOffer = isReoffered(managed) && !isOnRecordFor(managed, claim);
  const isBound = !isOnOffer && (phase === 'Bound' || (phase === 'Released' && isGoing));
  const isAllowed = (names(managed) && isBound) || wasTakenBy(managed, uid);
  if (!isAllowed && !mayClaim(claim, managed, objects)) return pending('Binding', false);
  if (claimRef !== undefined && !names(managed)) return pending('Binding', false);
  if (isAnothers(managed, claim, objects)) return pending('Binding', false);
  // Its name was recorded for this claim, and it does not say that it is this claim's.
  const isByName = isRecorded(claim) && own.some((each) => isOf(claim.spec.classRef, each.class));
  if (isByName && claimRef?.uid !== uid) return pending('Binding', false);
  const isByUid = claimRef?.uid === undefined || claimRef.uid === uid;
  const isRefused = names(managed) && isByUid && wasBoundToAnother(managed, claim);
  if (held === undefined && isRefused && !isOnOffer && claim.status?.bindingPhase !== 'Bound') {
    return pending('Binding', !isOnRecordFor(managed, claim));
  }
  // A former claim's of that name, if that was bound to this very resource, or has reserved it; else the reference heals.
  const isOfFormer = claimRef !== undefined && claimRef.uid !== uid && !isOnOffer;
  if (isOfFormer && wasBoundHere(managed)) return pending('Binding', false);
  if (isOfFormer && wasTakenBy(managed, claimRef.uid)) {
    return {
      due: `to see ${managed.kind} ${managed.metadata.name} let go of, which is reserved for a former claim`,
    };
  }
  if (managed.metadata.ownerReferences?.some(({ controller }) => controller === true)) {
    return pending('Binding', false);
  }
  const source = managed.spec.writeConnectionSecretToRef;
  const isHandedOver = claim.spec.writeConnectionSecretToRef !== undefined && source !== undefined;
  const isKeptFromIt = isHandedOver && isTakenFrom(managed, source, objects);
  if (claimRef !== undefined && isBound) {
    if (isGoing) return { phase: 'Bound', notReady: 'Deleting', isSynced: true };
    if (isKeptFromIt) {
      // Bound is said last, once the secret is handed over: one that was not given it by then says no more than before.
      const told = claim.status?.bindingPhase === 'Bound' ? 'Bound' : 'Unbound';
      return { phase: told, notReady: 'Binding', isSynced: false };
    }
    const ready = readyOf(managed);
    return ready?.status === 'True'
      ? { phase: 'Bound', hasTrouble: isFailing(managed), isSynced: true }
      : { phase: 'Bound', notReady: ready?.reason ?? 'Unavailable', isSynced: true };
  }
  if (!isAllowed && !isOffered(managed)) return pending('Binding', false);
  const { initProvider, forProvider } = managed.spec;
  const offered = { ...managed.status, ...initProvider, ...forProvider };
  if (claimRef?.uid === undefined && !agree(claim, offered)) return pending('Binding', false);
  if (isGoing || isOnOffer || phase === 'Released') return pending('Binding');
  if (wasTakenAway(managed) && !(phase !== 'Bound' && wasTakenBy(managed, uid))) {
    const isKnown =
      !isOnRecordFor(managed, claim) && !wasBound(claim) && !isDisputed(managed, claim, objects);
    return pending('Binding', isKnown);
  }
  // Nothing is handed over of what is not ready yet, whosever its secret is.
  if (phase !== 'Unbound') return pending('Binding');
  // Nor of what was published and is gone, while its resource comes to nothing.
  const isNowhere = isHandedOver && secretAt(source, objects) === undefined && isFailing(managed);
  return isKeptFromIt || isNowhere
    ? pending('Binding', false)
    : { due: `to bind ${managed.kind} ${managed.metadata.name}` };
}

/** Whether it is offered again, to the claim that it names or to whoever wants it, and has not got new credentials yet. */
export const isReoffered = (managed: Managed): boolean =>
  (managed.metadata.annotations?.['crossplane.io/reoffer'] === 'true' ||
    (managed.metadata.annotations?.['crossplane.io/reoffer'] === 'claim' &&
      managed.spec.claimRef !== undefined)) &&
  managed.spec.claimRef?.uid === undefined &&
  (managed.status?.bindingPhase === 'Released' || wasTakenAway(managed));

/**
 * Whether it is Bound, or bears what is written with a claimRef, and names none by its UID, so that a former claim may
 * know its password; or was offered to another than it names, and may hold the data of a former one.
 */
function wasTakenAway({ metadata: { annotations = {} }, spec: { claimRef }, status }: Managed): boolean {
  const offeredTo = annotations['crossplane.io/offered-to'];
  const named = claimRef && `${claimRef.kind}/${claimRef.namespace}/${claimRef.name}`;
  return (
    claimRef?.uid === undefined &&
    ((offeredTo !== undefined && offeredTo !== named) ||
      status?.bindingPhase === 'Bound' ||
      annotations['crossplane.io/claim-parameters'] !== undefined)
  );
}

/** Whether it was bound to a claim last, taken by it, or made for it, by its name. */
const isOnRecordFor = (managed: Managed, claim: Claim): boolean =>
  boundClaimUid(managed) === claim.metadata.uid ||
  wasTakenBy(managed, claim.metadata.uid) ||
  namesOf(claim).includes(managed.metadata.name);

function claimsBeside({ kind, metadata }: Claim, objects: Objects): readonly Claim[] {
  const service = services.find(({ claim }) => claim.kind === kind);
  const all = service === undefined ? [] : (objects.all(service.claim) as readonly Claim[]);
  return all.filter((other) => other.metadata.uid !== metadata.uid);
}

/** Whether another claim that is there has it on record. */
const isAnothers = (managed: Managed, claim: Claim, objects: Objects): boolean =>
  !isOnRecordFor(managed, claim) &&
  claimsBeside(claim, objects).some((other) => isOnRecordFor(managed, other));

/** Whether another claim that was bound names it, too. */
const isDisputed = (managed: Managed, claim: Claim, objects: Objects): boolean =>
  claimsBeside(claim, objects).some(
    (other) => wasBound(other) && other.spec.resourceRef?.name === managed.metadata.name,
  );

/** Whether its status says that it is or was bound to another claim, and not out of a backup. */
const wasBoundToAnother = (managed: Managed, { metadata }: Claim): boolean =>
  wasBoundHere(managed) &&
  managed.status?.boundUID !== undefined &&
  managed.status.boundClaimUID !== undefined &&
  managed.status.boundClaimUID !== metadata.uid;

/** Whether its status says that it is or was bound, and not out of a backup. */
function wasBoundHere({ metadata, status: { bindingPhase, boundUID } = {} }: Managed): boolean {
  const isHere = boundUID === undefined || boundUID === metadata.uid;
  return isHere && (bindingPhase === 'Bound' || bindingPhase === 'Released');
}

const wasBound = ({ status }: Claim): boolean =>
  status?.bindingPhase === 'Bound' || status?.bindingPhase === 'Released';

function withoutResource(claim: Claim, objects: Objects): ExpectedClaim {
  const { classRef, classSelector } = claim.spec;
  const kinds = services.filter((service) => service.claim.kind === claim.kind).map((each) => each.class);
  if (classRef !== undefined && !kinds.some((kind) => isOf(classRef, kind))) {
    return pending('UnknownKind', false);
  }
  if (wasBound(claim) && classRef !== undefined) return pending('Binding');
  const classes = kinds.flatMap((kind) => objects.all(kind));
  const canServe = (each: KubernetesObject): boolean =>
    agree(claim, templateOf(each)) && mayClaim(claim, each, objects);
  const serving = classes.filter(canServe);
  if (classRef !== undefined) {
    const found = classes.find((each) => each.kind === classRef.kind && each.metadata.name === classRef.name);
    if (found === undefined || !canServe(found)) return pending('Creating', false);
    return { due: `to provision from ${found.kind} ${found.metadata.name}` };
  }
  if (classSelector !== undefined) {
    if (!isWellFormed(classSelector)) return pending('InvalidClassSelector');
    const found = serving.find(({ metadata }) => isSelected(classSelector, metadata.labels ?? {}));
    return found === undefined
      ? pending('NoMatchingClass')
      : { due: `to be given ${found.kind} ${found.metadata.name}, which matches` };
  }
  const standard = serving.find(
    ({ metadata }) => metadata.annotations?.['resourceclass.crossplane.io/is-default-class'] === 'true',
  );
  return standard === undefined
    ? pending('NoDefaultClass')
    : { due: `to be given ${standard.kind} ${standard.metadata.name}, the default` };
}

function withResourceGone(claim: Claim, objects: Objects): ExpectedClaim {
  const { classRef, resourceRef } = claim.spec;
  if (wasBound(claim)) return pending('Binding');
  if (!isRecorded(claim)) return pending('Binding');
  const service = services.find((each) => isOf(classRef, each.class));
  if (service === undefined || !isOf(resourceRef, service.managed)) return pending('Binding', false);
  const found = objects.all(service.class).find((each) => each.metadata.name === classRef?.name);
  if (found === undefined || !agree(claim, templateOf(found))) return pending('Creating', false);
  if (!mayClaim(claim, found, objects)) return pending('Creating', false);
  return { due: `to provision ${resourceRef?.name}, which is recorded` };
}

/** Whether the resource it names is one that it was to provision. */
const isRecorded = (claim: Claim): boolean => namesOf(claim).includes(claim.spec.resourceRef?.name ?? '');

/** What a claim may call what it provisions: eight names, which its UID decides. */
function namesOf({ metadata }: Claim): readonly string[] {
  const { namespace, name, uid } = metadata;
  const letters = 'bcdfghjklmnpqrstvwxz2456789';
  const endings = [0, 1, 2, 3, 4, 5, 6, 7].map((attempt) => {
    const [...bytes] = createHash('sha256').update(`${uid}/${attempt}`).digest().subarray(0, 5);
    return bytes.map((byte) => letters[byte % letters.length]).join('');
  });
  const base = `${namespace}-${name}-`.slice(0, 58);
  return endings.map((ending) => `${base}${ending}`);
}

/** A class's parameters for what it gives. */
const templateOf = (found: KubernetesObject): object =>
  (found as { readonly specTemplate?: { readonly forProvider?: object } }).specTemplate?.forProvider ?? {};

/** The engines of RDS that will do. */
const engines: Readonly<Record<string, readonly string[]>> = {
  PostgreSQLInstance: ['postgres'],
  MySQLInstance: ['mysql', 'mariadb'],
};

/** Whether a version is another one, said more exactly or less. */
const isWithin = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);

/** What an engine of RDS, or Redis, says. */
function agreesInCloud(
  { kind, spec }: Claim,
  { engine, engineVersion, redisVersion }: { engine?: string; engineVersion?: string; redisVersion?: string },
): boolean {
  const { engineVersion: asked } = spec as { readonly engineVersion?: string };
  const [major, minor] = (asked ?? '').split('.');
  const redis = `REDIS_${major}_${major === '6' ? 'X' : minor?.toUpperCase()}`;
  return (
    (engine === undefined || engines[kind]?.includes(engine) === true) &&
    (asked === undefined || engineVersion === undefined || isWithin(asked, engineVersion)) &&
    (asked === undefined || redisVersion === undefined || redisVersion === redis)
  );
}

/** A claim's version is that of what it is offered, where both say one; of PostgreSQL the major one. */
function agree(claim: Claim, offered: object): boolean {
  if (['engine', 'redisVersion'].some((key) => key in offered) || claim.kind === MySQLInstanceKind.kind) {
    return agreesInCloud(claim, offered);
  }
  const { version: asked, engineVersion: major } = claim.spec as {
    readonly version?: string;
    readonly engineVersion?: string;
  };
  const { version, engineVersion = version } = offered as {
    readonly version?: string;
    readonly engineVersion?: string;
  };
  if (engineVersion === undefined) return true;
  if (major !== undefined) return Number.parseInt(major, 10) === Number.parseInt(engineVersion, 10);
  return asked === undefined || asked === engineVersion;
}
