import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { ReferenceField } from './references.ts';
import { referencesIn, valuesOf } from './references.ts';

/**
 * Returns a message about the first reference that was resolved, and whose resource was deleted since; undefined: there is
 * none. Another user may now have the name in the resolved value. The value stays in the spec, but nothing is created with
 * it. An Optional reference is left out, because its field may have a value that a user wrote.
 */
export function lostReferenceFinder(
  env: Pick<Environment, 'resource'>,
  fields: readonly ReferenceField[],
): (managed: Managed) => string | undefined {
  const sources = fields.map((field) => ({ field, store: env.resource(field.to).store }));
  return (managed) => {
    for (const { field, store } of sources) {
      if (valuesOf(managed, field).length === 0) continue;
      const lost = referencesIn(managed, field).find(
        ({ name, policy }) => policy?.resolution !== 'Optional' && store.get({ name }) === undefined,
      );
      if (lost !== undefined)
        return `spec.forProvider.${field.ref}: ${field.to.kind} ${lost.name} does not exist; ${advice.createReferenced(lost.name)}`;
    }
    return undefined;
  };
}
