import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { DefinitionError } from '../../../apis/core/definition-error.ts';
import { definitionProblems } from '../../../apis/core/definition-problems.ts';
import type { Definition } from '../../../apis/core/schema.ts';
import { optional, text } from '../../../apis/core/schema.ts';
import { defineClaim } from '../../../apis/core/v1alpha1/define-claim.ts';
import { defineClass } from '../../../apis/core/v1alpha1/define-class.ts';
import { defineManaged } from '../../../apis/core/v1alpha1/define-managed.ts';
import { defineProvider, defineProviderConfig } from '../../../apis/core/v1alpha1/define-provider.ts';

const names = {
  group: 'example.org',
  version: 'v1alpha1',
  kind: 'Box',
  plural: 'boxes',
  description: 'A box.',
};
const forProvider = z.object({ size: text('How big.') }).describe('The box as it should be.');
const box = (
  some: Partial<typeof names & { shortNames: readonly string[]; stack: string }>,
  parameters: z.ZodObject = forProvider,
  observed: z.ZodRawShape = {},
) => defineManaged({ ...names, stack: 'boxes', ...some }, parameters, observed);
const withField = (field: z.ZodType) =>
  box({}, z.object({ field: field.describe('A field.') }).describe('The box.'));

const refused = (definition: Definition, ...lines: readonly string[]): void => {
  assert.deepEqual(definitionProblems(definition), lines);
};

describe('names that the API server takes', () => {
  const fine: readonly Parameters<typeof box>[0][] = [
    { group: 'a.b' },
    { group: 'my-boxes.example.org' },
    { kind: 'DBInstance2' },
    { version: 'v1' },
    { version: 'v2beta3' },
    { plural: 'boxes-2' },
    { plural: 'b'.repeat(63) },
    { shortNames: ['bx'] },
  ];
  for (const some of fine) {
    test(JSON.stringify(some), () => refused(box(some)));
  }
});

describe('names that it does not take are refused, with the kind', () => {
  const lowerCase = 'at most 63 lower-case letters, digits and dashes, with a letter first';
  const group = 'a lower-case DNS name with a dot, for example cache.example.org';
  const kind = 'at most 59 letters and digits in PascalCase, for example CacheCluster';
  const version = 'a version of an API, for example v1alpha1 or v1';
  const notAllowed = {
    group: ['example', '', 'Example.org', 'example..org', '-a.org', 'a_b.org', `${'a.'.repeat(126)}org`],
    kind: ['box', 'My-Box', 'My Box', '', `B${'o'.repeat(59)}`],
    version: ['1', 'v0', 'v1alpha', 'V1', 'v1gamma1', 'v1\n'],
    plural: ['Boxes', '2boxes', 'boxes-', 'my.boxes', '', 'b'.repeat(64)],
  } as const;
  const use = { group, kind, version, plural: lowerCase };
  for (const [field, values] of Object.entries(notAllowed) as [keyof typeof use, readonly string[]][]) {
    for (const value of values) {
      const named: typeof names = { ...names, [field]: value };
      const name = named.group === '' ? named.kind : `${named.kind}.${named.group}`;
      const line = `${name}: ${field} ${JSON.stringify(value)} is not allowed: use ${use[field]}`;
      test(JSON.stringify({ [field]: value }), () => refused(box({ [field]: value }), line));
    }
  }

  const cases: readonly (readonly [Parameters<typeof box>[0], string])[] = [
    [
      { group: 'boxes.k8s.io' },
      'Box.boxes.k8s.io: the group is reserved for Kubernetes: use one below your own domain',
    ],
    [
      { group: `${'a.'.repeat(122)}org`, plural: 'many-boxes' },
      `Box.${'a.'.repeat(122)}org: plural and group are together longer than 253 characters: shorten one of them`,
    ],
    [{ shortNames: ['bx', 'BX'] }, `Box.example.org: short name "BX" is not allowed: use ${lowerCase}`],
    [{ stack: 'My Boxes' }, `Box.example.org: category "My Boxes" is not allowed: use ${lowerCase}`],
    [{ description: '' }, 'Box.example.org: it has no description: add one'],
  ];
  for (const [some, line] of cases) test(JSON.stringify(some), () => refused(box(some), line));

  const bad = { ...names, group: 'example', version: '1', stack: 'boxes' };
  const both = (kind: string) => [
    `${kind}.example: group "example" is not allowed: use ${group}`,
    `${kind}.example: version "1" is not allowed: use ${version}`,
  ];
  test('of every sort of kinds, all at once', () => {
    refused(defineClaim(bad, {}), ...both('Box'));
    refused(defineClass(bad, forProvider), ...both('Box'));
    refused(defineProvider(bad), ...both('Provider'));
    refused(defineProviderConfig(bad), ...both('ProviderConfig'));
  });
});

describe('fields that Kubernetes takes', () => {
  const fine: Readonly<Record<string, z.ZodType>> = {
    'a pattern': z.string().regex(/^[a-z](?:[(?=]|\(\?=|\\1)[(]?=$/),
    'a pattern by code points, which RE2 goes by anyway': z.string().regex(/^\p{Lu}$/u),
    'two patterns': z.string().regex(/^a/).regex(/b$/),
    'a field that may be null': z.string().nullable(),
    'a map': z.record(z.string(), z.int()),
    'one of some texts': z.enum(['a', 'b']),
    'a list with limits': z.array(z.string()).min(1).max(3),
    'dates and addresses as texts': z.object({
      at: z.iso.datetime().describe('When.'),
      to: z.email().describe('To whom.'),
      id: z.uuid().describe('Of what.'),
    }),
  };
  for (const [what, field] of Object.entries(fine)) test(what, () => refused(withField(field)));
});

describe('a field that cannot be used is reported once, with its path', () => {
  const at = 'Box.example.org: spec.forProvider.field';
  const date = 'is a z.date(), which JSON does not have: use z.iso.datetime()';
  const pattern = (part: string) =>
    `${at} has a pattern with ${part}, which Kubernetes does not support: remove it`;
  const several = 'has several types, for example by z.union or z.tuple: a field must have one type';
  const untyped = 'has no type: every field must have one';
  const others = 'allows additional fields, which the API server drops: use z.object';
  const hasFunction =
    'has a function, such as refine or transform, which the API server does not call: use withRules, or check the value in configure';
  const inner = z.object({ a: z.string().describe('A.') });
  const startingWithA = z.string().regex(/^a/);
  const cases: Readonly<Record<string, readonly [z.ZodType, string]>> = {
    'a date': [z.date(), `${at} ${date}`],
    'a date that may be absent': [optional(z.date()), `${at} ${date}`],
    'a date in a list': [z.array(z.date()), `${at}[] ${date}`],
    'a date in a map': [z.record(z.string(), z.date()), `${at}.* ${date}`],
    'a date within': [z.object({ at: z.date().describe('When.') }), `${at}.at ${date}`],
    'a big number': [z.bigint(), `${at} is a z.bigint(), which JSON does not have: use another type`],
    'a field without a description: add one within': [
      z.object({ inner: z.string() }),
      `${at}.inner has no description: add one`,
    ],
    'one of two types': [z.union([z.string(), z.int()]), `${at} ${several}`],
    'one of two objects': [
      z.discriminatedUnion('a', [z.object({ a: z.literal('x') }), z.object({ a: z.literal('y') })]),
      `${at} ${several}`,
    ],
    'a list of places': [z.tuple([z.string()]), `${at} ${several}`],
    'a list of one of two types': [z.array(z.union([z.string(), z.int()])), `${at} ${several}`],
    anything: [z.any(), `${at} ${untyped}`],
    'a list of anything': [z.array(z.unknown()), `${at}[] ${untyped}`],
    'an object that is strict': [z.strictObject(inner.shape), `${at} ${others}`],
    'an object that is loose': [z.looseObject(inner.shape), `${at} ${others}`],
    'a field with an id': [
      inner.meta({ id: 'inner' }),
      `${at} is a reference to another schema: remove the id of its schema`,
    ],
    'a rule of JSON schema that no definition has': [
      z.base64(),
      `${at} has the keyword contentEncoding, which a definition must not have: remove it`,
    ],
    'a flag': [
      z.string().regex(/^a$/i),
      `${at} has a pattern with the flag i, which Kubernetes does not support: express it in the pattern`,
    ],
    'a check by a function': [z.string().refine((value) => value !== 'a'), `${at} ${hasFunction}`],
    'a check by a function within': [
      z.object({
        of: z
          .array(
            z
              .string()
              .describe('Of.')
              .check(() => {}),
          )
          .describe('Of.'),
      }),
      `${at}.of[] ${hasFunction}`,
    ],
    'a function that changes the value': [z.string().trim(), `${at} ${hasFunction}`],
    'a transformation': [optional(z.string().transform(Number)), `${at} ${hasFunction}`],
    'one of two patterns': [startingWithA.regex(/(?!b)$/), pattern('(?!')],
    'a pattern in a list': [z.array(z.string().regex(/(?=a)/)), pattern('(?=').replace('field', 'field[]')],
  };
  for (const [what, [field, line]] of Object.entries(cases))
    test(what, () => refused(withField(field), line));

  test('a field without a description is reported, with the request to add one', () => {
    refused(
      box({}, z.object({ size: z.string() }).describe('The box.')),
      'Box.example.org: spec.forProvider.size has no description: add one',
    );
    refused(box({}, z.object({})), 'Box.example.org: spec.forProvider has no description: add one');
    refused(
      box({}, forProvider, { at: z.date() }),
      'Box.example.org: status.at has no description: add one',
      `Box.example.org: status.at ${date}`,
    );
  });

  test('an entry of the connection Secret that no Secret can have, that is no text, or without a description', () => {
    const connectionDetails = {
      'the uri': text('How it is reached.'),
      port: z.int().describe('A number.') as never,
      host: z.string(),
    };
    refused(
      defineManaged({ ...names, stack: 'boxes', connectionDetails }, forProvider, {}),
      'Box.example.org: connectionDetails has the key "the uri", which a Secret must not have: use letters, digits, -, _ and .',
      'Box.example.org: connectionDetails.port is not a text: use text()',
      'Box.example.org: connectionDetails.host has no description: add one',
    );
  });

  test('a schema that is no object ends the definition, which could not go on', () => {
    const noObject = z.string() as unknown as z.ZodObject;
    const error = (of: string) => new DefinitionError(`${of} is not an object: define it with z.object`);
    const defining = () => defineClass({ ...names, kind: 'BoxClass' }, noObject);
    assert.throws(() => box({}, noObject), error('Box.spec.forProvider'));
    assert.throws(defining, error('BoxClass.specTemplate.forProvider'));
  });

  test('a name that every kind of the sort has', () => {
    const field = text('Of the author.');
    const taken = (what: string) => `${what} is already a field of every kind: choose another name`;
    refused(
      box({}, forProvider, { conditions: field, mine: field, operation: field }),
      taken('Box.example.org: status.conditions'),
      taken('Box.example.org: status.operation'),
    );
    refused(defineClaim(names, { classRef: field }), taken('Box.example.org: spec.classRef'));
    const provider = { ...names, stack: 'boxes' };
    refused(
      defineProvider(provider, { credentialsSecretRef: field }),
      taken('Provider.example.org: spec.credentialsSecretRef'),
    );
    refused(
      defineProviderConfig(provider, { credentials: field }),
      taken('ProviderConfig.example.org: spec.credentials'),
    );
  });
});
