import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { entryNameOf, entryNameProblem, whyNoEntryNames } from '../../../../apis/core/v1alpha1/entry-name.ts';
import { isObjectName } from '../../../../apis/core/v1alpha1/object-name.ts';

const claimOf = (namespace: string, name: string, uid: string) => ({
  apiVersion: 'example.org/v1',
  kind: 'Example',
  metadata: { namespace, name, uid },
});

/** Texts that an administrator may write, by accident or not. `test/conformance/table.ts` has them for the API server. */
const templates = [
  ...['{claim.uid}', '{claim.namespace}/{claim.name}-{claim.uid}', 'a.{claim.name}.{claim.uid}/b--c'],
  ...['{claim.uid}{claim.uid}', '{claim.namespace}{claim.name}{claim.uid}', 'claim.uid/{claim.uid}'],
  ...['', 'orders', '{claim.name}', '{claim.UID}', '{ claim.uid }', '{claim.uid', '{{claim.uid}}'],
  ...['../{claim.uid}', '/{claim.uid}', '{claim.uid}/', 'a//{claim.uid}', './{claim.uid}', '..{claim.uid}'],
  ...['-{claim.uid}', '{claim.uid}-', 'a.-{claim.uid}', 'a-.{claim.uid}', '{claim.uid}.', 'A{claim.uid}'],
  ...['{claim.uid}{claim.kind}', '{claim.uid}{claim.__proto__}', '{claim.uid}{claim.name.length}'],
  ...[
    '{claim.uid}\n',
    '{claim.uid} ',
    '{claim.uid}\u0000',
    '{claim.uid}\u202e',
    '{claim.uid}%2e%2e',
    'ü{claim.uid}',
  ],
  ...['{claim.uid}?version=1', '{claim.uid}#', '{claim.uid}\\..', '{claim.uid}$&', '$`{claim.uid}'],
];

/** Names that the API server admits, and that could be taken for a part of a template or of a path. */
const claims = [
  claimOf('a-b', 'c', 'uid-1'),
  claimOf('a', 'b-c', 'uid-2'),
  claimOf('a', 'b-c', 'uid-3'),
  claimOf('claim.uid', 'claim.name', 'uid-4'),
  claimOf('0', '1.2', '00000000-0000-4000-8000-000000000000'),
  claimOf('team', 'constructor', 'uid-5'),
  claimOf('n'.repeat(63), 'x'.repeat(253), 'uid-6'),
];

describe('the template of the names of entries', () => {
  const admitted = templates.filter((template) => whyNoEntryNames(template) === undefined);

  test('consists of names and fields of the claim, with the UID', () => {
    assert.deepEqual(admitted, templates.slice(0, 6));
  });

  for (const template of admitted) {
    test(`${template} gives each claim another name, within its scope`, () => {
      const names = claims.map((claim) => entryNameOf(template, claim));
      const short = names.filter((name) => entryNameProblem(name) === undefined);
      assert.equal(new Set(names).size, claims.length);
      assert.deepEqual(
        short.filter((name) => !name.split('/').every(isObjectName)),
        [],
      );
    });
  }

  test('that gives a name of more than 253 characters gives none for this claim', () => {
    const name = entryNameOf('{claim.name}-{claim.uid}', claims.at(-1)!);
    assert.equal(entryNameProblem(name), 'is longer than 253 characters');
    assert.equal(entryNameProblem('x'.repeat(253)), undefined);
  });

  test('replaces a field of the claim once: its value is no template', () => {
    const claim = claimOf('{claim.uid}', '$&', 'uid');
    assert.equal(entryNameOf('{claim.namespace}-{claim.name}-{claim.uid}', claim), '{claim.uid}-$&-uid');
  });

  test('of 4 KiB is refused at once, however its parts are arranged', () => {
    for (const part of ['a', '-', 'a-', '.', 'a.', '/', '{claim.uid}', '{claim.uid}-'])
      assert.ok(whyNoEntryNames(`{claim.uid}${part.repeat(4_096 / part.length)} `) !== undefined, part);
  });
});
