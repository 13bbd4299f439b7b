import type { Environment, RivalFinder } from '../../../package/stack.ts';
import { rivalFinder } from '../../../package/stack.ts';
import type { PostgreSQLGrant } from '../kinds/v1alpha1/postgresql-grant.ts';
import { PostgreSQLGrantKind } from '../kinds/v1alpha1/postgresql-grant.ts';

/** Finds an older grant for the same role on the same target: the two would undo each other. */
export const grantRivals = (env: Pick<Environment, 'resource'>): RivalFinder<PostgreSQLGrant> =>
  rivalFinder(env, PostgreSQLGrantKind, ({ spec: { forProvider } }) => {
    const { role, database, schema, memberOf } = forProvider;
    return [role, database, schema, memberOf];
  });
