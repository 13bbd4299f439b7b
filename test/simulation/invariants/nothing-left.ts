import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { controllerOf } from '../../../apis/core/v1alpha1/reference.ts';
import { propagationTargets, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { claimKinds, managedKinds } from '../kinds.ts';

const ours = [...claimKinds, ...managedKinds];

/** Secrets go with what they are of, and what no claim has gives its secret to nobody. */
export const nothingLeft: InvariantOf = ({ cluster }) => {
  /** Who was let go by a process: that one saw to what it leaves. */
  const finalised = new Set<string>();
  /**
   * The UIDs of secrets that came later than that, as out of a backup that holds no owner under deletion: in a cluster
   * without a garbage collector they stay. What a process writes into one is of its making again.
   */
  const broughtBack = new Set<string>();
  return {
    name: 'nothing is left of what is gone: no secret, and no leave to copy one',
    changed({ by, kind, before, after }) {
      if (after === undefined && isProcess(by) && ours.includes(kind)) {
        finalised.add(before?.metadata.uid ?? '');
      }
      if (kind.kind === 'Secret' && after !== undefined) {
        const { uid = '' } = after.metadata;
        if (isProcess(by)) broughtBack.delete(uid);
        else if (before === undefined && finalised.has(controllerOf(after)?.uid ?? '')) broughtBack.add(uid);
      }
      return [];
    },
    atRest() {
      const secrets = cluster.all(SecretKind);
      const orphans = secrets
        .filter((secret) => finalised.has(controllerOf(secret)?.uid ?? ''))
        .filter(({ metadata }) => !broughtBack.has(metadata.uid ?? ''))
        .map(
          (secret) =>
            `secret ${objectKeyText(secret.metadata)} is still there, and ${controllerOf(secret)?.kind} ${controllerOf(secret)?.name} is gone`,
        );
      const free = managedKinds
        .flatMap((kind) => cluster.all(kind) as unknown as readonly Managed[])
        .filter(({ spec, status }) => spec.claimRef === undefined && status?.bindingPhase === 'Released');
      const open = free.flatMap(({ kind, metadata }) =>
        secrets
          .filter((secret) => controllerOf(secret)?.uid === metadata.uid)
          .flatMap((secret) => propagationTargets(secret))
          .map(
            (target) =>
              `${kind} ${metadata.name} is Released, and gives its secret to ${objectKeyText(target)}`,
          ),
      );
      return [...orphans, ...open];
    },
  };
};
