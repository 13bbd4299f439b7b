import isEqual from 'lodash/isEqual.js';
import union from 'lodash/union.js';
import { available, deleting } from '../../apis/core/v1alpha1/condition.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { advice as clientAdvice } from '../../clients/advice.ts';
import { ExternalError, invalid } from '../../clients/external-error.ts';
import type {
  ExternalClient,
  ForProviderOf,
  Observation,
  ReportedStatus,
} from '../managed/connecting/external-client.ts';
import { isObserver } from '../management-policies.ts';
import type { ReferenceField } from '../references/references.ts';
import { resourceId } from './owner-id.ts';
import type { RivalFinder } from './rivals.ts';

/**
 * The operations on grants of a shared server. `P` is the place of a grant: the account and the target. `S` also has the
 * privileges, and `H` are the privileges that the account has there.
 */
export interface GrantActs<M extends Managed, P extends object, S extends P, H> {
  /** The place and the privileges in the spec. Throws an Error that names missing fields. */
  readonly spec: (managed: M) => S;
  /** The place alone. Throws an Error that names missing fields. */
  readonly place: (managed: M) => P;
  /** The place; undefined while a field is missing. */
  readonly intended: (managed: M) => P | undefined;
  /** The place that the status records. Undefined: it records none, or an invalid one. */
  readonly recorded: (managed: M) => P | undefined;
  /** The place as `status.granted`, by the names of the fields. */
  readonly granted: (place: P) => Readonly<Record<string, string>>;
  /** The privileges in the form of forProvider. */
  readonly parameters: (held: H) => ForProviderOf<M>;
  /** The differences, for the log. Empty: none. */
  readonly differences: (held: H, spec: S) => readonly string[];
  /** The fields that differ, besides those of the place. */
  readonly fields: (held: H, spec: S) => readonly string[];
  /** Undefined: the account has nothing there. */
  readonly observe: (place: P, signal: AbortSignal) => Promise<H | undefined>;
  /** Whether a name in the spec belongs to an account or target that a name alone must not mean, such as that of a claim. */
  readonly isDistrusted: (spec: S, signal: AbortSignal) => Promise<boolean>;
  /** Whether the account owns the target. Then nothing is ever granted or revoked. Absent: there are no owners. */
  readonly isOwner?: (place: P, signal: AbortSignal) => Promise<boolean>;
  readonly apply: (spec: S, signal: AbortSignal) => Promise<void>;
  readonly revoke: (place: P, signal: AbortSignal) => Promise<void>;
}

export interface GrantClientOptions<M extends Managed> {
  /** The words for the place in messages: `role and target`. */
  readonly words: string;
  readonly rivalOf: RivalFinder<M>;
  /** Why the reference of a field does not lead to a resource any more; undefined: all do. */
  readonly lostReferences: (managed: M) => string | undefined;
}

/** The owners of the accounts and targets that the references of a grant name, by field. They may be those of claims. */
export function referencedOwners<F extends string>(
  { spec }: Managed,
  references: readonly (ReferenceField & { readonly field: F })[],
): Partial<Readonly<Record<F, string>>> {
  const forProvider = (spec.forProvider ?? {}) as Readonly<Record<string, { readonly name: string }>>;
  const owners = references.flatMap(({ field, ref, to }) => {
    const reference = forProvider[ref];
    return reference === undefined ? [] : [[field, resourceId(to, reference.name)]];
  });
  return Object.fromEntries(owners) as Partial<Record<F, string>>;
}

/**
 * Grants of a shared server, for one run. A grant carries no mark: it is the account, the target and the privileges that
 * the status records. They are revoked when the managed resource is deleted.
 */
export function grantClient<M extends Managed, P extends object, S extends P, H>(
  acts: GrantActs<M, P, S, H>,
  { words, rivalOf, lostReferences }: GrantClientOptions<M>,
): ExternalClient<M> {
  /** Whether this run made the grant, which the status does not record yet. */
  let isApplied = false;
  const statusOf = (place: P) => ({ granted: acts.granted(place) }) as unknown as ReportedStatus<M>;

  /** The earlier grant to another account or on another target, which is to be revoked. */
  const previousGrant = (managed: M): P | undefined => {
    const recorded = acts.recorded(managed);
    if (recorded === undefined) return undefined;
    return isEqual(acts.granted(recorded), acts.granted(acts.place(managed))) ? undefined : recorded;
  };

  const apply = async (managed: M, signal: AbortSignal): Promise<void> => {
    const spec = acts.spec(managed);
    const lost = lostReferences(managed);
    // guard: otherwise the grant of a deleted account passes to a tenant who takes its name
    if (lost !== undefined) throw invalid(lost);
    const previous = previousGrant(managed);
    if (previous !== undefined) await acts.revoke(previous, signal);
    await acts.apply(spec, signal);
    isApplied = true;
  };

  /**
   * The privileges that this managed resource must revoke: the recorded ones. Without a record, those of forProvider,
   * since they may have been granted before the record was written. Privileges of an older managed resource stay.
   */
  const ownGrant = (managed: M): P | undefined =>
    acts.recorded(managed) ?? (rivalOf(managed) === undefined ? acts.intended(managed) : undefined);

  /** A resource that may only observe accepts the current privileges. */
  const observeOnly = async (managed: M, signal: AbortSignal): Promise<Observation<M>> => {
    const held = await acts.observe(acts.place(managed), signal);
    if (held === undefined) return { exists: false, isUpToDate: false };
    return {
      exists: true,
      isUpToDate: true,
      ready: available(),
      lateInitialized: acts.parameters(held),
    };
  };

  /** The paths of the fields in the spec that differ from the privileges that the account has, and from the status. */
  const differingFields = (managed: M, held: H, spec: S): readonly string[] => {
    const previous = previousGrant(managed);
    const [before, now] = [previous && acts.granted(previous), acts.granted(spec)];
    const moved = before
      ? union(Object.keys(now), Object.keys(before)).filter((f) => before[f] !== now[f])
      : [];
    return [...moved, ...acts.fields(held, spec)].map((field) => `spec.forProvider.${field}`);
  };

  return {
    async observe(managed, _credential, signal) {
      if (wasDeleted(managed)) {
        const last = ownGrant(managed);
        const held = last && (await acts.observe(last, signal));
        const exists =
          last !== undefined && held !== undefined && !((await acts.isOwner?.(last, signal)) ?? false);
        return { exists, isUpToDate: true, ready: deleting() };
      }
      if (isObserver(managed)) return observeOnly(managed, signal);
      const spec = acts.spec(managed);
      const rival = rivalOf(managed);
      if (rival !== undefined) {
        throw new ExternalError(
          `${rival.kind} ${rival.metadata.name} has the same ${words}; ${clientAdvice.mergeGrants}`,
          { errorClass: 'Conflict' },
        );
      }
      const held = await acts.observe(spec, signal);
      if (held === undefined) return { exists: false, isUpToDate: false };
      // A grant whose reference was lost is not revoked. `update` reports why it is not renewed.
      const isMeant = lostReferences(managed) === undefined && !(await acts.isDistrusted(spec, signal));
      const differing = [...acts.differences(held, spec), ...(isMeant ? [] : ['identity'])];
      // An owner has all privileges without a grant.
      const isOwner = differing.length > 0 && ((await acts.isOwner?.(spec, signal)) ?? false);
      const hasMoved = !isApplied && previousGrant(managed) !== undefined;
      if (!hasMoved && isMeant && (differing.length === 0 || isOwner))
        return { exists: true, isUpToDate: true, ready: available(), status: statusOf(spec) };
      return {
        exists: true,
        isUpToDate: false,
        ready: available(),
        difference: hasMoved ? words : differing.join(', '),
        differing: differingFields(managed, held, spec),
      };
    },

    async create(managed, _credential, signal) {
      await apply(managed, signal);
      return {};
    },

    async update(managed, _credential, signal) {
      await apply(managed, signal);
      return {};
    },

    async delete(managed, signal) {
      const last = ownGrant(managed);
      if (last !== undefined) await acts.revoke(last, signal);
    },
  };
}
