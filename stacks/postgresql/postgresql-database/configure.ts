import type { PostgreSQLInstance } from '../../../package/claims.ts';
import { contradiction } from '../../../package/stack.ts';
import type { PostgreSQLDatabase, PostgreSQLDatabaseClass } from '../kinds/v1alpha1/postgresql-database.ts';
import { majorVersion } from './engine-version.ts';

type Configured = Pick<PostgreSQLDatabase['spec'], 'forProvider'>;

/** The reason why a database, or a class, is incompatible with a claim: it has another major version. */
export const incompatibilityOfPostgreSQLDatabase = (
  { spec: { engineVersion: requested } }: PostgreSQLInstance,
  { engineVersion }: Partial<Configured['forProvider']>,
): string | undefined =>
  contradiction(
    ['engineVersion', engineVersion],
    ['engineVersion', requested],
    (given, version) => majorVersion(given) === majorVersion(version),
  );

/** The parameters of a claim's resource: those of the class, with the claim's version if the class names none. */
export function configurePostgreSQLDatabase(
  { spec: { engineVersion: requested } }: PostgreSQLInstance,
  { specTemplate: { forProvider } }: PostgreSQLDatabaseClass,
): Configured {
  const { engineVersion = requested } = forProvider;
  return { forProvider: { ...forProvider, ...(engineVersion !== undefined && { engineVersion }) } };
}
