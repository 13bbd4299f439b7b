import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import type { Definition } from '../../../apis/core/schema.ts';
import { defineManaged } from '../../../apis/core/v1alpha1/define-managed.ts';
import { defineProvider, defineProviderConfig } from '../../../apis/core/v1alpha1/define-provider.ts';
import { checkStacks } from '../../../controllers/author/check-stacks.ts';
import type { DefinedStack } from '../../../controllers/author/define-stack.ts';
import { defineStack, service } from '../../../controllers/author/define-stack.ts';
import { WiringError } from '../../../controllers/wiring.ts';
import ownManifest from '../../../package.json' with { type: 'json' };

const box = ({ group = 'example.org', version = 'v1', description = 'A box.' } = {}) =>
  defineManaged(
    { group, version, kind: 'Box', plural: 'boxes', stack: 'boxes', description },
    z.object({}).describe('The box as it should be.'),
    {},
  );
const one = box();
const stack = (name: string, ...definitions: readonly Definition[]): DefinedStack => ({
  name,
  definitions,
  packageVersion: ownManifest.version,
  managed: () => [],
  claims: [],
});

describe('the definitions of stacks', () => {
  const fine = {
    'of one definition: once, although two stacks have it': { a: [one], b: [one], want: 1 },
    'of two that say the same: once': { a: [one], b: [box()], want: 1 },
    'of another group: both': { a: [one], b: [box({ group: 'other.org' })], want: 2 },
  };
  for (const [name, { a, b, want }] of Object.entries(fine)) {
    test(name, () => {
      const found = checkStacks([stack('a', ...a), stack('b', ...b)]);
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
      const between = () => checkStacks([stack('a', one), stack('c'), stack('b', other)]);
      assert.throws(
        between,
        new WiringError(
          'boxes.example.org is defined by stack "a" and, differently, by stack "b". Give one of them an API group of its own, or use one definition in both',
        ),
      );
      const within = () => checkStacks([stack('a', one, other)]);
      assert.throws(
        within,
        new WiringError('boxes.example.org is defined twice, in different ways, by stack "a"'),
      );
    });
  }
});

describe('two definitions of other names that a group cannot have both are refused', () => {
  const named = (kind: string, plural: string, ...shortNames: readonly string[]) =>
    defineManaged(
      {
        group: 'example.org',
        version: 'v1',
        kind,
        plural,
        shortNames,
        stack: 'boxes',
        description: 'A box.',
      },
      z.object({}).describe('The box as it should be.'),
      {},
    );
  const cases: Readonly<Record<string, readonly [Definition, Definition, string]>> = {
    'of one kind': [one, named('Box', 'crates'), 'Box'],
    'a short name, and a plural': [one, named('Crate', 'crates', 'boxes'), 'boxes'],
    'a short name, and a kind in lower case': [one, named('Crate', 'crates', 'box'), 'box'],
    'two short names': [named('Bow', 'bows', 'b'), named('Crate', 'crates', 'b'), 'b'],
    'the list of a kind, and a kind': [one, named('BoxList', 'lists'), 'BoxList'],
  };
  for (const [name, [a, b, word]] of Object.entries(cases)) {
    test(name, () => {
      const first = `${a.plural}.example.org of stack "a" and ${b.plural}.example.org of stack "b" are both called "${word}"`;
      assert.throws(
        () => checkStacks([stack('a', a), stack('b', b)]),
        (error) => error instanceof WiringError && error.message.split('\n').includes(first),
      );
    });
  }
});

describe('a stack is refused, by the names of its kinds, if', () => {
  const names = { group: 'example.org', version: 'v1', stack: 'boxes', description: 'A box.' };
  const managedKind = (kind: string, plural: string, group = 'example.org') =>
    defineManaged({ ...names, group, kind, plural }, z.object({}).describe('The desired state.'), {});
  const boxes = (...kinds: readonly unknown[]): DefinedStack =>
    defineStack({
      name: 'boxes',
      provider: {
        provider: defineProvider(names),
        providerConfig: defineProviderConfig(names),
        credentialForm: 'a token',
        connect: () => () => assert.fail(),
      },
      services: kinds.map((kind) =>
        service({
          managed: kind as ReturnType<typeof managedKind>,
          externalNames: 'deterministic',
          external: () => assert.fail(),
        }),
      ),
    });
  const refused: Readonly<Record<string, readonly [kinds: readonly unknown[], message: string]>> = {
    'two kinds have one plural': [
      [managedKind('Box', 'boxes'), managedKind('Crate', 'boxes')],
      'boxes.example.org is the plural of two kinds of stack "boxes", Box and Crate: give one of them another plural',
    ],
    'a kind has no group': [
      [managedKind('Crate', 'crates', '')],
      'Crate: group "" is not allowed: use a lower-case DNS name with a dot, for example cache.example.org',
    ],
    'the group of a kind is undefined': [
      [{ ...managedKind('Box', 'boxes'), group: undefined }],
      'Box: group undefined is not allowed: use a lower-case DNS name with a dot, for example cache.example.org',
    ],
  };
  for (const [rule, [kinds, message]] of Object.entries(refused)) {
    test(rule, () => assert.throws(() => checkStacks([boxes(...kinds)]), new WiringError(message)));
  }
});

describe('a stack of another version of the package is refused before its parts are read', () => {
  const parts = {
    managed: () => {
      throw new Error('its parts were read');
    },
  };
  const message = (made: string) =>
    `stack "a" was made with services-stack ${made}, but this process runs services-stack ${ownManifest.version}: install one version of it (\`npm ls services-stack\` shows all)`;
  test('a stack of a later version is refused, with both versions', () =>
    assert.throws(
      () => checkStacks([{ ...stack('a', one), ...parts, packageVersion: '9.9.9' }, stack('b', one)]),
      new WiringError(message('9.9.9')),
    ));
  test('a stack of one of the first versions, which wrote none, is refused, too', () => {
    const { packageVersion: _, ...older } = stack('a', one);
    assert.throws(
      () => checkStacks([{ ...older, ...parts } as unknown as DefinedStack]),
      new WiringError(message('of an earlier version')),
    );
  });
});

test('all faults of stacks are reported at once', () => {
  const bad = box({ version: '1', group: 'b.org' });
  assert.throws(
    () =>
      checkStacks([stack('My Boxes', bad, one, box({ group: 'other.org' })), stack('b', bad), stack('b')]),
    new WiringError(
      [
        'stack: the name "My Boxes" is not a valid name: use at most 63 lower-case letters, digits and dashes, no dash first or last',
        'Box.b.org: version "1" is not allowed: use a version of an API, for example v1alpha1 or v1',
        '2 stacks are named "b"',
      ].join('\n'),
    ),
  );
});
