import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { controllerOf } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { claimKinds, managedKinds } from '../kinds.ts';

const dataOf = (object: KubernetesObject | undefined): string =>
  JSON.stringify(Object.entries((object as Secret | undefined)?.data ?? {}).toSorted());

const claimNames: readonly string[] = claimKinds.map(({ kind }) => kind);
const managedNames: readonly string[] = managedKinds.map(({ kind }) => kind);

/**
 * What a process writes into a claim's secret was in the secret of a managed resource that names this very claim, and no
 * other claim has had that password.
 */
export const secretsOfTheirOwn: InvariantOf = ({ restored }) => {
  /** What the secrets of a managed resource have held, by its UID. */
  const published = new Map<string, Set<string>>();
  /** The managed resources that have named a claim, by its UID. */
  const naming = new Map<string, Set<string>>();
  /** What a claim was called, by its UID: one that comes out of a backup is who it was. */
  const called = new Map<string, string>();
  const isRestoredFrom = (uid: string, former: string): boolean =>
    restored.has(uid) && called.get(uid) === called.get(former);
  /** The claims that there are, by UID. */
  const living = new Set<string>();
  /** The backup that brought the resource back was made before that claim was given the password: nobody can know. */
  const isForgotten = (uid: string, former: string): boolean =>
    !living.has(former) && [...(naming.get(uid) ?? [])].every((resource) => restored.has(resource));
  /** Which claim had a password first. */
  const holders = new Map<string, { readonly uid: string; readonly secret: string }>();

  const noted = (map: Map<string, Set<string>>, key: string, value: string): void => {
    const values = map.get(key);
    if (values === undefined) map.set(key, new Set([value]));
    else values.add(value);
  };

  function judged(secret: Secret, before: Secret | undefined, claimUid: string): readonly string[] {
    const data = dataOf(secret);
    if (data === dataOf(before)) return [];
    const where = `secret ${objectKeyText(secret.metadata)}`;
    const sources = [...(naming.get(claimUid) ?? [])];
    const isFromOwn = sources.some((uid) => published.get(uid)?.has(data));
    const password = secret.data?.password;
    const holder = password === undefined ? undefined : holders.get(password);
    if (password !== undefined && holder === undefined) {
      holders.set(password, { uid: claimUid, secret: where });
    }
    return [
      ...(isFromOwn
        ? []
        : [`${where} holds what no managed resource of its claim ${claimUid} has published`]),
      ...(holder === undefined ||
      holder.uid === claimUid ||
      holder.secret === where ||
      isRestoredFrom(claimUid, holder.uid) ||
      isForgotten(claimUid, holder.uid)
        ? []
        : [`${where} holds the password that ${holder.secret} of claim ${holder.uid} had`]),
    ];
  }

  return {
    name: "a secret never holds another claim's data",
    changed({ by, kind, before, after }) {
      if (after === undefined) living.delete(before?.metadata.uid ?? '');
      if (after === undefined) return [];
      if (claimKinds.includes(kind)) {
        living.add(after.metadata.uid ?? '');
        called.set(after.metadata.uid ?? '', `${kind.kind} ${objectKeyText(after.metadata)}`);
        return [];
      }
      if (managedKinds.includes(kind)) {
        const { uid } = (after as unknown as Managed).spec.claimRef ?? {};
        if (uid !== undefined) noted(naming, uid, after.metadata.uid ?? '');
        return [];
      }
      if (kind.kind !== 'Secret') return [];
      const owner = controllerOf(after);
      if (owner === undefined) return [];
      if (managedNames.includes(owner.kind)) noted(published, owner.uid, dataOf(after));
      if (!claimNames.includes(owner.kind) || !isProcess(by)) return [];
      return judged(after as Secret, before as Secret | undefined, owner.uid);
    },
  };
};
