import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed } from '../../../../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../../../../apis/core/v1alpha1/meta.ts';
import { encodeIdentity } from '../../../../../controllers/core/external-identity.ts';
import type { ManagedReconcilerOptions } from '../../../../../controllers/core/managed/reconciler.ts';
import { after, done, unsettled } from '../../../../../runtime/controller/reconcile.ts';
import { Scene } from '../../managed-scene.ts';
import { managedKind } from '../../objects.ts';

type Options = Partial<
  Pick<ManagedReconcilerOptions<Managed>, 'externalNames' | 'confirmAbsenceMs' | 'marks'>
>;
type ForProvider = Readonly<Record<string, unknown>>;

const refusal =
  'the external resource keeps the value of its creation; undo the edit, or create a new resource';
const nameKey = 'crossplane.io/external-name';
const poll = after(60_000);

const regionOf = (managed: Managed): string =>
  (managed.spec.forProvider as { readonly region?: string } | undefined)?.region ?? 'us';

/** A system with regions, each with names of its own, and a managed resource that says in which it is. */
function scene(forProvider: ForProvider = { region: 'us', size: 1 }, options: Options = {}): Scene {
  const made = new Scene(
    { forProvider },
    {},
    { marks: { immutable: ['region'], identity: ['region'] }, ...options },
  );
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

const edit = (made: Scene, forProvider: ForProvider): void => {
  made.edit({ spec: { forProvider } });
};
const annotate = (made: Scene, key: string, value: string | undefined): void => {
  made.cluster.edit<Managed>(managedKind, { name: 'db' }, ({ metadata, ...rest }) => {
    const { [key]: _former, ...annotations } = metadata.annotations ?? {};
    const changed = value === undefined ? annotations : { ...annotations, [key]: value };
    return { ...rest, metadata: { ...metadata, annotations: changed } };
  });
};
const leave = (made: Scene): void => made.remove();
const places = (made: Scene): readonly string[] => [...made.external.things.keys()];

test('the identity is written with other writes: before the creation, and after the first observation', async () => {
  const made = scene();
  let atCreation = '';
  made.external.gate = (method) => {
    if (method === 'create') atCreation = made.annotations['crossplane.io/external-identity'] ?? '';
  };
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
  const edits: Record<string, { readonly change: (made: Scene) => void; readonly says: string }> = {
    'an immutable field': {
      change: (made) => edit(made, { region: 'eu', size: 1 }),
      says: 'spec.forProvider.region from "us" to "eu"',
    },
    'the external name': {
      change: (made) => annotate(made, nameKey, 'other'),
      says: `annotation ${nameKey} from "db" to "other"`,
    },
    both: {
      change: (made) => {
        annotate(made, nameKey, 'other');
        edit(made, { region: 'eu', size: 1 });
      },
      says: `annotation ${nameKey} from "db" to "other" and spec.forProvider.region from "us" to "eu"`,
    },
    'a field and all annotations at once, as kubectl replace does': {
      change: (made) => {
        edit(made, { region: 'eu', size: 1 });
        for (const key of Object.keys(made.annotations)) annotate(made, key, undefined);
      },
      says: 'spec.forProvider.region from "us" to "eu"',
    },
  };
  for (const [what, { change, says }] of Object.entries(edits)) {
    test(`${what}: the edit is reported, and the other fields still work`, async () => {
      const made = await ready();
      change(made);
      assert.deepEqual(await made.run(), poll);
      assert.equal(made.condition('Synced'), `False/ReconcileError: cannot change ${says}: ${refusal}`);
      assert.equal(made.condition('Ready'), 'True/Available');
      assert.deepEqual(made.events, ['Warning CannotApplyEdit']);
      assert.deepEqual(places(made), ['us/db']);
      const spec = made.object?.spec;

      made.external.put('us/db', { region: 'us', size: 9 }, made.external.things.get('us/db')?.password);
      await made.run();
      assert.equal(made.external.things.get('us/db')?.values.size, 1, 'drift is still reverted');
      assert.deepEqual(made.object?.spec, spec, 'what somebody wrote is left to them');
      assert.deepEqual([places(made), made.external.made], [['us/db'], 1]);
    });

    test(`${what}: deletion deletes only the recorded external resource`, async () => {
      const made = await ready();
      for (const place of ['eu/db', 'us/other', 'eu/other']) made.external.put(place);
      change(made);
      leave(made);
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
      annotate(made, nameKey, annotations[nameKey]);
      await made.run();
      assert.equal(made.condition('Synced'), 'True/ReconcileSuccess');
      assert.equal(made.external.made, 1);
    });
  }

  test('while its creation runs, whose answer is lost', async () => {
    const made = scene();
    made.external.afterCall = (method) => {
      if (method !== 'create') return;
      edit(made, { region: 'eu', size: 1 });
      throw new Error('no answer');
    };
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
    edit(made, { region: 'eu', size: 1 });
    made.restart();
    await made.run();
    assert.deepEqual(places(made), ['us/db']);
    assert.match(made.condition('Synced'), /cannot change spec\.forProvider\.region/);
  });
});

describe('a value that was removed still counts as recorded', () => {
  test('a name that the external system gave', async () => {
    const made = await ready(undefined, { externalNames: 'assigned' });
    annotate(made, nameKey, undefined);
    await made.run();
    assert.deepEqual(places(made), ['assigned-1']);
    assert.equal(made.annotations[nameKey], 'assigned-1');
  });
});

describe('an identity in initProvider', () => {
  const inEurope = async (): Promise<Scene> => {
    const made = scene({ size: 1 });
    made.edit({ spec: { initProvider: { region: 'eu', size: 9 } } });
    await made.run();
    return made;
  };

  test('is recorded and used in each observation, and no second resource is created', async () => {
    const made = await inEurope();
    assert.equal(
      made.object?.status?.externalIdentity,
      '{"name":"db","system":"https://a.example","fields":{"region":"eu"}}',
    );
    await made.run();
    assert.deepEqual([places(made), made.external.made], [['eu/db'], 1]);
    assert.equal(made.condition('Synced'), 'True/ReconcileSuccess');
    assert.deepEqual(made.object?.spec.forProvider, { size: 1 }, 'and what somebody wrote is left to them');
  });

  test('does not change by an edit, which is reported', async () => {
    const made = await inEurope();
    made.edit({ spec: { initProvider: { region: 'us' } } });
    await made.run();
    assert.equal(
      made.condition('Synced'),
      `False/ReconcileError: cannot change spec.initProvider.region from "eu" to "us": ${refusal}`,
    );
    assert.deepEqual([places(made), made.external.made], [['eu/db'], 1]);
    leave(made);
    assert.deepEqual(await made.run(), done);
    assert.deepEqual(places(made), []);
  });
});

describe('a field that is set later', () => {
  test('is recorded if the external resource has that value', async () => {
    const made = await ready({ size: 1 });
    made.external.placeOf = (managed) => `us/${externalName(managed)}`;
    made.external.put('us/db', { size: 1, region: 'us' }, made.external.things.get('us/db')?.password);
    edit(made, { size: 1, region: 'us' });
    await made.run();
    assert.equal(made.condition('Synced'), 'True/ReconcileSuccess');
    assert.match(made.object?.status?.externalIdentity ?? '', /"region":"us"/);
    edit(made, { size: 1, region: 'eu' });
    await made.run();
    assert.match(made.condition('Synced'), /region from "us" to "eu"/);
  });

  test('does not lead to another resource', async () => {
    const made = await ready({ size: 1 });
    edit(made, { size: 1, region: 'eu' });
    await made.run();
    assert.deepEqual([places(made), made.external.made], [['us/db'], 1]);
    assert.match(made.condition('Synced'), /cannot change spec\.forProvider\.region from nothing to "eu"/);
    leave(made);
    assert.deepEqual(await made.run(), done);
    assert.deepEqual(places(made), []);
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
  const hiddenUntilDeleted = (managed: Managed): string =>
    `${managed.metadata.deletionTimestamp === undefined ? 'hidden' : 'us'}/${externalName(managed)}`;

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

  test('an edit that removes a field takes effect too', async () => {
    const made = scene({ region: 'mars', size: 1 });
    made.external.failAt('create', new Error('there is no region mars'));
    await made.run();
    edit(made, { size: 1 });
    made.external.gate = () => {};
    await made.run();
    await made.run();
    assert.deepEqual(made.external.createdWith, { size: 1 });
    assert.doesNotMatch(made.object?.status?.externalIdentity ?? '', /region/);
  });

  test('an edit of a field that leads to no other resource still finds the recorded one', async () => {
    const marks = { immutable: ['region', 'version'], identity: ['region'] };
    const made = scene({ region: 'us', version: 'none' }, { marks });
    made.external.failAt('create', new Error('there is no version none'));
    made.external.placeOf = hiddenUntilDeleted;
    await made.run();
    made.external.put('us/db', {});
    edit(made, { region: 'us', version: '8.0' });
    await made.run();
    assert.match(made.annotations['crossplane.io/external-identity'] ?? '', /"version":"8.0"/);
  });

  test('an edit takes effect after a user deleted the external resource', async () => {
    const made = await ready(undefined, { confirmAbsenceMs: 5_000 });
    annotate(made, nameKey, 'other');
    made.external.things.clear();
    assert.deepEqual(await made.run(), unsettled(5_000));
    made.cluster.clockMs += 5_000;
    await made.run();
    await made.run();
    assert.deepEqual(places(made), ['us/other']);
    assert.equal(made.condition('Synced'), 'True/ReconcileSuccess');
  });

  test('observations of the previous name do not count for the new name', async () => {
    const made = await ready(undefined, { confirmAbsenceMs: 5_000 });
    made.external.things.clear();
    annotate(made, nameKey, 'second');
    await made.run();
    made.cluster.clockMs += 5_000;
    assert.deepEqual(await made.run(), unsettled(0));
    const { externalIdentity, bindingPhase, conditions = [] } = made.object?.status ?? {};
    assert.deepEqual([externalIdentity, bindingPhase, conditions.length], [undefined, 'Unbound', 2]);
    annotate(made, nameKey, 'third');
    assert.deepEqual(await made.run(), unsettled(5_000));
    made.cluster.clockMs += 5_000;
    await made.run();
    await made.run();
    assert.deepEqual(places(made), ['us/third']);
  });

  test('an edit has no effect while a part of the recorded resource remains', async () => {
    const made = await ready();
    annotate(made, nameKey, 'other');
    made.external.placeOf = hiddenUntilDeleted;
    await made.run();
    await made.run();
    assert.deepEqual([places(made), made.external.made], [['us/db'], 1]);
    assert.match(made.condition('Synced'), /cannot change annotation .* from "db" to "other"/);
  });
});

describe('credentials that lead to another system', () => {
  const elsewhere =
    /^False\/ReconcileError: the provider connects to https:\/\/b\.example, but external resource "db" is in https:\/\/a\.example; correct the provider. If both are the same system, set the annotation crossplane\.io\/adopt-identity to true$/;

  test('let the deletion wait, and delete no resource of the same name', async () => {
    const made = await ready();
    made.external.system = 'https://b.example';
    leave(made);
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
    annotate(made, 'crossplane.io/adopt-identity', 'true');
    await made.run();
    assert.equal(made.condition('Synced'), 'True/ReconcileSuccess');
    assert.match(made.object?.status?.externalIdentity ?? '', /b\.example/);
    assert.equal(made.annotations['crossplane.io/adopt-identity'], undefined);
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
    made.external.things.clear();
    await made.run();
    annotate(made, 'crossplane.io/adopt-identity', adopt);
    await made.run();
    await made.run();
    return made;
  }

  test('is not created again, and the message says what to do', async () => {
    const made = await moved('true');
    assert.equal(made.external.made, 1);
    assert.equal(
      made.condition('Synced'),
      'False/ReconcileError: external resource does not exist any more (db); copy it to where the provider connects. Or, to have an empty one created, set the annotation crossplane.io/adopt-identity to or-create',
    );
    assert.equal(made.annotations['crossplane.io/adopt-identity'], 'true');
  });

  test('is created again if the administrator allows it', async () => {
    const made = await moved('or-create');
    await made.run();
    assert.equal(made.condition('Synced'), 'True/ReconcileSuccess');
    assert.equal(made.external.made, 2);
    assert.equal(made.annotations['crossplane.io/adopt-identity'], undefined);
  });
});

test('an identity that is not recorded is recorded in annotation and status at the first observation', async () => {
  const made = await ready();
  const { status, ...object } = made.object ?? assert.fail();
  const { externalIdentity: _none, ...before } = status ?? {};
  made.cluster.put(managedKind, { ...object, status: before });
  annotate(made, 'crossplane.io/external-identity', undefined);
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
