import groupBy from 'lodash/groupBy.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { InvariantOf } from '../invariant.ts';
import { phaseOf } from '../invariant.ts';
import { claimKinds, managedKinds } from '../kinds.ts';

/** Which claim a managed resource is bound to or reserved for: its UID. */
const claimUid = ({ spec }: Managed): string | undefined => spec.claimRef?.uid;

/** At no time do two managed resources name one claim. What a person wrote into a claimRef is put right again. */
export const oneToOne: InvariantOf = ({ cluster, restored }) => {
  /** Whom a managed resource named before a person wrote somebody else there, by its UID. */
  const rightful = new Map<string, string>();
  /** The UID of a claim that a person wrote into one, by its own: it need not ever have been. */
  const invented = new Map<string, string | undefined>();
  /** The UIDs of claims whose status a person let say Bound: nobody can tell them from those that were restored. */
  const saidBound = new Set<string | undefined>();

  const isOfOneRestored = (after: KubernetesObject, former: string): boolean => {
    const { claimRef } = (after as unknown as Managed).spec;
    const claims = claimKinds.flatMap((each) => cluster.all(each));
    return (
      claims.every(({ metadata }) => metadata.uid !== former) &&
      claims.some(
        ({ metadata: { uid = '', name } }) =>
          name === claimRef?.name && uid === claimRef.uid && (restored.has(uid) || saidBound.has(uid)),
      )
    );
  };

  return {
    name: 'a claim has at most one managed resource, and a managed resource at most one claim',
    changed({ kind, before, after, by }) {
      const becomesBound = phaseOf(after) === 'Bound' && phaseOf(before) !== 'Bound';
      if (claimKinds.includes(kind) && by === 'somebody' && becomesBound) saidBound.add(after?.metadata.uid);
      if (!managedKinds.includes(kind) || after === undefined) return [];
      const managed = after as unknown as Managed;
      const own = managed.metadata.uid ?? '';
      const uid = claimUid(managed);
      const former = before && claimUid(before as unknown as Managed);
      if (uid === former) return [];
      if (by === 'somebody') {
        const wasInvented = invented.has(own) && invented.get(own) === former;
        if (former !== undefined && !rightful.has(own) && !wasInvented) rightful.set(own, former);
        invented.set(own, uid);
        return [];
      }
      const isPutRight =
        uid !== undefined &&
        (rightful.get(own) === uid || (!rightful.has(own) && invented.get(own) === former));
      rightful.delete(own);
      invented.delete(own);
      if (uid === undefined) return [];
      const rivals = managedKinds
        .flatMap((each) => cluster.all(each) as unknown as readonly Managed[])
        .filter((each) => claimUid(each) === uid && each.metadata.uid !== own)
        // What a person wrote there gives it to nobody.
        .filter((each) => invented.get(each.metadata.uid ?? '') !== uid);
      return [
        // Out of a backup, or of a request that was under way longer than the restore, it names a claim that lives on by another UID.
        ...(former === undefined || isPutRight || restored.has(own) || isOfOneRestored(after, former)
          ? []
          : [`${kind.kind} ${managed.metadata.name} passes from claim ${former} to ${uid}`]),
        ...rivals.map(
          (rival) =>
            `${kind.kind} ${managed.metadata.name} names a claim that ${rival.kind} ${rival.metadata.name} names`,
        ),
      ];
    },
    atRest() {
      const claims = claimKinds.flatMap((kind) => cluster.all(kind) as unknown as readonly Claim[]);
      const bound = claims.filter(({ status }) => status?.bindingPhase === 'Bound');
      const shared = Object.values(
        groupBy(bound, ({ spec }) => `${spec.resourceRef?.kind} ${spec.resourceRef?.name}`),
      ).filter(({ length }) => length > 1);
      return shared.map(
        (all) =>
          `${all.map(({ metadata }) => objectKeyText(metadata)).join(' and ')} are bound to one resource`,
      );
    },
  };
};
