import compact from 'lodash/compact.js';
import isEqual from 'lodash/isEqual.js';
import sum from 'lodash/sum.js';
import uniq from 'lodash/uniq.js';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../../apis/core/v1alpha1/meta.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { nameOnRecord } from '../oracle/recorded-name.ts';

const minuteMs = 60_000;

/** A back-off from 5 ms to 30 s. */
const attempts = 13;

/**
 * How often a process may send the same request about the same object in a minute, whatever goes wrong: a
 * few back-offs. Observations of work in progress are 20. Writes of other processes add to them.
 */
const most = (call: string): number =>
  (call.startsWith('watch ') || call.startsWith('list ') ? 30 : 60) * (threeStacks.test(call) ? 3 : 1);

/** Each of three stacks has one of the name, and a call does not show its stack. */
const threeStacks = /^\S+ Provider(?:Config)? /;

/**
 * How many things a status may come to say in a minute, one after another: of a claim, that its resource is not there yet, is
 * there, has a name, is being created, could not be, is about to be bound, could not be, is Bound. The first four have their
 * back-offs among those that are a few.
 */
const statesAmongTheFew = 4;
const mostStates = 8;

/** Observations of work in progress, each of which reads a secret store twice. */
const readsOnTheWay = 40;

/** The name that calls use for an entry of a secret store, in Vault or in the cloud. */
const entryIn = (call: string): string | undefined =>
  call.includes(' vault ') || call.includes(' Secret ') ? call.slice(call.lastIndexOf('/') + 1) : undefined;

/** The entry that a managed resource is to publish to. */
const entryOf = (object: unknown): string | undefined =>
  (object as Partial<Managed>).spec?.publishConnectionDetailsTo?.name;

/** As in `FancySQLInstance team/orders`, which a call ends with. */
const targetOf = (call: string): string => call.slice(call.indexOf(' ') + 1);

/**
 * The subject of a call to a cloud or to PostgreSQL, such as `GET favourite /v1/instances/orders`: its
 * external name.
 */
const externalIn = (call: string): string | undefined =>
  /^\S.* (?:favourite|other|postgresql|aws|gcp) (?:\S*\/)?([^/\s]+)$/.exec(call)?.[1];

/**
 * The names under which edits are counted of the object that has these names in the external system and in a
 * secret store.
 */
const named = (external: readonly (string | undefined)[], entry: string | undefined): readonly string[] => [
  ...uniq(compact(external)).map((name) => `external ${name}`),
  ...(entry === undefined ? [] : [`entry ${entry}`]),
];

/** The content of a status, whenever it was written. */
const contentOf = (status: unknown): string =>
  JSON.stringify(status, (key, value) => (key === 'lastTransitionTime' ? undefined : value)) ?? '';

/** How many back-offs begin because a status comes to say what it has not said before, beyond a few. */
const furtherStates = (statuses: readonly unknown[]): number =>
  Math.max(0, Math.min(new Set(statuses.map(contentOf)).size, mostStates) - statesAmongTheFew);

/**
 * No hot loop, also while a fault lasts. Each edit of an object by a user may begin a back-off, for its
 * external resource and for the place where it publishes. Objects that publish to one entry of a secret
 * store each begin their own. A change of a status may begin one, because neither its writer nor another
 * process may see it for a while. The changes that follow from it begin none, and a status that changes
 * without end begins only a few.
 */
export const boundedWork: InvariantOf = (world) => {
  let minute = 0;
  let counts = new Map<string, number>();
  let edits = new Map<string, number>();
  /** By the entry they publish to. */
  let created = new Map<string, number>();
  /** The writes of processes, by their calls. */
  let statuses = new Map<string, unknown[]>();

  function begin(): void {
    const now = Math.floor(world.elapsedMs / minuteMs);
    if (now === minute) return;
    minute = now;
    counts = new Map();
    edits = new Map();
    created = new Map();
    statuses = new Map();
  }

  return {
    name: 'nothing is asked for over and over',
    changed({ by, kind, before, after }) {
      if (after === undefined) return [];
      begin();
      if (isProcess(by)) {
        if (isEqual(before?.status, after.status)) return [];
        const call = `update-status ${kind.kind} ${objectKeyText(after.metadata)}`;
        statuses.set(call, [...(statuses.get(call) ?? []), after.status]);
        return [];
      }
      if (before === undefined) {
        const name = entryOf(after);
        if (name !== undefined) created.set(name, (created.get(name) ?? 0) + 1);
        return [];
      }
      const edited = `${kind.kind} ${objectKeyText(after.metadata)}`;
      const external = [nameOnRecord(after as Managed), externalName(after) ?? after.metadata.name];
      for (const key of [edited, ...named(external, entryOf(after))]) {
        edits.set(key, (edits.get(key) ?? 0) + 1);
      }
      return [];
    },
    requested({ by, call }) {
      if (/ $| aws sts\/$/.test(call)) return []; // about nothing in particular, or whose the credentials are
      begin();
      const key = `${by} ${call}`;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      if (count <= most(call)) return [];
      const keys = [targetOf(call), ...named([externalIn(call)], entryIn(call))];
      const edited = sum(keys.map((each) => edits.get(each) ?? 0));
      const others = Math.max(0, (created.get(entryIn(call) ?? '') ?? 0) - 1);
      const begun = edited + furtherStates(statuses.get(call) ?? []);
      return count === most(call) + attempts * begun + readsOnTheWay * others + 1
        ? [`${key}: more than ${count - 1} times in a minute`]
        : [];
    },
  };
};
