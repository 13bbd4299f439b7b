/*
 *   observe ────────────────▶ by its id ──▶ check-ownership.ts: is it ours? ──▶ comparison.ts: what differs, what to fill in
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
} from '../managed/connecting/external-client.ts';
import { UncertainCreationError } from '../managed/connecting/external-client.ts';
import { checkOwnership, ownedByAnother, ownerOf } from './check-ownership.ts';
import type { Actual, Compare, Wanted } from './comparison.ts';
import { notNow, observing, refuse } from './comparison.ts';
import { lackOf } from './needed-fields.ts';
import { Ambiguous, leftBy, nothingOf } from './written-name.ts';

type Tags = Readonly<Record<string, string>>;

/** The cloud's answer about a resource, in a form that all clouds share. */
export interface Reported<M extends Managed> {
  readonly tags: Tags;
  /** False for a resource that is being deleted, or was deleted and is still listed. */
  readonly isStaying: boolean;
  /** Whether it can be used, and the operation in progress. During an operation no change is sent. */
  readonly meaning: Pick<Observation, 'operation'> & { readonly ready: ReadyFacts };
  /** The cloud's values for the fields of `forProvider`. */
  readonly actual: Actual<M>;
  /** For the status of the managed resource. */
  readonly status: ReportedStatus<M>;
  /** Other tasks that remain, for the debug log. `update` is called until there are none. */
  readonly unfinished?: string | undefined;
}

/** The changes to a resource. */
export interface Change<M extends Managed> {
  readonly wanted: Wanted<M>;
  /** Tags that are missing or have another value; may be empty. */
  readonly tags: Tags;
}

/**
 * The functions that create and manage the resources of one kind, in a cloud that assigns their ids and lists them by
 * their tags.
 */
export interface NamedByCloud<M extends Managed, External> {
  /** For messages: `VPC`. */
  readonly noun: string;
  idOf(external: External): string;
  /**
   * The form of its ids: `/vpc-[0-9a-f]+/`. For an id of another form nothing exists, and no request is sent. Absent:
   * any form.
   */
  readonly ids?: RegExp;
  /**
   * Undefined only if the cloud itself answers that there is none. A resource that was deleted and is still listed may
   * be returned.
   */
  get(managed: M, id: string, signal: AbortSignal): Promise<External | undefined>;
  /** All resources with these tags, also those that are being deleted, or were deleted and are still listed. */
  tagged(managed: M, tags: Tags, signal: AbortSignal): Promise<readonly External[]>;
  /**
   * Creates a resource which has these tags, and no others, from its creation. `former` are the ids of deleted
   * resources that carried our tags: an idempotency token that created one of them cannot be used again.
   */
  create(
    managed: M,
    given: { readonly tags: Tags; readonly former: readonly string[] },
    signal: AbortSignal,
  ): Promise<External>;
  reported(managed: M, external: External): Reported<M>;
  /** How `forProvider` differs from what the cloud has: `comparison(kind)`. */
  readonly compare: Compare<M>;
  /**
   * The fields that a creation needs. While one is absent, no creation is tried. Default: none. See {@link withNeeded}.
   */
  readonly needs?: readonly (keyof M['spec']['forProvider'] & string)[];
  /** The tags in `forProvider`. Tags about the owner are removed from them. Default: none. */
  tagsOf?(managed: M): Tags | undefined;
  /** Applies the changes, and completes the remaining tasks. */
  change(managed: M, external: External, change: Change<M>, signal: AbortSignal): Promise<void>;
  /** Requests deletion. A resource that was deleted before is no error. */
  delete(managed: M, id: string, signal: AbortSignal): Promise<void>;
  /** The owner in the tags; default `ownerOf`. */
  readonly owner?: (managed: M) => Owner;
}

/**
 * External clients for a cloud that assigns ids, and lists resources with their tags.
 *
 * `create` first looks for a resource with our tags, so that a second attempt never creates a second resource. If the
 * answer to a creation is lost, the resource is looked for by its tags. If it is not found, a user has to decide,
 * because it may appear later. A resource from such a creation is deleted with the managed resource. Every change first
 * checks the owner, who may have changed since the observation.
 */
export function namedByCloud<M extends Managed, External>(
  adapter: NamedByCloud<M, External>,
): PromptClient<M> {
  const { noun, idOf, owner = ownerOf } = adapter;

  const isId = (id: string): boolean =>
    adapter.ids === undefined || new RegExp(`^(?:${adapter.ids.source})$`).test(id);

  /** Throws like {@link checkOwnership}. */
  const checkOwner = (managed: M, external: External): 'ours' | 'notOurs' => {
    const { tags } = adapter.reported(managed, external);
    return checkOwnership(
      managed,
      { what: `${noun} "${idOf(external)}"`, tags, isKnown: true },
      owner(managed),
    );
  };

  /** The tags in the spec, without tags about the owner: users cannot set those. */
  // guard: otherwise users change the owner by a tag
  const requestedTags = (managed: M): Tags => withoutOwner(adapter.tagsOf?.(managed) ?? {});

  /** All resources with our tags. */
  async function tagged(managed: M, signal: AbortSignal): Promise<readonly External[]> {
    const its = owner(managed);
    const { kind, name } = its;
    const found = await adapter.tagged(managed, ownerTags({ kind, name }), signal);
    // guard: otherwise the cloud returns resources of other owners
    return found.filter((external) => ownershipOf(adapter.reported(managed, external).tags, its) === 'ours');
  }
  const isStaying =
    (managed: M) =>
    (external: External): boolean =>
      adapter.reported(managed, external).isStaying;

  /**
   * The resource of the recorded id. A managed resource that is being deleted and has no id may have crashed during its
   * creation. Then the resource with our tags is used; otherwise it would never be deleted.
   */
  async function find(managed: M, signal: AbortSignal): Promise<External | undefined> {
    const id = externalName(managed);
    if (id !== undefined) return isId(id) ? adapter.get(managed, id, signal) : undefined;
    const wasBegun = managed.metadata.annotations?.[annotationKeys.externalIdentity] !== undefined;
    // guard: otherwise it deletes what a predecessor of that name left
    if (!wasDeleted(managed) || !wasBegun) return undefined;
    // guard: otherwise an interrupted creation stays
    return (await leftBy(managed, tagged(managed, signal), [])).find(isStaying(managed));
  }

  /** The resource with our tags that is not deleted, and the ids of the deleted ones with our tags. */
  async function ours(managed: M, signal: AbortSignal) {
    const all = await tagged(managed, signal);
    // guard: otherwise it adopts a resource that is being deleted
    const [staying, ...others] = all.filter(isStaying(managed));
    // guard: otherwise it chooses one of several
    if (staying !== undefined && others.length > 0) {
      throw new Ambiguous(managed, noun, [staying, ...others].map(idOf));
    }
    return { staying, former: all.filter((external) => external !== staying).map(idOf) };
  }

  function differenceOf(managed: M, external: External) {
    const reported = adapter.reported(managed, external);
    const compared = adapter.compare(managed, reported.actual);
    const { change: wanted } = compared;
    const isChanging = Object.keys(wanted).length > 0;
    const all = {
      ...requestedTags(managed),
      ...(retagged(reported.tags, owner(managed), isChanging) && ownerTags(owner(managed))),
    };
    const tags = Object.fromEntries(
      Object.entries(all).filter(([key, value]) => reported.tags[key] !== value),
    );
    const differing = [
      ...Object.keys(wanted),
      ...(Object.keys(tags).length > 0 ? ['tags'] : []),
      ...(reported.unfinished === undefined ? [] : [reported.unfinished]),
    ];
    return { ...compared, reported, change: { wanted, tags }, differing };
  }

  return {
    async observe(managed, _credential, signal) {
      const external = await find(managed, signal);
      // guard: otherwise a deletion waits for the resource of another owner
      if (external === undefined || checkOwner(managed, external) === 'notOurs') {
        return nothingOf(managed, noun, () => ours(managed, signal), lackOf(managed, noun, adapter.needs));
      }
      const { reported, differing, ...compared } = differenceOf(managed, external);
      return {
        // The cloud changes nothing during another operation.
        ...(reported.meaning.operation === undefined
          ? observing(compared, differing)
          : notNow(compared, reported.meaning, noun)),
        exists: true,
        ...reported.meaning,
        ...ownedByAnother(managed, reported.tags, owner(managed)),
        status: reported.status,
      };
    },

    async create(managed, _credential, signal): Promise<Created<M>> {
      const { staying, former } = await ours(managed, signal);
      if (staying !== undefined) return { externalName: idOf(staying) }; // guard: otherwise it creates a second resource although the first may exist
      // guard: otherwise a resource has no owner
      const tags = { ...requestedTags(managed), ...ownerTags(owner(managed)) };
      try {
        return { externalName: idOf(await adapter.create(managed, { tags, former }, signal)) };
      } catch (error) {
        if (!isUncertain(error)) throw error;
        // guard: otherwise a failed search hides the uncertain creation
        const created = await ours(managed, signal).catch(() => undefined);
        // guard: otherwise an administrator has to find the resource
        if (created?.staying !== undefined) return { externalName: idOf(created.staying) };
        // guard: otherwise it creates a second resource after a lost answer
        throw new UncertainCreationError((error as Error).message, { cause: error });
      }
    },

    async update(managed, _credential, signal) {
      const external = await find(managed, signal);
      if (external === undefined)
        throw new Error(`${noun} "${externalName(managed)}" does not exist any more`);
      checkOwner(managed, external); // guard: otherwise it changes a resource that has a new owner
      const { change, differing, refused, drifted } = differenceOf(managed, external);
      if (differing.length > 0) await adapter.change(managed, external, change, signal);
      refuse({ refused, drifted });
      return {};
    },

    async delete(managed, signal) {
      // The owner may have changed since the observation.
      const external = await find(managed, signal);
      // guard: otherwise it deletes a resource that has a new owner
      if (external !== undefined && checkOwner(managed, external) === 'ours') {
        await adapter.delete(managed, idOf(external), signal);
      }
    },
  };
}
