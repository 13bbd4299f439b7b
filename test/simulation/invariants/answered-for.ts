import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { finalizerNames, hasFinalizer, isPaused, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { markOf } from '../../../clients/postgresql/mark.ts';
import { isCreationIncomplete } from '../../../controllers/core/managed/creation-tracking.ts';
import { invalidPolicies, isPausedByPolicies } from '../../../controllers/core/management-policies.ts';
import type { Lease } from '../../../runtime/process/leader-election.ts';
import { LeaseKind } from '../../../runtime/process/leader-election.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess, overtaking } from '../invariant.ts';
import { managedKinds } from '../kinds.ts';
import type { Outside } from '../oracle/outside-resources.ts';
import { inClouds, inPostgresql, kindTag } from '../oracle/outside-resources.ts';
import { nameOnRecord, recordedName } from '../oracle/recorded-name.ts';
import { mayDelete } from './external-kept.ts';
import { listedMs } from './lag.ts';

/**
 * A creation that was cut off under a name that the system assigns: a person must look, as its condition says, or will
 * say once he lets it be looked at again.
 */
const isUnknown = (managed: Managed): boolean => {
  const { spec, status } = managed;
  const isHeld = isPaused(managed) || isPausedByPolicies(spec) || invalidPolicies(spec) !== undefined;
  const isTold = status?.conditions?.some(({ message = '' }) =>
    message.startsWith('cannot determine creation result'),
  );
  return isTold === true || (isHeld && isCreationIncomplete(managed));
};

const holderOf = (lease: KubernetesObject | undefined): string | undefined =>
  (lease as Lease | undefined)?.spec?.holderIdentity;

const text = ({ system, name }: Outside): string => `${name} in ${system}`;

interface LetGo {
  /** When it was let go of; once something is made for it after that, when that was. */
  atMs: number;
  readonly beside: readonly string[];
  /** Whether what was made for it is there. */
  isMade: boolean;
}

/** Between two attempts at most. */
const longestBackOffMs = 30_000;

/**
 * Whatever was made outside has one managed resource that answers for it, or had one whose policies left it there; and
 * none has two.
 */
export const answeredFor: InvariantOf = (world) => {
  /** What was left outside on purpose, as `kind name`. */
  const kept = new Set<string>();
  const placeOf = (outside: Outside): string => `${outside.ownerKind} ${outside.name}`;
  /** Whose a mark is. */
  const owners = new Map<string, Pick<Outside, 'owner' | 'ownerKind'>>();
  /** When a deletion overtook the finalizer of what answers for something outside, by kind and name of that; never: it is kept. */
  const overtaken = new Map<string, number>();
  /** By UID: what processes have changed since it had its finalizer; and since when it is marked as deleted. */
  const changedSince = new Set<string>();
  const markedMs = new Map<string, number>();
  const processes = new Set<string>();
  /** When a process last began, or began to lead. */
  let begunMs = 0;
  /** Until a process that begins has seen everything once. */
  const untilListedMs = listedMs(world.scenario);
  /** What only a process knows that has ended since, or did not see it go, nobody knows: docs/reliability.md says so. */
  const isForgotten = (one: Outside): boolean => {
    const atMs = overtaken.get(ownerText(one));
    return atMs !== undefined && atMs < begunMs + untilListedMs;
  };
  /** What a process let go of while others ran, by kind and name: one of them may be making something for it. */
  const letGo = new Map<string, LetGo>();
  /** Names that were edited and taken off record while another process may be making something under them: docs/reliability.md. */
  const renamedBeside = new Set<string>();
  const endedMs = new Map<string, number>();
  function watchProcesses(): void {
    for (const each of processes) {
      if (!world.running.includes(each) && !endedMs.has(each)) endedMs.set(each, world.elapsedMs);
    }
  }
  /** Who made it deletes it, and has to try again for as long as trouble lasts; if it ends before that, nobody knows of it. */
  const isLostWithItsMaker = (one: Outside): boolean => {
    const { atMs = 0, beside = [] } = letGo.get(ownerText(one)) ?? {};
    return beside.some((each) => (endedMs.get(each) ?? Number.POSITIVE_INFINITY) < atMs + longestBackOffMs);
  };
  const everything = (): readonly Outside[] => [...inClouds(world), ...inPostgresql(world, owners)];
  const ownerText = ({ ownerKind, owner }: Outside): string => `${ownerKind} ${owner}`;
  const ownerOf = (managed: Managed): string => `${kindTag(managed)} ${managed.metadata.name}`;
  const madeFor = (owner: string): readonly Outside[] =>
    everything().filter((one) => ownerText(one) === owner);
  const isThere = (owner: string): boolean => madeFor(owner).some(({ isGoing }) => !isGoing);

  return {
    name: 'an external resource has one managed resource that answers for it, unless policies kept it',
    asked({ by }) {
      if (!processes.has(by)) begunMs = world.elapsedMs;
      processes.add(by);
      watchProcesses();
      return [];
    },
    changed({ by, kind, before, after }) {
      if (kind === LeaseKind && holderOf(before) !== holderOf(after)) begunMs = world.elapsedMs;
      if (!managedKinds.includes(kind)) return [];
      if (before === undefined) {
        const [owner, ownerKind] = [after?.metadata.name, kindTag(after as unknown as Managed)];
        owners.set(markOf(`${ownerKind}/${owner}`), { owner, ownerKind });
      }
      if (before === undefined) return [];
      const managed = before as unknown as Managed;
      const place = `${kindTag(managed)} ${recordedName(managed)}`;
      // A person who takes a finalizer away takes it upon himself.
      const holds = (object: KubernetesObject | undefined): boolean =>
        object !== undefined && hasFinalizer(object, finalizerNames.managed);
      const { uid = '' } = managed.metadata;
      if (isProcess(by) && holds(managed) && after !== undefined) changedSince.add(uid);
      if (after !== undefined && wasDeleted(after) && !wasDeleted(managed))
        markedMs.set(uid, world.elapsedMs);
      const isRenamed =
        after !== undefined && recordedName(after as unknown as Managed) !== recordedName(managed);
      if (isRenamed && world.running.length > 1) renamedBeside.add(place);
      // What it stood for is not in the backup, and nobody can know of it once it is to stand for something else.
      const isForgottenByBackup = world.restored.has(uid) && nameOnRecord(managed) === undefined;
      if (isRenamed && !isProcess(by) && isForgottenByBackup) kept.add(place);
      // Nobody took away what a deletion has overtaken.
      if (!isProcess(by) && by !== overtaking && holds(managed) && !holds(after)) {
        kept.add(place);
        // What came of its creation nobody has recorded, so that nobody can find it again.
        if (isCreationIncomplete(managed))
          for (const one of madeFor(ownerOf(managed))) kept.add(placeOf(one));
      }
      if (after !== undefined) return [];
      if (by === overtaking && holds(managed)) {
        // Once it is marked as deleted and was looked at, it might as well have been let go of: docs/reliability.md says so.
        const isShown =
          world.elapsedMs - (markedMs.get(uid) ?? world.elapsedMs) > world.scenario.pace.watchMs;
        const isToBeSeen = !(wasDeleted(managed) && (changedSince.has(uid) || isShown));
        const atMs = mayDelete(managed) && isToBeSeen ? world.elapsedMs : Number.NEGATIVE_INFINITY;
        overtaken.set(ownerOf(managed), atMs);
      }
      if (!mayDelete(managed)) {
        kept.add(place);
        if (isCreationIncomplete(managed))
          for (const one of madeFor(ownerOf(managed))) kept.add(placeOf(one));
      }
      if (!isProcess(by) || !mayDelete(managed)) return [];
      const beside = world.running.filter((each) => each !== by);
      if (beside.length > 0) {
        const owner = ownerOf(managed);
        letGo.set(owner, { atMs: world.elapsedMs, beside, isMade: isThere(owner) });
        return [];
      }
      // What was made for a former one of the name, under another, is no business of it: who made that deletes it.
      return madeFor(ownerOf(managed))
        .filter((one) => !one.isGoing && !kept.has(placeOf(one)) && !isForgotten(one))
        .filter((one) => placeOf(one) === place || !overtaken.has(ownerText(one)))
        .map((one) => `${by} lets ${kind.kind} ${managed.metadata.name} go, and ${text(one)} is still there`);
    },
    called({ by, system }) {
      if (system === 'api') return [];
      for (const [owner, one] of letGo) {
        if (one.isMade || !one.beside.includes(by) || !isThere(owner)) continue;
        one.isMade = true;
        one.atMs = world.elapsedMs; // it was under way for so long
      }
      return [];
    },
    atRest() {
      watchProcesses();
      const present = everything().filter(({ owner }) => owner !== undefined);
      return present.flatMap((one) => {
        const kind = managedKinds.find(
          ({ kind, group }) => `${kind}.${group}`.toLowerCase() === one.ownerKind,
        );
        const managed = kind && (world.cluster.find(kind, { name: one.owner ?? '' }) as Managed | undefined);
        if (kept.has(placeOf(one)) || isForgotten(one) || isLostWithItsMaker(one)) return [];
        if (managed === undefined) return [`nobody answers for ${text(one)}, made for ${one.owner}`];
        return recordedName(managed) === one.name || isUnknown(managed) || renamedBeside.has(placeOf(one))
          ? []
          : [`${text(one)} was made for ${one.owner}, which has ${recordedName(managed)}`];
      });
    },
  };
};
