import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

/*
 * The mistakes of an author, by the first layer that names them. Each has a test of its own, which this table finds. Those of
 * the kit are the table in test/testing/broken-clients.test.ts. The guide lists the mistakes that no layer sees:
 * docs/adding-a-managed-service.md.
 */

const root = join(import.meta.dirname, '..', '..', '..');

/** The tests of a layer, by file: the names of tests and rows there, or parts of such names. */
type Layer = Readonly<Record<string, readonly string[]>>;

const layers: Readonly<Record<string, Layer>> = {
  'the compiler': {
    'test/controllers/author/wiring.test.ts': [
      'configure that yields a misspelt field',
      'configure of another managed kind',
      'an external client of another kind',
      'an external client without delete',
      'a field of the status that there is not',
      'a detail that the kind does not declare',
      'details without one that the kind declares',
      'a password of a kind that declares none',
    ],
  },
  'the definition': {
    'test/controllers/author/definition-forms.test.ts': [
      'service of AnyBox got managed, an object, which must be a kind from defineManaged',
      'service of Box got credentials; perhaps credential is meant',
      'Box.spec.forProvider is not an object: define it with z.object',
    ],
  },
  'the start': {
    'test/package/command/old-node.test.ts': ['an old Node prints which Node is needed'],
    'test/controllers/author/check-stacks.test.ts': [
      'two kinds have one plural',
      'a kind has no group',
      'a stack of a later version is refused, with both versions',
    ],
    'test/controllers/wiring.test.ts': [
      'a password without characters',
      'an alphabet that repeats a character',
      'a call of 90, meant as seconds',
      'a reference to a kind that no controller manages',
    ],
    'test/apis/generate.test.ts': ['a field without a description is refused by its path'],
    'test/cluster/foreign-definition.ts': [
      'a process names the fields that a foreign definition lacks, works on, and takes it over',
    ],
  },
  'the kit': {
    'test/testing/broken-clients.test.ts': ['each rule that a client can break has one'],
    'test/testing/rule-limit.test.ts': ['with a client that ignores its signal'],
  },
  'a condition': {
    'test/controllers/author/border.test.ts': [
      'an observation that is undefined',
      'a misspelt field',
      'a field of the answer of a cloud, which was spread',
      'ready as true',
      'a BigInt in the status',
      'a circular status',
      'a status of 3 MB',
      'a detail that is a number',
      'a status field of another type',
      'a creation that is undefined',
      'an update that is text',
      'a name that is a number',
      'the system as a number',
      'planned details that are numbers',
      'facts that are a promise',
      'a client without create',
      'an operation of an unknown state',
      'a connection that is undefined',
      ' that is thrown in place of an Error',
      'configure that returns a promise',
      'configure that changes the class',
      'observe that changes the resource',
      'although parse quotes ',
      'a parse that returns nothing is a bug of the stack',
    ],
    'test/controllers/author/class-client.test.ts': [' is reported by that name'],
    'test/controllers/managed/effect.test.ts': [
      'a creation that never shows is reported after five minutes, until it shows',
      'an update that never shows is reported after five minutes, until it shows',
      'a deletion that has no effect is reported after five minutes',
      'a credential that the external system does not take is reported, and is not set again at once',
    ],
    'test/controllers/managed/connecting/hanging-calls.test.ts': [
      ' ends for the controllers after its deadline, with a condition that names it',
    ],
  },
  'the log': {
    'test/controllers/author/border.test.ts': ['an unknown field of the status is left out, and logged once'],
  },
};

describe('a mistake of an author', () => {
  for (const [layer, files] of Object.entries(layers)) {
    for (const [file, mistakes] of Object.entries(files)) {
      const source = readFileSync(join(root, file), 'utf8');
      for (const name of mistakes) {
        test(`is found by ${layer}: ${name}`, () => {
          const named = [`'${name}`, `${name}'`, `${name}\``, `\`${name}`, `${name}"`];
          assert.ok(
            named.some((text) => source.includes(text)),
            `${file} has no "${name}"`,
          );
        });
      }
    }
  }

  test('has one of at least 30 forms', () => {
    const all = Object.values(layers).flatMap((files) => Object.values(files).flat());
    assert.ok(new Set(all).size >= 30 && new Set(all).size === all.length, `${all.length} mistakes`);
  });
});
