import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { sourceOf, tracedIn } from './traced-objects.ts';

const claimOf = (namespace: string, name: string, spec: object = {}): KubernetesObject =>
  ({
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'FancySQLInstance',
    metadata: {
      namespace,
      name,
      uid: name,
      generation: 1,
      finalizers: ['finalizer.resourceclaim.crossplane.io'],
    },
    spec,
    status: { observedGeneration: 1 },
  }) as KubernetesObject;
const namespaces = ['default', 'team-blog', 'team-shop'].map(
  (name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }) as KubernetesObject,
);
const claims = [claimOf('team-shop', 'cart'), claimOf('team-shop', 'orders'), claimOf('team-blog', 'posts')];

describe('of a name that nothing has', () => {
  const rows: Readonly<Record<string, readonly [name: string, hints: readonly string[]]>> = {
    'that is in another namespace: which': [
      'default/cart',
      ['There is one in namespace team-shop: -n team-shop'],
    ],
    'with letters that changed places: what is meant': ['team-shop/crat', ['Did you mean cart?']],
    'in a namespace that does not exist: that, and both': [
      'team-shoop/cart',
      [
        'There is no namespace team-shoop. Did you mean team-shop?',
        'There is one in namespace team-shop: -n team-shop',
      ],
    ],
    'misspelt, and in another namespace: the whole name': [
      'default/ordesr',
      ['Did you mean team-shop/orders?'],
    ],
    'that is like nothing: nothing': ['team-shop/zzz', []],
  };
  for (const [what, [name, hints]] of Object.entries(rows)) {
    test(what, async () => {
      const trace = await tracedIn([...namespaces, ...claims], ['fsql', name]);
      assert.deepEqual([trace.verdict, trace.hints], ['absent', hints]);
    });
  }

  test('who may see one namespace only is told what is in that', async () => {
    const all = sourceOf([...namespaces, ...claims]);
    const source: typeof all = {
      ...all,
      list: async (kind, namespace) =>
        namespace === undefined ? { is: 'withheld' } : all.list(kind, namespace),
    };
    const trace = await tracedIn([], ['fsql', 'team-shop/crat'], source);
    assert.deepEqual(trace.hints, ['Did you mean cart?']);
  });
});

const managed = (name: string, spec: object): KubernetesObject =>
  ({
    apiVersion: 'database.fcp.crossplane.io/v1alpha3',
    kind: 'FavouriteDBInstance',
    metadata: { name, generation: 1 },
    spec: { forProvider: {}, ...spec },
    status: { observedGeneration: 1 },
  }) as KubernetesObject;

describe('what a claim names in vain has its near names in the advice, of what it may take', () => {
  const resourceRef = {
    apiVersion: 'database.fcp.crossplane.io/v1alpha3',
    kind: 'FavouriteDBInstance',
    name: 'legacy-order',
  };
  const claim = claimOf('team-shop', 'archive', { resourceRef });
  const self = { apiVersion: claim.apiVersion, kind: claim.kind, namespace: 'team-shop', name: 'archive' };
  const theirs = { ...self, namespace: 'team-pay', name: 'ledger' };
  const gold = { matchLabels: { tier: 'gold' } };
  const shop = (labels: object): KubernetesObject =>
    ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-shop', labels } }) as KubernetesObject;
  const rows: Readonly<
    Record<
      string,
      readonly [isMeant: boolean, spec: object, given?: object, others?: readonly KubernetesObject[]]
    >
  > = {
    "what is nobody's": [true, {}],
    'what is reserved for it': [true, { claimRef: self }],
    'what is for its namespace': [true, { namespaceSelector: gold }, {}, [shop({ tier: 'gold' })]],
    'and none that is for other namespaces': [false, { namespaceSelector: gold }, {}, [shop({})]],
    'and none for namespaces of labels that may not be seen': [false, { namespaceSelector: gold }],
    'and none that is reserved for another claim': [false, { claimRef: theirs }],
    'and none that another claim has': [false, { claimRef: { ...theirs, uid: 'u' } }],
    'and none that a former claim of its name had': [false, { claimRef: { ...self, uid: 'former' } }],
    'and none that a former claim left': [false, {}, { status: { bindingPhase: 'Released' } }],
    'and none that is only observed, and offered to nobody': [false, { managementPolicies: ['Observe'] }],
    'and none that is on its way out': [false, {}, { deletionTimestamp: '2026-01-02T03:04:00Z' }],
  };
  for (const [name, [isMeant, spec, given = {}, others = []]] of Object.entries(rows)) {
    test(name, async () => {
      const { status, ...metadata } = given as { readonly status?: object };
      const legacy = managed('legacy-orders', spec);
      const objects = [
        claim,
        {
          ...legacy,
          metadata: { ...legacy.metadata, uid: 'its-uid', ...metadata },
          status: { observedGeneration: 1, ...status },
        } as KubernetesObject,
        ...others,
      ];
      const { fault } = await tracedIn(objects, ['fsql', 'team-shop/archive']);
      const create =
        'Create another claim, for another resource, and delete this claim, which has no resource and no data. Or create the resource that this claim names. Replace FILE by a file of yours, with the manifest of FavouriteDBInstance legacy-order:';
      assert.deepEqual(
        [fault?.name, fault?.advice],
        ['missing resource', isMeant ? `Did you mean legacy-orders? ${create}` : create],
      );
    });
  }
});

test('and so has a provider', async () => {
  const objects = [
    managed('db', { providerConfigRef: { name: 'favourit' } }),
    {
      apiVersion: 'fcp.crossplane.io/v1alpha3',
      kind: 'ProviderConfig',
      metadata: { name: 'favourite' },
      spec: { credentials: { source: 'None' } },
    } as KubernetesObject,
  ];
  const { fault } = await tracedIn(objects, ['favouritedbinstance', 'db']);
  assert.deepEqual(
    [fault?.name, fault?.advice],
    [
      'missing provider',
      'Did you mean favourite? Replace FILE by a file of yours, with the manifest of ProviderConfig favourit:',
    ],
  );
});
