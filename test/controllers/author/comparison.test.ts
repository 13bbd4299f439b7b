import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { identity, immutable, late } from '../../../apis/core/marks.ts';
import type { ObjectKind } from '../../../apis/core/schema.ts';
import { optional, text, texts } from '../../../apis/core/schema.ts';
import { defineManaged } from '../../../apis/core/v1alpha1/define-managed.ts';
import { reference, selector } from '../../../apis/core/v1alpha1/fields.ts';
import type { Actual, Comparison, FieldRules } from '../../../controllers/author/comparison.ts';
import {
  comparison,
  inAnyCase,
  inAnyOrder,
  observing,
  refuse,
} from '../../../controllers/author/comparison.ts';
import { FancySQLInstanceKind } from '../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';

const WidgetKind = defineManaged(
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
type Widget = ObjectKind<typeof WidgetKind>;
type ForProvider = Widget['spec']['forProvider'];
type Spec = Pick<Widget['spec'], 'forProvider' | 'initProvider'>;

const widget = (spec: Partial<Spec>): Widget => ({
  apiVersion: 'example.org/v1',
  kind: 'Thing',
  metadata: { name: 'one' },
  spec: { forProvider: {}, ...spec },
});
const nothing = { change: {}, changed: [], refused: [], drifted: [] };
const same: Comparison<Widget> = { ...nothing, observation: { isUpToDate: true } };
const changing = (change: ForProvider, difference: string): Comparison<Widget> => {
  const changed = difference.split(', ');
  const differing = changed.map((path) => `spec.forProvider.${path}`);
  return { ...nothing, change, changed, observation: { isUpToDate: false, difference, differing } };
};
const refusing = (...refused: readonly string[]): Comparison<Widget> => ({
  ...nothing,
  refused,
  observation: { isUpToDate: false, difference: refused.join(', '), refused },
});
const taking = (lateInitialized: ForProvider): Comparison<Widget> => ({
  ...same,
  observation: { isUpToDate: true, lateInitialized },
});

interface More {
  readonly initial?: ForProvider;
  readonly fieldRules?: FieldRules<Widget>;
}

/** Default: no difference. */
function compares(
  forProvider: ForProvider,
  actual: Actual<Widget>,
  want: Comparison<Widget> = same,
  { initial, fieldRules }: More = {},
): void {
  const managed = widget({ forProvider, ...(initial && { initProvider: initial }) });
  const before = structuredClone(managed);
  assert.deepEqual(comparison(WidgetKind, fieldRules)(managed, actual), want);
  assert.deepEqual(managed, before);
}
/** All that is wanted is to be sent. */
const changes = (wanted: ForProvider, actual: Actual<Widget>, difference: string, more?: More): void =>
  compares(wanted, actual, changing(wanted, difference), more);
/** All that the cloud has is copied to the spec. */
const takes = (actual: ForProvider): void => compares({}, actual, taking(actual));
const refuses = (wanted: ForProvider, actual: Actual<Widget>, refused: string, more?: More): void =>
  compares(wanted, actual, refusing(refused), more);

describe('comparison by schema: a field that differs', () => {
  test('equal values do not differ', () =>
    compares({ sizeGb: 1, isPublic: false }, { sizeGb: 1, isPublic: false }));
  test('a field that the spec leaves out may have any value in the cloud', () =>
    compares({}, { isPublic: true, rules: [{ port: 1 }] }));
  test('a field that is null may be changed', () =>
    compares({ isPublic: null as never }, { isPublic: true }));
  test('a field that the cloud does not report is not compared', () => compares({ isPublic: true }, {}));
  test('a field that the cloud reports as empty is compared', () =>
    changes({ isPublic: false }, { isPublic: undefined }, 'isPublic'));
  test('a field with another value differs', () =>
    compares(
      { sizeGb: 2, isPublic: true },
      { sizeGb: 1, isPublic: true },
      changing({ sizeGb: 2 }, 'sizeGb'),
    ));
  test('several fields differ in the order of the schema', () =>
    compares(
      { isPublic: true, sizeGb: 2 },
      { isPublic: false, sizeGb: 1 },
      changing({ sizeGb: 2, isPublic: true }, 'sizeGb, isPublic'),
    ));
  test('a value in initProvider is not compared', () =>
    compares({}, { sizeGb: 1, version: '5' }, same, { initial: { sizeGb: 2, version: '8' } }));
  test('a reference is not compared', () =>
    compares({ networkId: 'n', networkIdRef: { name: 'blue' } }, { networkId: 'n' }));
});

describe('comparison by schema: lists and maps differ as a whole', () => {
  test('lists with another order differ', () =>
    changes({ zones: ['a', 'b'] }, { zones: ['b', 'a'] }, 'zones'));
  test('equal lists do not differ', () => compares({ zones: ['a', 'b'] }, { zones: ['a', 'b'] }));
  test('a missing list equals an empty list', () => compares({ zones: [] }, { zones: undefined }));
  test('a missing map equals an empty map', () => compares({ labels: {} }, { labels: undefined }));
  test('a full list differs from an empty list', () => changes({ zones: [] }, { zones: ['a'] }, 'zones'));
  test('a map with an additional key differs', () =>
    changes({ labels: { a: '1' } }, { labels: { a: '1', b: '2' } }, 'labels'));
  const second = { port: 2, from: ['a'] };
  test('an object in a list may have additional fields', () =>
    compares({ rules: [{ port: 1 }, second] }, { rules: [{ port: 1, note: 'web' }, second] }));
  const web = { initial: { rules: [{ port: 1, note: 'web' }] } };
  const sinceThen = { rules: [{ port: 1, note: 'changed since' }] };
  test('an object in a list may have another value than initProvider', () =>
    compares({ rules: [{ port: 1 }] }, sinceThen, same, web));
  test('a list that differs is sent without values of initProvider', () =>
    changes({ rules: [{ port: 2 }] }, sinceThen, 'rules', web));
  test('an object in a list that lacks a wanted value differs, at any depth', () =>
    changes({ rules: [{ port: 2, from: ['a', 'b'] }] }, { rules: [{ port: 2, from: ['a'] }] }, 'rules'));
});

describe('comparison by schema: objects differ by their fields', () => {
  test('only the fields that differ are sent', () =>
    compares(
      { net: { mtu: 9, cidr: 'c', dns: { ttl: 5 } } },
      { net: { mtu: 1, cidr: 'c', dns: { ttl: 5 } } },
      changing({ net: { mtu: 9 } }, 'net.mtu'),
    ));
  test('a field differs at any depth', () =>
    compares(
      { net: { mtu: 1, dns: { ttl: 5 } } },
      { net: { mtu: 1, dns: { ttl: 6 } } },
      changing({ net: { dns: { ttl: 5 } } }, 'net.dns.ttl'),
    ));
  test('all fields of an object that the cloud does not have differ', () =>
    changes({ net: { mtu: 1, dns: { ttl: 5 } } }, { net: undefined }, 'net.mtu, net.dns.ttl'));
  test('only the fields of an object that the cloud reports are compared', () =>
    compares(
      { net: { mtu: 1, dns: { ttl: 5 } } },
      { net: { mtu: 2 } },
      changing({ net: { mtu: 1 } }, 'net.mtu'),
    ));
});

describe('comparison by schema: a change of an immutable field is refused, and is not sent', () => {
  test('a field that is marked as immutable does not change', () =>
    refuses({ version: '8' }, { version: '5' }, 'spec.forProvider.version from "5" to "8"'));
  test('a field of the identity does not change', () =>
    refuses({ region: 'us' }, { region: 'eu' }, 'spec.forProvider.region from "eu" to "us"'));
  const refused = ['spec.forProvider.net.cidr from "d" to "c"'];
  test('a field within an object does not change, and the other fields of the object change', () =>
    compares(
      { net: { cidr: 'c', mtu: 9 } },
      { net: { cidr: 'd', mtu: 1 } },
      {
        ...changing({ net: { mtu: 9 } }, 'net.mtu'),
        refused,
        observation: {
          isUpToDate: false,
          difference: 'net.mtu, spec.forProvider.net.cidr from "d" to "c"',
          differing: ['spec.forProvider.net.mtu'],
          refused,
        },
      },
    ));
  test('an immutable object may have additional fields', () =>
    compares({ key: { id: 'k' } }, { key: { id: 'k', alias: 'mine' } }));
  test('an immutable object differs as a whole', () =>
    refuses(
      { key: { id: 'k' } },
      { key: { id: 'l' } },
      `spec.forProvider.key from {"id":"l"} to {"id":"k"}`,
    ));
  test('an immutable field without a value gets none', () =>
    refuses({ version: '8' }, { version: undefined }, 'spec.forProvider.version from nothing to "8"'));
  test('several refused changes are reported together', () =>
    compares(
      { region: 'us', version: '8' },
      { region: 'eu', version: '5' },
      refusing('spec.forProvider.region from "eu" to "us"', 'spec.forProvider.version from "5" to "8"'),
    ));
});

describe('comparison by schema: a late value is copied to the spec', () => {
  test('a field without a value in the spec gets that of the cloud', () =>
    takes({ region: 'eu', version: '5', sizeGb: 0, zones: [], labels: { a: '1' } }));
  test('a field with a value in the spec gets no late value', () => compares({ sizeGb: 1 }, { sizeGb: 1 }));
  test('a field that initProvider sets gets no late value', () =>
    compares({}, { sizeGb: 1 }, same, { initial: { sizeGb: 2 } }));
  test('a field without a value in the cloud gets none', () =>
    compares({}, { sizeGb: undefined, version: undefined }));
  test('a field that is not late gets no late value', () => compares({}, { isPublic: true }));
  test('a field within an object gets its late value beside the given fields', () =>
    compares(
      { net: { cidr: 'c' } },
      { net: { cidr: 'c', mtu: 9, dns: { ttl: 5 } } },
      taking({ net: { mtu: 9 } }),
    ));
  test('an object that the spec lacks gets its late values', () => takes({ net: { cidr: 'c', mtu: 9 } }));
  test('a list or map with a value in the spec gets no late value', () =>
    compares(
      { zones: ['a'], labels: {} },
      { zones: ['a'], labels: { a: '1' }, subnetIds: ['s'] },
      changing({ labels: {} }, 'labels'),
      { initial: { subnetIds: [] } },
    ));
  const differs = changing({ isPublic: true }, 'isPublic');
  test('a late value is copied while another field differs', () =>
    compares(
      { isPublic: true },
      { isPublic: false, sizeGb: 1 },
      { ...differs, observation: { ...differs.observation, lateInitialized: { sizeGb: 1 } } },
    ));
  test('a field with a reference gets no late value', () =>
    compares({ networkIdRef: { name: 'blue' } }, { networkId: 'n' }));
  test('a field with a selector gets no late value', () =>
    compares({ networkIdSelector: {}, subnetIdSelector: {} }, { networkId: 'n', subnetIds: ['s'] }));
  test('a field with several references gets no late value', () =>
    compares({ subnetIdRefs: [{ name: 'a' }] }, { subnetIds: ['s'] }));
  const referring = { networkIdRef: { name: 'blue' }, subnetIdRefs: [] };
  test('a field with a reference for the creation only gets no late value', () =>
    compares({}, { networkId: 'n', subnetIds: ['s'] }, same, { initial: referring }));
});

describe('comparison by schema: field rules of the cloud', () => {
  const odd = (fieldRules: FieldRules<Widget>): More => ({ fieldRules });
  const unordered = odd({ zones: { equals: inAnyOrder } });
  test('inAnyOrder ignores order and repetition', () =>
    compares({ zones: ['a', 'b'] }, { zones: ['b', 'a', 'b'] }, same, unordered));
  test('a list with another element differs in any order', () =>
    changes({ zones: ['a', 'b'] }, { zones: ['a', 'c'] }, 'zones', unordered));
  test('inAnyCase ignores case', () =>
    refuses(
      { region: 'EU', version: 'v8' },
      { region: 'eu', version: 'V9' },
      'spec.forProvider.version from "V9" to "v8"',
      odd({ region: { equals: inAnyCase }, version: { equals: inAnyCase } }),
    ));
  test('a rule is not asked about a value that the cloud does not have', () =>
    changes(
      { zones: ['a'] },
      { zones: undefined },
      'zones',
      odd({ zones: { equals: () => assert.fail() } }),
    ));
  const publicMustBeNamed = odd({ isPublic: { absent: false } });
  test('the absent value is wanted where the spec has none', () =>
    compares({}, { isPublic: true }, changing({ isPublic: false }, 'isPublic'), publicMustBeNamed));
  test('a field with its absent value does not differ', () =>
    compares({}, { isPublic: false }, same, publicMustBeNamed));
  test('the absent value has no effect with another value in the spec', () =>
    compares({ isPublic: true }, { isPublic: true }, same, publicMustBeNamed));
  const initially = { initial: { isPublic: false }, ...odd({ isPublic: { absent: true } }) };
  test('the absent value has no effect with a value for the creation only', () =>
    compares({}, { isPublic: false }, same, initially));
  const growing = odd({ sizeGb: { mayChange: (from = 0, to) => to > from } });
  test('a value that may only grow does not shrink', () =>
    refuses({ sizeGb: 1 }, { sizeGb: 2 }, 'spec.forProvider.sizeGb from 2 to 1', growing));
  test('a value that may only grow is changed when it grows', () =>
    changes({ sizeGb: 3 }, { sizeGb: 2 }, 'sizeGb', growing));
  const setOnce = odd({ networkId: { mayChange: (from) => from === undefined } });
  test('a value that may be set once is set', () =>
    changes({ networkId: 'n' }, { networkId: undefined }, 'networkId', setOnce));
  test('a rule may name a field within an object', () =>
    refuses(
      { net: { cidr: 'A', mtu: 1 } },
      { net: { cidr: 'a', mtu: 2 } },
      'spec.forProvider.net.mtu from 2 to 1',
      odd({ 'net.cidr': { equals: inAnyCase }, 'net.mtu': { mayChange: () => false } }),
    ));
  const aboutEqual = odd({ 'net.dns': { equals: ({ ttl: a = 0 }, { ttl: b = 0 }) => b - a < 2 } });
  test('a rule of an object compares it as a whole', () =>
    compares({ net: { mtu: 1, dns: { ttl: 60 } } }, { net: { mtu: 1, dns: { ttl: 61 } } }, same, aboutEqual));
});

describe('a rule without an effect is refused when a comparison is made', () => {
  const says = (fieldRules: FieldRules<Widget>, message: string): void =>
    assert.throws(() => comparison(WidgetKind, fieldRules), { message });
  const withoutEffect = (field: string): string =>
    `Thing: the rule for ${field} has no effect: write it for the field that contains it, or correct the name`;
  test('a rule within an immutable object is refused', () =>
    says({ 'key.id': { equals: inAnyCase } }, withoutEffect('key.id')));
  test('a rule within the field of another rule is refused', () =>
    says({ 'net.dns': {}, 'net.dns.ttl': {} }, withoutEffect('net.dns.ttl')));
  test('a rule of an object with a marked field is refused', () =>
    says({ net: {} }, 'Thing: net cannot have a rule, because its field net.cidr has a mark'));
  test('an absent value of a late field is refused', () =>
    says({ sizeGb: { absent: 1 } }, 'Thing: sizeGb is late, so its absence cannot mean 1'));
  test('a rule of an unknown field is refused', () =>
    says({ nonsense: {} } as object, withoutEffect('nonsense')));

  test('a kind that is not managed is refused', () => {
    const message = 'FancySQLInstance is not a managed kind';
    assert.throws(() => comparison(FancySQLInstanceKind as never), { message });
  });
});

test('a difference that cannot be changed is reported with the remedy, and equal values are not reported', () => {
  refuse({ refused: [], drifted: [] });
  const refused = ['spec.forProvider.a from 1 to 2', 'spec.forProvider.b from 3 to 4'];
  const message =
    'cannot change spec.forProvider.a from 1 to 2 and spec.forProvider.b from 3 to 4: the external system does not support this change; undo the edit, or create a new resource';
  assert.throws(() => refuse({ refused, drifted: [] }), { message });
});

/** The compiler tests these values, which cannot be compared: an `@ts-expect-error` without an error is an error. */
void {
  'an oddity of a field that there is not': () =>
    // @ts-expect-error size
    comparison(WidgetKind, { size: { equals: inAnyCase } }),
  'an oddity of a field that there is not within another': () =>
    // @ts-expect-error net.mtu
    comparison(WidgetKind, { 'net.MTU': {} }),
  'an oddity of another type': () =>
    // @ts-expect-error a number has no case
    comparison(WidgetKind, { sizeGb: { equals: inAnyCase } }),
  'an order of what is no list': () =>
    // @ts-expect-error a text has no order
    comparison(WidgetKind, { version: { equals: inAnyOrder } }),
  'a default of another type': () =>
    // @ts-expect-error a boolean
    comparison(WidgetKind, { isPublic: { absent: 'no' } }),
  'a fact of a field that there is not': () =>
    // @ts-expect-error sizeGb
    comparison(WidgetKind)(widget({}), { sizeGB: 1 }),
  'a fact of another type': () =>
    // @ts-expect-error a number
    comparison(WidgetKind)(widget({}), { net: { mtu: 'large' } }),
  'a change of a field that there is not': () =>
    // @ts-expect-error sizeGb
    comparison(WidgetKind)(widget({}), {}).change.sizeGB,
  'a resource of another kind': () =>
    // @ts-expect-error a claim
    comparison(WidgetKind)({} as ObjectKind<typeof FancySQLInstanceKind>, {}),
  'a kind that is not managed': () =>
    // @ts-expect-error a claim
    comparison(FancySQLInstanceKind),
};

describe('a value that the cloud returns in another form is compared in that form', () => {
  const drifted = ['spec.forProvider.version, which is "8" there and "5" here'];
  const taken = { lateInitialized: { sizeGb: 1 } };
  const labels = { isUpToDate: false, difference: 'labels' };
  const asDrifted = { isUpToDate: false, difference: drifted.join(), drifted };
  const observes = (
    compared: Partial<Comparison<Widget>>,
    differing: readonly string[],
    want: object,
  ): void => assert.deepEqual(observing<Widget>({ ...same, ...compared }, differing), want);
  test('a difference in form alone is up to date', () =>
    observes({ observation: { ...labels, ...taken } }, [], { isUpToDate: true, ...taken }));
  test('the differences in that form are reported', () =>
    observes({ observation: labels }, ['Labels'], { isUpToDate: false, difference: 'Labels' }));
  test('a refused change is reported beside the differences in that form', () => {
    const refused = ['a from 1 to 2'];
    const want = { isUpToDate: false, difference: 'Labels, a from 1 to 2', refused };
    observes(refusing(...refused), ['Labels'], want);
  });
  test('a value that cannot be changed back is reported', () =>
    observes({ drifted, observation: asDrifted }, [], asDrifted));
});
