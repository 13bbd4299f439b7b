import isEqual from 'lodash/isEqual.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { claimKinds, managedKinds } from '../kinds.ts';
import { boundClaimUid } from '../oracle/bound-claim.ts';

/** What a process did. */
interface Deed {
  readonly by: string;
  readonly atMs: number;
}

interface Parting extends Deed {
  /** When something had been asked for last by then, and by whom, as in `p1 get FavouriteDBInstance orders`. */
  readonly askedForAtMs: ReadonlyMap<string, number>;
}

/**
 * A managed resource is deleted by nobody but people, unless its claim goes, had it bound or made for itself, and the
 * policy says Delete; and then it is.
 */
export const reclaimed: InvariantOf = (world) => {
  const { cluster, restored } = world;
  /** What processes made, and the claims that they let go, by UID, as of when they asked to; and when they asked last. */
  const provisioned = new Map<string, Deed>();
  const letGo = new Map<string, Parting>();
  const lastAsked = new Map<string, number>();
  /** When something was asked for last, and by whom, as in `p1 delete FavouriteDBInstance orders`. */
  const askedForAtMs = new Map<string, number>();
  /** The claim that went by the request being carried out: its UID. */
  let parting: string | undefined;
  /** Of what somebody wrote another claim into: he is told, and says what becomes of it. */
  const redirected = new Set<string>();

  /** Whether whoever let a claim go, or made something for it since, knew of it and left it. */
  function isLeft({ kind, metadata, spec: { claimRef, reclaimPolicy } }: Managed): boolean {
    const { uid = '', name } = metadata;
    const [made, parted] = [provisioned.get(uid), letGo.get(claimRef?.uid ?? '')];
    if (made === undefined || parted === undefined || reclaimPolicy !== 'Delete') return false;
    if (redirected.has(uid)) return false;
    // Another process, which runs beside it by mistake, may have made it since it looked, and nobody knows that.
    const knownMs =
      made.by === parted.by ? undefined : parted.askedForAtMs.get(`${parted.by} get ${kind} ${name}`);
    if (made.atMs <= (knownMs ?? parted.atMs)) return true;
    // A process remembers what it has asked for; who comes after it cannot tell it from what a backup brings.
    const hasEnded =
      !world.running.includes(made.by) && askedForAtMs.has(`${made.by} delete ${kind} ${name}`);
    return made.by === parted.by && (lastAsked.get(made.by) ?? 0) > made.atMs && !hasEnded;
  }

  /** By UIDs alone, for names are edited: the one that it was bound to, while that is there, else the one that it names. */
  const claimOf = (managed: Managed): Claim | undefined => {
    const { claimRef } = managed.spec;
    const kind = claimKinds.find((each) => each.kind === claimRef?.kind);
    const claims = kind === undefined ? [] : (cluster.all(kind) as unknown as readonly Claim[]);
    const withUid = (uid: string | undefined): Claim | undefined =>
      claims.find((claim) => claim.metadata.uid === uid);
    return withUid(boundClaimUid(managed)) ?? withUid(claimRef?.uid);
  };

  function objections(managed: Managed): readonly string[] {
    const { spec, status, metadata } = managed;
    const isProvisioned = provisioned.has(metadata.uid ?? '') || restored.has(metadata.uid ?? '');
    if (spec.claimRef === undefined) return ['that no claim has'];
    const claim = claimOf(managed);
    return [
      ...(spec.reclaimPolicy === 'Delete' ? [] : [`whose policy is ${spec.reclaimPolicy ?? 'not set'}`]),
      ...(status?.bindingPhase === 'Bound' || isProvisioned
        ? []
        : ['that was there before its claim, and was never bound']),
      ...(claim !== undefined && claim.metadata.deletionTimestamp === undefined
        ? [`whose claim ${objectKeyText(claim.metadata)} stays`]
        : []),
    ];
  }

  return {
    name: 'only what was bound to a claim that goes, or made for it, is reclaimed, and only if the policy says Delete',
    changed({ by, kind, before, after }) {
      if (claimKinds.includes(kind) && after === undefined && isProcess(by)) {
        parting = before?.metadata.uid ?? '';
        letGo.set(parting, { by, atMs: world.elapsedMs, askedForAtMs: new Map(askedForAtMs) });
      }
      if (!managedKinds.includes(kind)) return [];
      if (!isProcess(by)) {
        const claims = [before, after].map((each) => (each as unknown as Managed | undefined)?.spec.claimRef);
        if (after !== undefined && !isEqual(...(claims as [unknown, unknown]))) {
          redirected.add(after.metadata.uid ?? '');
        }
        return [];
      }
      if (before === undefined) {
        provisioned.set(after?.metadata.uid ?? '', { by, atMs: world.elapsedMs });
        return [];
      }
      const isDeletion =
        before.metadata.deletionTimestamp === undefined &&
        (after === undefined || after.metadata.deletionTimestamp !== undefined);
      if (!isDeletion) return [];
      return objections(before as unknown as Managed).map(
        (objection) => `${by} deletes ${kind.kind} ${before.metadata.name}, ${objection}`,
      );
    },
    called({ by, sentAtMs }) {
      const parted = letGo.get(parting ?? '');
      if (parting !== undefined && parted !== undefined)
        letGo.set(parting, { ...parted, by, atMs: sentAtMs });
      parting = undefined;
      return [];
    },
    asked({ by, call }) {
      // Who is told to end finishes what it has begun, and looks at nothing that comes since.
      if (!world.ending.includes(by)) lastAsked.set(by, world.elapsedMs);
      askedForAtMs.set(`${by} ${call}`, world.elapsedMs);
      return [];
    },
    atRest: () =>
      managedKinds
        .flatMap((kind) => cluster.all(kind) as unknown as readonly Managed[])
        .filter((managed) => managed.metadata.deletionTimestamp === undefined && isLeft(managed))
        .map(({ kind, metadata }) => `${kind} ${metadata.name} was made for a claim that is gone, and stays`),
  };
};
