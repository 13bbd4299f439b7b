import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import { controllerOf } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { claimKinds } from '../kinds.ts';

const claimNames: readonly string[] = claimKinds.map(({ kind }) => kind);

/**
 * No claim is given a password that another claim had. A backup brings back its own passwords: what a claim was given
 * between backup and restore nobody can know.
 */
export const secretsOfTheirOwn: InvariantOf = ({ restored, wishes }) => {
  /** The claim that had a password first. */
  const holders = new Map<
    string,
    { readonly uid: string; readonly claim: string; readonly restored: number }
  >();
  const isWritten = (password: string): boolean =>
    wishes.some(({ patch }) => JSON.stringify(patch).includes(password));
  return {
    name: "a claim's Secret never holds a password that another claim had",
    changed({ by, kind, before, after }) {
      if (kind.kind !== 'Secret' || after === undefined || !isProcess(by)) return [];
      const owner = controllerOf(after);
      const { password } = (after as Secret).data ?? {};
      const isNew = password !== (before as Secret | undefined)?.data?.password;
      if (owner === undefined || !claimNames.includes(owner.kind) || password === undefined || !isNew)
        return [];
      const claim = `${owner.kind} ${after.metadata.namespace}/${owner.name}`;
      const holder = holders.get(password);
      if (holder === undefined) holders.set(password, { uid: owner.uid, claim, restored: restored.size });
      if (holder === undefined || holder.uid === owner.uid) return [];
      const isBeforeRestore = holder.restored !== restored.size;
      // A user may choose one password twice.
      return isBeforeRestore || isWritten(password)
        ? []
        : [`secret ${objectKeyText(after.metadata)} of ${claim} holds a password that ${holder.claim} had`];
    },
  };
};
