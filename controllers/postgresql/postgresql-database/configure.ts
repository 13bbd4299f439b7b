import type { PostgreSQLInstance } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import type {
  PostgreSQLDatabase,
  PostgreSQLDatabaseClass,
} from '../../../apis/postgresql/v1alpha1/postgresql-database.ts';
import { contradiction } from '../../author/contradiction.ts';
import { majorVersion } from './engine-version.ts';

type Configured = Pick<PostgreSQLDatabase['spec'], 'forProvider'>;

/** Why a database, or one of a class, is none for a claim: it is of another major version. */
export const misfitOfPostgreSQLDatabase = (
  { spec: { engineVersion: asked } }: PostgreSQLInstance,
  { engineVersion }: Partial<Configured['forProvider']>,
): string | undefined =>
  contradiction(
    ['engineVersion', engineVersion],
    ['engineVersion', asked],
    (given, version) => majorVersion(given) === majorVersion(version),
  );

/** What a claim gets from a class: all that the class says, and the version where it leaves that open. */
export function configurePostgreSQLDatabase(
  { spec: { engineVersion: asked } }: PostgreSQLInstance,
  { specTemplate: { forProvider } }: PostgreSQLDatabaseClass,
): Configured {
  const { engineVersion = asked } = forProvider;
  return { forProvider: { ...forProvider, ...(engineVersion !== undefined && { engineVersion }) } };
}
