import type { FancySQLInstance } from '../../../apis/database/v1alpha1/fancy-sql-instance.ts';
import type {
  FavouriteDBInstance,
  FavouriteDBInstanceClass,
} from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { contradiction } from '../../author/contradiction.ts';

type Configured = Pick<FavouriteDBInstance['spec'], 'forProvider'>;

/** Why an instance, or one of a class, is none for a claim: its version is another one. */
export const misfitOfFavouriteDBInstance = (
  { spec: { version: asked } }: FancySQLInstance,
  { version }: Partial<Configured['forProvider']>,
): string | undefined => contradiction(['version', version], ['version', asked]);

/** What a claim gets from a class: all that the class says, and the version where it leaves that open. */
export function configureFavouriteDBInstance(
  { spec: { version: asked } }: FancySQLInstance,
  { specTemplate: { forProvider } }: FavouriteDBInstanceClass,
): Configured {
  const { version = asked } = forProvider;
  return { forProvider: { ...forProvider, ...(version !== undefined && { version }) } };
}
