import type { MySQLInstance } from '../../../package/claims.ts';
import { contradiction } from '../../../package/stack.ts';
import type { MySQLDatabase, MySQLDatabaseClass } from '../kinds/v1alpha1/mysql-database.ts';
import { agree } from './engine-version.ts';

type Configured = Pick<MySQLDatabase['spec'], 'forProvider'>;

/** The reason why a database, or a class, is incompatible with a claim: it has another version. */
export const incompatibilityOfMySQLDatabase = (
  { spec: { engineVersion: requested } }: MySQLInstance,
  { engineVersion }: Partial<Configured['forProvider']>,
): string | undefined => contradiction(['engineVersion', engineVersion], ['engineVersion', requested], agree);

/** The parameters of a claim's resource: those of the class, with the claim's version if the class names none. */
export function configureMySQLDatabase(
  { spec: { engineVersion: requested } }: MySQLInstance,
  { specTemplate: { forProvider } }: MySQLDatabaseClass,
): Configured {
  const { engineVersion = requested } = forProvider;
  return { forProvider: { ...forProvider, ...(engineVersion !== undefined && { engineVersion }) } };
}
