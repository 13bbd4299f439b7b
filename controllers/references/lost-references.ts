import castArray from 'lodash/castArray.js';
import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { ReferenceField } from './references.ts';
import { referencesIn } from './references.ts';

/**
 * Returns the first reference whose value was resolved and whose resource is gone since, as a message; undefined: there is
 * none. The value names something that another user may have now. It stays in the spec, and what was made with it stays, but
 * nothing more is created with it. A field with an Optional reference may have a value of its own, so it is left out.
 */
export function lostReferenceFinder(
  env: Pick<Environment, 'resource'>,
  fields: readonly ReferenceField[],
): (managed: Managed) => string | undefined {
  const sources = fields.map((field) => ({ field, store: env.resource(field.to).store }));
  return (managed) => {
    const forProvider = (managed.spec.forProvider ?? {}) as Readonly<Record<string, unknown>>;
    for (const { field, store } of sources) {
      if (castArray(forProvider[field.field] || []).length === 0) continue;
      const lost = referencesIn(managed, field).find(
        ({ name, policy }) => policy?.resolution !== 'Optional' && store.get({ name }) === undefined,
      );
      if (lost !== undefined)
        return `spec.forProvider.${field.ref}: ${field.to.kind} ${lost.name} does not exist; ${advice.createReferenced(lost.name)}`;
    }
    return undefined;
  };
}
