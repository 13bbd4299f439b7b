import type { FancySQLInstance } from '../../../apis/database/v1alpha1/fancy-sql-instance.ts';
import type {
  AmbivalentDBInstance,
  AmbivalentDBInstanceClass,
} from '../../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';

/**
 * What a claim gets from a class: all that the class says, and the version the claim asks for where the class
 * leaves it open. Throws an Error that names both versions if they differ.
 */
export function configureAmbivalentDBInstance(
  claim: FancySQLInstance,
  resourceClass: AmbivalentDBInstanceClass,
): Pick<AmbivalentDBInstance['spec'], 'forProvider'> {
  const { forProvider } = resourceClass.specTemplate;
  const engineVersion = forProvider.engineVersion ?? claim.spec.version;
  if (claim.spec.version !== undefined && claim.spec.version !== engineVersion) {
    throw new Error(
      `AmbivalentDBInstanceClass ${resourceClass.metadata.name} has engineVersion "${engineVersion}", but the claim's spec.version is "${claim.spec.version}"`,
    );
  }
  return { forProvider: { ...forProvider, ...(engineVersion === undefined ? {} : { engineVersion }) } };
}
