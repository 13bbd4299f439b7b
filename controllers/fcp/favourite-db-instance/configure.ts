import type { FancySQLInstance } from '../../../apis/database/v1alpha1/fancy-sql-instance.ts';
import type {
  FavouriteDBInstance,
  FavouriteDBInstanceClass,
} from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';

/**
 * What a claim gets from a class: all that the class says, and the version the claim asks for where the class
 * leaves it open. Throws an Error that names both versions if they differ.
 */
export function configureFavouriteDBInstance(
  claim: FancySQLInstance,
  resourceClass: FavouriteDBInstanceClass,
): Pick<FavouriteDBInstance['spec'], 'forProvider'> {
  const { forProvider } = resourceClass.specTemplate;
  const version = forProvider.version ?? claim.spec.version;
  if (claim.spec.version !== undefined && claim.spec.version !== version) {
    throw new Error(
      `FavouriteDBInstanceClass ${resourceClass.metadata.name} has version "${version}", but the claim's spec.version is "${claim.spec.version}"`,
    );
  }
  return { forProvider: { ...forProvider, ...(version === undefined ? {} : { version }) } };
}
