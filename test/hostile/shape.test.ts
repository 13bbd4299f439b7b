import assert from 'node:assert/strict';
import fc from 'fast-check';
import get from 'lodash/get.js';
import { shapeCheckOf } from '../../apis/core/v1alpha1/shape.ts';
import { definitions } from '../fakes/defined-kinds.ts';
import { looseObjectArbitrary, objectArbitrary } from './arbitraries.ts';
import { names } from './ordeal.ts';
import { holds } from './property.ts';

const isComposite = (value: unknown): boolean => typeof value === 'object';
const composites: ReadonlySet<string> = new Set(['object', 'record', 'array']);

for (const definition of definitions) {
  const { kind, group, schema } = definition;
  const isInShape = shapeCheckOf(schema);
  /** The paths where the schema finds another shape, or misses an object. */
  const misshapen = (object: object): readonly string[] =>
    (schema.safeParse(object).error?.issues ?? []).flatMap((issue) => {
      if (issue.code !== 'invalid_type') return [];
      const value: unknown = get(object, issue.path);
      const isWrong =
        value === undefined
          ? issue.expected === 'object'
          : isComposite(value) || composites.has(issue.expected);
      return isWrong ? [issue.path.join('.')] : [];
    });

  holds(
    `${kind} (${group}): the quick check accepts no object in which the schema finds another shape`,
    fc.property(looseObjectArbitrary(names, definition), (object) => {
      if (isInShape(object)) assert.deepEqual(misshapen(object), []);
    }),
    { runs: 50 },
  );

  holds(
    `${kind} (${group}): the quick check accepts each object that the schema accepts`,
    fc.property(objectArbitrary(names, definition), (object) => {
      if (schema.safeParse(object).success) assert.ok(isInShape(object));
    }),
    { runs: 20 },
  );
}
