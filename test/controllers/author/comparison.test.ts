import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { identity, immutable, late } from '../../../apis/core/marks.ts';
import type { ObjectKind } from '../../../apis/core/schema.ts';
import { optional, text, texts } from '../../../apis/core/schema.ts';
import { defineManaged } from '../../../apis/core/v1alpha1/define-managed.ts';
import { reference, selector } from '../../../apis/core/v1alpha1/fields.ts';
import { FancySQLInstanceKind } from '../../../apis/database/v1alpha1/fancy-sql-instance.ts';
import type { Actual, Comparison, Oddities } from '../../../controllers/author/comparison.ts';
import {
  comparison,
  inAnyCase,
  inAnyOrder,
  observing,
  refuse,
} from '../../../controllers/author/comparison.ts';

const ThingKind = defineManaged(
  {
    group: 'example.org',
    version: 'v1',
    kind: 'Thing',
    plural: 'things',
    stack: 'example',
    description: 'A thing.',
  },
  z
    .object({
      region: optional(identity(late(text('Where it is.')))),
      version: optional(immutable(late(text('What it runs.')))),
      sizeGb: late(z.int().describe('How large it is.')),
      isPublic: optional(z.boolean().describe('Whether all may see it.')),
      zones: optional(late(z.array(z.string()).describe('Where else.'))),
      labels: optional(late(texts('Its labels.'))),
      rules: optional(
        z
          .array(
            z.object({
              port: z.int().describe('Which.'),
              note: optional(text('Why.')),
              from: optional(z.array(z.string()).describe('Whence.')),
            }),
          )
          .describe('The allowed clients.'),
      ),
      net: optional(
        z
          .object({
            cidr: optional(immutable(late(text('Its addresses.')))),
            mtu: optional(late(z.int().describe('How big.'))),
            dns: optional(z.object({ ttl: optional(z.int().describe('How long.')) }).describe('Its names.')),
          })
          .describe('Its network.'),
      ),
      key: optional(
        immutable(
          z.object({ id: text('Which.'), alias: optional(text('Its other name.')) }).describe('Its key.'),
        ),
      ),
      subnetIds: optional(late(z.array(z.string()).describe('Its subnets.'))),
      subnetIdRefs: optional(z.array(reference('One of them.')).describe('The Subnets taken.')),
      subnetIdSelector: optional(selector('Chooses them.')),
      networkId: optional(late(text('Its network.'))),
      networkIdRef: optional(reference('The Network.')),
      networkIdSelector: optional(selector('Chooses it.')),
    })
    .describe('The wanted state.'),
  {},
);
type Thing = ObjectKind<typeof ThingKind>;
type ForProvider = Thing['spec']['forProvider'];
type Spec = Pick<Thing['spec'], 'forProvider' | 'initProvider'>;

const thing = (spec: Partial<Spec>): Thing => ({
  apiVersion: 'example.org/v1',
  kind: 'Thing',
  metadata: { name: 'one' },
  spec: { forProvider: {}, ...spec },
});
const same: Comparison<Thing> = {
  ...{ change: {}, changed: [], refused: [], drifted: [] },
  observation: { isUpToDate: true },
};
const changing = (change: ForProvider, difference: string): Comparison<Thing> => ({
  change,
  changed: difference.split(', '),
  refused: [],
  drifted: [],
  observation: {
    ...{ isUpToDate: false, difference },
    differing: difference.split(', ').map((path) => `spec.forProvider.${path}`),
  },
});
const refusing = (...refused: readonly string[]): Comparison<Thing> => ({
  change: {},
  changed: [],
  refused,
  drifted: [],
  observation: { isUpToDate: false, difference: refused.join(', '), refused },
});
const taking = (lateInitialized: ForProvider): Comparison<Thing> => ({
  ...same,
  observation: { isUpToDate: true, lateInitialized },
});

interface Row {
  readonly wanted?: ForProvider;
  readonly initial?: ForProvider;
  readonly actual: Actual<Thing>;
  readonly oddities?: Oddities<Thing>;
  /** Default: no difference. */
  readonly want?: Comparison<Thing>;
}

const tables: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  'a field that differs': {
    nothing: { wanted: { sizeGb: 1, isPublic: false }, actual: { sizeGb: 1, isPublic: false } },
    'a field that the spec leaves out may have any value in the cloud': {
      actual: { isPublic: true, rules: [{ port: 1 }] },
    },
    'and so may a field that is null': { wanted: { isPublic: null as never }, actual: { isPublic: true } },
    'a field that the cloud does not report is not compared': { wanted: { isPublic: true }, actual: {} },
    'a field that the cloud reports as empty is compared': {
      wanted: { isPublic: false },
      actual: { isPublic: undefined },
      want: changing({ isPublic: false }, 'isPublic'),
    },
    'a field': {
      wanted: { sizeGb: 2, isPublic: true },
      actual: { sizeGb: 1, isPublic: true },
      want: changing({ sizeGb: 2 }, 'sizeGb'),
    },
    'several, in the order of the schema': {
      wanted: { isPublic: true, sizeGb: 2 },
      actual: { isPublic: false, sizeGb: 1 },
      want: changing({ sizeGb: 2, isPublic: true }, 'sizeGb, isPublic'),
    },
    'nothing that only the creation was to know': {
      initial: { sizeGb: 2, version: '8' },
      actual: { sizeGb: 1, version: '5' },
    },
    'no name, no reference: the cloud knows of neither': {
      wanted: { networkId: 'n', networkIdRef: { name: 'blue' } },
      actual: { networkId: 'n' },
    },
  },
  'lists and maps differ as a whole': {
    'in order': {
      wanted: { zones: ['a', 'b'] },
      actual: { zones: ['b', 'a'] },
      want: changing({ zones: ['a', 'b'] }, 'zones'),
    },
    'or not': { wanted: { zones: ['a', 'b'] }, actual: { zones: ['a', 'b'] } },
    'none is the same as an empty list': { wanted: { zones: [] }, actual: { zones: undefined } },
    'and as an empty map': { wanted: { labels: {} }, actual: { labels: undefined } },
    'nor is a full one the same as an empty one': {
      wanted: { zones: [] },
      actual: { zones: ['a'] },
      want: changing({ zones: [] }, 'zones'),
    },
    'a map has no key more than is wanted': {
      wanted: { labels: { a: '1' } },
      actual: { labels: { a: '1', b: '2' } },
      want: changing({ labels: { a: '1' } }, 'labels'),
    },
    'objects in a list may have more than is wanted': {
      wanted: { rules: [{ port: 1 }, { port: 2, from: ['a'] }] },
      actual: {
        rules: [
          { port: 1, note: 'web' },
          { port: 2, from: ['a'] },
        ],
      },
    },
    'such as what it was only made with': {
      wanted: { rules: [{ port: 1 }] },
      initial: { rules: [{ port: 1, note: 'web' }] },
      actual: { rules: [{ port: 1, note: 'changed since' }] },
    },
    'of an element that differs, what is wanted is to be sent, and nothing else': {
      wanted: { rules: [{ port: 2 }] },
      initial: { rules: [{ port: 1, note: 'web' }] },
      actual: { rules: [{ port: 1, note: 'changed since' }] },
      want: changing({ rules: [{ port: 2 }] }, 'rules'),
    },
    'and not less, however deep': {
      wanted: { rules: [{ port: 2, from: ['a', 'b'] }] },
      actual: { rules: [{ port: 2, from: ['a'] }] },
      want: changing({ rules: [{ port: 2, from: ['a', 'b'] }] }, 'rules'),
    },
  },
  'objects differ by their fields': {
    'only what differs is to be sent': {
      wanted: { net: { mtu: 9, cidr: 'c', dns: { ttl: 5 } } },
      actual: { net: { mtu: 1, cidr: 'c', dns: { ttl: 5 } } },
      want: changing({ net: { mtu: 9 } }, 'net.mtu'),
    },
    'however deep': {
      wanted: { net: { mtu: 1, dns: { ttl: 5 } } },
      actual: { net: { mtu: 1, dns: { ttl: 6 } } },
      want: changing({ net: { dns: { ttl: 5 } } }, 'net.dns.ttl'),
    },
    'where the cloud has none of it, all that is wanted does': {
      wanted: { net: { mtu: 1, dns: { ttl: 5 } } },
      actual: { net: undefined },
      want: changing({ net: { mtu: 1, dns: { ttl: 5 } } }, 'net.mtu, net.dns.ttl'),
    },
    'where it tells of some of it only, that is compared': {
      wanted: { net: { mtu: 1, dns: { ttl: 5 } } },
      actual: { net: { mtu: 2 } },
      want: changing({ net: { mtu: 1 } }, 'net.mtu'),
    },
  },
  'a change of an immutable field is refused, and is not sent': {
    'by the cloud': {
      wanted: { version: '8' },
      actual: { version: '5' },
      want: refusing('spec.forProvider.version from "5" to "8"'),
    },
    'as what identifies it': {
      wanted: { region: 'us' },
      actual: { region: 'eu' },
      want: refusing('spec.forProvider.region from "eu" to "us"'),
    },
    'within an object, whose other fields change': {
      wanted: { net: { cidr: 'c', mtu: 9 } },
      actual: { net: { cidr: 'd', mtu: 1 } },
      want: {
        change: { net: { mtu: 9 } },
        changed: ['net.mtu'],
        refused: ['spec.forProvider.net.cidr from "d" to "c"'],
        drifted: [],
        observation: {
          isUpToDate: false,
          difference: 'net.mtu, spec.forProvider.net.cidr from "d" to "c"',
          differing: ['spec.forProvider.net.mtu'],
          refused: ['spec.forProvider.net.cidr from "d" to "c"'],
        },
      },
    },
    'as a whole object, which may have more than is wanted': {
      wanted: { key: { id: 'k' } },
      actual: { key: { id: 'k', alias: 'mine' } },
    },
    'and differs as a whole': {
      wanted: { key: { id: 'k' } },
      actual: { key: { id: 'l' } },
      want: refusing('spec.forProvider.key from {"id":"l"} to {"id":"k"}'),
    },
    'where the cloud has none': {
      wanted: { version: '8' },
      actual: { version: undefined },
      want: refusing('spec.forProvider.version from nothing to "8"'),
    },
    'several at once': {
      wanted: { region: 'us', version: '8' },
      actual: { region: 'eu', version: '5' },
      want: refusing('spec.forProvider.region from "eu" to "us"', 'spec.forProvider.version from "5" to "8"'),
    },
  },
  'a late value is copied to the spec': {
    'where the spec has no value': {
      actual: { region: 'eu', version: '5', sizeGb: 0, zones: [], labels: { a: '1' } },
      want: taking({ region: 'eu', version: '5', sizeGb: 0, zones: [], labels: { a: '1' } }),
    },
    'not where the spec does': { wanted: { sizeGb: 1 }, actual: { sizeGb: 1 } },
    'nor where initProvider does': { initial: { sizeGb: 2 }, actual: { sizeGb: 1 } },
    'not what the cloud has none of': { actual: { sizeGb: undefined, version: undefined } },
    'not what is not marked': { actual: { isPublic: true } },
    'within an object, beside what was given': {
      wanted: { net: { cidr: 'c' } },
      actual: { net: { cidr: 'c', mtu: 9, dns: { ttl: 5 } } },
      want: taking({ net: { mtu: 9 } }),
    },
    'within an object that the spec does not have': {
      actual: { net: { cidr: 'c', mtu: 9 } },
      want: taking({ net: { cidr: 'c', mtu: 9 } }),
    },
    'no list or map that has a value in the spec': {
      wanted: { zones: ['a'], labels: {} },
      initial: { subnetIds: [] },
      actual: { zones: ['a'], labels: { a: '1' }, subnetIds: ['s'] },
      want: changing({ labels: {} }, 'labels'),
    },
    'beside what differs': {
      wanted: { isPublic: true },
      actual: { isPublic: false, sizeGb: 1 },
      want: {
        change: { isPublic: true },
        changed: ['isPublic'],
        refused: [],
        drifted: [],
        observation: {
          ...{ isUpToDate: false, lateInitialized: { sizeGb: 1 }, difference: 'isPublic' },
          differing: ['spec.forProvider.isPublic'],
        },
      },
    },
    'not what comes from a reference': {
      wanted: { networkIdRef: { name: 'blue' } },
      actual: { networkId: 'n' },
    },
    'or from a selector': {
      wanted: { networkIdSelector: {}, subnetIdSelector: {} },
      actual: { networkId: 'n', subnetIds: ['s'] },
    },
    'or from several references': { wanted: { subnetIdRefs: [{ name: 'a' }] }, actual: { subnetIds: ['s'] } },
    'or from a reference for the creation only': {
      initial: { networkIdRef: { name: 'blue' }, subnetIdRefs: [] },
      actual: { networkId: 'n', subnetIds: ['s'] },
    },
  },
  'oddities of the cloud': {
    order: {
      wanted: { zones: ['a', 'b'] },
      actual: { zones: ['b', 'a', 'b'] },
      oddities: { zones: { equals: inAnyOrder } },
    },
    'and what is in no order the same': {
      wanted: { zones: ['a', 'b'] },
      actual: { zones: ['a', 'c'] },
      oddities: { zones: { equals: inAnyOrder } },
      want: changing({ zones: ['a', 'b'] }, 'zones'),
    },
    case: {
      wanted: { region: 'EU', version: 'v8' },
      actual: { region: 'eu', version: 'V9' },
      oddities: { region: { equals: inAnyCase }, version: { equals: inAnyCase } },
      want: refusing('spec.forProvider.version from "V9" to "v8"'),
    },
    'they are not asked about what it has none of': {
      wanted: { zones: ['a'] },
      actual: { zones: undefined },
      oddities: { zones: { equals: () => assert.fail() } },
      want: changing({ zones: ['a'] }, 'zones'),
    },
    'a default of its own': {
      actual: { isPublic: true },
      oddities: { isPublic: { absent: false } },
      want: changing({ isPublic: false }, 'isPublic'),
    },
    'a field with its default': { actual: { isPublic: false }, oddities: { isPublic: { absent: false } } },
    'or with another value in the spec': {
      wanted: { isPublic: true },
      actual: { isPublic: true },
      oddities: { isPublic: { absent: false } },
    },
    'or with a value for the creation only': {
      initial: { isPublic: false },
      actual: { isPublic: false },
      oddities: { isPublic: { absent: true } },
    },
    'a field that only grows': {
      wanted: { sizeGb: 1 },
      actual: { sizeGb: 2 },
      oddities: { sizeGb: { mayChange: (from = 0, to) => to > from } },
      want: refusing('spec.forProvider.sizeGb from 2 to 1'),
    },
    'and grows': {
      wanted: { sizeGb: 3 },
      actual: { sizeGb: 2 },
      oddities: { sizeGb: { mayChange: (from = 0, to) => to > from } },
      want: changing({ sizeGb: 3 }, 'sizeGb'),
    },
    'a field that is set once': {
      wanted: { networkId: 'n' },
      actual: { networkId: undefined },
      oddities: { networkId: { mayChange: (from) => from === undefined } },
      want: changing({ networkId: 'n' }, 'networkId'),
    },
    'of a field within an object': {
      wanted: { net: { cidr: 'A', mtu: 1 } },
      actual: { net: { cidr: 'a', mtu: 2 } },
      oddities: { 'net.cidr': { equals: inAnyCase }, 'net.mtu': { mayChange: () => false } },
      want: refusing('spec.forProvider.net.mtu from 2 to 1'),
    },
    'of an object as a whole': {
      wanted: { net: { mtu: 1, dns: { ttl: 60 } } },
      actual: { net: { mtu: 1, dns: { ttl: 61 } } },
      oddities: { 'net.dns': { equals: ({ ttl: a = 0 }, { ttl: b = 0 }) => b - a < 2 } },
    },
  },
};

for (const [what, rows] of Object.entries(tables)) {
  describe(`comparison by schema: ${what}`, () => {
    for (const [name, { wanted = {}, initial, actual, oddities, want = same }] of Object.entries(rows)) {
      test(name, () => {
        const managed = thing({ forProvider: wanted, ...(initial && { initProvider: initial }) });
        const before = structuredClone(managed);
        assert.deepEqual(comparison(ThingKind, oddities)(managed, actual), want);
        assert.deepEqual(managed, before);
      });
    }
  });
}

describe('a change without an effect is reported when a comparison is made', () => {
  const rows: Record<string, { readonly oddities: Oddities<Thing>; readonly says: string }> = {
    'an oddity within what is compared as a whole': {
      oddities: { 'key.id': { equals: inAnyCase } },
      says: 'Thing: key.id is compared as part of what it is in',
    },
    'or within what another oddity is about': {
      oddities: { 'net.dns': {}, 'net.dns.ttl': {} },
      says: 'Thing: net.dns.ttl is compared as part of what it is in',
    },
    'an object that is odd as a whole, with a mark in it': {
      oddities: { net: {} },
      says: 'Thing: net cannot be odd as a whole: net.cidr is marked',
    },
    'a default for what is taken over': {
      oddities: { sizeGb: { absent: 1 } },
      says: 'Thing: sizeGb is late, so its absence cannot mean 1',
    },
    'a field that there is not': {
      oddities: { nonsense: {} } as Oddities<Thing>,
      says: 'Thing: nonsense is compared as part of what it is in',
    },
  };
  for (const [name, { oddities, says }] of Object.entries(rows)) {
    test(name, () => assert.throws(() => comparison(ThingKind, oddities), { message: says }));
  }

  test('a kind that is not managed', () => {
    assert.throws(() => comparison(FancySQLInstanceKind as never), {
      message: 'FancySQLInstance is no managed kind',
    });
  });
});

test('a difference that cannot be changed is reported with the remedy, and equal values are not reported', () => {
  refuse({ refused: [], drifted: [] });
  assert.throws(
    () =>
      refuse({ refused: ['spec.forProvider.a from 1 to 2', 'spec.forProvider.b from 3 to 4'], drifted: [] }),
    {
      message:
        'cannot change spec.forProvider.a from 1 to 2 and spec.forProvider.b from 3 to 4: the external system does not support this change; undo the edit, or create a new resource',
    },
  );
});

/** Each would let an author compare what there is not if it compiled: an expectation of an error that is none is one. */
const mistakes: Readonly<Record<string, () => unknown>> = {
  'an oddity of a field that there is not': () =>
    // @ts-expect-error size
    comparison(ThingKind, { size: { equals: inAnyCase } }),
  'an oddity of a field that there is not within another': () =>
    // @ts-expect-error net.mtu
    comparison(ThingKind, { 'net.MTU': {} }),
  'an oddity of another type': () =>
    // @ts-expect-error a number has no case
    comparison(ThingKind, { sizeGb: { equals: inAnyCase } }),
  'an order of what is no list': () =>
    // @ts-expect-error a text has no order
    comparison(ThingKind, { version: { equals: inAnyOrder } }),
  'a default of another type': () =>
    // @ts-expect-error a boolean
    comparison(ThingKind, { isPublic: { absent: 'no' } }),
  'a fact of a field that there is not': () =>
    // @ts-expect-error sizeGb
    comparison(ThingKind)(thing({}), { sizeGB: 1 }),
  'a fact of another type': () =>
    // @ts-expect-error a number
    comparison(ThingKind)(thing({}), { net: { mtu: 'large' } }),
  'a change of a field that there is not': () =>
    // @ts-expect-error sizeGb
    comparison(ThingKind)(thing({}), {}).change.sizeGB,
  'a resource of another kind': () =>
    // @ts-expect-error a claim
    comparison(ThingKind)({} as ObjectKind<typeof FancySQLInstanceKind>, {}),
  'a kind that is not managed': () =>
    // @ts-expect-error a claim
    comparison(FancySQLInstanceKind),
};

describe('values that cannot be compared do not compile', () => {
  for (const [name, mistake] of Object.entries(mistakes)) {
    test(name, () => assert.equal(typeof mistake, 'function'));
  }
});

describe('a value that the cloud returns in another form is compared in that form', () => {
  const drifted = ['spec.forProvider.version, which is "8" there and "5" here'];
  const taken = { lateInitialized: { sizeGb: 1 } };
  const rows: Readonly<
    Record<string, { compared: Partial<Comparison<Thing>>; differing: readonly string[]; want: object }>
  > = {
    'is up to date where there is nothing to ask': {
      compared: { observation: { isUpToDate: false, difference: 'labels', ...taken } },
      differing: [],
      want: { isUpToDate: true, ...taken },
    },
    'names what there is to ask': {
      compared: { observation: { isUpToDate: false, difference: 'labels' } },
      differing: ['Labels'],
      want: { isUpToDate: false, difference: 'Labels' },
    },
    'tells what cannot be changed all the same': {
      compared: refusing('a from 1 to 2'),
      differing: ['Labels'],
      want: { isUpToDate: false, difference: 'Labels, a from 1 to 2', refused: ['a from 1 to 2'] },
    },
    'and what cannot be changed back': {
      compared: { drifted, observation: { isUpToDate: false, difference: drifted[0] ?? '', drifted } },
      differing: [],
      want: { isUpToDate: false, difference: drifted[0], drifted },
    },
  };
  for (const [name, { compared, differing, want }] of Object.entries(rows)) {
    test(name, () => assert.deepEqual(observing<Thing>({ ...same, ...compared }, differing), want));
  }
});
