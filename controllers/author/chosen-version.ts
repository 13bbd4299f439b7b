import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';

/**
 * The version for what a claim is given from a class: the class's, or the claim's where the class leaves it open.
 * Throws an Error that names both if they differ; `field` is what the class calls it.
 */
export function chosenVersion(
  { spec: { version: asked } }: Claim & { readonly spec: { readonly version?: string } },
  { kind, metadata: { name } }: Class,
  field: string,
  given: string | undefined,
): string | undefined {
  if (given !== undefined && asked !== undefined && asked !== given) {
    throw new Error(`${kind} ${name} has ${field} "${given}", but the claim's spec.version is "${asked}"`);
  }
  return given ?? asked;
}
