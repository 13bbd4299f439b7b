import assert from 'node:assert/strict';
import { test } from 'node:test';
import get from 'lodash/get.js';
import range from 'lodash/range.js';
import { shapeCheckOf } from '../../../../apis/core/v1alpha1/shape.ts';
import { seededRandom } from '../../../../runtime/time/random.ts';
import { definitions } from '../../../fakes/defined-kinds.ts';
import { OddObjects } from '../../../simulation/workload/odd-objects.ts';

const names = { objects: ['small', 'default'], namespaces: ['team'], uids: ['uid-1'] };
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
  const odd = new OddObjects(seededRandom(1), names);

  test(`${kind} (${group}): the quick check accepts no object in which the schema finds another shape`, () => {
    for (const _ of range(50)) {
      const object = odd.malformed(definition, 'odd');
      if (isInShape(object)) assert.deepEqual(misshapen(object), [], JSON.stringify(object));
    }
  });

  test(`${kind} (${group}): the quick check accepts each object that the schema accepts`, () => {
    const valid = range(60)
      .map(() => odd.structural(definition, 'odd'))
      .filter((object) => schema.safeParse(object).success);
    assert.ok(valid.length > 0, 'some objects are valid');
    for (const object of valid) assert.ok(isInShape(object), JSON.stringify(object));
  });
}
