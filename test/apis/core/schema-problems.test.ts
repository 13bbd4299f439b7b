import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { late } from '../../../apis/core/marks.ts';
import { optional, text, texts } from '../../../apis/core/schema.ts';
import type { SchemaProblem } from '../../../apis/core/schema-problems.ts';
import { schemaProblems } from '../../../apis/core/schema-problems.ts';

const schema = z.object({
  nodes: z.int().min(1),
  size: z.enum(['small', 'large']),
  version: optional(late(text('The version.'))),
  network: optional(z.object({ region: text('Where.'), zone: optional(text('Where there.')) })),
  users: optional(z.array(z.object({ name: text('Who.') }))),
  labels: optional(texts('Labels.')),
  limits: optional(z.record(z.string(), z.object({ max: z.int() }))),
  extra: optional(z.looseObject({})),
  port: z.int().default(5432),
});
const right = { nodes: 1, size: 'small' };
const unknown = (path: string): SchemaProblem => ({ type: 'unknown', path });
const missing = (path: string): SchemaProblem => ({ type: 'missing', path });
const mistyped = (path: string, why: string): SchemaProblem => ({ type: 'mistyped', path, why });

const cases: Readonly<Record<string, readonly [object, ...SchemaProblem[]]>> = {
  'an object that fits': [{ ...right, version: '5.7', network: { region: 'eu' }, users: [{ name: 'a' }] }],
  'a field that is undefined, which does not travel': [{ ...right, version: undefined }],
  'a value that is refused for more than its type': [{ ...right, nodes: 0 }],
  'keys of a map': [{ ...right, labels: { any: 'thing' }, limits: { cpu: { max: 1 } } }],
  'an object that takes any field': [{ ...right, extra: { any: 1 } }],
  'a misspelt field': [{ ...right, verion: '5.7' }, unknown('verion')],
  'one within an object': [{ ...right, network: { region: 'eu', zome: 'a' } }, unknown('network.zome')],
  'one within a list': [{ ...right, users: [{ name: 'a' }, { name: 'b', age: 1 }] }, unknown('users.1.age')],
  'one within a map': [{ ...right, limits: { cpu: { max: 1, min: 0 } } }, unknown('limits.cpu.min')],
  'a name that every object inherits': [{ ...right, constructor: 1 }, unknown('constructor')],
  'required fields that are missing': [{}, missing('nodes'), missing('size')],
  'one within a field': [{ ...right, network: {} }, missing('network.region')],
  'one that is misspelt': [{ size: 'small', nods: 1 }, unknown('nods'), missing('nodes')],
  'another type': [{ ...right, nodes: '1' }, mistyped('nodes', 'expected number, received string')],
  'nothing in place of a value': [
    { ...right, version: null },
    mistyped('version', 'expected string, received null'),
  ],
};

describe('problems of the fields of a value', () => {
  for (const [name, [value, ...expected]] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(schemaProblems(schema, value), expected));
  }
});
