import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { defineManaged } from '../../../apis/core/v1alpha1/define-managed.ts';
import { distinctDefinitions } from '../../../controllers/author/distinct-definitions.ts';
import { WiringError } from '../../../controllers/core/wiring.ts';

const box = ({ group = 'example.org', version = 'v1', description = 'A box.' } = {}) =>
  defineManaged(
    { group, version, kind: 'Box', plural: 'boxes', stack: 'boxes', description },
    z.object({}).describe('The box as it should be.'),
    {},
  );
const one = box();

describe('the definitions of stacks', () => {
  const fine = {
    'of one definition: once, whoever has it': { a: [one], b: [one], want: 1 },
    'of two that say the same: once': { a: [one], b: [box()], want: 1 },
    'of another group: both': { a: [one], b: [box({ group: 'other.org' })], want: 2 },
  };
  for (const [name, { a, b, want }] of Object.entries(fine)) {
    test(name, () => {
      const found = distinctDefinitions([
        { name: 'a', definitions: a },
        { name: 'b', definitions: b },
      ]);
      assert.equal(found.length, want);
      assert.equal(found[0], one);
    });
  }

  const differing = {
    'that differ in what they say': box({ description: 'Another box.' }),
    // A cluster has one definition for all versions.
    'that differ in their version': box({ version: 'v2' }),
  };
  for (const [name, other] of Object.entries(differing)) {
    test(`two ${name} are refused, with the names of both stacks`, () => {
      const between = () =>
        distinctDefinitions([
          { name: 'a', definitions: [one] },
          { name: 'c', definitions: [] },
          { name: 'b', definitions: [other] },
        ]);
      assert.throws(
        between,
        new WiringError(
          'boxes.example.org is defined by stack "a" and, in another way, by stack "b"; give one of them an API group of its own, or have both use one definition',
        ),
      );
      const within = () => distinctDefinitions([{ name: 'a', definitions: [one, other] }]);
      assert.throws(
        within,
        new WiringError('boxes.example.org is defined twice, in different ways, by stack "a"'),
      );
    });
  }
});
