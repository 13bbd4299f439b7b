import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { objectKey } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, finalizerNames, hasFinalizer } from '../../../apis/core/v1alpha1/meta.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { Change, InvariantOf, Seen } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { claimKinds, managedKinds } from '../kinds.ts';
import type { Outside } from '../oracle/outside-resources.ts';
import { inClouds } from '../oracle/outside-resources.ts';

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

/**
 * The order of writes is that of what a crash may leave behind: what is made is on record before, and whatever says Bound
 * has what it takes.
 */
export const recordedFirst: InvariantOf = (world) => {
  const placeOf = ({ system, name }: Outside): string => `${system} ${name}`;
  let known = new Set<string>();

  function ofManaged({ by, kind, before, after }: Change): readonly string[] {
    const [was, is] = [before, after] as unknown as readonly [Managed | undefined, Managed];
    const what = `${kind.kind} ${is.metadata.name}`;
    const claim = claimOf(world, is);
    if (claim === undefined) return [];
    const isNamed = is.spec.claimRef?.uid !== was?.spec.claimRef?.uid;
    const isBound = is.status?.bindingPhase === 'Bound' && was?.status?.bindingPhase !== 'Bound';
    const { namespace = '', name } = claim.metadata;
    const wanted = claim.spec.writeConnectionSecretToRef?.name;
    const hasSecret =
      wanted === undefined ||
      is.spec.writeConnectionSecretToRef === undefined ||
      world.cluster.find(SecretKind, { namespace, name: wanted }) !== undefined;
    return [
      ...(isNamed && !hasFinalizer(claim, finalizerNames.claim)
        ? [`${by} gives ${what} to ${namespace}/${name}, which has no finalizer`]
        : []),
      ...(isBound && !hasSecret ? [`${by} says that ${what} is Bound before its secret is handed over`] : []),
    ];
  }

  return {
    name: 'what is made is on record before, and Bound is said last',
    changed(change) {
      const { by, kind, after } = change;
      if (!managedKinds.includes(kind) || after === undefined || !isProcess(by)) return [];
      return ofManaged(change);
    },
    called({ by, system, isWrite, isRefused }) {
      if (system === 'api' || !isWrite) return [];
      const there = inClouds(world);
      const fresh = there.filter((one) => !known.has(placeOf(one)));
      known = new Set(there.map(placeOf));
      if (isRefused || !isProcess(by)) return [];
      return fresh.flatMap((one) => {
        const kind = managedKinds.find(
          ({ kind, group }) => `${kind}.${group}`.toLowerCase() === one.ownerKind,
        );
        const owner = kind && (world.cluster.find(kind, { name: one.owner ?? '' }) as Managed | undefined);
        if (owner === undefined) return [`${by} made ${placeOf(one)} for ${one.owner}, which is not there`];
        return isOnRecord(owner) ? [] : [`${by} made ${placeOf(one)}, which is not on record`];
      });
    },
  };
};
