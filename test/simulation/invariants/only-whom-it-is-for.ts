import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { NamespaceKind } from '../../../apis/core/v1alpha1/namespace.ts';
import type { ObjectReference } from '../../../apis/core/v1alpha1/reference.ts';
import type { LabelSelector } from '../../../apis/core/v1alpha1/selector.ts';
import type { Change, InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { claimKinds, classKinds, managedKinds } from '../kinds.ts';
import type { Labels } from '../oracle/may-claim.ts';
import { isOffered, labelsOfNamespace, letsIn, namespaceSelectorOf } from '../oracle/may-claim.ts';
import { knowing } from './lag.ts';

/** A value, and the time at which it ended. */
interface Former<T> {
  readonly untilMs: number;
  readonly value: T;
}

/**
 * No claim is given, nor bound to, what its namespace may not claim at that time: as far as a process could know, if that
 * was otherwise a moment ago.
 */
export const onlyWhomItIsFor: InvariantOf = (world) => {
  const knownMs = knowing(world.scenario);
  const formerLabels = new Map<string, Former<Labels | undefined>[]>();
  const formerSelectors = new Map<string, Former<LabelSelector | undefined>[]>();

  const note = <T>(of: Map<string, Former<T>[]>, key: string, value: T): void => {
    of.set(key, [...(of.get(key) ?? []), { untilMs: world.elapsedMs, value }]);
  };
  /** The current value, and the one of a moment ago. */
  const lately = <T>(of: ReadonlyMap<string, readonly Former<T>[]>, key: string, now: T): readonly T[] => [
    now,
    ...(of.get(key) ?? [])
      .filter(({ untilMs }) => world.elapsedMs < knownMs(untilMs))
      .map(({ value }) => value),
  ];
  const labelsLately = (namespace: string): readonly (Labels | undefined)[] =>
    lately(
      formerLabels,
      namespace,
      labelsOfNamespace(world.cluster.find(NamespaceKind, { name: namespace })),
    );
  const isLetIn = (selectors: readonly (LabelSelector | undefined)[], namespace = ''): boolean =>
    selectors.some((selector) => labelsLately(namespace).some((labels) => letsIn(selector, labels)));

  function ofManaged({ by, before, after }: Change): readonly string[] {
    const [was, is] = [before, after] as unknown as readonly [Managed | undefined, Managed | undefined];
    const { claimRef } = is?.spec ?? {};
    if (is === undefined || claimRef?.uid === undefined) return [];
    // Another UID than before is a correction after a restore.
    const isGiven = was?.spec.claimRef?.uid === undefined;
    const isBound = is.status?.bindingPhase === 'Bound' && was?.status?.bindingPhase !== 'Bound';
    const what = `${is.kind} ${is.metadata.name}`;
    const whom = `a claim of ${claimRef.namespace}`;
    if (!(isGiven || isBound)) return [];
    if (isGiven && was !== undefined && !isOffered(was))
      return [`${by} gives ${what} to ${whom}, and nobody offered it`];
    return isLetIn([is.spec.namespaceSelector], claimRef.namespace)
      ? []
      : [`${by} ${isGiven ? 'gives' : 'binds'} ${what} to ${whom}, which may not have it`];
  }

  function ofClaim({ by, before, after }: Change): readonly string[] {
    const [was, is] = [before, after] as unknown as readonly [Claim | undefined, Claim | undefined];
    const { classRef, resourceRef } = is?.spec ?? {};
    if (classRef === undefined || resourceRef !== undefined || was?.spec.classRef !== undefined) return [];
    const kind = classKinds.find((each) => each.kind === classRef.kind);
    const found = kind && world.cluster.find(kind, { name: classRef.name ?? '' });
    const selectors = lately(formerSelectors, keyOf(classRef), found && namespaceSelectorOf(found));
    return isLetIn(selectors, is?.metadata.namespace)
      ? []
      : [
          `${by} gives a claim of ${is?.metadata.namespace} the class ${classRef.name}, which it may not have`,
        ];
  }

  const keyOf = ({ kind, name }: ObjectReference): string => `${kind} ${name}`;
  const classKey = ({ kind, metadata }: KubernetesObject): string => `${kind} ${metadata.name}`;

  return {
    name: 'no claim has what its namespace may not claim',
    changed(change) {
      const { by, kind, before } = change;
      if (kind === NamespaceKind && change.after !== undefined) {
        note(formerLabels, change.after.metadata.name, labelsOfNamespace(before));
      } else if (kind === NamespaceKind && before !== undefined) {
        note(formerLabels, before.metadata.name, labelsOfNamespace(before));
      }
      if (classKinds.includes(kind) && before !== undefined) {
        note(formerSelectors, classKey(before), namespaceSelectorOf(before));
      }
      if (!isProcess(by)) return [];
      if (managedKinds.includes(kind)) return ofManaged(change);
      return claimKinds.includes(kind) ? ofClaim(change) : [];
    },
  };
};
