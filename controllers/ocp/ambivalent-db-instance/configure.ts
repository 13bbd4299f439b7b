import type { FancySQLInstance } from '../../../apis/database/v1alpha1/fancy-sql-instance.ts';
import type {
  AmbivalentDBInstance,
  AmbivalentDBInstanceClass,
} from '../../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import { chosenVersion } from '../../author/chosen-version.ts';

/** What a claim gets from a class: all that the class says, and the version. Throws if the two do not agree on it. */
export function configureAmbivalentDBInstance(
  claim: FancySQLInstance,
  resourceClass: AmbivalentDBInstanceClass,
): Pick<AmbivalentDBInstance['spec'], 'forProvider'> {
  const { forProvider } = resourceClass.specTemplate;
  const engineVersion = chosenVersion(claim, resourceClass, 'engineVersion', forProvider.engineVersion);
  return { forProvider: { ...forProvider, ...(engineVersion !== undefined && { engineVersion }) } };
}
