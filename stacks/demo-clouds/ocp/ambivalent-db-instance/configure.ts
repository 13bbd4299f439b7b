import { contradiction } from '../../../../package/stack.ts';
import type { FancySQLInstance } from '../../kinds/database/v1alpha1/fancy-sql-instance.ts';
import type {
  AmbivalentDBInstance,
  AmbivalentDBInstanceClass,
} from '../../kinds/ocp/v1alpha1/ambivalent-db-instance.ts';

type Configured = Pick<AmbivalentDBInstance['spec'], 'forProvider'>;

/** The reason why an instance, or a class, is incompatible with a claim: it has another version. */
export const incompatibilityOfAmbivalentDBInstance = (
  { spec: { version: requested } }: FancySQLInstance,
  { engineVersion }: Partial<Configured['forProvider']>,
): string | undefined => contradiction(['engineVersion', engineVersion], ['version', requested]);

/** The parameters of a claim's resource: those of the class, with the claim's version if the class names none. */
export function configureAmbivalentDBInstance(
  { spec: { version: requested } }: FancySQLInstance,
  { specTemplate: { forProvider } }: AmbivalentDBInstanceClass,
): Configured {
  const { engineVersion = requested } = forProvider;
  return { forProvider: { ...forProvider, ...(engineVersion !== undefined && { engineVersion }) } };
}
