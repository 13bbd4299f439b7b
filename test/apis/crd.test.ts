import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import map from 'lodash/map.js';
import partition from 'lodash/partition.js';
import uniq from 'lodash/uniq.js';
import { celName } from '../../apis/core/rules.ts';
import type { Definition } from '../../apis/core/schema.ts';
import { crdName } from '../../apis/core/v1alpha1/kind.ts';
import { conditionReasons } from '../../apis/core/v1alpha1/ready-reasons.ts';
import { StoreConfigKind } from '../../apis/core/v1alpha1/store-config.ts';
import type { JsonSchema } from '../../apis/crd.ts';
import { allStacks, demoStacks, stacks } from '../../app/stacks.ts';
import { fieldsIn } from '../fakes/admission.ts';
import type { CustomResourceDefinition } from './definitions.ts';
import { definitionsIn, roleOf, rulesOf, schemaOf, schemasUnder } from './definitions.ts';

const definitions = definitionsIn('crds');
const kindOf = ({ spec }: CustomResourceDefinition) => `${spec.names.kind}.${spec.group}`;

/** Not ours to describe: the API server does. */
const isMetadata = (path: string): boolean => path === 'metadata';

test('crds/ has the kinds of the stacks that run by default, and crds/demo/ those that only the other stacks have', () => {
  const named = (some: readonly Definition[]) => uniq(some.map(crdName)).toSorted();
  const stackDefinitions = [StoreConfigKind, ...stacks.flatMap((stack) => stack.definitions)];
  const others = demoStacks
    .flatMap((stack) => stack.definitions)
    .filter((definition) => !stackDefinitions.includes(definition));
  const [inDemo, above] = partition([...definitions], ([file]) => file.startsWith('demo/')).map((some) =>
    some.map(([, { metadata }]) => metadata.name).toSorted(),
  );
  assert.deepEqual([above, inDemo], [named(stackDefinitions), named(others)]);
});

for (const definition of definitions.values()) {
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
      assert.deepEqual(map(poor, 'path'), []);
    });

    test('the schema is structural', () => {
      for (const { path, schema } of schemas) {
        assert.equal(typeof schema.type, 'string', `${path} has a type`);
        for (const key of ['anyOf', 'oneOf', 'allOf', 'not', '$ref', 'definitions', 'patternProperties']) {
          assert.ok(!(key in schema), `${path} has no ${key}`);
        }
        assert.ok(
          schema.properties === undefined || schema.additionalProperties === undefined,
          `${path} has either properties or additionalProperties`,
        );
        const missing = schema.required?.filter((name) => schema.properties?.[name] === undefined);
        assert.deepEqual(missing ?? [], [], `${path} requires fields it has`);
      }
    });

    test('the categories, the scope and the status subresource are those of the role', () => {
      const { names, scope, versions } = definition.spec;
      const role = roleOf(definition);
      const stackCategories = (sort: string) => ['crossplane', sort, names.categories[2]];
      const categories = {
        claim: ['crossplane', 'claim', 'claims'],
        class: ['crossplane', 'class', 'classes'],
        managed: stackCategories('managed'),
        provider: stackCategories('provider'),
        providerConfig: stackCategories('provider'),
        store: ['crossplane', 'store'],
      }[role];
      const hasStatus = role !== 'class';
      assert.deepEqual([names.categories, scope], [categories, role === 'claim' ? 'Namespaced' : 'Cluster']);
      assert.equal(versions[0].subresources !== undefined, hasStatus);
      if (role === 'managed' || role.startsWith('provider')) {
        assert.ok(allStacks.some(({ name }) => name === names.categories[2]));
      }
      assert.equal(schemaOf(definition).properties?.status !== undefined, hasStatus);
    });
  });
}

describe('columns of kubectl get', () => {
  const claimed = new Set(
    allStacks.flatMap(({ claims }) => claims.map(({ managed: { kind, group } }) => `${kind}.${group}`)),
  );
  const columns: Partial<Record<ReturnType<typeof roleOf> | 'unclaimed', readonly (readonly string[])[]>> = {
    claim: [
      ['READY', 'REASON', 'AGE'],
      ['STATUS', 'CLASS-KIND', 'CLASS-NAME', 'RESOURCE-KIND', 'RESOURCE-NAME', 'SECRET'],
    ],
    class: [
      ['DEFAULT-ANNOTATION', 'RECLAIM-POLICY', 'RETAIN-FOR', 'AGE'],
      ['PROVIDER', 'PROVIDER-CONFIG', 'DELETION-POLICY', 'POLICIES'],
    ],
    managed: [
      ['READY', 'SYNCED', 'STATUS', 'DELETE-AT', 'EXTERNAL-NAME', 'CLAIM', 'CLAIM-NAMESPACE', 'AGE'],
      ['RECLAIM-POLICY', 'RETAIN-FOR', 'DELETION-POLICY', 'POLICIES'],
    ],
    provider: [['SECRET-NAME', 'USERS', 'READY', 'REASON', 'AGE'], ['VERSION']],
    providerConfig: [['SECRET-NAME', 'USERS', 'READY', 'REASON', 'AGE'], ['VERSION']],
    unclaimed: [
      ['READY', 'SYNCED', 'EXTERNAL-NAME', 'AGE'],
      ['RECLAIM-POLICY', 'RETAIN-FOR', 'DELETION-POLICY', 'POLICIES'],
    ],
  };
  test('there are managed kinds that claims bind, and others', () => {
    const managed = [...definitions.values()].filter((definition) => roleOf(definition) === 'managed');
    const bound = managed.map(kindOf).filter((kind) => claimed.has(kind));
    assert.deepEqual(bound.toSorted(), [...claimed].toSorted());
    assert.ok(bound.length > 0 && bound.length < managed.length);
  });
  for (const definition of definitions.values()) {
    const role = roleOf(definition);
    const isUnclaimed = role === 'managed' && !claimed.has(kindOf(definition));
    const expected = columns[isUnclaimed ? 'unclaimed' : role];
    if (expected === undefined) continue;
    test(`${kindOf(definition)}${isUnclaimed ? ', which no claim binds,' : ''} and wide`, () => {
      const shown = (wide: boolean) =>
        definition.spec.versions[0].additionalPrinterColumns
          .filter(({ priority = 0 }) => priority > 0 === wide)
          .map(({ name }) => name);
      const own = role === 'claim' ? ownColumns(definition) : [];
      const [plainly = [], wide = []] = expected;
      assert.deepEqual([shown(false), shown(true)], [plainly, [...wide, ...own]]);
    });
  }

  /** The longest value of each column that users meet; a name is as long as a name of a real cluster. */
  const longest: Readonly<Record<string, string>> = {
    NAMESPACE: 'team-warehouses',
    AGE: '7y364d',
    READY: 'False',
    SYNCED: 'False',
    STATUS: 'Unbindable',
  };
  /** The heading of `kubectl get <category> -A`: three spaces between columns, and kind and group before each name. */
  function heading({ spec }: CustomResourceDefinition, name: string, REASON = ''): string {
    const [{ additionalPrinterColumns }] = spec.versions;
    const columns = additionalPrinterColumns.filter(({ priority = 0 }) => priority === 0);
    const NAME = `${spec.names.kind.toLowerCase()}.${spec.group}/${name}`;
    const longestOf: Readonly<Record<string, string>> = { ...longest, REASON, NAME };
    return ['NAMESPACE', 'NAME', ...columns.map((column) => column.name)]
      .filter((column) => column !== 'NAMESPACE' || spec.scope === 'Namespaced')
      .map((column) => column.padEnd(longestOf[column]?.length ?? 0))
      .join('   ');
  }
  for (const definition of definitions.values()) {
    const role = roleOf(definition);
    if (role === 'claim') {
      test(`kubectl get claims -A shows a ${kindOf(definition)} in 120 columns`, () => {
        const [longestReason = ''] = conditionReasons.toSorted((a, b) => b.length - a.length);
        const headings = [
          heading(definition, 'warehouse-of-returns', 'AvailableWithTrouble'),
          heading(definition, 'returns-archives', longestReason),
        ];
        assert.ok(
          headings.every(({ length }) => length <= 120),
          headings.join('\n'),
        );
      });
    }
    if (role === 'managed') {
      test(`kubectl get managed shows the state of a ${kindOf(definition)} in the first 120 columns`, () => {
        const [before = ''] = heading(definition, 'team-payments-invoices-archive-7hx2q').split(
          /DELETE-AT|EXTERNAL-NAME/,
        );
        assert.ok(before.slice(0, -3).length <= 120, before);
      });
    }
  }
  test('the reclaim policy of a class is never blank', () => {
    for (const definition of definitions.values()) {
      if (roleOf(definition) !== 'class') continue;
      const { specTemplate } = schemaOf(definition).properties ?? {};
      assert.equal(specTemplate?.properties?.reclaimPolicy?.default, 'Delete', kindOf(definition));
    }
  });
  test('every claim, class and provider of ours has a short name, and no two kinds have one', () => {
    const all = [...definitions.values()].map((definition) => ({
      of: kindOf(definition),
      isNeeded:
        definition.spec.group.endsWith('crossplane.io') && !['managed', 'store'].includes(roleOf(definition)),
      words: definition.spec.names.shortNames ?? [],
    }));
    const lacking = all.filter(({ isNeeded, words }) => isNeeded && words.length === 0);
    assert.deepEqual(map(lacking, 'of'), []);
    const words = all.flatMap((each) => each.words);
    assert.deepEqual(words.toSorted(), [...new Set(words)].toSorted());
  });
});

/** Each kind of claim shows the version that the claim asks for. */
const ownColumns = (claim: CustomResourceDefinition): readonly string[] =>
  schemaOf(claim).properties?.spec?.properties?.version === undefined ? ['ENGINE-VERSION'] : ['VERSION'];

describe('CEL rules', () => {
  for (const definition of definitions.values()) {
    for (const { path, schema } of schemasUnder(schemaOf(definition))) {
      for (const { rule, message, messageExpression, fieldPath } of rulesOf(schema)) {
        test(`${kindOf(definition)} ${path}${fieldPath ?? ''}: ${message}`, () => {
          const paths = [...fieldsIn(rule), ...(messageExpression ? fieldsIn(messageExpression) : [])];
          assert.ok(paths.length > 0);
          for (const fields of paths)
            assert.ok(hasField(schema, fields.slice(1)), `${fields.join('.')} exists`);
          const isTransition = paths.some(([variable]) => variable === 'oldSelf');
          assert.ok(!isTransition || !/\[\]|\*/.test(path), 'what is in a list or map has no former self');
          assert.match(message, /\S/);
          assert.ok(hasField(schema, fieldPath?.split('.').slice(1).map(celName) ?? []), 'fieldPath exists');
        });
      }
    }
  }
});

function hasField(schema: JsonSchema | undefined, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined || schema === undefined) return schema !== undefined;
  const field = Object.keys(schema.properties ?? {}).find((key) => celName(key) === name);
  return field !== undefined && hasField(schema.properties?.[field], rest);
}
