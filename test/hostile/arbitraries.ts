import type { Arbitrary } from 'fast-check';
import fc from 'fast-check';
import type { Definition } from '../../apis/core/schema.ts';
import type { Kind, KubernetesObject, ObjectMeta } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../apis/core/v1alpha1/kind.ts';
import { annotationKeys, connectionSecretType, finalizerNames } from '../../apis/core/v1alpha1/meta.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import type { JsonSchema } from '../../apis/crd.ts';
import { objectSchema } from '../../apis/crd.ts';
import { objectOf } from '../fakes/object-of.ts';

/** Names that mean something in the world of these tests, so that what is generated refers to what there is. */
export interface Names {
  /** Of objects of all kinds, those that are generated included. */
  readonly objects: readonly string[];
  readonly namespaces: readonly string[];
  readonly uids: readonly string[];
  /** `apiVersion` and `kind` of every kind there is. */
  readonly kinds: readonly Pick<Kind, 'group' | 'version' | 'kind'>[];
}

/** Characters that a terminal, a log or a parser might interpret. */
const oddTexts = [
  '',
  ' ',
  '\u0000',
  'red \u001b[31mtext\u001b[0m',
  'title \u001b]0;owned\u0007',
  'forged\n{"level":"error","msg":"line"}\r\n',
  'c1 \u009b31m',
  'left \u202eright',
  'line\u2028separator',
  '\ufeffbom',
  'zero\u200bwidth',
  'žluťoučký 🐎',
  '__proto__',
  'constructor',
  'toString',
  '../../secrets',
  'a/b/c',
  '%2e%2e%2f',
  'null',
  'true',
  '-1',
  '1e999',
  '"; DROP DATABASE postgres; --',
  '{"name":"x"}',
  ...[63, 64, 253, 254].map((length) => 'x'.repeat(length)),
  'ž'.repeat(5_000),
];

/** One of these, each as often as its weight says. */
export const weighted = <T>(...choices: readonly (readonly [number, Arbitrary<T>])[]): Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const printableAscii = fc.string({ maxLength: 40 });

/** Characters of all of Unicode. fast-check's `unit: 'binary'` first lists them all, which takes 2 s. */
export const anyText = (maxLength: number): Arbitrary<string> =>
  fc
    .string({ unit: fc.integer({ min: 0, max: 0x10ffff }).map(String.fromCodePoint), maxLength })
    .map((text) => text.toWellFormed());

export const oddText = weighted([4, fc.constantFrom(...oddTexts)], [1, printableAscii], [1, anyText(40)]);

/** The names of objects that the API server allows: 253 characters at most. */
export const objectName: Arbitrary<string> = fc.oneof(
  fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/),
  fc.constantFrom('a', '0', 'constructor', 'x'.repeat(63), 'x'.repeat(253), `${'a'.repeat(57)}.b`, 'a.b.c'),
);

const times = ['2020-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999+14:00', '0001-01-01T00:00:00Z'];

interface TextSchema extends Partial<Readonly<Record<'pattern' | 'format', string>>> {
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
}

const text = (names: Names, schema: JsonSchema): Arbitrary<string> => {
  const { enum: values, pattern, format, minLength = 0, maxLength = Infinity } = schema as TextSchema;
  if (values !== undefined) return fc.constantFrom(...values);
  if (format === 'date-time') return fc.constantFrom(...times);
  const known = fc.constantFrom(...names.objects, ...names.namespaces, ...names.uids);
  const any = weighted([2, known], [1, oddText]);
  const fitting = pattern === undefined ? any : fc.oneof(any, fc.stringMatching(new RegExp(pattern)));
  return fitting.filter(
    (value) =>
      [...value].length >= minLength &&
      [...value].length <= maxLength &&
      (pattern === undefined || new RegExp(pattern, 'u').test(value)),
  );
};

/** A reference to a kind is mostly to one that there is. */
const reference = (names: Names): Arbitrary<object> =>
  fc
    .tuple(
      fc.constantFrom(...names.kinds),
      fc.constantFrom(...names.objects),
      fc.constantFrom(...names.namespaces),
    )
    .chain(([kind, name, namespace]) =>
      fc.record(
        {
          apiVersion: fc.constant(apiVersionOf(kind)),
          kind: fc.constant(kind.kind),
          name: fc.constant(name),
          namespace: fc.constant(namespace),
          uid: fc.constantFrom(...names.uids),
        },
        { requiredKeys: ['apiVersion', 'kind', 'name'] },
      ),
    );

/** A value that a structural schema admits. Rules are not checked. */
export function valueArbitrary(names: Names, schema: JsonSchema): Arbitrary<unknown> {
  const { type, properties, items, additionalProperties, required = [] } = schema;
  switch (type) {
    case 'string':
      return text(names, schema);
    case 'boolean':
      return fc.boolean();
    case 'integer': {
      const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema as {
        readonly minimum?: number;
        readonly maximum?: number;
      };
      const near = [minimum, maximum, 0, 1, 3].filter((value) => value >= minimum && value <= maximum);
      return fc.oneof(
        fc.constantFrom(...near),
        fc.integer({ min: Math.max(minimum, -(2 ** 31)), max: Math.min(maximum, 2 ** 31 - 1) }),
      );
    }
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'array': {
      const keys = schema['x-kubernetes-list-map-keys'] as readonly string[] | undefined;
      const element = valueArbitrary(names, items ?? {});
      const { minItems = 0 } = schema as { readonly minItems?: number };
      return keys === undefined
        ? fc.array(element, { minLength: minItems, maxLength: 4 })
        : fc.uniqueArray(element as Arbitrary<Record<string, unknown>>, {
            minLength: minItems,
            maxLength: 4,
            selector: (value) => JSON.stringify(keys.map((key) => value[key])),
          });
    }
    case 'object': {
      if (additionalProperties !== undefined) {
        const key = weighted(
          [2, oddText],
          [6, fc.constantFrom('size', 'tier', 'example.com/team')],
          [1, fc.constantFrom('crossplane.io/credential', 'to.propagate.crossplane.io/x')],
        );
        return fc
          .array(fc.tuple(key, valueArbitrary(names, additionalProperties)), { maxLength: 4 })
          .map((entries) => Object.fromEntries(entries));
      }
      if (properties === undefined) return fc.constant({});
      const shape = Object.fromEntries(
        Object.entries(properties).map(([key, child]) => [key, valueArbitrary(names, child)]),
      );
      const any = fc.record(shape, { requiredKeys: [...required] });
      const isReference = ['apiVersion', 'kind', 'name'].every((key) => key in properties);
      return isReference ? weighted<object>([3, reference(names)], [1, any]) : any;
    }
    default:
      return fc.constant({});
  }
}

/** Annotations that controllers read, and that others may write: whatever comes to mind. */
const annotationNames = [
  ...Object.values(annotationKeys),
  'crossplane.io/credential',
  'to.propagate.crossplane.io/x',
  'from.propagate.crossplane.io/namespace',
  'from.propagate.crossplane.io/name',
  'example.com/constructor',
] as const;

const annotationValues = [
  'true',
  'false',
  '1s',
  '-5s',
  '9e99h',
  '2020-01-01T00:00:00Z',
  '{}',
  '[]',
  '{"name":7}',
  'null',
];

const annotationValue = (names: Names): Arbitrary<string> => {
  const namespaceAndName = fc.tuple(fc.constantFrom(...names.namespaces), fc.constantFrom(...names.objects));
  return weighted(
    [4, oddText],
    [2, fc.constantFrom(...annotationValues)],
    [2, fc.constantFrom(...names.objects, ...names.uids)],
    [2, namespaceAndName.map((parts) => parts.join('/'))],
    [1, fc.constant('x'.repeat(200_000))],
  );
};

const annotations = (names: Names): Arbitrary<Readonly<Record<string, string>>> =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...annotationNames), annotationValue(names)), {
      maxLength: 5,
      selector: ([key]) => key,
    })
    .filter((entries) => entries.flat().join('').length < 262_144)
    .map((entries) => Object.fromEntries(entries));

/** The labels that the API server allows: values of 63 characters at most. */
const labels = fc.dictionary(
  fc.constantFrom('size', 'tier', 'example.com/constructor', 'constructor', 'secret.crossplane.io/owner-uid'),
  fc.constantFrom('', 'small', 'true', 'x'.repeat(63), 'uid-1', 'A.b_c'),
  { noNullPrototype: true },
);

const owners = (names: Names) =>
  fc
    .array(
      fc.record(
        {
          apiVersion: fc.constantFrom(...names.kinds.map(apiVersionOf)),
          kind: fc.constantFrom(...names.kinds.map(({ kind }) => kind)),
          name: fc.constantFrom(...names.objects),
          uid: fc.constantFrom(...names.uids),
          controller: fc.boolean(),
        },
        { requiredKeys: ['apiVersion', 'kind', 'name', 'uid'] },
      ),
      { maxLength: 3 },
    )
    // The API server takes one controller and no more.
    .map((given) => given.map((owner, index) => (index === 0 ? owner : { ...owner, controller: false })));

const finalizers = fc.uniqueArray(fc.constantFrom('example.com/hold', ...Object.values(finalizerNames)), {
  maxLength: 2,
});

/** Metadata that the API server accepts from an attacker. */
const metadata = (names: Names, { scope }: Pick<Kind, 'scope'>): Arbitrary<ObjectMeta> => {
  const name = fc.oneof(fc.constantFrom(...names.objects), objectName);
  const optional = { labels, annotations: annotations(names), ownerReferences: owners(names), finalizers };
  const namespace = fc.constantFrom(...names.namespaces);
  return scope === 'Cluster'
    ? fc.record({ name, ...optional }, { requiredKeys: ['name'] })
    : fc.record({ name, namespace, ...optional }, { requiredKeys: ['name', 'namespace'] });
};

/** An object of which its definition admits every value; rules of more than one field may be broken. */
export function objectArbitrary(names: Names, definition: Definition): Arbitrary<KubernetesObject> {
  const { properties = {}, required } = objectSchema(definition);
  const { apiVersion: _v, kind: _k, metadata: _m, ...own } = properties;
  const body = valueArbitrary(names, { type: 'object', properties: own, required: required ?? [] });
  const parts = fc.tuple(metadata(names, definition), body);
  return parts.map(([meta, rest]) => objectOf(definition, meta, rest as object));
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** A secret as the API server takes it: 1 MiB of data at most, whatever it holds and says of itself. */
export function secretArbitrary(names: Names, planted: string): Arbitrary<Secret> {
  const known = ['password', 'username', 'endpoint', 'port', 'uri'];
  const odd = ['__proto__', 'constructor', 'toString', '.', 'x'.repeat(253)];
  const key = fc.oneof(fc.constantFrom(...known, ...odd), fc.stringMatching(/^[-._a-zA-Z0-9]{1,20}$/));
  const value = fc.oneof(
    fc.constant(base64(planted)),
    fc.constant(''),
    oddText.map((text) => base64(planted + text)),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  );
  const entries = fc.array(fc.tuple(key, value), { maxLength: 5 });
  const many = Array.from({ length: 3_000 }, (_, index) => [`key-${index}`, base64(planted)]);
  const data = weighted<Record<string, string>>(
    [8, entries.map((all) => Object.fromEntries(all))],
    [1, fc.constant({ big: base64('x'.repeat(1_040_000)) })],
    [1, fc.constant(Object.fromEntries(many))],
  );
  const type = fc.constantFrom(connectionSecretType, connectionSecretType, 'Opaque');
  const rest = fc.record({ data, type }, { requiredKeys: ['type'] });
  return fc.tuple(metadata(names, SecretKind), rest).map(([meta, own]) => objectOf(SecretKind, meta, own));
}

/** A value of the wrong type. */
const junk: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    0,
    -1,
    1.5,
    true,
    '',
    'text',
    [],
    {},
    [null],
    [[]],
    [{}],
    { name: null },
    { name: 7 },
  ),
  fc.constantFrom<unknown>({ name: ['x'] }, { apiVersion: 1, kind: {}, name: 'small' }, ['*', 7], {
    type: 'Ready',
  }),
  oddText,
  fc.constant(Array.from({ length: 200 }).reduce<unknown>((inner) => ({ inner }), 'deep')),
);

/** The same object with a value somewhere under its fields replaced; how far down, and where, chance says. */
function withJunk(object: KubernetesObject, turns: readonly number[], value: unknown): KubernetesObject {
  const copy = structuredClone(object) as unknown as Record<string, unknown>;
  let parent = copy;
  let keys = ['spec', 'specTemplate', 'status'].filter((key) => key in copy);
  for (const [depth, turn] of turns.entries()) {
    const key = keys[turn % keys.length];
    if (key === undefined) break;
    const child = parent[key];
    const inner = typeof child === 'object' && child !== null ? Object.keys(child) : [];
    if (inner.length === 0 || depth === turns.length - 1) {
      parent[key] = value;
      break;
    }
    parent = child as Record<string, unknown>;
    keys = inner;
  }
  return copy as unknown as KubernetesObject;
}

/** An object as a definition without a schema lets it through: metadata is as it must be, nothing else need be. */
export function looseObjectArbitrary(names: Names, definition: Definition): Arbitrary<KubernetesObject> {
  const spoiling = fc.array(fc.tuple(fc.array(fc.nat(20), { minLength: 1, maxLength: 5 }), junk), {
    minLength: 1,
    maxLength: 4,
  });
  const spoilt = fc
    .tuple(objectArbitrary(names, definition), spoiling)
    .map(([object, all]) => all.reduce((spoiled, [turns, value]) => withJunk(spoiled, turns, value), object));
  const field = fc.constantFrom('spec', 'specTemplate', 'status', 'other');
  const fields = fc.dictionary(field, junk, { noNullPrototype: true });
  const bare = fc
    .tuple(metadata(names, definition), fields)
    .map(([meta, rest]) => objectOf(definition, meta, rest));
  return weighted([4, spoilt], [1, bare]);
}
