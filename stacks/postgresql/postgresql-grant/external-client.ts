import type { ExternalClient, Observation, RivalFinder } from '../../../package/stack.ts';
import {
  available,
  clientAdvice,
  deleting,
  ExternalError,
  invalid,
  isObserver,
  wasDeleted,
} from '../../../package/stack.ts';
import type { GrantSpec } from '../client/grant-spec.ts';
import { grantDrift } from '../client/grant-spec.ts';
import type { PostgresqlServer } from '../client/server.ts';
import type { PostgreSQLGrant } from '../kinds/v1alpha1/postgresql-grant.ts';
import {
  differingFields,
  formerGrant,
  grantedBy,
  grantParameters,
  grantPlace,
  grantSpec,
  recordedGrant,
  wantedGrant,
} from './desired-state.ts';

export interface PostgreSQLGrantOptions {
  readonly server: Pick<PostgresqlServer, 'grants'>;
  readonly rivalOf: RivalFinder<PostgreSQLGrant>;
  /** Why the reference of a field does not lead to a resource any more; undefined: all do. */
  readonly lostReferences: (managed: PostgreSQLGrant) => string | undefined;
}

/**
 * Grants of a server, for one run. A grant carries no mark: it is the role, the target and the privileges that the
 * status records. They are revoked when the managed resource is deleted.
 */
export function postgreSQLGrantClient({
  server: { grants },
  rivalOf,
  lostReferences,
}: PostgreSQLGrantOptions): ExternalClient<PostgreSQLGrant> {
  /** The grant of this run, which the status does not record yet. */
  let applied: GrantSpec | undefined;

  const apply = async (managed: PostgreSQLGrant, signal: AbortSignal): Promise<void> => {
    const spec = grantSpec(managed);
    const lost = lostReferences(managed);
    // guard: otherwise the grant of a deleted role passes to a tenant who takes its name
    if (lost !== undefined) throw invalid(lost);
    const former = formerGrant(managed);
    if (former !== undefined) await grants.revoke(former, { signal });
    await grants.apply(spec, { signal });
    applied = spec;
  };

  /**
   * The privileges that this managed resource must revoke: the recorded ones. Without a record, those of forProvider,
   * since they may have been granted before the record was written. Privileges of an older managed resource stay.
   */
  const ownGrant = (managed: PostgreSQLGrant): Pick<GrantSpec, 'role' | 'on'> | undefined =>
    recordedGrant(managed) ?? (rivalOf(managed) === undefined ? wantedGrant(managed) : undefined);

  /** With permission to observe only, the spec asks for nothing: the current privileges count as wanted. */
  const look = async (
    managed: PostgreSQLGrant,
    signal: AbortSignal,
  ): Promise<Observation<PostgreSQLGrant>> => {
    const held = await grants.observe(grantPlace(managed), { signal });
    if (held === undefined || held.size === 0) return { exists: false, isUpToDate: false };
    const lateInitialized = grantParameters(held);
    return { exists: true, isUpToDate: true, ready: available(), lateInitialized };
  };

  return {
    async observe(managed, _credential, signal) {
      if (wasDeleted(managed)) {
        const last = ownGrant(managed);
        const held = last && (await grants.observe(last, { signal }));
        const exists =
          last !== undefined && (held?.size ?? 0) > 0 && !(await grants.isOwner(last, { signal }));
        return { exists, isUpToDate: true, ready: deleting() };
      }
      if (isObserver(managed)) return look(managed, signal);
      const spec = grantSpec(managed);
      const rival = rivalOf(managed);
      if (rival !== undefined) {
        throw new ExternalError(
          `PostgreSQLGrant ${rival.metadata.name} has the same role and target; ${clientAdvice.mergeGrants}`,
          { errorClass: 'Conflict' },
        );
      }
      const held = await grants.observe(spec, { signal });
      if (held === undefined || held.size === 0) return { exists: false, isUpToDate: false };
      const { missing, extra, overgranted } = grantDrift(held, spec);
      // A grant that stands is not taken back: `update` reports why it is not kept either.
      const isMeant =
        lostReferences(managed) === undefined && (await grants.distrusted(spec, { signal })) === undefined;
      const differing = [...missing, ...extra, ...overgranted, ...(isMeant ? [] : ['identity'])];
      // An owner has all privileges without a grant.
      const isOwner = differing.length > 0 && (await grants.isOwner(spec, { signal }));
      const hasMoved = applied === undefined && formerGrant(managed) !== undefined;
      const isUpToDate = !hasMoved && isMeant && (differing.length === 0 || isOwner);
      return {
        exists: true,
        isUpToDate,
        ready: available(),
        ...(isUpToDate ? { status: { granted: grantedBy(spec) } } : {}),
        ...(isUpToDate ? {} : { difference: hasMoved ? 'role or target' : differing.join(', ') }),
        ...(isUpToDate ? {} : { differing: differingFields(managed, held) }),
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
      if (last !== undefined) await grants.revoke(last, { signal });
    },
  };
}
