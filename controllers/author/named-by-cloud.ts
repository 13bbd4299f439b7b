/*
 *   observe ────────────────▶ by its id ──▶ whose-is.ts: is it ours? ──▶ comparison.ts: what differs, what to fill in
 *   create ─────────────────▶ by our tags: is it there already? ──▶ the cloud, which assigns the id
 *   update, delete ─────────▶ the same questions again ──▶ the cloud
 */

import type { ReadyFacts } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, externalName, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { isUncertain } from '../../clients/cloud-error.ts';
import type { Owner } from '../../clients/ownership-tags.ts';
import { ownershipOf, ownerTags, retagged, withoutOwner } from '../../clients/ownership-tags.ts';
import type {
  Created,
  Observation,
  PromptClient,
  ReportedStatus,
} from '../core/managed/connecting/external-client.ts';
import { UncertainCreationError } from '../core/managed/connecting/external-client.ts';
import type { Actual, Compare, Wanted } from './comparison.ts';
import { observing, refuse } from './comparison.ts';
import { lackOf } from './needed-fields.ts';
import { ownerOf, whoseIs } from './whose-is.ts';
import { Ambiguous, leftBy, nothingOf } from './written-name.ts';

type Tags = Readonly<Record<string, string>>;

/** What a cloud tells of a thing, in words that clouds share. */
export interface Told<M extends Managed> {
  readonly tags: Tags;
  /** False of what is being deleted, and of what is gone and still told of. */
  readonly isStaying: boolean;
  /** Whether it can be used, and what the cloud is busy with; while it is, nothing is asked of it. */
  readonly meaning: Pick<Observation, 'operation'> & { readonly ready: ReadyFacts };
  /** What the cloud has for the fields of `forProvider`. */
  readonly actual: Actual<M>;
  /** For the status of the managed resource. */
  readonly status: ReportedStatus<M>;
  /** What else is to be done about it, for the debug log: `update` is asked for until there is nothing. */
  readonly unfinished?: string | undefined;
}

/** What is to change of a thing. */
export interface Change<M extends Managed> {
  readonly wanted: Wanted<M>;
  /** Tags that are missing or say something else; empty: none. */
  readonly tags: Tags;
}

/** How the things of one kind are made and kept in a cloud that assigns their ids, and lists them by their tags. */
export interface NamedByCloud<M extends Managed, Thing> {
  /** For messages: `VPC`. */
  readonly noun: string;
  idOf(thing: Thing): string;
  /** What its ids are like: `/vpc-[0-9a-f]+/`. Nothing has another, and the cloud is not asked for it. Absent: anything. */
  readonly ids?: RegExp;
  /** Undefined by the cloud's own word only, also of what is gone and still told of. */
  get(managed: M, id: string, signal: AbortSignal): Promise<Thing | undefined>;
  /** All that carry these tags, also those that are being deleted, or gone and still told of. */
  tagged(managed: M, tags: Tags, signal: AbortSignal): Promise<readonly Thing[]>;
  /**
   * Makes one, with these tags, and no others, from its first moment. `former` are the ids of those that carried our tags and are gone: an
   * idempotency token that was theirs is of no use.
   */
  create(
    managed: M,
    given: { readonly tags: Tags; readonly former: readonly string[] },
    signal: AbortSignal,
  ): Promise<Thing>;
  told(managed: M, thing: Thing): Told<M>;
  /** How `forProvider` differs from what the cloud has: `comparison(kind)`. */
  readonly compare: Compare<M>;
  /** Fields without which none can be made: while one is absent, none is tried. Default: none. See {@link withNeeded}. */
  readonly needs?: readonly (keyof M['spec']['forProvider'] & string)[];
  /** Tags that `forProvider` asks for; those that say whose a thing is are left out of them. Default: none. */
  tagsOf?(managed: M): Tags | undefined;
  /** Makes what differs as it is wanted, and finishes what is unfinished. */
  change(managed: M, thing: Thing, change: Change<M>, signal: AbortSignal): Promise<void>;
  /** Asks for deletion. What is gone already is no error. */
  delete(managed: M, id: string, signal: AbortSignal): Promise<void>;
  /** Whom its things are tagged with; default `ownerOf`. */
  readonly owner?: (managed: M) => Owner;
}

/**
 * Things in a cloud that assigns their ids, and lists them with their tags. `create` first looks for one of ours: whatever
 * became of an earlier attempt, trying again makes no second one. A creation whose answer is lost is looked for as well,
 * and if it does not show, it is left to a human, for it may show later. Whatever such a creation left goes with the
 * managed resource. Every change first asks whose the thing is, for since it was observed it may have become somebody
 * else's.
 */
export function namedByCloud<M extends Managed, Thing>(adapter: NamedByCloud<M, Thing>): PromptClient<M> {
  const { noun, idOf, owner = ownerOf } = adapter;

  const isId = (id: string): boolean =>
    adapter.ids === undefined || new RegExp(`^(?:${adapter.ids.source})$`).test(id);

  const claim = (managed: M, thing: Thing): 'ours' | 'notOurs' => {
    const { tags } = adapter.told(managed, thing);
    return whoseIs(managed, { what: `${noun} "${idOf(thing)}"`, tags, isKnown: true }, owner(managed));
  };

  /** The tags that somebody asks for. Whose a thing is, is not for them to say. */
  const asked = (managed: M): Tags => withoutOwner(adapter.tagsOf?.(managed) ?? {});

  /** All that carry our tags. */
  async function tagged(managed: M, signal: AbortSignal): Promise<readonly Thing[]> {
    const its = owner(managed);
    const { kind, name } = its;
    const found = await adapter.tagged(managed, ownerTags({ kind, name }), signal);
    return found.filter((thing) => ownershipOf(adapter.told(managed, thing).tags, its) === 'ours');
  }
  const isStaying =
    (managed: M) =>
    (thing: Thing): boolean =>
      adapter.told(managed, thing).isStaying;

  /**
   * The thing that it names. One that goes and names none may have been cut off in its creation: then it is what carries
   * our tags, or nobody would ever delete that.
   */
  async function find(managed: M, signal: AbortSignal): Promise<Thing | undefined> {
    const id = externalName(managed);
    if (id !== undefined) return isId(id) ? adapter.get(managed, id, signal) : undefined;
    const wasBegun = managed.metadata.annotations?.[annotationKeys.externalIdentity] !== undefined;
    if (!wasDeleted(managed) || !wasBegun) return undefined;
    return (await leftBy(managed, tagged(managed, signal), [])).find(isStaying(managed));
  }

  /** The one that carries our tags and stays, and the ids of those that did. */
  async function ours(managed: M, signal: AbortSignal) {
    const all = await tagged(managed, signal);
    const [staying, ...others] = all.filter(isStaying(managed));
    if (staying !== undefined && others.length > 0) {
      throw new Ambiguous(managed, noun, [staying, ...others].map(idOf));
    }
    return { staying, former: all.filter((thing) => thing !== staying).map(idOf) };
  }

  function differenceOf(managed: M, thing: Thing) {
    const told = adapter.told(managed, thing);
    const compared = adapter.compare(managed, told.actual);
    const { change: wanted } = compared;
    const isChanging = Object.keys(wanted).length > 0;
    const all = {
      ...asked(managed),
      ...(retagged(told.tags, owner(managed), isChanging) && ownerTags(owner(managed))),
    };
    const tags = Object.fromEntries(Object.entries(all).filter(([key, value]) => told.tags[key] !== value));
    const differing = [
      ...Object.keys(wanted),
      ...(Object.keys(tags).length > 0 ? ['tags'] : []),
      ...(told.unfinished === undefined ? [] : [told.unfinished]),
    ];
    return { ...compared, told, change: { wanted, tags }, differing };
  }

  return {
    async observe(managed, _credential, signal) {
      const thing = await find(managed, signal);
      if (thing === undefined || claim(managed, thing) === 'notOurs') {
        return nothingOf(managed, noun, () => ours(managed, signal), lackOf(managed, noun, adapter.needs));
      }
      const { told, differing, ...compared } = differenceOf(managed, thing);
      return {
        ...observing(compared, differing),
        exists: true,
        // It changes nothing while it is at something else.
        ...(told.meaning.operation !== undefined && { isUpToDate: true }),
        ...told.meaning,
        status: told.status,
      };
    },

    async create(managed, _credential, signal): Promise<Created<M>> {
      const { staying, former } = await ours(managed, signal);
      if (staying !== undefined) return { externalName: idOf(staying) };
      const tags = { ...asked(managed), ...ownerTags(owner(managed)) };
      try {
        return { externalName: idOf(await adapter.create(managed, { tags, former }, signal)) };
      } catch (error) {
        if (!isUncertain(error)) throw error;
        const created = await ours(managed, signal).catch(() => undefined);
        if (created?.staying !== undefined) return { externalName: idOf(created.staying) };
        throw new UncertainCreationError((error as Error).message, { cause: error });
      }
    },

    async update(managed, _credential, signal) {
      const thing = await find(managed, signal);
      if (thing === undefined) throw new Error(`${noun} "${externalName(managed)}" does not exist any more`);
      claim(managed, thing);
      const { change, differing, refused, drifted } = differenceOf(managed, thing);
      if (differing.length > 0) await adapter.change(managed, thing, change, signal);
      refuse({ refused, drifted });
      return {};
    },

    async delete(managed, signal) {
      // Since it was observed it may have become somebody else's.
      const thing = await find(managed, signal);
      if (thing !== undefined && claim(managed, thing) === 'ours') {
        await adapter.delete(managed, idOf(thing), signal);
      }
    },
  };
}
