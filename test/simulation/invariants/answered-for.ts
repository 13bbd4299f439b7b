import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, hasFinalizer, isPaused } from '../../../apis/core/v1alpha1/meta.ts';
import {
  isCreationIncomplete,
  isCreationRecorded,
} from '../../../controllers/managed/recording/creation-tracking.ts';
import { invalidPolicies, isPausedByPolicies } from '../../../controllers/management-policies.ts';
import { markOf } from '../../../stacks/postgresql/client/mark.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { managedKinds } from '../kinds.ts';
import type { Outside } from '../oracle/outside-resources.ts';
import { inClouds, inPostgresql, kindTag } from '../oracle/outside-resources.ts';
import { nameOnRecord, recordedName } from '../oracle/recorded-name.ts';
import { mayDelete } from './external-retained.ts';

/** The result of a creation under an assigned name is not known: a user must look, as the condition says. */
const isUnknown = (managed: Managed): boolean => {
  const { spec, status } = managed;
  const isHeld = isPaused(managed) || isPausedByPolicies(spec) || invalidPolicies(spec) !== undefined;
  const isReported = status?.conditions?.some(({ message = '' }) =>
    message.startsWith('cannot determine creation result'),
  );
  return isReported === true || (isHeld && isCreationIncomplete(managed));
};

/** Whether a creation is recorded as successful, or an observation found the external resource. */
const wasFound = (managed: Managed): boolean =>
  isCreationRecorded(managed) || managed.status?.externalIdentity !== undefined;

const text = ({ system, name }: Outside): string => `${name} in ${system}`;

/**
 * Each external resource has one managed resource that answers for it, or had one whose policies kept it; and no managed
 * resource has two.
 */
export const answeredFor: InvariantOf = (world) => {
  /** External resources that were kept on purpose, as `kind name`. */
  const retained = new Set<string>();
  const placeOf = (outside: Outside): string => `${outside.ownerKind} ${outside.name}`;
  /** The managed resource of each mark on the PostgreSQL server. */
  const owners = new Map<string, Pick<Outside, 'owner' | 'ownerKind'>>();
  const everything = (): readonly Outside[] => [...inClouds(world), ...inPostgresql(world, owners)];
  const madeFor = (managed: Managed): readonly Outside[] =>
    everything().filter(
      ({ ownerKind, owner }) => ownerKind === kindTag(managed) && owner === managed.metadata.name,
    );

  /** The external resource stays: by policy, or because a user removed the finalizer. */
  function keep(managed: Managed): void {
    retained.add(`${kindTag(managed)} ${recordedName(managed)}`);
    // The result of its creation is not recorded.
    if (isCreationIncomplete(managed)) for (const one of madeFor(managed)) retained.add(placeOf(one));
  }

  return {
    name: 'an external resource has one managed resource that answers for it, unless policies kept it',
    changed({ by, kind, before, after }) {
      if (!managedKinds.includes(kind)) return [];
      if (before === undefined) {
        const [owner, ownerKind] = [after?.metadata.name, kindTag(after as unknown as Managed)];
        owners.set(markOf(`${ownerKind}/${owner}`), { owner, ownerKind });
        return [];
      }
      const managed = before as unknown as Managed;
      const holds = (object: KubernetesObject | undefined): boolean =>
        object !== undefined && hasFinalizer(object, finalizerNames.managed);
      const isRenamed =
        after !== undefined && recordedName(after as unknown as Managed) !== recordedName(managed);
      // A backup without a status has lost the name, and a user edits the name before it is observed.
      const isForgotten =
        world.restored.has(managed.metadata.uid ?? '') && nameOnRecord(managed) === undefined;
      if (isRenamed && !isProcess(by) && isForgotten) keep(managed);
      // A known limit: a user edits the name of a creation that failed, and the parts under the former name stay.
      if (isRenamed && isProcess(by) && !wasFound(managed))
        for (const one of madeFor(managed)) retained.add(placeOf(one));
      if (!isProcess(by) && holds(managed) && !holds(after)) keep(managed);
      if (after !== undefined) return [];
      if (!mayDelete(managed)) {
        keep(managed);
        return [];
      }
      if (!isProcess(by)) return [];
      return madeFor(managed)
        .filter((one) => !one.isGoing && !retained.has(placeOf(one)))
        .map((one) => `${by} removed ${kind.kind} ${managed.metadata.name}, and ${text(one)} is still there`);
    },
    atRest: () =>
      everything()
        .filter((one) => one.owner !== undefined && !retained.has(placeOf(one)))
        .flatMap((one) => {
          const kind = managedKinds.find(
            ({ kind, group }) => `${kind}.${group}`.toLowerCase() === one.ownerKind,
          );
          const managed =
            kind && (world.cluster.find(kind, { name: one.owner ?? '' }) as Managed | undefined);
          if (managed === undefined)
            return [`no managed resource answers for ${text(one)}, made for ${one.owner}`];
          return recordedName(managed) === one.name || isUnknown(managed)
            ? []
            : [`${text(one)} was made for ${one.owner}, which has ${recordedName(managed)}`];
        }),
  };
};
