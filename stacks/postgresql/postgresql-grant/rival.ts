import type { Environment } from '../../../package/stack.ts';
import { isObserver, providerOf, wasDeleted } from '../../../package/stack.ts';
import type { PostgreSQLGrant } from '../kinds/v1alpha1/postgresql-grant.ts';
import { PostgreSQLGrantKind } from '../kinds/v1alpha1/postgresql-grant.ts';

/** Finds an older grant for the same role on the same target: the two would undo each other. */
export type RivalFinder = (managed: PostgreSQLGrant) => PostgreSQLGrant | undefined;

const index = 'role and target';

function placeOf(managed: PostgreSQLGrant): string {
  const { role, database, schema, memberOf } = managed.spec.forProvider;
  const { kind, name } = providerOf(managed);
  return JSON.stringify([kind, name, role, database, schema, memberOf]);
}

const ageOf = ({ metadata }: PostgreSQLGrant): string =>
  `${metadata.creationTimestamp ?? ''} ${metadata.name}`;

export function rivalFinder(env: Pick<Environment, 'resource'>): RivalFinder {
  const { store } = env.resource(PostgreSQLGrantKind);
  store.addIndex(index, (managed) => [placeOf(managed)]);
  return (managed) =>
    store
      .byIndex(index, placeOf(managed))
      .filter((other) => other.metadata.name !== managed.metadata.name)
      .filter((other) => !wasDeleted(other) && !isObserver(other) && ageOf(other) < ageOf(managed))
      .toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1))[0];
}
