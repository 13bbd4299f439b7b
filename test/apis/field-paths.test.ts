import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import type { JsonSchema } from '../../apis/crd.ts';
import { objectSchema } from '../../apis/crd.ts';
import { fieldPaths } from '../../apis/field-paths.ts';
import { demoStacks, stacks } from '../../app/stacks.ts';

/** The same paths by the definition that is installed in the cluster. */
const pathsWithin = ({ properties = {} }: JsonSchema, above: string): readonly string[] =>
  Object.entries(properties).flatMap(([name, field]) => [
    `${above}${name}`,
    ...pathsWithin(field, `${above}${name}.`),
    ...(field.items === undefined ? [] : pathsWithin(field.items, `${above}${name}[].`)),
  ]);

describe('the fields of a kind are those of its installed definition', () => {
  const definitions = new Set([...stacks, ...demoStacks].flatMap((stack) => stack.definitions));
  for (const definition of definitions) {
    test(`${definition.kind}.${definition.group}`, () => {
      const standard = ['apiVersion', 'kind', 'metadata'];
      const installed = pathsWithin(objectSchema(definition), '').filter((path) => !standard.includes(path));
      assert.deepEqual(fieldPaths(definition), installed);
    });
  }

  test('no fields are known of a kind without a definition of this product', () =>
    assert.deepEqual(fieldPaths(SecretKind), []));
});
