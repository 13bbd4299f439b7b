import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EMPTY, merge, of } from 'rxjs';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition } from '../../apis/core/v1alpha1/condition.ts';
import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../apis/core/v1alpha1/kind.ts';
import { connectionSecretType } from '../../apis/core/v1alpha1/meta.ts';
import type { Provider } from '../../apis/core/v1alpha1/provider.ts';
import {
  allowsPropagationTo,
  decodeDetails,
  propagatesFrom,
  SecretKind,
} from '../../apis/core/v1alpha1/secret.ts';
import { connectionSecrets } from '../../controllers/indexes.ts';
import { providerFacts, providerTriggers } from '../../controllers/provider/provider-credentials.ts';
import { those, triggersIn } from '../../runtime/controller/triggers.ts';
import { recordedLog } from '../fakes/recorded-log.ts';
import { FakeCluster } from './cluster-fake.ts';
import { FakeProcess } from './environment-fake.ts';
import { FakeExternal, providerConfigKind, providerKind, startStack } from './external-fake.ts';
import {
  claim,
  claimKind,
  classKind,
  classRef,
  managed,
  managedKind,
  resourceClass,
  secretOf,
} from './objects.ts';
import { requestsOf } from './requests-of.ts';

/** An object as an API server without validation stores it. */
const odd = (kind: Kind, name: string, rest: object = {}) =>
  ({
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name, ...(kind.scope === 'Namespaced' ? { namespace: 'team' } : {}) },
    ...rest,
  }) as KubernetesObject;

const oddObjects: Record<string, (kind: Kind) => readonly KubernetesObject[]> = {
  'without a spec': (kind) => [odd(kind, 'a-odd')],
  'with a spec that is null': (kind) => [odd(kind, 'a-odd', { spec: null, specTemplate: null })],
  'with references and a selector of wrong types': (kind) => [
    odd(kind, 'a-odd', {
      spec: {
        classRef: 7,
        resourceRef: ['x'],
        classSelector: 'size=small',
        claimRef: 'team/orders',
        providerRef: 3,
        providerConfigRef: [],
        managementPolicies: 'all',
        forProvider: 'none',
        credentials: 'here',
        writeConnectionSecretToRef: 'there',
      },
      specTemplate: 'small',
      status: { conditions: 'none', bindingPhase: 5 },
    }),
  ],
  'with strings of a megabyte': (kind) => {
    const name = 'n'.repeat(1_000_000);
    const classRef = { apiVersion: 'x/v1', kind: 'K'.repeat(1_000_000), name };
    return [odd(kind, 'a-odd', { spec: { classRef, claimRef: { name } }, specTemplate: {} })];
  },
};

const nobody = 'n'.repeat(250);
const controlledBy = (kind: Kind) => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  name: nobody,
  uid: '',
  controller: true,
});

/** The API server checks the form of a secret, not what it says: these are connection secrets, so that they are seen. */
const oddSecrets: Record<string, object> = {
  'without data or metadata to speak of': {},
  'with data that is null': { data: null },
  'that a claim controls which is not there, and of a source that is not there': {
    metadata: {
      ownerReferences: [controlledBy(claimKind)],
      annotations: propagatesFrom({ namespace: 'team', name: nobody }),
    },
    data: { '': '', password: '====' },
  },
  'that a managed resource controls which is not there, and with consent to no names': {
    metadata: {
      ownerReferences: [controlledBy(managedKind)],
      annotations: {
        'to.propagate.crossplane.io/': '',
        'to.propagate.crossplane.io/x': 'team/conn/too/many',
        'to.propagate.crossplane.io/y': '/'.repeat(100_000),
        'to.propagate.crossplane.io/z': 'team/orders',
      },
    },
  },
  'that names itself, and is controlled twice': {
    metadata: {
      ownerReferences: [controlledBy(claimKind), controlledBy(managedKind)],
      annotations: {
        ...propagatesFrom({ namespace: 'team', name: 'z-odd' }),
        ...allowsPropagationTo({ namespace: 'team', name: 'z-odd' }),
      },
    },
  },
};

const oddSecret = ({ metadata = {}, ...rest }: { readonly metadata?: object }): KubernetesObject => {
  const object = odd(SecretKind, 'a-odd', { type: connectionSecretType, ...rest });
  return { ...object, metadata: { ...object.metadata, ...metadata } };
};

describe('an odd object does not stop other objects', () => {
  const kinds: readonly Kind[] = [claimKind, classKind, managedKind, providerKind, providerConfigKind];
  for (const [what, make] of Object.entries(oddObjects)) {
    for (const kind of kinds) goesOn(kind, what, make(kind));
  }
  for (const [what, secret] of Object.entries(oddSecrets)) goesOn(SecretKind, what, [oddSecret(secret)]);
});

function goesOn(kind: Kind, what: string, objects: readonly KubernetesObject[]): void {
  test(`a ${kind.kind} ${what}, there before and after: claims are bound and wake as ever`, async () => {
    const cluster = new FakeCluster();
    for (const object of objects) cluster.put(kind, object);
    const external = new FakeExternal();
    const process = startStack(cluster, external);
    for (const object of objects) {
      cluster.put(kind, { ...object, metadata: { ...object.metadata, name: 'z-odd' } });
    }
    await process.synced();
    const { store } = kind === SecretKind ? connectionSecrets(process.env) : process.env.resource(kind);
    const listed = store.all().map(({ metadata: { name } }) => name);
    assert.deepEqual(listed.toSorted(), ['a-odd', 'z-odd'], 'both are seen');
    cluster.put(claimKind, claim({ classSelector: {}, writeConnectionSecretToRef: { name: 'conn' } }));
    await process.settle(1_000);
    const specTemplate = { writeConnectionSecretsToNamespace: 'system' };
    cluster.put(classKind, resourceClass('small', {}, { specTemplate }));
    if (kind === classKind) {
      // The odd class may have been drawn; the odd claim below is not about that.
      const spec = { classRef: classRef('small'), writeConnectionSecretToRef: { name: 'conn' } };
      cluster.put(claimKind, claim(spec, { name: 'by-class', uid: 'by-class' }));
    }
    await process.settle(1_000);
    assert.deepEqual(process.brokenTriggers, []);
    const name = kind === classKind ? 'by-class' : 'orders';
    const bound = cluster.get(claimKind, { namespace: 'team', name });
    assert.equal(bound?.status?.bindingPhase, 'Bound');
    assert.equal(getCondition(bound.status.conditions, 'Ready').status, 'True');
    const { password } = decodeDetails(cluster.get(SecretKind, { namespace: 'team', name: 'conn' }));
    assert.ok(password);
    assert.equal(password, external.resources.get(bound.spec.resourceRef?.name ?? '')?.password);
    const reported = cluster.all(claimKind).flatMap(({ status }) => asList(status?.conditions));
    assert.notDeepEqual(reported, []);
    for (const { message = '' } of reported) assert.ok(message.length <= 1_024);
  });
}

const asList = (conditions: NonNullable<Claim['status']>['conditions']) =>
  Array.isArray(conditions) ? (conditions as NonNullable<typeof conditions>) : [];

describe('triggers', () => {
  test('a change that the mapping fails on is logged and passed over', () => {
    const cluster = new FakeCluster();
    for (const name of ['a', 'b', 'c']) cluster.put(managedKind, managed({}, { name, uid: name }));
    const log = recordedLog();
    const { env } = new FakeProcess(cluster, undefined, { log });
    const handled: string[] = [];
    const trigger = triggersIn(env)(env.resource(managedKind).store).through((object) => {
      if (object.metadata.name === 'b') throw new TypeError('spec is undefined');
      return [object];
    }, 'it changed');
    const subscription = requestsOf(trigger).subscribe(({ name }) => handled.push(name));
    subscription.unsubscribe();
    assert.deepEqual(handled, ['a', 'c']);
    const reported = log.lines.map(({ level, message, fields: { kind, name } }) => [
      level,
      message,
      kind,
      name,
    ]);
    const message = 'a bug in a trigger: cannot find the objects that this change affects';
    assert.deepEqual(reported, [['error', message, 'FavouriteDBInstance', 'b']]);
  });

  test('a resource that cannot be judged stops no other one of a provider that may work again', () => {
    const cluster = new FakeCluster();
    const error = { class: 'Unreachable' };
    const conditions: Readonly<Record<string, unknown>> = {
      odd: 'none',
      failing: [{ type: 'Synced', status: 'False', error }],
      working: [{ type: 'Synced', status: 'True' }],
    };
    for (const [name, each] of Object.entries(conditions))
      cluster.put(managedKind, managed({}, { name, uid: name, status: { conditions: each } as never }));
    const { env } = new FakeProcess(cluster);
    const kinds = { provider: providerKind, providerConfig: providerConfigKind };
    const mayWork$ = (kind: Kind) =>
      kind.kind === 'ProviderConfig' ? of({ name: 'default', isForAll: false, isFor: () => true }) : EMPTY;
    const triggers = providerTriggers(env, kinds, managedKind, { mayWork$ });
    const woken: string[] = [];
    merge(...triggers.map((trigger) => requestsOf(trigger)))
      .subscribe(({ name }) => woken.push(name))
      .unsubscribe();
    assert.deepEqual(woken.toSorted(), ['failing', 'odd']);
  });

  test('an object that cannot be judged is woken with the others', () => {
    const objects = ['a', 'b', 'c'].map((name) => managed({}, { name }));
    const woken = those(objects, ({ metadata: { name } }) => {
      if (name === 'b') throw new TypeError('spec is undefined');
      return name === 'c';
    });
    const names = woken.map(({ metadata: { name } }) => name);
    assert.deepEqual(names, ['b', 'c']);
  });
});

describe('nothing is kept for longer than it serves', () => {
  test('credentials in clear text are dropped when they are stale', async () => {
    const cluster = new FakeCluster();
    const secret = (name: string) => ({ namespace: 'infra', name, key: 'key' });
    for (const name of ['a', 'b']) {
      const provider: Provider = { ...odd(providerKind, name), spec: { credentialsSecretRef: secret(name) } };
      cluster.put(providerKind, provider);
      cluster.put(SecretKind, secretOf({ namespace: 'infra', name }, { data: { key: 'eA==' } }));
    }
    const { env } = new FakeProcess(cluster);
    const read = providerFacts(env, { provider: providerKind, providerConfig: providerConfigKind });
    const reads = async (name: string) => {
      await read(managed({ providerRef: { name } }));
      return cluster.calls.map(({ key }) => key);
    };
    assert.deepEqual(await reads('a'), ['infra/a']);
    assert.deepEqual(await reads('a'), ['infra/a'], 'a burst reads once');
    cluster.clockMs += 1_500;
    assert.deepEqual(await reads('b'), ['infra/a', 'infra/b']);
    cluster.clockMs += 1_000;
    assert.deepEqual(await reads('b'), ['infra/a', 'infra/b'], 'the younger still serves');
    assert.deepEqual(await reads('a'), ['infra/a', 'infra/b', 'infra/a'], 'the older does not');
  });
});
