import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { available } from '../../../../apis/core/v1alpha1/condition.ts';
import type { Kind, ObjectMeta } from '../../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { withManagedStatus } from '../../../../controllers/core/managed/recording/status.ts';
import {
  referenceResolver,
  referenceTriggers,
} from '../../../../controllers/core/references/reference-triggers.ts';
import type { ReferenceField, ReferenceLookup } from '../../../../controllers/core/references/references.ts';
import { unresolvedInitially, withReferences } from '../../../../controllers/core/references/references.ts';
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
const one: ReferenceField = {
  field: 'networkId',
  ref: 'networkIdRef',
  selector: 'networkIdSelector',
  to: networkKind,
};
const peer: ReferenceField = { ...one, field: 'peerId', ref: 'peerIdRef', selector: 'peerIdSelector' };
const many: ReferenceField = {
  field: 'networkIds',
  ref: 'networkIdRefs',
  selector: 'networkIdSelector',
  to: networkKind,
  multiple: true,
};

function network(name: string, id?: string, metadata: Partial<ObjectMeta> = {}): Managed {
  return {
    apiVersion: 'network.fcp.crossplane.io/v1alpha3',
    kind: 'Network',
    metadata: {
      name,
      ...metadata,
      ...(id === undefined ? {} : { annotations: { 'crossplane.io/external-name': id } }),
    },
    spec: {},
  };
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

interface Row {
  readonly field?: ReferenceField;
  readonly metadata?: Partial<ObjectMeta>;
  readonly given: object;
  /** Default: `main`. */
  readonly networks?: readonly Managed[];
  /** The fields to add to forProvider or to replace there, or the error. Default: none. */
  readonly want?: object | RegExp;
}

const rows: Record<string, Row> = {
  // One reference, the cases of crossplane-runtime's Resolve.
  'AlreadyResolved: a value is kept': { given: { networkId: 'net-0', networkIdRef: { name: 'main' } } },
  'AlwaysResolveReference: a value is looked up again': {
    given: { networkId: 'net-0', networkIdRef: { name: 'main', policy: always } },
    want: { networkId: 'net-1' },
  },
  'an empty text is no value, and null no selector': {
    given: { networkId: '', networkIdRef: { name: 'main' }, networkIdSelector: null },
    want: { networkId: 'net-1' },
  },
  'neither reference nor selector, null included': { given: { networkIdRef: null, networkIdSelector: null } },
  'neither reference nor selector': { given: { networkId: '' } },
  'GetError: a required object that is not there is named, with what to do': {
    given: { networkIdRef: { name: 'main' } },
    networks: [],
    want: /^Error: spec\.forProvider\.networkIdRef: Network main does not exist; create it, or change the reference$/,
  },
  'OptionalReference that is not there: nothing changes, the reference is kept': {
    given: { networkIdRef: { name: 'main', policy: optional } },
    networks: [],
  },
  'hazard: Optional and Always: the value stays if the object was deleted': {
    given: { networkId: 'net-1', networkIdRef: { name: 'main', policy: { ...always, ...optional } } },
    networks: [],
  },
  'ResolvedNoValue: a referenced object without a value is reported with its name': {
    given: { networkIdRef: { name: 'unready' } },
    networks: [unready],
    want: /networkIdRef: Network unready has no value for networkId yet; it is resolved as soon as unready is ready/,
  },
  'ResolvedNoValue, Optional: nothing changes': {
    given: { networkIdRef: { name: 'unready', policy: optional } },
    networks: [unready],
  },
  SuccessfulResolve: { given: { networkIdRef: { name: 'main' } }, want: { networkId: 'net-1' } },
  'SuccessfulSelect: the reference is recorded by name': {
    given: { networkIdSelector: { ...tierA, policy: always } },
    networks: [aloof, main],
    want: { networkId: 'net-1', networkIdRef: { name: 'main' } },
  },
  'SuccessfulSelect with the same controller': {
    metadata: controlled('mine'),
    given: { networkIdSelector: { matchControllerRef: true } },
    networks: [network('a', 'net-a', controlled('other')), network('b', 'net-b', controlled('mine'))],
    want: { networkId: 'net-b', networkIdRef: { name: 'b' } },
  },
  'ControllersMustMatch: false takes those of other controllers too': {
    metadata: controlled('mine'),
    given: { networkIdSelector: { matchControllerRef: false } },
    networks: [network('a', 'net-a', controlled('other')), network('b', 'net-b', controlled('mine'))],
    want: { networkId: 'net-a', networkIdRef: { name: 'a' } },
  },
  'ControllersMustMatch: without a controller nothing matches': {
    given: { networkIdSelector: { matchControllerRef: true } },
    networks: [network('a', 'net-a', controlled('other'))],
    want: /networkIdSelector: no Network matches everything and the same controller; label one, or change the selector/,
  },
  'an empty selector matches everything of the kind': {
    given: { networkIdSelector: {} },
    networks: [aloof],
    want: { networkId: 'net-9', networkIdRef: { name: 'aloof' } },
  },
  'a single selector picks by name, not by chance': {
    given: { networkIdSelector: tierA },
    networks: [spare, main],
    want: { networkId: 'net-1', networkIdRef: { name: 'main' } },
  },
  'hazard: a single selector prefers what is ready to what comes first': {
    given: { networkIdSelector: tierA },
    networks: [network('early', undefined, labelled), main],
    want: { networkId: 'net-1', networkIdRef: { name: 'main' } },
  },
  'AlwaysResolveSelector: what was chosen is kept while it matches': {
    given: {
      networkId: 'net-2',
      networkIdRef: { name: 'spare' },
      networkIdSelector: { ...tierA, policy: always },
    },
    networks: [main, spare],
  },
  'AlwaysResolveSelector: what no longer matches is replaced': {
    given: {
      networkId: 'net-9',
      networkIdRef: { name: 'aloof' },
      networkIdSelector: { ...tierA, policy: always },
    },
    networks: [aloof, main],
    want: { networkId: 'net-1', networkIdRef: { name: 'main' } },
  },
  NoMatches: {
    given: { networkIdSelector: tierA },
    networks: [aloof],
    want: /^Error: spec\.forProvider\.networkIdSelector: no Network matches tier=a; label one, or change the selector$/,
  },
  OptionalSelector: { given: { networkIdSelector: { ...tierA, policy: optional } }, networks: [aloof] },
  'a match that is not ready, Required': {
    given: { networkIdSelector: tierA },
    networks: [unready],
    want: /networkIdSelector: Network unready has no value for networkId yet/,
  },
  'BothReferenceSelector: the reference wins': {
    given: { networkIdRef: { name: 'aloof' }, networkIdSelector: tierA },
    networks: [main, aloof],
    want: { networkId: 'net-9' },
  },
  "with a selector the reference's own Always is ignored": {
    given: { networkId: 'net-0', networkIdRef: { name: 'main', policy: always }, networkIdSelector: tierA },
  },
  'another value than the external name': {
    field: { ...one, extract: ({ metadata }) => `projects/x/${metadata.name}` },
    given: { networkIdRef: { name: 'unready' } },
    networks: [unready],
    want: { networkId: 'projects/x/unready' },
  },
};

/** Several references, the cases of ResolveMultiple. */
const severalRows: Record<string, Row> = {
  'multiple: references keep their order': {
    given: { networkIdRefs: [{ name: 'spare' }, { name: 'main' }] },
    networks: [main, spare],
    want: { networkIds: ['net-2', 'net-1'] },
  },
  'multiple: values are kept': { given: { networkIds: ['net-0'], networkIdRefs: [{ name: 'main' }] } },
  'multiple: any reference with Always looks all up again': {
    given: {
      networkIds: ['net-0', 'net-2'],
      networkIdRefs: [{ name: 'main', policy: always }, { name: 'spare' }],
    },
    networks: [main, spare],
    want: { networkIds: ['net-1', 'net-2'] },
  },
  'multiple: a selector takes all matches, by name': {
    given: { networkIdSelector: tierA },
    networks: [spare, aloof, main],
    want: { networkIds: ['net-1', 'net-2'], networkIdRefs: [{ name: 'main' }, { name: 'spare' }] },
  },
  'multiple: the same matches in another order are no change': {
    given: {
      networkIds: ['net-1', 'net-2'],
      networkIdRefs: [{ name: 'main' }, { name: 'spare' }],
      networkIdSelector: { ...tierA, policy: always },
    },
    networks: [spare, main],
  },
  'multiple: two that yield the same value are not merged': {
    given: { networkIdRefs: [{ name: 'main' }, { name: 'twin' }] },
    networks: [main, network('twin', 'net-1')],
    want: { networkIds: ['net-1', 'net-1'] },
  },
  'multiple, hazard: an Optional one that is missing leaves its siblings alone': {
    given: { networkIdRefs: [{ name: 'gone', policy: optional }, { name: 'main' }] },
    want: { networkIds: ['net-1'] },
  },
  'multiple, hazard: an Optional first does not hide a Required second': {
    given: { networkIdRefs: [{ name: 'gone', policy: optional }, { name: 'unready' }] },
    networks: [unready],
    want: /networkIdRefs: Network unready has no value for networkIds yet/,
  },
  'multiple: neither references nor selector': { given: {} },
  'multiple: GetError: a required object that is not there is named': {
    given: { networkIdRefs: [{ name: 'main' }, { name: 'gone' }] },
    want: /networkIdRefs: Network gone does not exist; create it, or change the reference/,
  },
  'multiple: ResolvedNoValue: what is not ready is waited for': {
    given: { networkIdRefs: [{ name: 'main' }, { name: 'unready' }] },
    networks: [main, unready],
    want: /networkIdRefs: Network unready has no value for networkIds yet/,
  },
  'multiple: BothReferenceSelector: the references win': {
    given: { networkIdRefs: [{ name: 'aloof' }], networkIdSelector: tierA },
    networks: [main, aloof],
    want: { networkIds: ['net-9'] },
  },
  'multiple: AlwaysResolveSelector: what no longer matches goes': {
    given: {
      networkIds: ['net-1', 'net-9'],
      networkIdRefs: [{ name: 'main' }, { name: 'aloof' }],
      networkIdSelector: { ...tierA, policy: always },
    },
    networks: [main, aloof],
    want: { networkIds: ['net-1'], networkIdRefs: [{ name: 'main' }] },
  },
  'multiple: AlwaysResolveSelector: as many others are others': {
    given: {
      networkIds: ['net-1', 'net-9'],
      networkIdRefs: [{ name: 'main' }, { name: 'aloof' }],
      networkIdSelector: { ...tierA, policy: always },
    },
    networks: [main, aloof, spare],
    want: { networkIds: ['net-1', 'net-2'], networkIdRefs: [{ name: 'main' }, { name: 'spare' }] },
  },
  'multiple: OptionalSelector: what matches and is not ready is not recorded': {
    given: { networkIdSelector: { ...tierA, policy: optional } },
    networks: [unready],
  },
  'multiple: OptionalSelector: nothing matches, and nothing changes': {
    given: { networkIdSelector: { ...tierA, policy: optional } },
    networks: [aloof],
  },
  'multiple: nothing matches': {
    given: { networkIdSelector: tierA },
    networks: [aloof],
    want: /no Network matches tier=a/,
  },
};

describe('references', () => {
  const all = [...Object.entries(rows), ...Object.entries(severalRows)];
  for (const [name, row] of all) {
    test(name, () => {
      const { field = name in rows ? one : many, metadata = {}, given, networks = [main], want = {} } = row;
      const referrer = managed({ forProvider: given }, metadata);
      const resolve = () => withReferences(referrer, [field], lookupOf(...networks));
      if (want instanceof RegExp) {
        assert.throws(resolve, want);
        return;
      }
      const resolved = resolve();
      assert.deepEqual(resolved.spec.forProvider, { ...given, ...want });
      assert.equal(resolved === referrer, Object.keys(want).length === 0, 'unchanged is the same object');
    });
  }

  test('references that wait for each other: Optional lets one side start', () => {
    const a = managed({ forProvider: { networkIdRef: { name: 'b', policy: optional } } });
    assert.equal(withReferences(a, [one], lookupOf(network('b'))), a);
  });
});

describe('references in a cluster', () => {
  const referrer = (name: string, forProvider: object) =>
    managed({ forProvider }, { name, uid: `${name}-uid` });

  /** The resource with the references that a run resolves, the last by the service itself. */
  async function resolvedIn(
    cluster: FakeCluster,
    object: Managed,
    fields: readonly ReferenceField[] = [one],
    own?: Parameters<typeof referenceResolver>[3],
  ): Promise<Managed> {
    const { env } = new FakeProcess(cluster);
    const resolve = referenceResolver(env, env.resource(managedKind), fields, own);
    return resolve(object, new AbortController().signal);
  }

  test('NoReferencersFound and SuccessfulNoop: no write', async () => {
    const cluster = new FakeCluster();
    const object = cluster.put(
      managedKind,
      referrer('db', { networkId: 'net-1', networkIdRef: { name: 'main' } }),
    );
    assert.equal(await resolvedIn(cluster, object), object);
    assert.deepEqual(cluster.calls, []);
  });

  test('references that a service resolves itself come last, and count', async () => {
    const cluster = new FakeCluster();
    cluster.put(networkKind, main);
    const object = cluster.put(managedKind, referrer('db', { networkIdRef: { name: 'main' } }));
    const zoned = ({ spec, ...rest }: Managed): Managed => ({
      ...rest,
      spec: { ...spec, forProvider: { ...spec.forProvider, zone: 'a' } },
    });
    const resolved = await resolvedIn(cluster, object, [one], async (found) => zoned(found));
    assert.deepEqual(resolved, zoned(cluster.get(managedKind, { name: 'db' })!));
    assert.deepEqual(resolved.spec.forProvider, {
      networkId: 'net-1',
      networkIdRef: { name: 'main' },
      zone: 'a',
    });
  });

  test('SuccessfulUpdate: one write for all fields', async () => {
    const cluster = new FakeCluster();
    cluster.put(networkKind, main);
    const object = cluster.put(
      managedKind,
      referrer('db', { networkIdSelector: tierA, peerIdRef: { name: 'main' } }),
    );
    const resolved = await resolvedIn(cluster, object, [one, peer]);
    assert.equal(cluster.writes.length, 1);
    assert.deepEqual(resolved.spec.forProvider, {
      networkId: 'net-1',
      networkIdRef: { name: 'main' },
      networkIdSelector: tierA,
      peerId: 'net-1',
      peerIdRef: { name: 'main' },
    });
  });

  test('PatchError: values that cannot be written are an error', async () => {
    const cluster = new FakeCluster();
    cluster.put(networkKind, main);
    const object = cluster.put(managedKind, referrer('db', { networkIdRef: { name: 'main' } }));
    cluster.refuse('update', managedKind, forbidden());
    await assert.rejects(resolvedIn(cluster, object), /denied by a webhook/);
  });

  test('an observed-only resource gets no write; resolved values are used in the run', async () => {
    const cluster = new FakeCluster();
    cluster.put(networkKind, main);
    const object = cluster.put(
      managedKind,
      managed({ managementPolicies: ['Observe'], forProvider: { networkIdRef: { name: 'main' } } }),
    );
    const resolved = await resolvedIn(cluster, object);
    assert.deepEqual(cluster.calls, []);
    assert.deepEqual(resolved.spec.forProvider, { networkId: 'net-1', networkIdRef: { name: 'main' } });
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

  const changed: Record<
    string,
    { readonly referrer: Managed; readonly fields?: readonly ReferenceField[]; readonly isWoken: boolean }
  > = {
    'a target that has the value and is not ready': {
      referrer: referrer('db', resolvedTo({ name: 'spare' })),
      isWoken: true,
    },
    'a target that is ready, with a policy to resolve always': {
      referrer: withManagedStatus(referrer('db', resolvedTo({ name: 'spare', policy: always })), ready, now),
      isWoken: true,
    },
    'a user that names it in one of two fields': {
      referrer: referrer('db', { networkIdRef: { name: 'spare' }, peerIdRef: { name: 'aloof' } }),
      fields: [peer, one],
      isWoken: true,
    },
    'not who has the value and is ready, whatever its other fields': {
      referrer: withManagedStatus(referrer('db', resolvedTo({ name: 'spare' })), ready, now),
      fields: [peer, one],
      isWoken: false,
    },
    'not who names another and selects others': {
      referrer: referrer('db', {
        networkIdRef: { name: 'aloof' },
        networkIdSelector: { matchLabels: { tier: 'b' } },
      }),
      isWoken: false,
    },
    'not who is being deleted': {
      referrer: managed(
        { forProvider: { networkIdRef: { name: 'spare' } } },
        { deletionTimestamp, finalizers: ['f'] },
      ),
      isWoken: false,
    },
  };
  for (const [who, { referrer: object, fields, isWoken }] of Object.entries(changed)) {
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
    const woken = await wakes(
      [],
      [byRef, inZone],
      (cluster) => {
        cluster.put(otherManagedKind, { ...network('unready', 'zone-1'), kind: otherManagedKind.kind });
        cluster.put(networkKind, network('unready', 'net-3'));
      },
      [one, zone],
    );
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
