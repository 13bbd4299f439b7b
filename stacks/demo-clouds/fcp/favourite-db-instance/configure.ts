import { contradiction } from '../../../../package/stack.ts';
import type { FancySQLInstance } from '../../kinds/database/v1alpha1/fancy-sql-instance.ts';
import type {
  FavouriteDBInstance,
  FavouriteDBInstanceClass,
} from '../../kinds/fcp/v1alpha3/favourite-db-instance.ts';

type Configured = Pick<FavouriteDBInstance['spec'], 'forProvider'>;

/** The reason why an instance, or a class, is incompatible with a claim: it has another version. */
export const incompatibilityOfFavouriteDBInstance = (
  { spec: { version: requested } }: FancySQLInstance,
  { version }: Partial<Configured['forProvider']>,
): string | undefined => contradiction(['version', version], ['version', requested]);

/** The parameters of a claim's resource: those of the class, with the claim's version if the class names none. */
export function configureFavouriteDBInstance(
  { spec: { version: requested } }: FancySQLInstance,
  { specTemplate: { forProvider } }: FavouriteDBInstanceClass,
): Configured {
  const { version = requested } = forProvider;
  return { forProvider: { ...forProvider, ...(version !== undefined && { version }) } };
}
