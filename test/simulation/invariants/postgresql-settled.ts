import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { controllerUid } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { PostgreSQLDatabase } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { PostgreSQLDatabaseKind } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import type { PostgreSQLGrant } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-grant.ts';
import { PostgreSQLGrantKind } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-grant.ts';
import type { PostgreSQLRole } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-role.ts';
import { PostgreSQLRoleKind } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-role.ts';
import type { InvariantOf } from '../invariant.ts';
import { databaseFaults, grantFaults, roleFaults } from '../oracle/expected-postgresql.ts';

export const postgresqlSettled: InvariantOf = ({ cluster, planted, postgresql }) => {
  const secretOf = ({ metadata, spec }: Managed): Secret | undefined => {
    const to = spec.writeConnectionSecretToRef;
    const found = to && cluster.find(SecretKind, to);
    return found && controllerUid(found) === metadata.uid ? found : undefined;
  };
  const faultsOf = <M extends Managed>(kind: Kind<M>, judged: (managed: M) => readonly string[]) =>
    cluster
      .all(kind)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined && !planted.has(metadata.uid))
      .flatMap((managed) =>
        judged(managed).map((fault) => `${kind.kind} ${managed.metadata.name} is ${fault}`),
      );
  return {
    name: 'a resource in PostgreSQL that is Ready and Synced has the requested state, and its login works',
    atRest: () => [
      ...faultsOf(PostgreSQLDatabaseKind as Kind<PostgreSQLDatabase>, (managed) =>
        databaseFaults(managed, secretOf(managed), postgresql),
      ),
      ...faultsOf(PostgreSQLRoleKind as Kind<PostgreSQLRole>, (managed) =>
        roleFaults(managed, secretOf(managed), postgresql),
      ),
      ...faultsOf(PostgreSQLGrantKind as Kind<PostgreSQLGrant>, (managed) =>
        grantFaults(managed, postgresql),
      ),
    ],
  };
};
