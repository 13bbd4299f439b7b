import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { isConditionTrue } from '../../../apis/core/v1alpha1/condition.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Change, InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { claimKinds, managedKinds } from '../kinds.ts';
import { recordedName } from '../oracle/recorded-name.ts';
import { lagMs, stillMs } from './lag.ts';

const isReady = (object: Claim | Managed | undefined): boolean =>
  isConditionTrue(object?.status?.conditions, 'Ready');
const isBound = (object: Claim | Managed | undefined): boolean => object?.status?.bindingPhase === 'Bound';

/** Whether its external resource is in one of the demo's clouds, under a name that is known beforehand. */
const isInCloud = ({ apiVersion }: Managed): boolean =>
  /^database\.(fcp|ocp)\.crossplane\.io\//.test(apiVersion);

/** The name of a managed resource's cloud in the simulation, and the resource in it. */
const placeOf = (managed: Managed): string =>
  `${managed.apiVersion.includes('fcp.') ? 'favourite' : 'other'} ${recordedName(managed)}`;

/** A condition that a process writes was true a moment ago. The tests of the decisions prove the Events. */
export const statementsTrue: InvariantOf = (world) => {
  const lag = lagMs(world.scenario) + stillMs(world.scenario);
  /** Facts by name: until when they held; for ever if they still hold. */
  const untilMs = new Map<string, number>();
  const set = (fact: string, holds: boolean): void => {
    if (holds) untilMs.set(fact, Number.POSITIVE_INFINITY);
    else if (untilMs.get(fact) === Number.POSITIVE_INFINITY) untilMs.set(fact, world.elapsedMs);
  };
  const heldLately = (fact: string): boolean =>
    (untilMs.get(fact) ?? Number.NEGATIVE_INFINITY) >= world.elapsedMs - lag;

  let online: readonly string[] = [];
  function look(): void {
    const now = (['favourite', 'other'] as const).flatMap((system) =>
      world.clouds[system]
        .instances()
        .flatMap(({ item, phase }) => (phase === 'online' ? [`online ${system} ${item.name}`] : [])),
    );
    for (const each of online) if (!now.includes(each)) set(each, false);
    for (const each of now) set(each, true);
    online = now;
  }

  function claimFaults(before: Claim | undefined, after: Claim): readonly string[] {
    const { uid } = after.metadata;
    const what = `${after.kind} ${objectKeyText(after.metadata)}`;
    return [
      ...(isBound(after) && !isBound(before) && !heldLately(`${uid} bound`)
        ? [`${what} says that it is Bound, and no managed resource is to it`]
        : []),
      ...(isReady(after) && !isReady(before) && !heldLately(`${uid} ready`)
        ? [`${what} says that it is Ready, and its managed resource is not`]
        : []),
    ];
  }

  function resourceFaults({ by, ...change }: Change): readonly string[] {
    const [before, after] = [change.before, change.after] as unknown as readonly (Managed | undefined)[];
    const owner = before?.spec.claimRef?.uid;
    for (const fact of [`${owner} bound`, `${owner} ready`]) set(fact, false);
    if (after === undefined) return [];
    const { claimRef } = after.spec;
    const isGoing = after.metadata.deletionTimestamp !== undefined;
    // A claim keeps the phase while its resource is being deleted.
    if (isBound(after) || isGoing) set(`${claimRef?.uid} bound`, true);
    if (isReady(after) && !isGoing) set(`${claimRef?.uid} ready`, true);
    if (!isProcess(by) || !isReady(after) || isReady(before) || !isInCloud(after)) return [];
    look();
    return heldLately(`online ${placeOf(after)}`)
      ? []
      : [`${after.kind} ${after.metadata.name} says that it is Ready, and ${placeOf(after)} is not online`];
  }

  return {
    name: 'conditions are true, or were true a moment ago',
    changed(change) {
      const { by, kind, before, after } = change;
      if (managedKinds.includes(kind)) return resourceFaults(change);
      if (!claimKinds.includes(kind) || after === undefined || !isProcess(by)) return [];
      return claimFaults(before as Claim | undefined, after as unknown as Claim);
    },
    shown() {
      look();
      return [];
    },
    called({ by, system }) {
      if (system !== 'api' && isProcess(by)) look();
      return [];
    },
  };
};
