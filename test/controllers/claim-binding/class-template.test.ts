import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import { classSpecTemplate } from '../../../apis/core/v1alpha1/define-class.ts';
import { managedSpec } from '../../../apis/core/v1alpha1/define-managed.ts';
import { wellFormed } from '../../../apis/core/v1alpha1/well-formed.ts';
import { whyNotSuitable } from '../../../controllers/claim/incompatible.ts';
import { provisionedManaged } from '../../../controllers/claim-binding/provision.ts';
import type { ClaimService } from '../../../controllers/claim-service.ts';
import type { FavouriteDBInstanceClass } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { FavouriteDBInstanceClassKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { claim, classRef, resourceClass, resourceRef, service } from '../objects.ts';
import { sceneOf } from './scene.ts';

type Template = Class['specTemplate'];

const provisioned = (specTemplate: Template, by: ClaimService = service, given = {}) =>
  provisionedManaged(
    by,
    claim({ classRef: classRef('small'), resourceRef: resourceRef('db'), ...given }),
    resourceClass('small', {}, { specTemplate }),
  );

/** The fields of a managed resource that no class has, each with its reason. */
const notInClasses = {
  writeConnectionSecretToRef:
    'a class has writeConnectionSecretsToNamespace: each resource has its own Secret',
  claimRef: 'binding writes the claim',
  classRef: 'binding writes the class',
} as const satisfies Partial<Record<keyof (typeof managedSpec)['shape'], string>>;

/** A value of each field that a class and a managed resource have in common. */
const common = {
  namespaceSelector: { matchLabels: { tier: 'gold' } },
  providerRef: { name: 'legacy' },
  providerConfigRef: { name: 'cloud' },
  reclaimPolicy: 'Retain',
  retainFor: '7d',
  giveBack: 'Administrator',
  deletionPolicy: 'Orphan',
  onLoss: 'Report',
  managementPolicies: ['Observe', 'Create', 'Update'],
  publishConnectionDetailsTo: { name: '{claim.uid}' },
} as const satisfies Omit<Template, 'forProvider' | 'initProvider'>;

describe('a class has', () => {
  test('every field of the spec of a managed resource, except those in a list', () => {
    const fields = Object.keys(managedSpec.shape);
    assert.deepEqual(fields.toSorted(), [...Object.keys(common), ...Object.keys(notInClasses)].toSorted());
    const lacking = Object.keys(common).filter((field) => !(field in classSpecTemplate.shape));
    assert.deepEqual(lacking, []);
  });
});

describe('a provisioned resource has', () => {
  test('every field that its class has in common with it', () => {
    const { claimRef: _claim, classRef: _class, forProvider, ...rest } = provisioned(common).spec;
    const publishConnectionDetailsTo = { name: 'claim-uid' };
    assert.deepEqual([rest, forProvider], [{ ...common, publishConnectionDetailsTo }, {}]);
  });

  test('the labels and annotations of its class, and those of the controllers', () => {
    const metadata = { labels: { costCentre: '4711' }, annotations: { 'example.com/note': 'a' } };
    const { metadata: given } = provisioned({ metadata });
    assert.deepEqual(given.labels, metadata.labels);
    assert.equal(given.annotations?.['example.com/note'], 'a');
    assert.equal(given.annotations['crossplane.io/external-name'], 'db');
  });

  test('no field that its class, of an older definition, does not have', () => {
    const { metadata, spec } = provisioned({});
    assert.deepEqual(Object.keys(metadata), ['name', 'annotations', 'finalizers']);
    assert.deepEqual(Object.keys(spec), ['forProvider', 'claimRef', 'classRef', 'reclaimPolicy']);
  });
});

describe('the entry of a provisioned resource in a secret store', () => {
  const to = {
    name: '{claim.namespace}/{claim.name}-{claim.uid}',
    configRef: { name: 'vault' },
    metadata: { labels: { team: 'a' } },
  };

  test('is named after its claim, and keeps that name in a cluster restored with other UIDs', () => {
    const { publishConnectionDetailsTo } = provisioned({ publishConnectionDetailsTo: to }).spec;
    assert.deepEqual(publishConnectionDetailsTo, { ...to, name: 'team/orders-claim-uid' });
  });

  test('that would be longer than a name is reported on the claim', async () => {
    const { cluster, process, ready } = sceneOf({ claims: [claim({ classRef: classRef('small') })] });
    const specTemplate = { publishConnectionDetailsTo: { name: `${'x'.repeat(250)}{claim.uid}` } };
    cluster.put(service.class, resourceClass('small', {}, { specTemplate }));
    await process.settle();
    assert.equal(ready().reason, 'Incompatible');
    assert.equal(
      ready().message,
      'the name of an entry that specTemplate.publishConnectionDetailsTo.name of FavouriteDBInstanceClass small gives for this claim is longer than 253 characters; create another claim with another name, or have an administrator correct the class',
    );
    assert.deepEqual(cluster.all(service.managed), []);
  });
});

describe('the values of initProvider of a class', () => {
  /** As the stacks do: the version of the claim, if the class has none. An engine that the claim requires. */
  const versioned: ClaimService = {
    ...service,
    configure: (of, { specTemplate: { forProvider } }) => ({
      forProvider: { engine: 'postgres', version: (of.spec as { version?: string }).version, ...forProvider },
    }),
    whyIncompatible: (of, offered) => {
      const { version = '' } = of.spec as { readonly version?: string };
      return 'version' in offered && version !== '' && offered.version !== version
        ? `has version "${String(offered.version)}"`
        : undefined;
    },
  };
  const initProvider = { engine: 'mariadb', version: '15', size: { cpu: 1, memory: 2 } };

  test('stay in initProvider alone, and configure adds no default beside them', () => {
    const { spec } = provisioned({ initProvider, forProvider: { size: { cpu: 4 } } }, versioned);
    assert.deepEqual([spec.initProvider, spec.forProvider], [initProvider, { size: { cpu: 4 } }]);
  });

  test('are compared with the claim', () => {
    const of = { version: '16' } as object;
    assert.throws(
      () => provisioned({ initProvider }, versioned, of),
      new Error('FavouriteDBInstanceClass small has version "15"'),
    );
  });

  test('are completed by configure with a value that only forProvider has then', () => {
    const { spec } = provisioned({ initProvider: { engine: 'mysql' } }, versioned, {
      version: '8',
    } as object);
    assert.deepEqual([spec.initProvider, spec.forProvider], [{ engine: 'mysql' }, { version: '8' }]);
  });

  test('count as given for the check of the fields that a resource requires', () => {
    const checked: ClaimService = {
      ...versioned,
      problemsOf: ({ forProvider = {} }) => ('size' in forProvider ? [] : ['no forProvider.size']),
    };
    assert.doesNotThrow(() => provisioned({ initProvider }, checked));
    assert.throws(() => provisioned({ initProvider: { engine: 'mysql' } }, checked), /no forProvider\.size/);
  });
});

describe('without rules in its definition, a class that can provision nothing', () => {
  const refused: Readonly<Record<string, readonly [Template, string]>> = {
    'has policies without Create': [
      { managementPolicies: ['Observe', 'Update'] },
      'specTemplate.managementPolicies of FavouriteDBInstanceClass small is [Observe, Update]. It must be ["*"], or contain Observe and Create',
    ],
    'has no policy': [
      { managementPolicies: [] },
      'specTemplate.managementPolicies of FavouriteDBInstanceClass small is []. It must be ["*"], or contain Observe and Create',
    ],
    'has policies that are not supported': [
      { managementPolicies: ['Create'] },
      'specTemplate.managementPolicies of FavouriteDBInstanceClass small is [Create]. It must be ["*"], or contain Observe and Create',
    ],
    'has a key of these controllers': [
      { metadata: { annotations: { 'to.propagate.crossplane.io/a': 'team/conn' } } },
      'specTemplate.metadata of FavouriteDBInstanceClass small has the key "to.propagate.crossplane.io/a", which belongs to Kubernetes or to these controllers',
    ],
    'has a key of these controllers for its entries in a store': [
      {
        publishConnectionDetailsTo: { name: '{claim.uid}', metadata: { labels: { 'crossplane.io/a': 'b' } } },
      },
      'specTemplate.publishConnectionDetailsTo.metadata of FavouriteDBInstanceClass small has the key "crossplane.io/a", which belongs to Kubernetes or to these controllers',
    ],
    'has a key with an empty part': [
      { metadata: { labels: { 'a..b/x': '1' } } },
      'specTemplate.metadata of FavouriteDBInstanceClass small has the key "a..b/x", which is not one that Kubernetes allows',
    ],
    'gives two claims one entry in a store': [
      { publishConnectionDetailsTo: { name: '{claim.namespace}-{claim.name}' } },
      'specTemplate.publishConnectionDetailsTo.name of FavouriteDBInstanceClass small must contain {claim.uid}, so that each claim has an entry of its own',
    ],
    'names an entry by an unknown field': [
      { publishConnectionDetailsTo: { name: '{claim.kind}-{claim.uid}' } },
      'specTemplate.publishConnectionDetailsTo.name of FavouriteDBInstanceClass small must be a name with {claim.namespace}, {claim.name} and {claim.uid}: lowercase letters, digits, "-" and ".", and "/" between parts',
    ],
    'names an entry by other characters': [
      { publishConnectionDetailsTo: { name: 'Team_{claim.uid}' } },
      'specTemplate.publishConnectionDetailsTo.name of FavouriteDBInstanceClass small must be a name with {claim.namespace}, {claim.name} and {claim.uid}: lowercase letters, digits, "-" and ".", and "/" between parts',
    ],
    'names an entry outside of its scope': [
      { publishConnectionDetailsTo: { name: '../{claim.uid}' } },
      'specTemplate.publishConnectionDetailsTo.name of FavouriteDBInstanceClass small must be a name with {claim.namespace}, {claim.name} and {claim.uid}: lowercase letters, digits, "-" and ".", and "/" between parts',
    ],
    'has a key that no object can have': [
      { metadata: { labels: { [`a b${'x'.repeat(200)}`]: '' } } },
      `specTemplate.metadata of FavouriteDBInstanceClass small has the key "a b${'x'.repeat(96)}…", which is not one that Kubernetes allows`,
    ],
  };
  for (const [name, [specTemplate, why]] of Object.entries(refused)) {
    const message = `${why}; have an administrator correct the class`;
    test(`${name}: the claim reports it, and gets no resource`, async () => {
      const { cluster, process, ready } = sceneOf({ claims: [claim({ classRef: classRef('small') })] });
      const offered = resourceClass('small', {}, { specTemplate });
      cluster.put({ ...service.class }, offered);
      await process.settle();
      assert.deepEqual([ready().reason, ready().message], ['Incompatible', message]);
      assert.deepEqual(cluster.all(service.managed), []);
    });

    test(`${name}: no selector or default chooses it`, () => {
      const offered = resourceClass('small', {}, { specTemplate });
      assert.equal(whyNotSuitable(service, claim(), offered), message);
    });
  }

  test('is malformed', () => {
    const specTemplate = { forProvider: {}, providerRef: 'cloud' } as object;
    const offered = wellFormed(FavouriteDBInstanceClassKind, {
      apiVersion: 'database.fcp.crossplane.io/v1alpha3',
      kind: 'FavouriteDBInstanceClass',
      metadata: { name: 'small' },
      specTemplate,
    } as FavouriteDBInstanceClass);
    assert.equal(
      whyNotSuitable(service, claim(), offered),
      'FavouriteDBInstanceClass small is malformed: specTemplate.providerRef: expected object, received string; have an administrator correct the class',
    );
  });
});
