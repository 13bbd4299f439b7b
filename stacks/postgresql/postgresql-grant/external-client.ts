import type { ExternalClient, GrantActs, RivalFinder } from '../../../package/stack.ts';
import { grantClient } from '../../../package/stack.ts';
import type { GrantObservation, GrantSpec } from '../client/grant-spec.ts';
import { grantDrift } from '../client/grant-spec.ts';
import type { PostgresqlServer } from '../client/server.ts';
import type { PostgreSQLGrant } from '../kinds/v1alpha1/postgresql-grant.ts';
import {
  differingFields,
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

type Place = Pick<GrantSpec, 'role' | 'on'>;

/** Grants of a server, for one run. */
export const postgreSQLGrantClient = ({
  server: { grants },
  rivalOf,
  lostReferences,
}: PostgreSQLGrantOptions): ExternalClient<PostgreSQLGrant> =>
  grantClient<PostgreSQLGrant, Place, GrantSpec, GrantObservation>(grantActs(grants), {
    words: 'role and target',
    rivalOf,
    lostReferences,
  });

const grantActs = (
  grants: PostgresqlServer['grants'],
): GrantActs<PostgreSQLGrant, Place, GrantSpec, GrantObservation> => ({
  spec: grantSpec,
  place: grantPlace,
  intended: wantedGrant,
  recorded: recordedGrant,
  granted: grantedBy,
  parameters: grantParameters,
  differences(held, spec) {
    const { missing, extra, overgranted } = grantDrift(held, spec);
    return [...missing, ...extra, ...overgranted];
  },
  fields: differingFields,
  async observe(place, signal) {
    const held = await grants.observe(place, { signal });
    return held === undefined || held.size === 0 ? undefined : held;
  },
  isDistrusted: async (spec, signal) => (await grants.distrusted(spec, { signal })) !== undefined,
  isOwner: (place, signal) => grants.isOwner(place, { signal }),
  apply: (spec, signal) => grants.apply(spec, { signal }),
  revoke: (place, signal) => grants.revoke(place, { signal }),
});
