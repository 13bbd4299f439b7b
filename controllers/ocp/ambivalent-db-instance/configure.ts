import type { FancySQLInstance } from '../../../apis/database/v1alpha1/fancy-sql-instance.ts';
import type {
  AmbivalentDBInstance,
  AmbivalentDBInstanceClass,
} from '../../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import { contradiction } from '../../author/contradiction.ts';

type Configured = Pick<AmbivalentDBInstance['spec'], 'forProvider'>;

/** Why an instance, or one of a class, is none for a claim: its version is another one. */
export const misfitOfAmbivalentDBInstance = (
  { spec: { version: asked } }: FancySQLInstance,
  { engineVersion }: Partial<Configured['forProvider']>,
): string | undefined => contradiction(['engineVersion', engineVersion], ['version', asked]);

/** What a claim gets from a class: all that the class says, and the version where it leaves that open. */
export function configureAmbivalentDBInstance(
  { spec: { version: asked } }: FancySQLInstance,
  { specTemplate: { forProvider } }: AmbivalentDBInstanceClass,
): Configured {
  const { engineVersion = asked } = forProvider;
  return { forProvider: { ...forProvider, ...(engineVersion !== undefined && { engineVersion }) } };
}
