import type { ExternalClient, GrantActs, RivalFinder } from '../../../package/stack.ts';
import { grantClient } from '../../../package/stack.ts';
import type { GrantObservation, GrantSpec, GrantTarget } from '../client/grant.ts';
import type { MysqlServer } from '../client/server.ts';
import type { MySQLGrant } from '../kinds/v1alpha1/mysql-grant.ts';
import { grantDifferences, grantParameters, grantPlace, grantSpec, intendedGrant } from './desired-state.ts';

export interface MySQLGrantOptions {
  readonly server: Pick<MysqlServer, 'grants'>;
  readonly rivalOf: RivalFinder<MySQLGrant>;
  /** Why the reference of a field does not lead to a resource any more; undefined: all do. */
  readonly lostReferences: (managed: MySQLGrant) => string | undefined;
}

/** Grants of a server, for one run. */
export const mySQLGrantClient = ({
  server: { grants },
  rivalOf,
  lostReferences,
}: MySQLGrantOptions): ExternalClient<MySQLGrant> =>
  grantClient(grantActs(grants), { words: 'user and database', rivalOf, lostReferences });

const grantActs = (
  grants: MysqlServer['grants'],
): GrantActs<MySQLGrant, GrantTarget, GrantSpec, GrantObservation> => ({
  spec: grantSpec,
  place: grantPlace,
  intended: intendedGrant,
  recorded: ({ status }) => status?.granted,
  granted: ({ user, database }) => ({ user, database }),
  parameters: grantParameters,
  differences: grantDifferences,
  fields: (held, spec) => (grantDifferences(held, spec).length > 0 ? ['privileges'] : []),
  async observe(target, signal) {
    const held = await grants.observe(target, { signal });
    return held === undefined || held.privileges.length + held.unescaped.length === 0 ? undefined : held;
  },
  isDistrusted: async (spec, signal) => (await grants.distrusted(spec, { signal })) !== undefined,
  apply: (spec, signal) => grants.apply(spec, { signal }),
  revoke: (target, signal) => grants.revoke(target, { signal }),
});
