import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObjectMeta } from '../../../../apis/core/v1alpha1/kind.ts';
import type { Managed, ManagedSpec, ManagedStatus } from '../../../../apis/core/v1alpha1/managed.ts';
import type { Identity } from '../../../../controllers/core/external-identity.ts';
import { encodeIdentity } from '../../../../controllers/core/external-identity.ts';
import type {
  Identifiable,
  IdentityContext,
} from '../../../../controllers/core/managed/recording/identity.ts';
import {
  editsOf,
  identified,
  identityFound,
  identityOf,
  identityToRecord,
  isEdited,
  leadsElsewhere,
  named,
  recordedIdentity,
  refusals,
} from '../../../../controllers/core/managed/recording/identity.ts';
import { managed } from '../objects.ts';

const key = 'crossplane.io/external-identity';
const marks = { immutable: ['region', 'net.id'], identity: ['region'] };
const record = (identity: object): string => JSON.stringify({ fields: {}, ...identity });

type Metadata = Partial<ObjectMeta> & { readonly status?: ManagedStatus };
const recording = (identity: object): Metadata => ({ status: { externalIdentity: record(identity) } });
const nameIs = (name: string) => ({ 'crossplane.io/external-name': name });
const of = (forProvider: object | undefined, metadata: Metadata = {}, spec: ManagedSpec = {}): Managed =>
  managed({ ...spec, ...(forProvider && { forProvider }) }, metadata);

const deterministic: IdentityContext = { isAssigned: false, marks };
const assigned: IdentityContext = { isAssigned: true, marks };

describe('the identity that a managed resource names', () => {
  const rows: Record<string, readonly [object: Managed, want: string]> = {
    'is its name, and the fields that have a value': [
      of({ region: 'us', net: { id: 7 }, size: 1 }, { annotations: nameIs('db') }),
      '{"name":"db","system":"a","fields":{"net.id":7,"region":"us"}}',
    ],
    'has no part for an empty value or name': [of({ region: null, net: {} }), '{"system":"a","fields":{}}'],
    'includes initProvider beneath forProvider': [
      of({ net: { id: 7 } }, {}, { initProvider: { region: 'eu', net: { id: 8 } } }),
      '{"system":"a","fields":{"net.id":7,"region":"eu"}}',
    ],
    'does not include fields that are only immutable': [
      of({ region: 'us' }, {}, { initProvider: { region: 'eu', net: { id: 8 } } }),
      '{"system":"a","fields":{"region":"us"}}',
    ],
    'is empty without wanted fields': [of(undefined), '{"system":"a","fields":{}}'],
  };
  for (const [name, [object, want]] of Object.entries(rows)) {
    test(name, () => assert.equal(encodeIdentity(identityOf(object, marks, 'a')), want));
  }
});

describe('the recorded identity', () => {
  const us = { name: 'db', system: 'a', fields: { region: 'us' } };
  const nameless = { name: undefined, system: undefined, fields: {} };
  const annotated = (text: string): Metadata => ({ annotations: { [key]: text } });
  const rows: Record<string, { metadata: Metadata; want: Identity | undefined }> = {
    'nothing yet': { metadata: {}, want: undefined },
    'is that of the status': { metadata: recording(us), want: us },
    'is that of the annotation if the status has none': {
      metadata: annotated(record(us)),
      want: us,
    },
    'is that of the status before the annotation': {
      metadata: { ...annotated(record({ name: 'other' })), ...recording(us) },
      want: us,
    },
    'is none if an administrator declared it void': {
      metadata: { ...recording(us), annotations: { 'crossplane.io/adopt-identity': 'true' } },
      want: undefined,
    },
    'has no fields that are not immutable any more': {
      metadata: recording({ fields: { region: 'us', zone: 'z' } }),
      want: { ...nameless, fields: { region: 'us' } },
    },
    'has no empty names': {
      metadata: annotated(record({ name: '', system: 7 })),
      want: nameless,
    },
    'has no values that are not text': {
      metadata: annotated(record({ name: 7, system: {} })),
      want: nameless,
    },
    ...Object.fromEntries(
      ['', '{', 'null', '7', '{}', '{"fields":null}', '{"fields":7}', '{"fields":["us"]}'].map((text) => [
        `not what is not of our making: ${text}`,
        { metadata: annotated(text), want: undefined },
      ]),
    ),
  };
  for (const [name, { metadata, want }] of Object.entries(rows)) {
    test(name, () => assert.deepEqual(recordedIdentity(managed({}, metadata), marks), want));
  }
});

describe('the managed resource as it is recorded, and how it differs', () => {
  const db = { annotations: nameIs('db') };
  const rows: Record<
    string,
    {
      object: Managed;
      identity: Identity;
      isExact?: boolean;
      /** Absent: the object as it is. */
      recorded?: Managed;
      edits: readonly string[];
    }
  > = {
    'as it is': {
      object: of({ region: 'us', size: 1 }, db),
      identity: { name: 'db', fields: { region: 'us' } },
      edits: [],
    },
    'as it is, and wants nothing': { object: of(undefined, db), identity: { fields: {} }, edits: [] },
    'a field is edited': {
      object: of({ region: 'eu', net: { id: 7, mtu: 9 }, size: 1 }, db),
      identity: { name: 'db', fields: { region: 'us', 'net.id': 8 } },
      recorded: of({ region: 'us', net: { id: 8, mtu: 9 }, size: 1 }, db),
      edits: ['spec.forProvider.region from "us" to "eu"', 'spec.forProvider.net.id from 8 to 7'],
    },
    'a field is removed: it is there again, and that is no difference': {
      object: of({ size: 1 }, db),
      identity: { name: 'db', fields: { region: 'us' } },
      recorded: of({ size: 1, region: 'us' }, db),
      edits: [],
    },
    'a field has been given a value since: it stays, and is no difference': {
      object: of({ region: 'eu' }, db),
      identity: { name: 'db', fields: {} },
      edits: [],
    },
    'and is left out, and one, if only the record counts': {
      object: of({ region: 'eu', size: 1 }, db),
      identity: { name: 'db', fields: {} },
      isExact: true,
      recorded: of({ size: 1 }, db),
      edits: ['spec.forProvider.region from nothing to "eu"'],
    },
    'its identity is set in initProvider: that identity is observed': {
      object: of({ size: 1 }, db, { initProvider: { region: 'eu' } }),
      identity: { name: 'db', fields: {} },
      recorded: of({ size: 1, region: 'eu' }, db, { initProvider: { region: 'eu' } }),
      edits: [],
    },
    'and is edited there': {
      object: of({ size: 1 }, db, { initProvider: { region: 'eu' } }),
      identity: { name: 'db', fields: { region: 'us' } },
      recorded: of({ size: 1, region: 'us' }, db, { initProvider: { region: 'eu' } }),
      edits: ['spec.initProvider.region from "us" to "eu"'],
    },
    'it is renamed': {
      object: of({}, { annotations: { ...nameIs('other'), team: 'shop' } }),
      identity: { name: 'db', fields: {} },
      recorded: of({}, { annotations: { ...nameIs('db'), team: 'shop' } }),
      edits: ['annotation crossplane.io/external-name from "db" to "other"'],
    },
    'its name is removed: it is written again, and that is no difference': {
      object: of({}),
      identity: { name: 'db', fields: {} },
      recorded: of({}, db),
      edits: [],
    },
    'it had no name when it was recorded': { object: of({}, db), identity: { fields: {} }, edits: [] },
    'it has none to this day': { object: of({}), identity: { fields: {} }, edits: [] },
  };
  for (const [name, { object, identity, isExact = false, recorded = object, edits }] of Object.entries(
    rows,
  )) {
    test(name, () => {
      const { status } = recording(identity);
      const current = { ...object, ...(status && { status }) };
      assert.deepEqual(
        [identified(assigned, { current, isExact }), editsOf(current, identity, marks, isExact)],
        [{ ...current, metadata: recorded.metadata, spec: recorded.spec }, edits],
      );
    });
  }
});

describe('the external name', () => {
  const rows: Record<string, readonly [object: Managed, deterministic: string, assigned?: string]> = {
    'that it has': [
      of({ name: 'wanted' }, { ...recording({ name: 'was' }), annotations: nameIs('has') }),
      'has',
      'has',
    ],
    'that is recorded': [of({ name: 'wanted' }, recording({ name: 'was' })), 'was', 'was'],
    'that it asks for, where names are not assigned': [of({ name: 'wanted' }), 'wanted'],
    'else that of the object': [of({ name: '' }), 'db'],
    'also where nothing is wanted': [of(undefined), 'db'],
  };
  for (const [name, [object, ...want]] of Object.entries(rows)) {
    test(name, () => {
      const nameOf = (context: IdentityContext) =>
        named(context, object).metadata.annotations?.['crossplane.io/external-name'];
      assert.deepEqual([nameOf(deterministic), nameOf(assigned)], [want[0], want[1]]);
    });
  }
});

describe('whether it names something else than what is recorded', () => {
  const db = { annotations: nameIs('db') };
  const inUs = { ...recording({ fields: { region: 'us' } }), ...db };
  const rows: Record<string, readonly [object: Managed, deterministic: boolean, assigned: boolean]> = {
    'nothing is recorded': [of({ region: 'us' }), false, false],
    'it is as it was': [of({}, { ...recording({ name: 'db' }), ...db }), false, false],
    'another name': [of({}, { ...recording({ name: 'was' }), ...db }), true, true],
    'another value': [of({ region: 'eu' }, inUs), true, true],
    'a removed value is no change': [of({}, inUs), true, true],
    'one that initProvider has is there': [of({}, inUs, { initProvider: { region: 'us' } }), false, false],
    'a name that was removed is a change if the system assigns names': [
      of({}, recording({ name: 'db' })),
      false,
      true,
    ],
    'a value that was never set is not removed': [of({}, recording({})), false, false],
  };
  for (const [name, [current, ...want]] of Object.entries(rows)) {
    test(name, () =>
      assert.deepEqual([isEdited(deterministic, { current }), isEdited(assigned, { current })], want),
    );
  }
});

describe('whether what it names now is to be found elsewhere than what is recorded', () => {
  const was = recording({ name: 'db', fields: { 'net.id': 7, region: 'us' } });
  const db = { annotations: nameIs('db') };
  const rows: Record<string, readonly [object: Managed, is: boolean]> = {
    'nothing is recorded': [of({ region: 'us' }), false],
    'it is as it was': [of({ region: 'us', net: { id: 7 } }, { ...was, ...db }), false],
    'another value of what is only immutable': [
      of({ region: 'us', net: { id: 8 } }, { ...was, ...db }),
      false,
    ],
    'another value of what identifies it': [of({ region: 'eu', net: { id: 7 } }, { ...was, ...db }), true],
    'none of what identifies it': [of({ net: { id: 7 } }, { ...was, ...db }), true],
    'another name': [of({ region: 'us' }, { ...was, annotations: nameIs('other') }), true],
    'no name any more': [of({ region: 'us' }, was), true],
    'a name where none was given': [
      of({ region: 'us' }, { ...recording({ fields: { region: 'us' } }), ...db }),
      false,
    ],
  };
  for (const [name, [current, is]] of Object.entries(rows)) {
    test(name, () => assert.equal(leadsElsewhere(deterministic, { current }), is));
  }
});

describe('edits without an effect', () => {
  const refused = ['spec.forProvider.size from 2 to 1'];
  const edited = of({ region: 'eu' }, recording({ fields: { region: 'us' } }));
  const region =
    'cannot change spec.forProvider.region from "us" to "eu": the external resource keeps the value of its creation; undo the edit, or create a new resource';
  const size =
    'cannot change spec.forProvider.size from 2 to 1: the external system does not support this change; undo the edit, or create a new resource';
  const drifted = ['spec.forProvider.version, which is "8" there and "5" here'];
  const drift =
    'cannot restore spec.forProvider.version, which is "8" there and "5" here: the external system does not support this change; correct it there, or create a new resource';
  const rows: Record<string, readonly [object: Managed, seen: Identifiable['seen'], ...want: string[]]> = {
    'an edit of a recorded field': [edited, { isUpToDate: true }, region],
    'an edit of a field that the external system cannot change': [
      edited,
      { isUpToDate: false, refused },
      region,
      size,
    ],
    'an edit that counts without a recorded identity': [of({}), { isUpToDate: false, refused }, size],
    'a change in the external system in addition to an edit': [
      edited,
      { isUpToDate: false, refused, drifted },
      ...[region, size, drift],
    ],
    'not a change in the external system without an edit': [of({}), { isUpToDate: false, drifted }, drift],
    'not while the resource must not be changed': [of({}), { isUpToDate: true, refused }],
    'not if policies do not allow Update': [
      of({}, {}, { managementPolicies: ['Observe', 'Create', 'Delete'] }),
      { isUpToDate: false, refused },
    ],
    'not while the resource is being deleted': [
      of({}, { deletionTimestamp: '2026-01-02T03:04:05Z' }),
      { isUpToDate: false, refused },
    ],
    'nothing else': [of({}), { isUpToDate: false }],
    'not for a resource that was not observed': [of({}), undefined],
  };
  for (const [name, [current, seen, ...want]] of Object.entries(rows)) {
    test(name, () => assert.deepEqual(refusals(deterministic, { current, seen }), want));
  }
});

describe('the identity that a run records', () => {
  const current = of(
    { region: 'us', net: { id: 7 } },
    { ...recording({ system: 'a', fields: { region: 'us' } }) },
  );
  test('keeps the recorded values, and adds values that were set since', () => {
    assert.deepEqual(identityToRecord(deterministic, { current, system: 'b' }), {
      name: 'db',
      system: 'a',
      fields: { region: 'us', 'net.id': 7 },
    });
  });

  test('keeps only the recorded values if the external resource differs from the spec', () => {
    assert.deepEqual(identityToRecord(deterministic, { current }, { isAsWanted: false }).fields, {
      region: 'us',
    });
    const fresh = of({ region: 'us' });
    assert.deepEqual(
      identityToRecord(deterministic, { current: fresh, system: 'b' }, { isAsWanted: false }),
      {
        name: 'db',
        system: 'b',
        fields: {},
      },
    );
  });

  const seen = { isUpToDate: true };
  const us = '{"name":"db","fields":{"region":"us"}}';
  type Policies = NonNullable<ManagedSpec['managementPolicies']>;
  const found: Record<string, { policies?: Policies; metadata?: Metadata; seen?: object; want?: string }> = {
    'is that of the observed resource': { want: us },
    'is empty without an observation': { seen: {}, metadata: recording({ fields: { region: 'us' } }) },
    'has no field that cannot reach the wanted value': {
      seen: { seen: { ...seen, refused: ['spec.forProvider.region from "eu" to "us"'] } },
      want: '{"name":"db","fields":{}}',
    },
    'has no field that was changed in the external system': {
      seen: { seen: { ...seen, drifted: ['spec.forProvider.region, which is "eu" there and "us" here'] } },
      want: '{"name":"db","fields":{}}',
    },
    'is empty for an observed-only resource, which may be pointed at another one': { policies: ['Observe'] },
    'is kept for an observed-only resource if it is recorded': {
      policies: ['Observe'],
      metadata: recording({ fields: { region: 'us' } }),
      want: us,
    },
    'a resource that may be created': { policies: ['Observe', 'Create'], want: us },
    'a resource that may be updated': { policies: ['Observe', 'Update'], want: us },
    'a resource that may be deleted': { policies: ['Observe', 'Delete'], want: us },
  };
  for (const [name, { policies, metadata, seen: look = { seen }, want }] of Object.entries(found)) {
    test(name, () => {
      const spec = policies && { managementPolicies: policies };
      const object = of({ region: 'us' }, metadata, spec);
      assert.equal(identityFound(deterministic, { current: object, ...look }), want);
    });
  }
});
