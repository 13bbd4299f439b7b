import { isConditionTrue } from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { controllerUid } from '../../../apis/core/v1alpha1/reference.ts';
import { decodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { FavouriteDBInstanceKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { AmbivalentDBInstanceKind } from '../../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import type { InvariantOf, ObservedWorld } from '../invariant.ts';
import { allows, isPaused } from '../oracle/policies.ts';
import { recordedName } from '../oracle/recorded-name.ts';

/** With the cloud that they are in. */
const databaseKinds: readonly (readonly [Kind, 'favourite' | 'other'])[] = [
  [FavouriteDBInstanceKind, 'favourite'],
  [AmbivalentDBInstanceKind, 'other'],
];

/** The one field that both clouds can change. */
const levelOf = ({ spec }: Managed): number | undefined => {
  const { fancinessLevel, ambivalence } = spec.forProvider as Readonly<Record<string, number | undefined>>;
  return fancinessLevel ?? ambivalence;
};

/**
 * Of databases that report Ready and Synced. The decision tables prove the report of every other state. The perturbation
 * proves that each example ends Ready and Synced after every single fault.
 */
export const resourcesSettled: InvariantOf = ({ cluster, clouds, planted }: ObservedWorld) => {
  function faultsOf(managed: Managed, cloud: 'favourite' | 'other'): readonly string[] {
    const { metadata, spec, status } = managed;
    if (status?.observedGeneration !== metadata.generation)
      return [`it has observed generation ${status?.observedGeneration} of ${metadata.generation}`];
    const isWell = ['Ready', 'Synced'].every((type) => isConditionTrue(status?.conditions, type));
    if (!isWell || isPaused(managed)) return [];
    const found = clouds[cloud].instances().find(({ item: { name } }) => name === recordedName(managed));
    if (found === undefined) return ['its external resource does not exist'];
    if (!allows(managed, 'Update')) return [];
    const { level, password } = found.item;
    const to = spec.writeConnectionSecretToRef;
    const secret = to && cluster.find(SecretKind, to);
    const isOurs = secret !== undefined && controllerUid(secret) === metadata.uid;
    const wanted = levelOf(managed);
    return [
      ...(to !== undefined && (!isOurs || decodeDetails(secret).password !== password)
        ? ['the password in its Secret does not work']
        : []),
      ...(wanted !== undefined && wanted !== level
        ? [`outside it has level ${level}, and not ${wanted}`]
        : []),
    ];
  }

  return {
    name: 'a database at rest that is Ready and Synced has the requested state, and its password works',
    atRest: () =>
      databaseKinds.flatMap(([kind, cloud]) =>
        (cluster.all(kind) as unknown as readonly Managed[])
          .filter(({ metadata }) => metadata.deletionTimestamp === undefined && !planted.has(metadata.uid))
          .flatMap((managed) =>
            faultsOf(managed, cloud).map((fault) => `${kind.kind} ${managed.metadata.name}: ${fault}`),
          ),
      ),
  };
};
