import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { available } from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind, ObjectMeta } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { withManagedStatus } from '../../../controllers/managed/recording/status.ts';
import { referenceResolver, referenceTriggers } from '../../../controllers/references/reference-triggers.ts';
import type { ReferenceField, ReferenceLookup } from '../../../controllers/references/references.ts';
import { unresolvedInitially, withReferences } from '../../../controllers/references/references.ts';
import { FakeCluster, forbidden } from '../cluster-fake.ts';
import { FakeProcess } from '../environment-fake.ts';
import { deletionTimestamp, managed, managedKind, now, otherManagedKind } from '../objects.ts';
import { wokenBy } from '../requests-of.ts';

const networkKind: Kind<Managed> = {
  group: 'network.fcp.crossplane.io',
  version: 'v1alpha3',
  kind: 'Network',
  plural: 'networks',
  scope: 'Cluster',
};
const byNetwork = { selector: 'networkIdSelector', to: networkKind };
const one: ReferenceField = { ...byNetwork, field: 'networkId', ref: 'networkIdRef' };
const peer: ReferenceField = { ...one, field: 'peerId', ref: 'peerIdRef', selector: 'peerIdSelector' };
const many: ReferenceField = { ...byNetwork, field: 'networkIds', ref: 'networkIdRefs', multiple: true };

function network(name: string, id?: string, metadata: Partial<ObjectMeta> = {}): Managed {
  const named = id !== undefined && { annotations: { 'crossplane.io/external-name': id } };
  const of = { apiVersion: 'network.fcp.crossplane.io/v1alpha3', kind: 'Network' };
  return { ...of, metadata: { name, ...metadata, ...named }, spec: {} };
}

const lookupOf = (...networks: readonly Managed[]): ReferenceLookup => ({
  get: (_kind, name) => networks.find(({ metadata }) => metadata.name === name),
  all: () => networks,
});

const controlled = (uid: string): Partial<ObjectMeta> => ({
  ownerReferences: [{ apiVersion: 'v1', kind: 'Stack', name: 's', uid, controller: true }],
});
const labelled = { labels: { tier: 'a' } };
const tierA = { matchLabels: { tier: 'a' } };
const always = { resolve: 'Always' } as const;
const optional = { resolution: 'Optional' } as const;
const main = network('main', 'net-1', labelled);
const spare = network('spare', 'net-2', labelled);
const unready = network('unready', undefined, labelled);
const aloof = network('aloof', 'net-9');

/** `want`: the fields to add to forProvider or to replace there, or the error. Without it nothing changes. */
function resolves(
  field: ReferenceField,
  given: object,
  networks: readonly Managed[],
  want: object | RegExp = {},
  metadata: Partial<ObjectMeta> = {},
): void {
  const referrer = managed({ forProvider: given }, metadata);
  const resolve = () => withReferences(referrer, [field], lookupOf(...networks));
  if (want instanceof RegExp) {
    assert.throws(resolve, want);
    return;
  }
  const resolved = resolve();
  assert.deepEqual(resolved.spec.forProvider, { ...given, ...want });
  assert.equal(resolved === referrer, Object.keys(want).length === 0, 'unchanged is the same object');
}
interface More {
  readonly field?: ReferenceField;
  readonly metadata?: Partial<ObjectMeta>;
}
const byName = { networkIdRef: { name: 'main' } };
const byUnready = { networkIdRef: { name: 'unready' } };
const bySelector = { networkIdSelector: tierA };
const optionally = { networkIdSelector: { ...tierA, policy: optional } };
const alwaysSelecting = { networkIdSelector: { ...tierA, policy: always } };
const toMain = { networkId: 'net-1', networkIdRef: { name: 'main' } };

const alwaysMain = { networkIdRef: { name: 'main', policy: always } };
const otherNetwork = network('a', 'net-a', controlled('other'));
const mineNetwork = network('b', 'net-b', controlled('mine'));

describe('one reference, as Resolve of crossplane-runtime resolves it', () => {
  const single = (
    given: object,
    networks: readonly Managed[],
    want?: object | RegExp,
    { field = one, metadata }: More = {},
  ): void => resolves(field, given, networks, want, metadata);
  test('a value is kept', () => single({ networkId: 'net-0', ...byName }, [main]));
  test('with Always a value is resolved again', () =>
    single({ networkId: 'net-0', ...alwaysMain }, [main], { networkId: 'net-1' }));
  test('an empty text is no value, and null no selector', () =>
    single({ networkId: '', ...byName, networkIdSelector: null }, [main], { networkId: 'net-1' }));
  test('null is no reference and no selector', () =>
    single({ networkIdRef: null, networkIdSelector: null }, [main]));
  test('without reference and selector nothing changes', () => single({ networkId: '' }, [main]));
  test('a required object that does not exist is named, with the remedy', () =>
    single(
      byName,
      [],
      /^Error: spec\.forProvider\.networkIdRef: Network main does not exist; create it, or change the reference$/,
    ));
  test('a required object that cannot exist is named without a command that creates it', () =>
    single(
      { networkIdRef: { name: 'Main' } },
      [],
      /networkIdRef: Network Main does not exist; change the reference: no object can have that name$/,
    ));
  test('an Optional reference to an object that does not exist changes nothing', () =>
    single({ networkIdRef: { name: 'main', policy: optional } }, []));
  test('with Optional and Always the value stays if the object was deleted', () =>
    single({ networkId: 'net-1', networkIdRef: { name: 'main', policy: { ...always, ...optional } } }, []));
  test('a referenced object without a value is reported with its name', () =>
    single(
      byUnready,
      [unready],
      /networkIdRef: Network unready has no value for networkId yet; it is resolved as soon as unready is ready/,
    ));
  test('an Optional reference to an object without a value changes nothing', () =>
    single({ networkIdRef: { name: 'unready', policy: optional } }, [unready]));
  test('a reference gives the value of its object', () => single(byName, [main], { networkId: 'net-1' }));
  test('a selector gives the value of its object, and records the reference by name', () =>
    single(alwaysSelecting, [aloof, main], toMain));
  const mine = { metadata: controlled('mine') };
  const toA = { networkId: 'net-a', networkIdRef: { name: 'a' } };
  const toB = { networkId: 'net-b', networkIdRef: { name: 'b' } };
  test('matchControllerRef selects objects with the same controller', () =>
    single({ networkIdSelector: { matchControllerRef: true } }, [otherNetwork, mineNetwork], toB, mine));
  test('matchControllerRef: false selects objects of all controllers', () =>
    single({ networkIdSelector: { matchControllerRef: false } }, [otherNetwork, mineNetwork], toA, mine));
  test('matchControllerRef selects nothing for an object without a controller', () =>
    single(
      { networkIdSelector: { matchControllerRef: true } },
      [otherNetwork],
      /networkIdSelector: no Network matches everything and the same controller; label one, or change the selector/,
    ));
  const toAloof = { networkId: 'net-9', networkIdRef: { name: 'aloof' } };
  test('an empty selector matches everything of the kind', () =>
    single({ networkIdSelector: {} }, [aloof], toAloof));
  test('a single selector picks by name, not by chance', () => single(bySelector, [spare, main], toMain));
  test('a single selector prefers an object with a value to the first by name', () =>
    single(bySelector, [network('early', undefined, labelled), main], toMain));
  test('with Always a selected object is kept while it matches', () =>
    single({ networkId: 'net-2', networkIdRef: { name: 'spare' }, ...alwaysSelecting }, [main, spare]));
  test('with Always a selected object that no longer matches is replaced', () =>
    single({ ...toAloof, ...alwaysSelecting }, [aloof, main], toMain));
  test('a selector that matches nothing is reported', () =>
    single(
      bySelector,
      [aloof],
      /^Error: spec\.forProvider\.networkIdSelector: no Network matches tier=a; label one, or change the selector$/,
    ));
  test('an Optional selector that matches nothing changes nothing', () => single(optionally, [aloof]));
  test('a selected object without a value is reported with its name', () =>
    single(bySelector, [unready], /networkIdSelector: Network unready has no value for networkId yet/));
  test('a reference wins over a selector', () =>
    single({ networkIdRef: { name: 'aloof' }, ...bySelector }, [main, aloof], { networkId: 'net-9' }));
  test("with a selector the reference's own Always is ignored", () =>
    single({ networkId: 'net-0', ...alwaysMain, ...bySelector }, [main]));
  const byPath: ReferenceField = { ...one, extract: ({ metadata }) => `projects/x/${metadata.name}` };
  test('a reference may give another value than the external name', () =>
    single(byUnready, [unready], { networkId: 'projects/x/unready' }, { field: byPath }));

  test('Optional lets one of two objects start that refer to each other', () =>
    single({ networkIdRef: { name: 'b', policy: optional } }, [network('b')]));
});

describe('several references, as ResolveMultiple resolves them', () => {
  const refs = (...names: readonly string[]) => names.map((name) => ({ name }));
  const several = (given: object, networks: readonly Managed[], want?: object | RegExp): void =>
    resolves(many, given, networks, want);
  test('references keep their order', () =>
    several({ networkIdRefs: refs('spare', 'main') }, [main, spare], { networkIds: ['net-2', 'net-1'] }));
  test('values are kept', () => several({ networkIds: ['net-0'], networkIdRefs: refs('main') }, [main]));
  test('one reference with Always resolves all again', () =>
    several(
      { networkIds: ['net-0', 'net-2'], networkIdRefs: [{ name: 'main', policy: always }, ...refs('spare')] },
      [main, spare],
      { networkIds: ['net-1', 'net-2'] },
    ));
  const toBoth = { networkIds: ['net-1', 'net-2'], networkIdRefs: refs('main', 'spare') };
  test('a selector takes all matches, by name', () => several(bySelector, [spare, aloof, main], toBoth));
  test('the same matches in another order change nothing', () =>
    several({ ...toBoth, ...alwaysSelecting }, [spare, main]));
  const twin = network('twin', 'net-1');
  test('two references with the same value give it twice', () =>
    several({ networkIdRefs: refs('main', 'twin') }, [main, twin], { networkIds: ['net-1', 'net-1'] }));
  const maybeGone = { name: 'gone', policy: optional };
  const withoutValue = /networkIdRefs: Network unready has no value for networkIds yet/;
  test('a missing Optional reference does not hinder the others', () =>
    several({ networkIdRefs: [maybeGone, ...refs('main')] }, [main], { networkIds: ['net-1'] }));
  test('a missing Optional reference does not hide a Required one', () =>
    several({ networkIdRefs: [maybeGone, ...refs('unready')] }, [unready], withoutValue));
  test('without references and selector no values change', () => several({}, [main]));
  test('a required object of several that does not exist is named', () =>
    several(
      { networkIdRefs: refs('main', 'gone') },
      [main],
      /networkIdRefs: Network gone does not exist; create it, or change the reference/,
    ));
  test('an object without a value is waited for', () =>
    several({ networkIdRefs: refs('main', 'unready') }, [main, unready], withoutValue));
  test('references win over a selector', () =>
    several({ networkIdRefs: refs('aloof'), ...bySelector }, [main, aloof], { networkIds: ['net-9'] }));
  const wereTwo = {
    networkIds: ['net-1', 'net-9'],
    networkIdRefs: refs('main', 'aloof'),
    ...alwaysSelecting,
  };
  test('with Always an object that no longer matches is removed', () =>
    several(wereTwo, [main, aloof], { networkIds: ['net-1'], networkIdRefs: refs('main') }));
  test('with Always as many other matches replace the previous ones', () =>
    several(wereTwo, [main, aloof, spare], toBoth));
  test('an Optional selector does not record an object without a value', () =>
    several(optionally, [unready]));
  test('an Optional selector that matches nothing changes no values', () => several(optionally, [aloof]));
  test('a selector of several objects that matches nothing is reported', () =>
    several(bySelector, [aloof], /no Network matches tier=a/));
});

describe('references in a cluster', () => {
  const referrer = (name: string, forProvider: object) =>
    managed({ forProvider }, { name, uid: `${name}-uid` });

  /** The resource with the references that a run resolves. */
  async function resolvedIn(
    cluster: FakeCluster,
    object: Managed,
    fields: readonly ReferenceField[] = [one],
  ): Promise<Managed> {
    const { env } = new FakeProcess(cluster);
    const resolve = referenceResolver(env, env.resource(managedKind), fields);
    return resolve(object, new AbortController().signal);
  }

  test('resolved references are not written again', async () => {
    const cluster = new FakeCluster();
    const object = cluster.put(managedKind, referrer('db', toMain));
    assert.equal(await resolvedIn(cluster, object), object);
    assert.deepEqual(cluster.calls, []);
  });

  test('all fields are written at once', async () => {
    const cluster = new FakeCluster();
    cluster.put(networkKind, main);
    const given = { networkIdSelector: tierA, peerIdRef: { name: 'main' } };
    const object = cluster.put(managedKind, referrer('db', given));
    const resolved = await resolvedIn(cluster, object, [one, peer]);
    assert.equal(cluster.writes.length, 1);
    assert.deepEqual(resolved.spec.forProvider, { ...given, ...toMain, peerId: 'net-1' });
  });

  test('values that cannot be written are an error', async () => {
    const cluster = new FakeCluster();
    cluster.put(networkKind, main);
    const object = cluster.put(managedKind, referrer('db', byName));
    cluster.refuse('update', managedKind, forbidden());
    await assert.rejects(resolvedIn(cluster, object), /denied by a webhook/);
  });

  test('an observed-only resource gets no write; resolved values are used in the run', async () => {
    const cluster = new FakeCluster();
    cluster.put(networkKind, main);
    const onlyObserved = managed({ managementPolicies: ['Observe'], forProvider: byName });
    const object = cluster.put(managedKind, onlyObserved);
    const resolved = await resolvedIn(cluster, object);
    assert.deepEqual(cluster.calls, []);
    assert.deepEqual(resolved.spec.forProvider, toMain);
  });

  /** The resources that are woken by what happens, in their order. */
  async function wakes(
    before: readonly Managed[],
    referrers: readonly Managed[],
    happens: (cluster: FakeCluster) => void,
    fields: readonly ReferenceField[] = [one],
  ): Promise<readonly string[]> {
    const cluster = new FakeCluster();
    for (const object of before) cluster.put(networkKind, object);
    for (const object of referrers) cluster.put(managedKind, object);
    const process = new FakeProcess(cluster);
    const triggers = referenceTriggers(process.env, process.env.resource(managedKind), fields);
    return wokenBy(process, triggers, () => happens(cluster));
  }

  const byRef = referrer('by-ref', { networkIdRef: { name: 'unready' } });
  const bySelector = referrer('by-selector', { networkIdSelector: tierA });
  const elsewhere = referrer('elsewhere', { networkIdRef: { name: 'aloof' } });
  const ready = { synced: available(), ready: available(), isCredentialInForce: true };
  const resolvedTo = (reference: object) => ({ networkId: 'net-1', networkIdRef: reference });
  const satisfied = withManagedStatus(referrer('satisfied', resolvedTo({ name: 'unready' })), ready, now);

  test('an external name that appears wakes the resources that refer to it, by name and by labels, and no others', async () => {
    const woken = await wakes([unready], [byRef, bySelector, elsewhere, satisfied], (cluster) => {
      cluster.put(networkKind, network('unready', 'net-3', labelled));
    });
    assert.deepEqual(woken, ['by-ref', 'by-selector']);
  });

  const toSpare = { networkIdRef: { name: 'spare' } };
  const readyWith = (reference: object) =>
    withManagedStatus(referrer('db', resolvedTo(reference)), ready, now);
  const toOthers = { networkIdRef: { name: 'aloof' }, networkIdSelector: { matchLabels: { tier: 'b' } } };
  const deleted = managed({ forProvider: toSpare }, { deletionTimestamp, finalizers: ['f'] });
  type Changed = readonly [isWoken: boolean, referrer: Managed, fields?: readonly ReferenceField[]];
  const changed: Record<string, Changed> = {
    'a target that has the value and is not ready': [true, referrer('db', resolvedTo({ name: 'spare' }))],
    'a target that is ready, with a policy to resolve always': [
      true,
      readyWith({ name: 'spare', policy: always }),
    ],
    'a user that names it in one of two fields': [
      true,
      referrer('db', { ...toSpare, peerIdRef: { name: 'aloof' } }),
      [peer, one],
    ],
    'not who has the value and is ready, whatever its other fields': [
      false,
      readyWith({ name: 'spare' }),
      [peer, one],
    ],
    'not who names another and selects others': [false, referrer('db', toOthers)],
    'not who is being deleted': [false, deleted],
  };
  for (const [who, [isWoken, object, fields]] of Object.entries(changed)) {
    test(`a change wakes a resource: ${who}`, async () => {
      const happens = (cluster: FakeCluster) => void cluster.put(networkKind, spare);
      assert.deepEqual(await wakes([], [object], happens, fields), isWoken ? ['db'] : []);
    });
  }

  test('becoming ready wakes them', async () => {
    const woken = await wakes([], [byRef], (cluster) => {
      const made = cluster.put(networkKind, network('unready'));
      cluster.put(networkKind, withManagedStatus(made, ready, now));
    });
    assert.deepEqual(woken, ['by-ref', 'by-ref']);
  });

  test('where references lead to several kinds, each wakes those that refer to it', async () => {
    const zone = { field: 'zone', ref: 'zoneRef', selector: 'zoneSelector', to: otherManagedKind };
    const inZone = referrer('in-zone', { zoneRef: { name: 'unready' } });
    const happens = (cluster: FakeCluster) => {
      cluster.put(otherManagedKind, { ...network('unready', 'zone-1'), kind: otherManagedKind.kind });
      cluster.put(networkKind, network('unready', 'net-3'));
    };
    const woken = await wakes([], [byRef, inZone], happens, [one, zone]);
    assert.deepEqual(woken, ['in-zone', 'by-ref']);
  });

  test('a label that now matches wakes the resources that select it; other changes wake none', async () => {
    const woken = await wakes([aloof], [bySelector], (cluster) => {
      const held = cluster.get(networkKind, { name: 'aloof' })!;
      cluster.put(networkKind, { ...held, spec: { forProvider: { mtu: 9000 } } });
      cluster.put(networkKind, { ...held, metadata: { ...held.metadata, labels: { tier: 'a' } } });
    });
    assert.deepEqual(woken, ['by-selector']);
  });
});

describe('a reference in initProvider is not resolved, and the resource is not created without it', () => {
  const says = (field: string) =>
    `references in spec.initProvider are not resolved; set ${field} there, or refer in spec.forProvider`;
  const [ref, refs, selector] = [{ name: 'blue' }, [{ name: 'blue' }], { matchLabels: {} }];
  const rows: Readonly<Record<string, readonly [initProvider: object, forProvider: object, want?: string]>> =
    {
      'one of a reference': [{ networkIdRef: ref }, {}, says('networkId')],
      'one of a selector': [{ networkIdSelector: selector }, {}, says('networkId')],
      'several, and an empty list is none': [{ networkIdRefs: refs }, { networkIds: [] }, says('networkIds')],
      'unless the value is there': [{ networkIdRef: ref, networkId: 'n1' }, {}],
      'or forProvider has one, or has found it by now': [{ networkIdRef: ref }, { networkId: 'n1' }],
      'or nothing is referred to': [{ networkId: 'n1' }, {}],
    };
  for (const [name, [initProvider, forProvider, want]] of Object.entries(rows)) {
    test(name, () => {
      const fields = 'networkIdRefs' in initProvider ? [many] : [one];
      assert.equal(unresolvedInitially(managed({ initProvider, forProvider }), fields), want);
    });
  }
});
