import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { apiReference } from '../../../apis/api-reference.ts';
import type { FieldMarks } from '../../../apis/core/marks.ts';
import { fieldMarks, identity, immutable, late } from '../../../apis/core/marks.ts';
import { immutableRule, initialIdentityRule } from '../../../apis/core/rules.ts';
import { optional, text } from '../../../apis/core/schema.ts';
import { defineClaim } from '../../../apis/core/v1alpha1/define-claim.ts';
import { defineClass } from '../../../apis/core/v1alpha1/define-class.ts';
import { defineManaged } from '../../../apis/core/v1alpha1/define-managed.ts';
import { defineProviderConfig } from '../../../apis/core/v1alpha1/define-provider.ts';
import { FavouriteDBInstanceKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';
import { PostgreSQLGrantKind } from '../../../stacks/postgresql/kinds/v1alpha1/postgresql-grant.ts';

const region = text('Where it is.');
const none: FieldMarks = { immutable: [], identity: [], late: [] };
const names = {
  group: 'example.org',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  stack: 'example',
  description: 'A thing.',
};

describe('marks are found', () => {
  const regionMarks: Partial<FieldMarks> = { immutable: ['region'] };
  const rows: Record<string, readonly [fields: z.ZodRawShape, want: Partial<FieldMarks>]> = {
    'nowhere, where there are none': [{ region, size: optional(z.int()) }, {}],
    'on a field': [{ region: immutable(region) }, regionMarks],
    'of identity, which is immutable too': [
      { region: identity(region) },
      { ...regionMarks, identity: ['region'] },
    ],
    'several on one field': [{ region: late(immutable(region)) }, { ...regionMarks, late: ['region'] }],
    'once, however often they are set': [
      { region: identity(optional(immutable(identity(region)))) },
      { ...regionMarks, identity: ['region'] },
    ],
    'in the order of the schema': [
      { b: immutable(text('B.')), a: identity(text('A.')), c: immutable(text('C.')) },
      { immutable: ['b', 'a', 'c'], identity: ['a'] },
    ],
    'within what is optional': [{ region: optional(immutable(region)) }, regionMarks],
    'around what is optional': [{ region: immutable(optional(region)) }, regionMarks],
    'on both sides of it': [
      { region: late(optional(immutable(region))) },
      { ...regionMarks, late: ['region'] },
    ],
    'within whatever else zod wraps a field in': [
      {
        a: late(region).default('eu'),
        b: late(region).nullable(),
        c: late(region).readonly(),
        d: late(region).optional().nullable().readonly(),
      },
      { late: ['a', 'b', 'c', 'd'] },
    ],
    'on a field that is described and refined afterwards': [
      {
        region: immutable(z.string())
          .min(1)
          .regex(/^[a-z]+$/)
          .describe('Where it is.')
          .meta({ x: 1 }),
      },
      regionMarks,
    ],
    'within objects, optional or not': [
      {
        net: z.object({ id: identity(text('Id.')), mtu: z.int() }),
        disk: optional(z.object({ kind: optional(z.object({ name: late(text('Name.')) })) })),
      },
      { immutable: ['net.id'], identity: ['net.id'], late: ['disk.kind.name'] },
    ],
    'on objects, maps and lists, which count as a whole': [
      {
        net: immutable(z.object({ id: text('Id.') })),
        tags: late(z.record(z.string(), z.string())),
        zones: immutable(z.array(region)),
      },
      { immutable: ['net', 'zones'], late: ['tags'] },
    ],
    'within an object that is late': [
      { net: late(z.object({ id: immutable(text('Id.')) })) },
      { immutable: ['net.id'], late: ['net'] },
    ],
    'under names that begin alike': [
      { net: immutable(region), network: z.object({ id: immutable(region) }) },
      { immutable: ['net', 'network.id'] },
    ],
  };
  for (const [name, [fields, want]] of Object.entries(rows)) {
    test(name, () => assert.deepEqual(fieldMarks('x', z.object(fields)), { ...none, ...want }));
  }

  test('a mark leaves the field that it was made from unmarked, and keeps its description', () => {
    const marked = late(region);
    assert.deepEqual([marked.description, region.description], ['Where it is.', 'Where it is.']);
    assert.deepEqual(fieldMarks('x', z.object({ region })), none);
  });

  test('in the kinds of our own stacks', () => {
    assert.deepEqual(FavouriteDBInstanceKind.marks, {
      immutable: ['name', 'version'],
      identity: [],
      late: ['fancinessLevel', 'version', 'networkId'],
    });
    assert.deepEqual(NetworkKind.marks, { immutable: ['cidr'], identity: [], late: ['displayName', 'cidr'] });
    assert.deepEqual(PostgreSQLGrantKind.marks, none);
  });
});

describe('a mark that makes no sense is refused with the name of the field, when the kind is defined', () => {
  const of = (fields: z.ZodRawShape) => () => defineManaged(names, z.object(fields), {});
  const inList = (field: string): string =>
    `${field} has marked elements, but a path cannot name one of several elements: mark ${field} itself`;
  const within = (field: string): string =>
    `${field} is marked, and so is net, which contains it: mark only one of them`;
  const onlyForProvider = 'only fields of forProvider can be immutable, identity or late';
  const refusedFields: Record<string, readonly [fields: z.ZodRawShape, says: string]> = {
    'in a list': [{ zones: optional(z.array(z.object({ id: immutable(region) }))) }, inList('zones')],
    'as the element of a list': [{ zones: z.array(late(region)) }, inList('zones')],
    'in a map': [{ tags: z.record(z.string(), z.object({ value: late(region) })) }, inList('tags')],
    'in one of several shapes': [
      { net: z.object({ at: z.union([z.string(), z.object({ id: identity(region) })]) }) },
      inList('net.at'),
    ],
    'within what keeps its value as a whole': [
      { net: immutable(z.object({ id: late(region) })) },
      within('net.id'),
    ],
    'deep within it': [
      { net: optional(identity(z.object({ a: z.object({ b: immutable(region) }) }))) },
      within('net.a.b'),
    ],
    'several at once': [
      { zones: z.array(late(region)), tags: z.record(z.string(), late(region)) },
      `${inList('zones')}; ${inList('tags')}`,
    ],
  };
  for (const [name, [fields, says]] of Object.entries(refusedFields)) {
    test(name, () => assert.throws(of(fields), { message: `Thing.spec.forProvider: ${says}` }));
  }
  const elsewhere: Record<string, readonly [define: () => unknown, says: string]> = {
    'around all of forProvider': [
      () => defineManaged(names, immutable(z.object({ region })), {}),
      'Thing.spec.forProvider: the whole object is marked: mark its fields instead',
    ],
    'in the status': [
      () => defineManaged(names, z.object({}), { id: optional(immutable(region)) }),
      `Thing.status: remove the mark of id; ${onlyForProvider}`,
    ],
    'in a claim': [
      () => defineClaim(names, { size: optional(z.object({ gb: late(z.int()) })) }),
      `Thing.spec: remove the mark of size; ${onlyForProvider}`,
    ],
    'in a provider': [
      () => defineProviderConfig(names, { projectID: identity(region) }),
      `ProviderConfig.spec: remove the mark of projectID; ${onlyForProvider}`,
    ],
  };
  for (const [name, [define, says]] of Object.entries(elsewhere)) {
    test(name, () => assert.throws(define, { message: says }));
  }

  test('a class may share fields with its managed kind, and is edited freely', () => {
    const { schema } = defineClass(names, z.object({ region: identity(region) }));
    assert.ok(!JSON.stringify(z.toJSONSchema(schema)).includes('immutable'));
  });
});

test('the rule of a field, of one within another, of late ones, and of an identity in initProvider', () => {
  const rest = {
    message: 'cannot change while the external resource exists; create a new resource instead',
    reason: 'FieldValueForbidden',
  };
  assert.deepEqual(immutableRule('in', false), {
    rule: '!has(oldSelf.status) || !has(oldSelf.status.externalIdentity) || (has(self.spec.forProvider.__in__) == has(oldSelf.spec.forProvider.__in__) && (!has(self.spec.forProvider.__in__) || self.spec.forProvider.__in__ == oldSelf.spec.forProvider.__in__))',
    fieldPath: '.spec.forProvider.in',
    ...rest,
  });
  const nested = {
    before: '(has(oldSelf.spec.forProvider.net) && has(oldSelf.spec.forProvider.net.id))',
    now: '(has(self.spec.forProvider.net) && has(self.spec.forProvider.net.id))',
    isEqual: 'self.spec.forProvider.net.id == oldSelf.spec.forProvider.net.id',
  };
  assert.deepEqual(immutableRule('net.id', false), {
    rule: `!has(oldSelf.status) || !has(oldSelf.status.externalIdentity) || (${nested.now} == ${nested.before} && (!${nested.now} || ${nested.isEqual}))`,
    fieldPath: '.spec.forProvider.net.id',
    ...rest,
  });
  assert.deepEqual(immutableRule('net.id', true), {
    rule: `!has(oldSelf.status) || !has(oldSelf.status.externalIdentity) || !${nested.now} || !${nested.before} || ${nested.isEqual}`,
    fieldPath: '.spec.forProvider.net.id',
    ...rest,
    message:
      'cannot change while the external resource exists; remove the field to keep its value, or create a new resource instead',
  });
  const initial = {
    before: '(has(oldSelf.spec.initProvider) && has(oldSelf.spec.initProvider.region))',
    now: '(has(self.spec.initProvider) && has(self.spec.initProvider.region))',
    isEqual: 'self.spec.initProvider.region == oldSelf.spec.initProvider.region',
  };
  assert.deepEqual(initialIdentityRule('region'), {
    rule: `!has(oldSelf.status) || !has(oldSelf.status.externalIdentity) || (${initial.now} == ${initial.before} && (!${initial.now} || ${initial.isEqual}))`,
    fieldPath: '.spec.initProvider.region',
    ...rest,
  });
});

test('the API reference says of each marked field what it is, and of no other', () => {
  const fields = z
    .object({
      region: identity(region),
      zone: optional(immutable(text('In which zone.'))),
      net: z.object({ mtu: late(text('How big.')) }).describe('Its network.'),
      size: text('How large.'),
    })
    .describe('Its state.');
  const classDefinition = defineClass({ ...names, kind: 'ThingClass' }, fields);
  const lines = apiReference([defineManaged(names, fields, {}), classDefinition]).split('\n');
  const marked = lines.filter((line) => /Identity:|external resource exists|Late:/.test(line));
  const fixed = 'Rule: cannot change while the external resource exists; create a new resource instead.';
  assert.deepEqual(marked, [
    `| \`spec.forProvider.region\` | string | Where it is. Identity: it identifies the external resource. ${fixed} |`,
    `| \`spec.forProvider.zone\` | string | In which zone. ${fixed} |`,
    '| `spec.forProvider.net.mtu` * | string | How big. Late: if absent, it is set to the value in the external system. |',
    `| \`spec.initProvider.region\` | string | Where it is. ${fixed} |`,
  ]);
});
