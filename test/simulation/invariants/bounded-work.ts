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
 * How often a process may ask the same of the same in a minute, whatever goes wrong: a few back-offs; looks at what is on
 * its way are 20; each other's writes add to them.
 */
const most = (call: string): number =>
  (call.startsWith('watch ') || call.startsWith('list ') ? 30 : 60) * (ofThree.test(call) ? 3 : 1);

/** Each of three stacks has one of the name, and a call does not say whose it is. */
const ofThree = /^\S+ Provider(?:Config)? /;

/**
 * How many things a status may come to say in a minute, one after another: of a claim, that its resource is not there yet, is
 * there, has a name, is being created, could not be, is about to be bound, could not be, is Bound. The first four have their
 * back-offs among those that are a few.
 */
const statesAmongTheFew = 4;
const mostStates = 8;

/** Looks at what is on its way, each of which reads a secret store twice. */
const readsOnTheWay = 40;

/** What an entry of a secret store, in Vault or in the cluster, is called in calls. */
const entryIn = (call: string): string | undefined =>
  call.includes(' vault ') || call.includes(' Secret ') ? call.slice(call.lastIndexOf('/') + 1) : undefined;

/** The entry that a managed resource is to publish to. */
const entryOf = (object: unknown): string | undefined =>
  (object as Partial<Managed>).spec?.publishConnectionDetailsTo?.name;

/** As in `FancySQLInstance team/orders`, which a call ends with. */
const targetOf = (call: string): string => call.slice(call.indexOf(' ') + 1);

/** What a call to a cloud or to PostgreSQL is about, as in `GET favourite /v1/instances/orders`: its external name. */
const externalIn = (call: string): string | undefined =>
  /^\S.* (?:favourite|other|postgresql|aws|gcp) (?:\S*\/)?([^/\s]+)$/.exec(call)?.[1];

/** As what edits of what has these names outside and in a secret store are counted. */
const named = (external: readonly (string | undefined)[], entry: string | undefined): readonly string[] => [
  ...uniq(compact(external)).map((name) => `external ${name}`),
  ...(entry === undefined ? [] : [`entry ${entry}`]),
];

/** What a status says, whenever it began to. */
const said = (status: unknown): string =>
  JSON.stringify(status, (key, value) => (key === 'lastTransitionTime' ? undefined : value)) ?? '';

/** How many back-offs begin because a status comes to say what it has not said before, beyond a few. */
const furtherStates = (statuses: readonly unknown[]): number =>
  Math.max(0, Math.min(new Set(statuses.map(said)).size, mostStates) - statesAmongTheFew);

/**
 * No hot loop, also while a fault lasts. People's edits of an object begin a back-off each, for what it stands for and where
 * it publishes to, too, and of those that they create one after another, or again, to publish to one entry of a secret store,
 * each looks for itself. What a status comes to say begins one, as neither its writer nor another process may be told for a
 * while that it is written; but what it says in turn begins none, and what is new without end a few only.
 */
export const boundedWork: InvariantOf = (world) => {
  let minute = 0;
  let counts = new Map<string, number>();
  let edits = new Map<string, number>();
  /** By the entry they publish to. */
  let created = new Map<string, number>();
  /** What processes wrote, by the call with which they do. */
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
    asked({ by, call }) {
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
