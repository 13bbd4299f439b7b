import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { z } from 'zod';
import { definitionProblems } from '../../apis/core/definition-problems.ts';
import type { Definition } from '../../apis/core/schema.ts';
import { defineManaged } from '../../apis/core/v1alpha1/define-managed.ts';
import { customResourceDefinition } from '../../apis/crd.ts';
import type { ControlPlane } from '../../local/control-plane/control-plane.ts';
import { ApiError } from '../../runtime/client/errors.ts';
import type { CustomResourceDefinition } from '../../runtime/client/install-crds.ts';
import { CustomResourceDefinitionKind } from '../../runtime/client/install-crds.ts';
import { adminClient } from './stack-harness.ts';

const text = z.string().describe('A text.');
const names = { group: 'example.org', version: 'v1', stack: 'boxes', description: 'A box.' };

const fields: Readonly<Record<string, z.ZodType>> = {
  'two patterns': z.string().regex(/^a/).regex(/b$/),
  'a pattern by code points': z.string().regex(/^\p{Lu}$/u),
  'escapes that both know': z.string().regex(/[\x41-\x5a-]\/\.\d\W\b/),
  'a thousand times': z.string().regex(/a{2,1000}/),
  'a thousand and one times': z.string().regex(/a{1001}/),
  'a lookahead': z.string().regex(/(?=a)/),
  'a lookbehind': z.string().regex(/(?<!a)/),
  'a reference back': z.string().regex(/(a)\1/),
  'a code unit': z.string().regex(/\u0041/),
  'a control character': z.string().regex(/\cA/),
  // \p{Letter} is refused here as well, though a server that was built with Go 1.25 or later accepts it.
  'a script by its long name': z.string().regex(/\p{Script=Greek}/u),
  'a backspace': z.string().regex(/[a\b]/),
  'a mail address': z.email(),
  'a host': z.hostname(),
  'a date as a text': z.iso.datetime(),
  'a UUID': z.uuid(),
  'some numbers': z.literal([1, 2]),
  'a field that may be null': z.string().nullable(),
  'a map of some keys': z.record(z.enum(['a', 'b']), z.string()),
  'one of two types': z.union([z.string(), z.int()]),
  'one of two objects': z.discriminatedUnion('a', [
    z.object({ a: z.literal('x').describe('X.') }),
    z.object({ a: z.literal('y').describe('Y.') }),
  ]),
  'a list of places': z.tuple([z.string()]),
  'no type': z.any(),
  'a list of no type': z.array(z.any()),
  'a strict object': z.strictObject({ text }),
  'a loose object': z.looseObject({ text }),
  'a schema with an id': z.object({ text }).meta({ id: 'inner' }),
  'a list without repetition': z.array(z.string()).meta({ uniqueItems: true }),
};

const facts: Readonly<Record<string, object>> = {
  'the longest kind': { kind: `B${'o'.repeat(58)}` },
  'a kind that is too long for its list': { kind: `B${'o'.repeat(59)}` },
  'a short name with a digit first': { shortNames: ['2b'] },
  'a plural with a digit first': { plural: '2boxes' },
  'a plural in capitals': { plural: 'Boxes' },
  'a category with a space': { stack: 'my boxes' },
  'a group without a dot': { group: 'example' },
  'a group in capitals': { group: 'Example.org' },
  "a group of Kubernetes' own": { group: 'boxes.k8s.io' },
};

/** Each of another name. */
const definitions = [
  ...Object.entries(fields).map(([what, field]) => ({ what, own: {}, field: field.describe('A field.') })),
  ...Object.entries(facts).map(([what, own]) => ({ what, own, field: undefined })),
].map(({ what, own, field }, index) => {
  const kind = { ...names, kind: `Box${index}`, plural: `boxes${index}`, ...own };
  const parameters = z.object(field === undefined ? {} : { field }).describe('The box.');
  return [what, defineManaged(kind, parameters, {})] as const;
});

/** Compares our own check of a definition with the answer of the API server. */
export function testDefinitions(controlPlane: () => ControlPlane): void {
  describe('a definition is refused exactly if the API server would refuse it', () => {
    let client: ReturnType<typeof adminClient>;
    before(() => {
      client = adminClient(controlPlane());
    });
    after(() => client?.close());

    /** Whether the API server takes a definition; any other answer than that is thrown. */
    async function isAccepted(definition: Definition): Promise<boolean> {
      const manifest = customResourceDefinition(definition) as CustomResourceDefinition;
      try {
        await client.create(CustomResourceDefinitionKind, manifest);
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.code === 422) return false;
        throw error;
      }
    }

    for (const [what, definition] of definitions) {
      test(what, async () => {
        const problems = definitionProblems(definition);
        assert.equal(problems.length === 0, await isAccepted(definition), problems.join());
      });
    }
  });
}
