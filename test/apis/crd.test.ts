import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonSchema } from '../../apis/crd.ts';
import { fcpStack } from '../../controllers/fcp/setup.ts';
import { ocpStack } from '../../controllers/ocp/setup.ts';
import { postgresqlStack } from '../../controllers/postgresql/setup.ts';
import { holds, parseRule, pathsOf, unescaped } from './cel.ts';
import {
  type CustomResourceDefinition,
  definitionsIn,
  roleOf,
  rulesOf,
  schemaOf,
  schemasUnder,
} from './definitions.ts';

const plain = definitionsIn('crds');
const withRules = definitionsIn('crds/with-cel-rules');
const kindOf = ({ spec }: CustomResourceDefinition) => `${spec.names.kind}.${spec.group}`;

/** Not ours to describe: the API server does. */
const isMetadata = (path: string): boolean => path === 'metadata';

for (const definition of plain.values()) {
  const schemas = schemasUnder(schemaOf(definition));
  const kind = kindOf(definition);

  describe(kind, () => {
    test('every field has a description, of one sentence or more', () => {
      const poor = schemas.filter(
        ({ path, schema }) =>
          !isMetadata(path) &&
          !/(\[\]|\*)$/.test(path) && // what a list holds is described with the list
          !path.endsWith('lastTransitionTime') &&
          !/^[A-Z].*\.$/s.test(schema.description ?? ''),
      );
      assert.deepEqual(
        poor.map(({ path }) => path),
        [],
      );
    });

    test('its schema is structural', () => {
      for (const { path, schema } of schemas) {
        assert.equal(typeof schema.type, 'string', `${path} has a type`);
        for (const key of ['anyOf', 'oneOf', 'allOf', 'not', '$ref', 'definitions', 'patternProperties']) {
          assert.ok(!(key in schema), `${path} has no ${key}`);
        }
        assert.ok(
          schema.properties === undefined || schema.additionalProperties === undefined,
          `${path} has either properties or additionalProperties`,
        );
        assert.deepEqual(
          schema.required?.filter((name) => schema.properties?.[name] === undefined) ?? [],
          [],
          `${path} requires fields it has`,
        );
      }
    });

    test('it has the categories, scope and status subresource of its role', () => {
      const { names, scope, versions } = definition.spec;
      const role = roleOf(definition);
      const expected = {
        claim: { categories: ['crossplane', 'claim', 'claims'], scope: 'Namespaced', hasStatus: true },
        class: { categories: ['crossplane', 'class', 'classes'], scope: 'Cluster', hasStatus: false },
        managed: {
          categories: ['crossplane', 'managed', names.categories[2]],
          scope: 'Cluster',
          hasStatus: true,
        },
        provider: {
          categories: ['crossplane', 'provider', names.categories[2]],
          scope: 'Cluster',
          hasStatus: false,
        },
        providerConfig: {
          categories: ['crossplane', 'provider', names.categories[2]],
          scope: 'Cluster',
          hasStatus: true,
        },
        store: { categories: ['crossplane', 'store'], scope: 'Cluster', hasStatus: false },
      }[role];
      assert.deepEqual(
        { categories: names.categories, scope, hasStatus: versions[0].subresources !== undefined },
        expected,
      );
      if (role === 'managed' || role.startsWith('provider')) {
        assert.match(names.categories[2] ?? '', /^(fcp|ocp|postgresql)$/);
      }
      assert.equal(schemaOf(definition).properties?.status !== undefined, expected.hasStatus);
    });
  });
}

describe('columns of kubectl get', () => {
  const claimed = new Set(
    [fcpStack, ocpStack, postgresqlStack].flatMap(({ claims }) =>
      claims.map(({ managed: { kind, group } }) => `${kind}.${group}`),
    ),
  );
  const columns: Partial<Record<ReturnType<typeof roleOf> | 'unclaimed', readonly (readonly string[])[]>> = {
    claim: [['STATUS', 'CLASS-KIND', 'CLASS-NAME', 'RESOURCE-KIND', 'RESOURCE-NAME', 'AGE'], ['READY']],
    class: [
      ['DEFAULT-ANNOTATION', 'RECLAIM-POLICY', 'AGE'],
      ['PROVIDER', 'PROVIDER-CONFIG'],
    ],
    managed: [['READY', 'SYNCED', 'EXTERNAL-NAME', 'CLAIM', 'AGE'], ['STATUS']],
    unclaimed: [['READY', 'SYNCED', 'EXTERNAL-NAME', 'AGE'], []],
  };
  test('there are managed kinds that claims bind, and others', () => {
    assert.deepEqual([...claimed].map((kind) => kind.split('.')[0]).toSorted(), [
      'AmbivalentDBInstance',
      'FavouriteDBInstance',
      'PostgreSQLDatabase',
    ]);
  });
  for (const definition of plain.values()) {
    const role = roleOf(definition);
    const isUnclaimed = role === 'managed' && !claimed.has(kindOf(definition));
    const expected = columns[isUnclaimed ? 'unclaimed' : role];
    if (expected === undefined) continue;
    test(`${kindOf(definition)}${isUnclaimed ? ', which no claim binds,' : ''} and wide`, () => {
      const shown = (wide: boolean) =>
        definition.spec.versions[0].additionalPrinterColumns
          .filter(({ priority = 0 }) => priority > 0 === wide)
          .map(({ name }) => name);
      assert.deepEqual([shown(false), shown(true)], expected);
    });
  }
});

/** A definition without any rule. */
const stripped = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(stripped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) =>
      key === 'x-kubernetes-validations' ? [] : [[key, stripped(child)]],
    ),
  );
};

test('crds/with-cel-rules has the same definitions, but for their rules', () => {
  assert.deepEqual([...plain], stripped([...withRules]));
  assert.ok(
    [...withRules.values()].some(
      (definition) => rulesOf(schemaOf(definition).properties?.spec ?? {}).length > 0,
    ),
  );
});

/**
 * Fields named like these are written `__name__` in rules: they are reserved in CEL (Kubernetes, "Validation rules",
 * property names). The API server refuses a definition with a rule that does otherwise.
 */
const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

describe('CEL rules', () => {
  for (const definition of withRules.values()) {
    for (const { path, schema } of schemasUnder(schemaOf(definition))) {
      for (const { rule, message } of rulesOf(schema)) {
        test(`${kindOf(definition)} ${path}: ${message}`, () => {
          const paths = pathsOf(parseRule(rule));
          for (const fields of paths)
            assert.ok(hasField(schema, fields.slice(1)), `${fields.join('.')} exists`);
          assert.deepEqual(
            paths.flat().filter((name) => reserved.has(name)),
            [],
            'reserved words are escaped',
          );
          const isTransition = paths.some(([variable]) => variable === 'oldSelf');
          assert.ok(!isTransition || !/\[\]|\*/.test(path), 'what is in a list or map has no former self');
          assert.match(message, /\S/);
        });
      }
    }
  }
});

function hasField(schema: JsonSchema | undefined, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined || schema === undefined) return schema !== undefined;
  return hasField(schema.properties?.[unescaped(name)], rest);
}

describe('the rules say what they mean', () => {
  const rulesAt = (file: string, ...path: readonly string[]) => {
    const definition = withRules.get(file);
    if (definition === undefined) throw new Error(`there is no ${file}`);
    const schema = path.reduce<JsonSchema>((at, name) => at.properties?.[name] ?? {}, schemaOf(definition));
    return rulesOf(schema).map(({ rule }) => rule);
  };
  const claim = rulesAt('database.crossplane.io_fancysqlinstances.yaml', 'spec');
  const grant = rulesAt('postgresql.crossplane.io_postgresqlgrants.yaml', 'spec', 'forProvider');
  const version = rulesAt(
    'database.fcp.crossplane.io_favouritedbinstances.yaml',
    'spec',
    'forProvider',
    'version',
  );

  const small = { kind: 'FavouriteDBInstanceClass', name: 'small' };
  const selector = { matchLabels: { size: 'small' } };
  const allowed: readonly (readonly [
    what: string,
    rules: readonly string[],
    before: unknown,
    after: unknown,
    is: boolean,
  ])[] = [
    [
      'a class is chosen',
      claim,
      { classSelector: selector },
      { classSelector: selector, classRef: small },
      true,
    ],
    ['the class is another', claim, { classRef: small }, { classRef: { ...small, name: 'large' } }, false],
    [
      'the class is of another kind',
      claim,
      { classRef: small },
      { classRef: { ...small, kind: 'Other' } },
      false,
    ],
    [
      'the class reference gets its UID',
      claim,
      { classRef: small },
      { classRef: { ...small, uid: 'x' } },
      true,
    ],
    ['the class reference goes', claim, { classRef: small }, {}, false],
    ['the resource is another', claim, { resourceRef: { name: 'a' } }, { resourceRef: { name: 'b' } }, false],
    [
      'the resource is in another namespace',
      claim,
      { resourceRef: { name: 'a' } },
      { resourceRef: { name: 'a', namespace: 'b' } },
      false,
    ],
    [
      'the resource reference stays',
      claim,
      { resourceRef: { name: 'a' } },
      { resourceRef: { name: 'a' } },
      true,
    ],
    [
      'the selector changes before a class is chosen',
      claim,
      { classSelector: selector },
      { classSelector: {} },
      true,
    ],
    [
      'the selector changes afterwards',
      claim,
      { classSelector: selector, classRef: small },
      { classSelector: {}, classRef: small },
      false,
    ],
    [
      'the selector goes afterwards',
      claim,
      { classSelector: selector, classRef: small },
      { classRef: small },
      false,
    ],
    [
      'a selector comes afterwards',
      claim,
      { classRef: small },
      { classSelector: selector, classRef: small },
      false,
    ],
    [
      'what is asked for changes before there is a resource',
      claim,
      { version: '5.7' },
      { version: '8' },
      true,
    ],
    [
      'what is asked for changes afterwards',
      claim,
      { resourceRef: { name: 'a' }, version: '5.7' },
      { resourceRef: { name: 'a' }, version: '8' },
      false,
    ],
    [
      'something more is asked for afterwards',
      claim,
      { resourceRef: { name: 'a' } },
      { resourceRef: { name: 'a' }, version: '8' },
      false,
    ],
    ['an immutable field changes', version, '5.7', '8.0', false],
    ['an immutable field stays', version, '5.7', '5.7', true],
    ['a grant is of a membership', grant, { memberOf: 'a' }, { memberOf: 'a' }, true],
    ['a grant is of nothing', grant, {}, {}, false],
    [
      'a grant is of both',
      grant,
      { memberOf: 'a', privileges: [] },
      { memberOf: 'a', privileges: [] },
      false,
    ],
  ];
  for (const [what, rules, oldSelf, self, is] of allowed) {
    test(`${is ? 'allowed' : 'refused'}: ${what}`, () => {
      assert.ok(rules.length > 0);
      assert.equal(
        rules.every((rule) => holds(rule, { self, oldSelf })),
        is,
      );
    });
  }
});

describe('the reader of rules', () => {
  for (const rule of [
    '',
    'self ==',
    'has(self)',
    'self = oldSelf',
    '(self',
    "'a",
    'self.a)',
    'size(self) > 1',
    'other.a',
  ]) {
    test(`refuses ${rule || 'nothing'}`, () => assert.throws(() => parseRule(rule), SyntaxError));
  }
  const values: readonly (readonly [rule: string, value: boolean])[] = [
    ["self.a == 'x' && self.b == 'y' || self.a == 'z'", false],
    ["self.a == 'z' || self.a == 'x' && self.b == 'w'", true],
    ["(self.a == 'x' || self.a == 'z') && self.b == 'y'", false],
    ['!has(self.c) && has(self.a)', true],
    ["(has(self.c) ? self.c : 'none') == 'none'", true],
    ['has(self.a) != has(self.c)', true],
  ];
  for (const [rule, value] of values) {
    test(`${rule} is ${value}`, () => assert.equal(holds(rule, { self: { a: 'x', b: 'w' } }), value));
  }
});
