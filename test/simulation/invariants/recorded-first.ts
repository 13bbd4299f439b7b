import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { objectKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, finalizerNames, hasFinalizer } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerUid } from '../../../apis/core/v1alpha1/reference.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { Call, Change, InvariantOf, Seen } from '../invariant.ts';
import { isProcess, overtaking } from '../invariant.ts';
import { claimKinds, managedKinds } from '../kinds.ts';
import type { Outside } from '../oracle/outside-resources.ts';
import { inClouds, kindTag } from '../oracle/outside-resources.ts';
import { knowing } from './lag.ts';

/** The claim that a managed resource names, UID included. */
function claimOf({ cluster }: Pick<Seen, 'cluster'>, { spec }: Managed): Claim | undefined {
  const { kind: wanted, namespace = '', name = '', uid } = spec.claimRef ?? {};
  const kind = claimKinds.find((each) => each.kind === wanted);
  const claim = kind && (cluster.find(kind, objectKey({ namespace, name })) as Claim | undefined);
  return claim?.metadata.uid === uid ? claim : undefined;
}

/** Whether a crash right now would leave what was made outside with somebody who knows of it. */
const isOnRecord = ({ metadata, ...managed }: Managed): boolean =>
  hasFinalizer({ metadata, ...managed }, finalizerNames.managed) &&
  [annotationKeys.externalIdentity, annotationKeys.externalCreatePending].some(
    (key) => metadata.annotations?.[key] !== undefined,
  );

/** What somebody took from a claim or managed resource, or asked of a claim no longer. */
interface Former {
  readonly atMs: number;
  /** The secret that the claim wanted until then. */
  readonly secret?: string | undefined;
}

const wantedOf = ({ spec }: Claim): string | undefined => spec.writeConnectionSecretToRef?.name;

/**
 * The order of writes is that of what a crash may leave behind: what is made is on record before, and whatever says Bound
 * has what it takes: as far as the process could know, if somebody has taken it away or asked for another a moment ago.
 */
export const recordedFirst: InvariantOf = (world) => {
  const placeOf = ({ system, name }: Outside): string => `${system} ${name}`;
  const knownMs = knowing(world.scenario);
  /** Whether a process may not have seen yet what happened then: one that stood still may once it goes on. */
  const isUnseen = (atMs: number): boolean => world.elapsedMs < knownMs(atMs);
  let known = new Set<string>();
  /** When processes began, by their name; and, by the UIDs of claims and managed resources, what they had until lately. */
  const began = new Map<string, number>();
  const hadFinalizer = new Map<string, Former>();
  const hadSecret = new Map<string, Former>();
  const wanted = new Map<string, readonly Former[]>();
  const hadRecord = new Map<string, Former>();
  /**
   * When a deletion overtook what was on record of a managed resource, or that was taken away before it was deleted, by its
   * kind and name.
   */
  const overtaken = new Map<string, Former>();
  /** Which process let go of a managed resource last, by its kind and name. */
  const released = new Map<string, { readonly by: string; readonly atMs: number }>();

  function noteClaim({ before, after }: Change): void {
    const [was, is] = [before, after] as unknown as readonly (Claim | undefined)[];
    if (was === undefined || is === undefined) return;
    const former = { atMs: world.elapsedMs, secret: wantedOf(was) };
    const { uid = '' } = is.metadata;
    const isTaken = hasFinalizer(was, finalizerNames.claim) && !hasFinalizer(is, finalizerNames.claim);
    if (isTaken) hadFinalizer.set(uid, former);
    if (wantedOf(was) !== wantedOf(is)) wanted.set(uid, [...(wanted.get(uid) ?? []), former]);
  }

  function noteSecret({ before, after }: Change): void {
    const owner = before && controllerUid(before);
    if (after !== undefined || owner === undefined) return;
    hadSecret.set(owner, { atMs: world.elapsedMs, secret: before?.metadata.name });
  }

  function noteManaged({ by, before, after }: Change): void {
    const [was, is] = [before, after] as unknown as readonly (Managed | undefined)[];
    if (was === undefined) return;
    const { uid = '', name } = was.metadata;
    if (is === undefined) {
      const atMs = by === overtaking && isOnRecord(was) ? world.elapsedMs : hadRecord.get(uid)?.atMs;
      if (atMs !== undefined) overtaken.set(`${kindTag(was)} ${name}`, { atMs });
    } else if (isOnRecord(was) && !isOnRecord(is)) {
      hadRecord.set(uid, { atMs: world.elapsedMs });
    }
  }

  /** It was so until a moment ago, and a process may not have seen yet that it is no more. */
  const isBelieved = (former: Former | undefined, by: string): former is Former =>
    former !== undefined && isUnseen(former.atMs) && (began.get(by) ?? 0) <= former.atMs;

  /** Whether a process may not have seen yet that it is gone. */
  const isOvertaken = ({ owner, ownerKind }: Outside, by: string): boolean =>
    isBelieved(overtaken.get(`${ownerKind} ${owner}`), by);
  /** Another process, which runs by mistake, let go of it when it had been asked for already, or a moment before. */
  function isReleasedMeanwhile({ owner, ownerKind }: Outside, { by, sentAtMs }: Call): boolean {
    const release = released.get(`${ownerKind} ${owner}`);
    if (release === undefined || release.by === by) return false;
    return release.atMs >= sentAtMs || isBelieved(release, by);
  }
  function formerly(
    of: ReadonlyMap<string, Former>,
    { metadata }: Claim | Managed,
    by: string,
  ): Former | undefined {
    const former = of.get(metadata.uid ?? '');
    return isBelieved(former, by) ? former : undefined;
  }

  function ofManaged({ by, kind, before, after }: Change): readonly string[] {
    const [was, is] = [before, after] as unknown as readonly [Managed | undefined, Managed];
    const what = `${kind.kind} ${is.metadata.name}`;
    const claim = claimOf(world, is);
    if (claim === undefined) return [];
    const isNamed = is.spec.claimRef?.uid !== was?.spec.claimRef?.uid;
    const isBound = is.status?.bindingPhase === 'Bound' && was?.status?.bindingPhase !== 'Bound';
    const { namespace = '', name } = claim.metadata;
    const lost = formerly(hadSecret, claim, by);
    const isThere = (secret: string | undefined): boolean =>
      secret === undefined ||
      secret === lost?.secret ||
      world.cluster.find(SecretKind, { namespace, name: secret }) !== undefined;
    const formers = wanted.get(claim.metadata.uid ?? '') ?? [];
    const hasSecret =
      is.spec.writeConnectionSecretToRef === undefined ||
      isThere(wantedOf(claim)) ||
      formers.some((former) => isBelieved(former, by) && isThere(former.secret));
    const isLoose =
      !hasFinalizer(claim, finalizerNames.claim) && formerly(hadFinalizer, claim, by) === undefined;
    return [
      ...((isNamed || isBound) && isLoose
        ? [`${by} ${isNamed ? 'gives' : 'binds'} ${what} to ${namespace}/${name}, which has no finalizer`]
        : []),
      ...(isBound && !hasSecret ? [`${by} says that ${what} is Bound before its secret is handed over`] : []),
    ];
  }

  return {
    name: 'what is made is on record before, and Bound is said last',
    asked({ by }) {
      if (!began.has(by)) began.set(by, world.elapsedMs);
      return [];
    },
    changed(change) {
      const { by, kind, after } = change;
      if (claimKinds.includes(kind) && !isProcess(by)) noteClaim(change);
      if (managedKinds.includes(kind) && !isProcess(by)) noteManaged(change);
      if (kind === SecretKind && !isProcess(by)) noteSecret(change);
      if (!managedKinds.includes(kind) || !isProcess(by)) return [];
      if (after !== undefined) return ofManaged(change);
      const { before } = change;
      if (before !== undefined) {
        released.set(`${kindTag(before)} ${before.metadata.name}`, { by, atMs: world.elapsedMs });
      }
      return [];
    },
    called(call) {
      const { by, system, isWrite, isRefused } = call;
      if (system === 'api' || !isWrite) return [];
      const there = inClouds(world);
      // What was lost while a cloud made it, and is there once that has ended, is not what a call elsewhere makes.
      const fresh = there.filter((one) => one.system === system && !known.has(placeOf(one)));
      known = new Set(there.map(placeOf));
      if (isRefused || !isProcess(by)) return [];
      return fresh
        .filter((one) => !isOvertaken(one, by) && !isReleasedMeanwhile(one, call))
        .flatMap((one) => {
          const kind = managedKinds.find(
            ({ kind, group }) => `${kind}.${group}`.toLowerCase() === one.ownerKind,
          );
          const owner = kind && (world.cluster.find(kind, { name: one.owner ?? '' }) as Managed | undefined);
          if (owner === undefined) return [`${by} made ${placeOf(one)} for ${one.owner}, which is not there`];
          const isRecorded = isOnRecord(owner) || formerly(hadRecord, owner, by) !== undefined;
          return isRecorded ? [] : [`${by} made ${placeOf(one)}, which is not on record`];
        });
    },
  };
};
