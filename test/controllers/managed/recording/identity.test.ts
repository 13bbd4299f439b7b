import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObjectMeta } from '../../../../apis/core/v1alpha1/kind.ts';
import type { Managed, ManagedSpec, ManagedStatus } from '../../../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../../../apis/core/v1alpha1/meta.ts';
import type { Holder } from '../../../../clients/external-error.ts';
import { ExternalError } from '../../../../clients/external-error.ts';
import type { Identity } from '../../../../controllers/external-identity.ts';
import { encodeIdentity } from '../../../../controllers/external-identity.ts';
import type { ManagedReconcilerOptions } from '../../../../controllers/managed/options.ts';
import type { Found, IdentityContext } from '../../../../controllers/managed/recording/identity.ts';
import {
  editsOf,
  identified,
  identityFound,
  identityInUse,
  isEdited,
  named,
  recordedIdentity,
  refusals,
  requestedIdentity,
} from '../../../../controllers/managed/recording/identity.ts';
import { after, done, unsettled } from '../../../../runtime/controller/reconcile.ts';
import { Scene } from '../../managed-scene.ts';
import { managed, managedKind } from '../../objects.ts';

type Options = Partial<Pick<ManagedReconcilerOptions<Managed>, 'externalNames' | 'confirmAbsenceMs'>>;
type ForProvider = Readonly<Record<string, unknown>>;

const refusal =
  'the external resource keeps the value of its creation; undo the edit, or create a new resource';
const nameKey = 'crossplane.io/external-name';
const key = 'crossplane.io/external-identity';
const adoptKey = 'crossplane.io/adopt-identity';
const poll = after(60_000);

const regionOf = (managed: Managed): string =>
  (managed.spec.forProvider as { readonly region?: string } | undefined)?.region ?? 'us';

/** A system with regions, each with names of its own, and a managed resource that says in which it is. */
function scene(forProvider: ForProvider = { region: 'us', size: 1 }, options: Options = {}): Scene {
  const byRegion = { immutable: ['region'], identity: ['region'] };
  const made = new Scene({ forProvider }, {}, { marks: byRegion, ...options });
  if (options.externalNames !== 'assigned')
    made.external.placeOf = (managed) => `${regionOf(managed)}/${externalName(managed)}`;
  made.external.system = 'https://a.example';
  return made;
}

async function ready(forProvider?: ForProvider, options?: Options): Promise<Scene> {
  const made = scene(forProvider, options);
  await made.run();
  assert.equal(made.condition('Ready'), 'True/Available');
  assert.equal(made.condition('Synced'), 'True/ReconcileSuccess');
  made.cluster.takeWrites();
  made.process.events.length = 0;
  return made;
}

const edit = (made: Scene, forProvider: ForProvider): void => made.edit({ spec: { forProvider } });
const places = (made: Scene): readonly string[] => [...made.external.resources.keys()];

test('the identity is written with other writes: before the creation, and after the first observation', async () => {
  const made = scene();
  let atCreation = '';
  made.external.before('create', () => (atCreation = made.annotations[key] ?? ''));
  await made.run();
  const identity = '{"name":"db","system":"https://a.example","fields":{"region":"us"}}';
  assert.equal(atCreation, identity);
  assert.equal(made.object?.status?.externalIdentity, identity);
  assert.deepEqual(made.cluster.writeNames, [
    'update FavouriteDBInstance db', // the finalizer
    'create Secret infra/db-connection',
    'update FavouriteDBInstance db',
    'update Secret infra/db-connection',
    'updateStatus FavouriteDBInstance db',
  ]);
  await made.run();
  assert.equal(made.cluster.writes.length, 5);
});

describe('an edit of the identity creates no second external resource, and does not change the first', () => {
  const toEurope = (made: Scene) => edit(made, { region: 'eu', size: 1 });
  const rename = (made: Scene) => made.annotate(nameKey, 'other');
  const forget = (made: Scene) => {
    for (const each of Object.keys(made.annotations)) made.annotate(each, undefined);
  };
  const moved = 'spec.forProvider.region from "us" to "eu"';
  const renamed = `annotation ${nameKey} from "db" to "other"`;
  const edits: Record<string, readonly [says: string, ...changes: readonly ((made: Scene) => void)[]]> = {
    'an immutable field': [moved, toEurope],
    'the external name': [renamed, rename],
    both: [`${renamed} and ${moved}`, rename, toEurope],
    'a field and all annotations at once, as kubectl replace does': [moved, toEurope, forget],
  };
  for (const [what, [says, ...changes]] of Object.entries(edits)) {
    const change = (made: Scene) => {
      for (const act of changes) act(made);
    };
    test(`${what}: the edit is reported, and the other fields still work`, async () => {
      const made = await ready();
      change(made);
      assert.deepEqual(await made.run(), poll);
      assert.equal(made.condition('Synced'), `False/ReconcileError: cannot change ${says}: ${refusal}`);
      assert.equal(made.condition('Ready'), 'True/Available');
      assert.deepEqual(made.events, ['Warning CannotApplyEdit']);
      assert.deepEqual(places(made), ['us/db']);
      const spec = made.object?.spec;

      made.external.put('us/db', { region: 'us', size: 9 }, made.external.resources.get('us/db')?.password);
      await made.run();
      assert.equal(made.external.resources.get('us/db')?.values.size, 1, 'drift is still reverted');
      assert.deepEqual(made.object?.spec, spec, 'what somebody wrote is left to them');
      assert.deepEqual([places(made), made.external.made], [['us/db'], 1]);
    });

    test(`${what}: deletion deletes only the recorded external resource`, async () => {
      const made = await ready();
      for (const place of ['eu/db', 'us/other', 'eu/other']) made.external.put(place);
      change(made);
      made.remove();
      assert.deepEqual(await made.run(), done);
      assert.equal(made.object, undefined);
      assert.deepEqual(places(made), ['eu/db', 'us/other', 'eu/other']);
    });

    test(`${what}: undoing the edit clears the report`, async () => {
      const made = await ready();
      const { annotations } = made;
      change(made);
      await made.run();
      edit(made, { region: 'us', size: 1 });
      made.annotate(nameKey, annotations[nameKey]);
      await made.run();
      assert.equal(made.condition('Synced'), 'True/ReconcileSuccess');
      assert.equal(made.external.made, 1);
    });
  }

  test('while its creation runs, whose answer is lost', async () => {
    const made = scene();
    made.external.after('create', () => {
      toEurope(made);
      throw new Error('no answer');
    });
    await assert.rejects(made.run(), /modified/);
    made.external.afterCall = () => {};
    await made.run();
    assert.deepEqual(places(made), ['us/db']);
    assert.match(made.condition('Synced'), /cannot change spec\.forProvider\.region from "us" to "eu"/);
  });

  test('across a restart, and in a backup that has no status', async () => {
    const made = await ready();
    const { status: _lost, ...object } = made.object ?? assert.fail();
    made.cluster.put(managedKind, object);
    toEurope(made);
    made.restart();
    await made.run();
    assert.deepEqual(places(made), ['us/db']);
    assert.match(made.condition('Synced'), /cannot change spec\.forProvider\.region/);
  });
});

describe('an identity in initProvider', () => {
  test('is recorded and used in each observation, and no second resource is created', async () => {
    const made = scene({ size: 1 });
    made.edit({ spec: { initProvider: { region: 'eu', size: 9 } } });
    await made.run();
    const identity = '{"name":"db","system":"https://a.example","fields":{"region":"eu"}}';
    assert.equal(made.object?.status?.externalIdentity, identity);
    await made.run();
    assert.deepEqual([places(made), made.external.made], [['eu/db'], 1]);
    assert.equal(made.condition('Synced'), 'True/ReconcileSuccess');
    assert.deepEqual(made.object.spec.forProvider, { size: 1 }, 'and what somebody wrote is left to them');
  });
});

describe('a field that is set later', () => {
  test('in initProvider has no effect, is reported, and is not recorded', async () => {
    const marks = { immutable: ['region', 'zone'], identity: ['region'] };
    const made = new Scene({ forProvider: { zone: 'a', size: 1 } }, {}, { marks });
    made.external.placeOf = (its) => {
      const { initProvider, forProvider } = its.spec as Record<'initProvider' | 'forProvider', ForProvider>;
      return `${String({ ...initProvider, ...forProvider }.region ?? 'us')}/${externalName(its)}`;
    };
    await made.run();
    const recorded = made.object?.status?.externalIdentity;
    made.edit({ spec: { initProvider: { region: 'eu' } } });
    await made.run();
    assert.deepEqual([places(made), made.external.made], [['us/db'], 1]);
    assert.equal(
      made.condition('Synced'),
      `False/ReconcileError: cannot change spec.initProvider.region from nothing to "eu": ${refusal}`,
    );
    assert.equal(made.object?.status?.externalIdentity, recorded);
  });

  test('is recorded if the external resource has that value', async () => {
    const made = await ready({ size: 1 });
    made.external.placeOf = (managed) => `us/${externalName(managed)}`;
    made.external.put('us/db', { size: 1, region: 'us' }, made.external.resources.get('us/db')?.password);
    edit(made, { size: 1, region: 'us' });
    await made.run();
    assert.equal(made.condition('Synced'), 'True/ReconcileSuccess');
    assert.match(made.object?.status?.externalIdentity ?? '', /"region":"us"/);
    edit(made, { size: 1, region: 'eu' });
    await made.run();
    assert.match(made.condition('Synced'), /region from "us" to "eu"/);
  });

  test('is recorded by late initialisation in the same run without another write', async () => {
    const made = scene({ size: 1 });
    made.external.observation = { lateInitialized: { region: 'us' }, isUpToDate: true };
    await made.run();
    assert.match(made.object?.status?.externalIdentity ?? '', /"region":"us"/);
    made.cluster.takeWrites();
    await made.run();
    assert.deepEqual(made.cluster.takeWrites(), []);
  });
});

describe('an edit takes effect once the recorded resource does not exist', () => {
  test('an edit takes effect after a creation that failed', async () => {
    const made = scene({ region: 'mars', size: 1 }, { confirmAbsenceMs: 5_000 });
    made.external.failAt('create', new Error('there is no region mars'));
    await made.run();
    edit(made, { region: 'eu', size: 1 });
    made.external.gate = () => {};
    for (let runs = 0; runs < 4 && places(made).length === 0; runs += 1) {
      await made.run();
      made.cluster.clockMs += 5_000;
    }
    assert.deepEqual(places(made), ['eu/db']);
    assert.equal(made.condition('Synced'), 'True/ReconcileSuccess');
    assert.match(made.object?.status?.externalIdentity ?? '', /"region":"eu"/);
    assert.ok(!made.events.includes('Warning LostExternalResource'));
  });

  /** Both creations race for the name: that of another resource wins. */
  async function refused(holder: Holder): Promise<Scene> {
    const made = scene(undefined, { confirmAbsenceMs: 5_000 });
    const refusal = new ExternalError('instance "db" exists', { errorClass: 'Conflict', holder });
    made.external.failAt('create', refusal);
    await made.run();
    made.external.gate = () => {};
    made.external.refusalOf = (place) => (place === 'us/db' ? refusal : undefined);
    made.external.put('us/db');
    await made.run();
    assert.equal(made.condition('Synced'), 'False/ReconcileError: instance "db" exists');
    return made;
  }

  async function settled(made: Scene): Promise<void> {
    for (let runs = 0; runs < 4; runs += 1) {
      await made.run();
      made.cluster.clockMs += 5_000;
    }
  }

  test('another name takes effect after a creation that was refused because another resource has the name', async () => {
    const made = await refused({ by: 'AnotherResource' });
    made.annotate(nameKey, 'other');
    await settled(made);
    assert.deepEqual(places(made), ['us/db', 'us/other']);
    assert.equal(made.condition('Synced'), 'True/ReconcileSuccess');
    assert.equal(made.condition('Ready'), 'True/Available');
  });

  test('another name that is confirmed with adopt-identity is not reported as lost', async () => {
    const made = await refused({ by: 'AnotherResource' });
    made.annotate(nameKey, 'other');
    made.annotate(adoptKey, 'true');
    await settled(made);
    assert.match(made.condition('Synced'), /external resource does not exist \(other\); copy it/);
  });

  test('an edit has no effect while the external resource may be that of a creation with a lost answer', async () => {
    const made = await refused({ by: 'Nobody' });
    made.annotate(nameKey, 'other');
    await settled(made);
    assert.deepEqual(places(made), ['us/db']);
  });

  test('an edit has no effect if another owner marks an external resource that was ours', async () => {
    const made = await ready(undefined, { confirmAbsenceMs: 5_000 });
    made.external.refusalOf = () =>
      new ExternalError('taken', { errorClass: 'Conflict', holder: { by: 'AnotherResource' } });
    made.annotate(nameKey, 'other');
    await settled(made);
    assert.deepEqual(places(made), ['us/db']);
  });

  test('an edit takes effect after a user deleted the external resource', async () => {
    const made = await ready(undefined, { confirmAbsenceMs: 5_000 });
    made.annotate(nameKey, 'other');
    made.external.resources.clear();
    assert.deepEqual(await made.run(), unsettled(5_000));
    made.cluster.clockMs += 5_000;
    await made.run();
    await made.run();
    assert.deepEqual(places(made), ['us/other']);
    assert.equal(made.condition('Synced'), 'True/ReconcileSuccess');
  });

  test('observations of the previous name do not count for the new name', async () => {
    const made = await ready(undefined, { confirmAbsenceMs: 5_000 });
    made.external.resources.clear();
    made.annotate(nameKey, 'second');
    await made.run();
    made.cluster.clockMs += 5_000;
    assert.deepEqual(await made.run(), unsettled(0));
    const { externalIdentity, bindingPhase, conditions = [] } = made.object?.status ?? {};
    assert.deepEqual([externalIdentity, bindingPhase, conditions.length], [undefined, 'Unbound', 2]);
    made.annotate(nameKey, 'third');
    assert.deepEqual(await made.run(), unsettled(5_000));
    made.cluster.clockMs += 5_000;
    await made.run();
    await made.run();
    assert.deepEqual(places(made), ['us/third']);
  });
});

describe('credentials that lead to another system', () => {
  const elsewhere =
    /^False\/ReconcileError: the provider connects to https:\/\/b\.example, but external resource "db" is in https:\/\/a\.example; correct the provider. If both are the same system, set the annotation crossplane\.io\/adopt-identity to true$/;

  test('let the deletion wait, and delete no resource of the same name', async () => {
    const made = await ready();
    made.external.system = 'https://b.example';
    made.remove();
    assert.deepEqual(await made.run(), poll);
    assert.match(made.condition('Synced'), elsewhere);
    assert.equal(made.condition('Ready'), 'False/Deleting');
    assert.deepEqual(places(made), ['us/db']);
    made.external.system = 'https://a.example';
    assert.deepEqual(await made.run(), done);
    assert.equal(made.object, undefined);
  });

  test('are accepted if an administrator declares that both systems are the same', async () => {
    const made = await ready();
    made.external.system = 'https://b.example';
    await made.run();
    made.annotate(adoptKey, 'true');
    await made.run();
    assert.equal(made.condition('Synced'), 'True/ReconcileSuccess');
    assert.match(made.object?.status?.externalIdentity ?? '', /b\.example/);
    assert.equal(made.annotations[adoptKey], undefined);
    assert.equal(made.annotations[nameKey], 'db');
    await made.run();
    assert.equal(made.condition('Synced'), 'True/ReconcileSuccess');
    assert.equal(made.external.made, 1);
  });
});

describe('a resource that an administrator says was moved, and is not there', () => {
  async function moved(adopt: 'true' | 'or-create') {
    const made = await ready();
    made.external.system = 'https://b.example';
    made.external.resources.clear();
    await made.run();
    made.annotate(adoptKey, adopt);
    await made.run();
    await made.run();
    return made;
  }

  test('is not created again, and the message says what to do', async () => {
    const made = await moved('true');
    assert.equal(made.external.made, 1);
    assert.equal(
      made.condition('Synced'),
      'False/ReconcileError: external resource does not exist (db); copy it to where the provider connects. Or, to have an empty one created, set the annotation crossplane.io/adopt-identity to or-create',
    );
    assert.equal(made.annotations[adoptKey], 'true');
  });

  test('is created again if the administrator allows it', async () => {
    const made = await moved('or-create');
    await made.run();
    assert.equal(made.condition('Synced'), 'True/ReconcileSuccess');
    assert.equal(made.external.made, 2);
    assert.equal(made.annotations[adoptKey], undefined);
  });
});

test('an identity that is not recorded is recorded in annotation and status at the first observation', async () => {
  const made = await ready();
  const { status, ...object } = made.object ?? assert.fail();
  const { externalIdentity: _none, ...before } = status ?? {};
  made.cluster.put(managedKind, { ...object, status: before });
  made.annotate(key, undefined);
  made.cluster.takeWrites();
  await made.run();
  const writes = ['update FavouriteDBInstance db', 'updateStatus FavouriteDBInstance db'];
  assert.deepEqual(made.cluster.takeWrites(), writes);
  const recorded = made.object?.status?.externalIdentity ?? '';
  assert.match(recorded, /"name":"db"/);
  assert.equal(made.annotations['crossplane.io/external-identity'], recorded);
});

test('the same identity is the same text, in whatever order its fields are given', () => {
  const text = '{"name":"db","fields":{"a":1,"b":2,"c":3}}';
  for (const fields of [
    { a: 1, b: 2, c: 3 },
    { c: 3, a: 1, b: 2 },
    { b: 2, c: 3, a: 1 },
  ])
    assert.equal(encodeIdentity({ name: 'db', fields }), text);
});

const marks = { immutable: ['region', 'net.id'], identity: ['region'] };
const record = (identity: object): string => JSON.stringify({ fields: {}, ...identity });

type Metadata = Partial<ObjectMeta> & { readonly status?: ManagedStatus };
const recording = (identity: object): Metadata => ({ status: { externalIdentity: record(identity) } });
const nameIs = (name: string) => ({ [nameKey]: name });
const db = { annotations: nameIs('db') };
const of = (forProvider: object | undefined, metadata: Metadata = {}, spec: ManagedSpec = {}): Managed =>
  managed({ ...spec, ...(forProvider && { forProvider }) }, metadata);

const deterministic: IdentityContext = { isAssigned: false, marks };
const assigned: IdentityContext = { isAssigned: true, marks };

describe('the identity that a managed resource names', () => {
  const names = (object: Managed, want: string): void =>
    assert.equal(encodeIdentity(requestedIdentity(object, marks, 'a')), want);
  test('is its name, and the fields that have a value', () =>
    names(
      of({ region: 'us', net: { id: 7 }, size: 1 }, { annotations: nameIs('db') }),
      '{"name":"db","system":"a","fields":{"net.id":7,"region":"us"}}',
    ));
  test('has no part for an empty value or name', () =>
    names(of({ region: null, net: {} }), '{"system":"a","fields":{}}'));
  test('includes initProvider beneath forProvider', () =>
    names(
      of({ net: { id: 7 } }, {}, { initProvider: { region: 'eu', net: { id: 8 } } }),
      '{"system":"a","fields":{"net.id":7,"region":"eu"}}',
    ));
  test('does not include fields that are only immutable', () =>
    names(
      of({ region: 'us' }, {}, { initProvider: { region: 'eu', net: { id: 8 } } }),
      '{"system":"a","fields":{"region":"us"}}',
    ));
  test('is empty without wanted fields', () => names(of(undefined), '{"system":"a","fields":{}}'));
});

describe('the recorded identity', () => {
  const us = { name: 'db', system: 'a', fields: { region: 'us' } };
  const nameless = { name: undefined, system: undefined, fields: {} };
  const annotated = (text: string): Metadata => ({ annotations: { [key]: text } });
  const is = (metadata: Metadata, want: Identity | undefined): void =>
    assert.deepEqual(recordedIdentity(managed({}, metadata), marks), want);
  test('is none before it is recorded', () => is({}, undefined));
  test('is that of the status', () => is(recording(us), us));
  test('is that of the annotation if the status has none', () => is(annotated(record(us)), us));
  test('is that of the status before the annotation', () =>
    is({ ...annotated(record({ name: 'other' })), ...recording(us) }, us));
  test('is none if an administrator declared it void', () =>
    is({ ...recording(us), annotations: { [adoptKey]: 'true' } }, undefined));
  test('has no fields that are not immutable any more', () =>
    is(recording({ fields: { region: 'us', zone: 'z' } }), { ...nameless, fields: { region: 'us' } }));
  test('has no empty names', () => is(annotated(record({ name: '', system: 7 })), nameless));
  test('has no values that are not text', () => is(annotated(record({ name: 7, system: {} })), nameless));
  for (const text of ['', '{', 'null', '7', '{}', '{"fields":null}', '{"fields":7}', '{"fields":["us"]}'])
    test(`is none if the annotation has another form: ${text}`, () => is(annotated(text), undefined));
});

describe('the recorded values replace the edits of a managed resource, which are reported', () => {
  const inEurope = { initProvider: { region: 'eu' } };
  const wasUs = { name: 'db', fields: { region: 'us' } };
  const wasDb = { name: 'db', fields: {} };
  /** Default of `recorded`: the object as it is. */
  function differs(
    object: Managed,
    identity: Identity,
    edits: readonly string[],
    { recorded = object }: { readonly recorded?: Managed } = {},
  ): void {
    const current = { ...object, ...recording(identity) };
    const found = [identified(assigned, current), editsOf(assigned, current)];
    assert.deepEqual(found, [{ ...current, metadata: recorded.metadata, spec: recorded.spec }, edits]);
  }
  test('a resource without edits stays as it is', () =>
    differs(of({ region: 'us', size: 1 }, db), wasUs, []));
  test('a resource that wants nothing stays as it is', () => differs(of(undefined, db), { fields: {} }, []));
  test('an edited field keeps the recorded value', () =>
    differs(
      of({ region: 'eu', net: { id: 7, mtu: 9 }, size: 1 }, db),
      { name: 'db', fields: { region: 'us', 'net.id': 8 } },
      ['spec.forProvider.region from "us" to "eu"', 'spec.forProvider.net.id from 8 to 7'],
      { recorded: of({ region: 'us', net: { id: 8, mtu: 9 }, size: 1 }, db) },
    ));
  test('a removed field gets the recorded value, and is no edit', () =>
    differs(of({ size: 1 }, db), wasUs, [], { recorded: of({ size: 1, region: 'us' }, db) }));
  test('an immutable field that was set later stays, and is no edit', () =>
    differs(of({ region: 'us', net: { id: 7 } }, db), wasUs, []));
  test('a field that identifies the resource and was set later has no effect', () =>
    differs(
      of({ region: 'eu', net: { id: 7 } }, db),
      { name: 'db', fields: { 'net.id': 7 } },
      ['spec.forProvider.region from nothing to "eu"'],
      { recorded: of({ net: { id: 7 } }, db) },
    ));
  test('a field that identifies the resource and was set later in initProvider has no effect', () =>
    differs(
      of({ net: { id: 7 } }, db, { initProvider: { region: 'eu', size: 2 } }),
      { name: 'db', fields: { 'net.id': 7 } },
      ['spec.initProvider.region from nothing to "eu"'],
      { recorded: of({ net: { id: 7 } }, db, { initProvider: { size: 2 } }) },
    ));
  test('a recorded identity without fields belongs to a resource that never equalled its spec: all fields count', () =>
    differs(of({ region: 'eu' }, db), wasDb, []));
  test('an identity that is set in initProvider is observed', () =>
    differs(of({ size: 1 }, db, inEurope), wasDb, [], {
      recorded: of({ size: 1, region: 'eu' }, db, inEurope),
    }));
  test('an edit in initProvider is reported with its path', () =>
    differs(of({ size: 1 }, db, inEurope), wasUs, ['spec.initProvider.region from "us" to "eu"'], {
      recorded: of({ size: 1, region: 'us' }, db, inEurope),
    }));
  test('a renamed resource keeps the recorded name', () =>
    differs(
      of({}, { annotations: { ...nameIs('other'), team: 'shop' } }),
      wasDb,
      ['annotation crossplane.io/external-name from "db" to "other"'],
      { recorded: of({}, { annotations: { ...nameIs('db'), team: 'shop' } }) },
    ));
  test('a removed name gets the recorded value, and is no edit', () =>
    differs(of({}), wasDb, [], { recorded: of({}, db) }));
  test('a name that was set after the identity was recorded is no edit', () =>
    differs(of({}, db), { fields: {} }, []));
  test('a resource that never got a name has no edit', () => differs(of({}), { fields: {} }, []));
});

describe('the external name', () => {
  function has(object: Managed, ...want: readonly string[]): void {
    const nameOf = (context: IdentityContext) => named(context, object).metadata.annotations?.[nameKey];
    assert.deepEqual([nameOf(deterministic), nameOf(assigned)], [want[0], want[1]]);
  }
  test('is that of the annotation', () =>
    has(of({ name: 'wanted' }, { ...recording({ name: 'was' }), annotations: nameIs('has') }), 'has', 'has'));
  test('is the recorded one if the annotation was removed', () =>
    has(of({ name: 'wanted' }, recording({ name: 'was' })), 'was', 'was'));
  test('is that of the spec if the system does not assign names', () =>
    has(of({ name: 'wanted' }), 'wanted'));
  test('is that of the object if the spec has none', () => has(of({ name: '' }), 'db'));
  test('is that of the object if the spec has no fields', () => has(of(undefined), 'db'));
});

describe('an identity is edited', () => {
  const inUs = { ...recording({ fields: { region: 'us' } }), ...db };
  const names = (current: Managed, ...want: readonly [deterministic: boolean, assigned: boolean]): void =>
    assert.deepEqual([isEdited(deterministic, current), isEdited(assigned, current)], want);
  test('not before it is recorded', () => names(of({ region: 'us' }), false, false));
  test('not if the name is the recorded one', () =>
    names(of({}, { ...recording({ name: 'db' }), ...db }), false, false));
  test('if the name is another one', () =>
    names(of({}, { ...recording({ name: 'was' }), ...db }), true, true));
  test('if a field has another value', () => names(of({ region: 'eu' }, inUs), true, true));
  test('if a field was removed', () => names(of({}, inUs), true, true));
  test('not if initProvider has the recorded value', () =>
    names(of({}, inUs, { initProvider: { region: 'us' } }), false, false));
  test('if the name was removed and the system assigns names', () =>
    names(of({}, recording({ name: 'db' })), false, true));
  test('not if a field was never set', () => names(of({}, recording({})), false, false));
});

describe('the refusals of a resource report', () => {
  const refused = ['spec.forProvider.size from 2 to 1'];
  const edited = of({ region: 'eu' }, recording({ fields: { region: 'us' } }));
  const region =
    'cannot change spec.forProvider.region from "us" to "eu": the external resource keeps the value of its creation; undo the edit, or create a new resource';
  const size =
    'cannot change spec.forProvider.size from 2 to 1: the external system does not support this change; undo the edit, or create a new resource';
  const drifted = ['spec.forProvider.version, which is "8" there and "5" here'];
  const drift =
    'cannot restore spec.forProvider.version, which is "8" there and "5" here: the external system does not support this change; correct it there, or create a new resource';
  const are = (current: Managed, observation: Found['observation'], ...want: readonly string[]): void =>
    assert.deepEqual(refusals(deterministic, current, observation), want);
  test('an edit of a recorded field', () => are(edited, { isUpToDate: true }, region));
  test('an edit of a field that the external system cannot change', () =>
    are(edited, { isUpToDate: false, refused }, region, size));
  test('an edit that counts without a recorded identity', () =>
    are(of({}), { isUpToDate: false, refused }, size));
  test('a change in the external system in addition to an edit', () =>
    are(edited, { isUpToDate: false, refused, drifted }, ...[region, size, drift]));
  test('a change in the external system without an edit', () =>
    are(of({}), { isUpToDate: false, drifted }, drift));
  test('no refused change of a resource that is up to date', () =>
    are(of({}), { isUpToDate: true, refused }));
  test('no refused change if policies do not allow Update', () =>
    are(of({}, {}, { managementPolicies: ['Observe', 'Create', 'Delete'] }), { isUpToDate: false, refused }));
  test('no refused change while the resource is being deleted', () =>
    are(of({}, { deletionTimestamp: '2026-01-02T03:04:05Z' }), { isUpToDate: false, refused }));
  test('no difference that an update can end', () => are(of({}), { isUpToDate: false }));
  test('nothing before an observation', () => are(of({}), undefined));
});

describe('the identity that a run records', () => {
  const before = { system: 'a', fields: { region: 'us' } };
  const current = of({ region: 'us', net: { id: 7 } }, recording(before));
  test('keeps the recorded values, and adds values that were set since', () => {
    const found = identityInUse(deterministic, current, 'b');
    assert.deepEqual(found, { name: 'db', system: 'a', fields: { region: 'us', 'net.id': 7 } });
  });

  test('keeps only the recorded values if the external resource differs from the spec', () => {
    const differs = { system: 'b', observation: { isUpToDate: false } };
    const same = '{"name":"db","system":"a","fields":{"region":"us"}}';
    assert.equal(identityFound(deterministic, current, differs), same);
    const none = '{"name":"db","system":"b","fields":{}}';
    assert.equal(identityFound(deterministic, of({ region: 'us' }), differs), none);
  });

  const observation = { isUpToDate: true };
  const us = '{"name":"db","fields":{"region":"us"}}';
  const nameOnly = '{"name":"db","fields":{}}';
  const drifted = ['spec.forProvider.region, which is "eu" there and "us" here'];
  interface Given {
    readonly policies?: NonNullable<ManagedSpec['managementPolicies']>;
    readonly metadata?: Metadata;
    readonly observation?: object | undefined;
  }
  function finds(want: string | undefined, { policies, metadata, ...given }: Given = {}): void {
    const object = of({ region: 'us' }, metadata, policies && { managementPolicies: policies });
    assert.equal(identityFound(deterministic, object, { observation, ...given } as Found), want);
  }
  test('is that of the observed resource', () => finds(us));
  test('is empty without an observation', () =>
    finds(undefined, { observation: undefined, metadata: recording({ fields: { region: 'us' } }) }));
  test('has no field that cannot reach the wanted value', () =>
    finds(nameOnly, {
      observation: { ...observation, refused: ['spec.forProvider.region from "eu" to "us"'] },
    }));
  test('has no field that was changed in the external system', () =>
    finds(nameOnly, { observation: { ...observation, drifted } }));
  test('is empty for an observed-only resource, which may be pointed at another one', () =>
    finds(undefined, { policies: ['Observe'] }));
  test('is kept for an observed-only resource if it is recorded', () =>
    finds(us, { policies: ['Observe'], metadata: recording({ fields: { region: 'us' } }) }));
  test('a resource that may be created', () => finds(us, { policies: ['Observe', 'Create'] }));
  test('a resource that may be updated', () => finds(us, { policies: ['Observe', 'Update'] }));
  test('a resource that may be deleted', () => finds(us, { policies: ['Observe', 'Delete'] }));
});
