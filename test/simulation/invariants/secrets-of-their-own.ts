import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import { controllerOf } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { claimKinds } from '../kinds.ts';

const claimNames: readonly string[] = claimKinds.map(({ kind }) => kind);

/**
 * No claim receives a password that another claim had. A claim that was deleted and created again by the same kind,
 * namespace and name receives its own password again (docs/decisions/0056). A backup brings back its own passwords, so the
 * passwords between backup and restore are not compared.
 */
export const secretsOfTheirOwn: InvariantOf = ({ restored, wishes }) => {
  /** The claim that had a password first. */
  const holders = new Map<string, { readonly claim: string; readonly restored: number }>();
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
      if (holder === undefined) holders.set(password, { claim, restored: restored.size });
      if (holder === undefined || holder.claim === claim) return [];
      const isBeforeRestore = holder.restored !== restored.size;
      // A user may choose one password twice.
      return isBeforeRestore || isWritten(password)
        ? []
        : [`secret ${objectKeyText(after.metadata)} of ${claim} holds a password that ${holder.claim} had`];
    },
  };
};
