import type { PostgreSQLInstance } from '../../../apis/database/v1alpha1/postgresql-instance.ts';
import type {
  PostgreSQLDatabase,
  PostgreSQLDatabaseClass,
} from '../../../apis/postgresql/v1alpha1/postgresql-database.ts';
import { majorVersion } from './engine-version.ts';

/**
 * What a claim gets from a class: all that the class says, and the version the claim asks for where the class
 * leaves it open. Throws an Error that names both versions if they differ.
 */
export function configurePostgreSQLDatabase(
  claim: PostgreSQLInstance,
  resourceClass: PostgreSQLDatabaseClass,
): Pick<PostgreSQLDatabase['spec'], 'forProvider'> {
  const { forProvider } = resourceClass.specTemplate;
  const [asked, given] = [claim.spec.engineVersion, forProvider.engineVersion];
  if (asked !== undefined && given !== undefined && majorVersion(asked) !== majorVersion(given)) {
    throw new Error(
      `PostgreSQLDatabaseClass ${resourceClass.metadata.name} has engineVersion "${given}", but the claim's spec.engineVersion is "${asked}"`,
    );
  }
  const engineVersion = given ?? asked;
  return { forProvider: { ...forProvider, ...(engineVersion === undefined ? {} : { engineVersion }) } };
}
