import memoize from 'lodash/memoize.js';
import type { z } from 'zod';
import type { Definition } from './core/schema.ts';
import type { Kind } from './core/v1alpha1/kind.ts';

/**
 * The paths of all fields of a kind, such as `spec.claimRef` and `spec.rules[].port`, without the standard ones. Fields
 * within maps are left out. Empty for a kind without a definition of ours. It reads the schemas themselves: to generate the
 * definition of each kind takes a tenth of the start of a process.
 */
export const fieldPaths = memoize((kind: Kind): readonly string[] =>
  isDefinition(kind) ? pathsWithin(kind.schema, '') : [],
);

const isDefinition = (kind: Kind): kind is Definition => 'schema' in kind;

/** The parts of a schema that have other schemas in them: a wrapper such as an optional field, a list, an object. */
interface Parts {
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly shape?: z.core.$ZodShape;
}

function pathsWithin({ _zod: { def } }: z.core.$ZodType, above: string): readonly string[] {
  const { innerType, in: given, element, shape = {} } = def as Parts;
  const wrapped = innerType ?? given;
  if (wrapped !== undefined) return pathsWithin(wrapped, above);
  if (element !== undefined) return pathsWithin(element, `${above.slice(0, -1)}[].`);
  return Object.entries(shape).flatMap(([name, field]) => [
    `${above}${name}`,
    ...pathsWithin(field, `${above}${name}.`),
  ]);
}
