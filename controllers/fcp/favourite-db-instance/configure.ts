import type { FancySQLInstance } from '../../../apis/database/v1alpha1/fancy-sql-instance.ts';
import type {
  FavouriteDBInstance,
  FavouriteDBInstanceClass,
} from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { chosenVersion } from '../../author/chosen-version.ts';

/** What a claim gets from a class: all that the class says, and the version. Throws if the two do not agree on it. */
export function configureFavouriteDBInstance(
  claim: FancySQLInstance,
  resourceClass: FavouriteDBInstanceClass,
): Pick<FavouriteDBInstance['spec'], 'forProvider'> {
  const { forProvider } = resourceClass.specTemplate;
  const version = chosenVersion(claim, resourceClass, 'version', forProvider.version);
  return { forProvider: { ...forProvider, ...(version !== undefined && { version }) } };
}
