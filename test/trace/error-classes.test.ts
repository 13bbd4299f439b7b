import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { finalizerNames } from '../../apis/core/v1alpha1/meta.ts';
import { externalErrorClasses } from '../../clients/external-error.ts';
import { parametersNote } from '../../controllers/claim/claim-parameters.ts';
import { provisionedNames } from '../../controllers/claim/provisioned-name.ts';
import { faultOfError } from '../../trace/model/signs.ts';
import type { Trace } from '../../trace/model/trace.ts';
import { sentence } from '../../trace/model/words.ts';
import {
  claimAt,
  condition,
  failingTopic,
  failingWith,
  googleProvider,
  leaseHeld,
  legacy,
  remedyOf,
  sourceOf,
  tracedIn,
} from './traced-objects.ts';

test('the class of an error says which fault the trace shows', () => {
  const classes = [
    ...externalErrorClasses,
    'CredentialsUnreadable',
    'ExternalMissing',
    'ExternalRenamed',
    'NoEffect',
    'OtherSystem',
    'RequestRefused',
    'SecretsForbidden',
    'SecretsExcluded',
    'OfAnotherVersion',
    'constructor',
  ];
  const found = classes.map((name) => [name, faultOfError({ class: name })]);
  assert.deepEqual(Object.fromEntries(found), {
    CredentialsRefused: 'wrong credentials',
    LoginRefused: 'login refused',
    Forbidden: 'not allowed',
    Unreachable: 'provider down',
    TlsFailed: 'no secure connection',
    Exhausted: 'server exhausted',
    ReadOnly: 'server read-only',
    Throttled: 'rate limited',
    QuotaExceeded: 'quota',
    Invalid: 'refused',
    Conflict: 'name taken',
    MarkLost: 'mark lost',
    NotReady: 'not ready',
    OutOfService: 'out of service',
    Unknown: 'refused',
    CredentialsUnreadable: 'unusable credentials',
    ExternalMissing: undefined,
    ExternalRenamed: undefined,
    NoEffect: 'no effect',
    OtherSystem: undefined,
    RequestRefused: undefined,
    SecretsForbidden: undefined,
    SecretsExcluded: undefined,
    OfAnotherVersion: 'refused',
    constructor: 'refused',
  });
  assert.equal(faultOfError(undefined), undefined);
});

describe('the advice depends on the data of the error', () => {
  const rename = 'Give this resource another external name.';
  const rows: Readonly<
    Record<string, readonly [error: NonNullable<Condition['error']>, fault: string, advice: string]>
  > = {
    'a marked external resource is adopted by a resource with the kind and name of its owner': [
      { class: 'Conflict', holder: { by: 'AnotherResource', kind: 'box', name: 'a' } },
      'name taken',
      `${rename} If a deleted resource left it (Retain, Orphan), a new resource with the kind and name of the deleted one adopts it.`,
    ],
    'an external resource without a mark is first only observed': [
      { class: 'Conflict', holder: { by: 'Nobody' } },
      'name taken',
      `${rename} Or adopt it: first only observe it, then allow the other actions.`,
    ],
    'an SQL statement makes a resource the owner of a database without a mark': [
      { class: 'Conflict', advice: ['HandOver'] },
      'name taken',
      `${rename} Or run the SQL statement that makes this resource the owner.`,
    ],
    'nothing is created under the name of another resource': [
      { class: 'ExternalMissing', holder: { by: 'AnotherResource' } },
      'nothing there',
      'Set the annotation that the message names, or create another resource.',
    ],
    'the message about a renamed resource whose name another resource has is followed': [
      { class: 'ExternalRenamed', holder: { by: 'AnotherResource' } },
      'renamed',
      'Run the statements in the message, or set the annotation that it names.',
    ],
    'a refused field of a resource that was made by hand is changed there': [
      { class: 'Invalid' },
      'refused',
      'Change the fields in the managed resource.',
    ],
    'a refused password is changed in the Secret of the resource': [
      { class: 'Invalid', advice: ['ChangeCredential'] },
      'refused',
      'Change the password where the message says.',
    ],
    'a refused name of a resource that was made by hand is changed in its annotation': [
      { class: 'Invalid', advice: ['ChooseExternalName'] },
      'refused',
      'Set another name in the annotation crossplane.io/external-name of the managed resource.',
    ],
  };
  const provider = googleProvider('demo', { source: 'None' });
  for (const [name, [error, fault, advice]] of Object.entries(rows)) {
    test(name, async () => {
      const trace = await tracedIn([failingTopic('it failed', error), provider], ['topic', 'news']);
      assert.deepEqual([trace.fault?.name, trace.fault?.advice], [fault, advice]);
    });
  }
});

test('a call that is accepted without effect is a fault, and not in progress', async () => {
  const message = 'the external system accepted the creation, and does not show the external resource';
  const topic = failingTopic(message, { class: 'NoEffect' });
  const { fault } = await tracedIn([topic, googleProvider('demo', { source: 'None' })], ['topic', 'news']);
  assert.deepEqual(
    [fault?.name, fault?.cause.includes(message), fault?.advice],
    [
      'no effect',
      true,
      'The controllers try again by themselves, and continue once they see it. To try again at once:',
    ],
  );
});

describe('an external resource that was observed and does not work is a fault', () => {
  const message = 'the queue is stopped';
  const ready = condition('Ready', 'False', 'Unavailable', message);
  const synced = condition('Synced', 'True', 'ReconcileSuccess');
  const ongoing = { ...synced, type: 'AsyncOperation', status: 'False', reason: 'Ongoing' };
  const rows: Readonly<Record<string, readonly [conditions: readonly object[], fault: unknown]>> = {
    'if only a person can end that': [
      [{ ...ready, error: { class: 'OutOfService' } }, synced],
      [
        'out of service',
        `The external resource of Topic news does not work, and only a person can change that: ${message}.`,
      ],
    ],
    'if nothing says who can end that': [
      [ready, synced],
      ['failing', `The external system reports that Topic news does not work: ${message}.`],
    ],
    'unless the external system works on it': [
      [ready, synced, ongoing],
      [undefined, undefined],
    ],
  };
  for (const [name, [conditions, expected]] of Object.entries(rows)) {
    test(name, async () => {
      const topic = { ...failingTopic('', undefined), status: { observedGeneration: 1, conditions } };
      const objects = [topic, googleProvider('demo', { source: 'None' })];
      const { fault } = await tracedIn(objects, ['topic', 'news']);
      assert.deepEqual([fault?.name, fault?.cause], expected);
    });
  }
});

test('the mark of a resource that is being deleted deletes its data: the trace warns, and names the way to keep them', async () => {
  const failing = failingTopic('its mark is missing now', { class: 'MarkLost' });
  const deletion = { deletionTimestamp: '2026-01-02T03:00:00Z', finalizers: [finalizerNames.managed] };
  const topic = { ...failing, metadata: { ...failing.metadata, ...deletion } };
  const { fault } = await tracedIn([topic, googleProvider('demo', { source: 'None' })], ['topic', 'news']);
  assert.deepEqual(
    [fault?.name, fault?.advice, fault?.commands],
    [
      'mark lost',
      'It is being deleted: with its mark, it deletes its external resource at once, with all its data. To keep the external resource, set spec.deletionPolicy: Orphan. Find out who changed the mark, and which resource should have it.',
      [],
    ],
  );
});

test('a refused value that the claim asked for is corrected in the claim or in another one, not in the resource', async () => {
  const apiVersion = 'postgresql.crossplane.io/v1alpha1';
  const conditions = [condition('Ready', 'False', 'InvalidValue', 'it failed')];
  const metadata = { namespace: 'team', name: 'db', uid: 'claim-uid', generation: 1 };
  const [name = ''] = provisionedNames({ metadata } as Claim);
  const claim = {
    apiVersion: 'database.crossplane.io/v1alpha1',
    kind: 'PostgreSQLInstance',
    metadata,
    status: { observedGeneration: 1, conditions },
    spec: {
      engineVersion: '81',
      classRef: { apiVersion, kind: 'PostgreSQLDatabaseClass', name: 'small' },
      resourceRef: { apiVersion, kind: 'PostgreSQLDatabase', name },
    },
  };
  const class_ = {
    apiVersion,
    kind: 'PostgreSQLDatabaseClass',
    metadata: { name: 'small' },
  };
  const { classRef } = claim.spec;
  const claimRef = { ...claim.metadata, apiVersion: claim.apiVersion, kind: claim.kind };
  const refusal = (
    field: string | undefined,
    {
      externalIdentity,
      advice = 'ChangeFields',
      forProvider = {},
      errorClass = 'Invalid',
      metadata = {},
    }: {
      externalIdentity?: string;
      advice?: string;
      forProvider?: object;
      errorClass?: string;
      metadata?: object;
    } = {},
  ): Promise<Trace> => {
    const error = { class: errorClass, advice: [advice], ...(field !== undefined && { fields: [field] }) };
    const failing = failingWith('it failed', error);
    const resource = {
      apiVersion,
      kind: 'PostgreSQLDatabase',
      metadata: {
        name,
        generation: 1,
        annotations: parametersNote(claim as unknown as Claim),
        ...metadata,
      },
      spec: { claimRef, classRef, forProvider: { engineVersion: '81' } },
      status: {
        observedGeneration: 1,
        ...failing,
        ...(externalIdentity !== undefined && { externalIdentity }),
      },
    };
    const provider = {
      apiVersion,
      kind: 'ProviderConfig',
      metadata: { name: 'default' },
      spec: { credentials: { source: 'None' } },
    };
    const fullClass = { ...class_, specTemplate: { forProvider } };
    const objects = [claim, fullClass, resource, provider] as unknown as KubernetesObject[];
    return tracedIn(objects, ['postgresqlinstance', 'team/db']);
  };
  const externalIdentity = '{"name":"team-db","fields":{}}';
  const own = (await refusal('spec.forProvider.engineVersion', { externalIdentity })).fault;
  assert.match(own?.advice ?? '', /^Create another claim, with another spec\.engineVersion\. Save the data/);
  assert.deepEqual([own?.name, own?.commands], ['refused', []]);
  const neverMade = (await refusal('spec.forProvider.engineVersion')).fault;
  assert.equal(neverMade?.advice, 'Correct spec.engineVersion of the claim.');
  assert.match(neverMade?.commands?.[0] ?? '', /^kubectl -n team edit postgresqlinstances\S* db$/);
  const forProvider = { engineVersion: '81' };
  const both = (await refusal('spec.forProvider.engineVersion', { forProvider })).fault;
  assert.deepEqual(remedyOf(both), {
    name: 'refused',
    advice:
      'Correct spec.engineVersion of the claim, and specTemplate.forProvider.engineVersion of PostgreSQLDatabaseClass small: one without the other is Incompatible.',
    commands: [
      neverMade?.commands[0],
      'kubectl edit postgresqldatabaseclasses.postgresql.crossplane.io small',
    ],
  });
  const classFault = (await refusal('spec.forProvider.encoding')).fault;
  const change = 'Change the fields in the managed resource, and in its class for later claims.';
  const edits = [
    `kubectl edit postgresqldatabases.postgresql.crossplane.io ${name}`,
    'kubectl edit postgresqldatabaseclasses.postgresql.crossplane.io small',
  ];
  assert.deepEqual(remedyOf(classFault), {
    name: 'refused',
    advice: `The claim does not set the refused fields. ${change}`,
    commands: edits,
  });
  assert.deepEqual(remedyOf((await refusal(undefined)).fault), {
    name: 'refused',
    advice: `${change} If the claim sets them, correct them there instead.`,
    commands: edits,
  });
  assert.equal(
    (await refusal(undefined, { externalIdentity })).fault?.advice,
    `${change} If the claim sets them, create another claim instead.`,
  );
  const deletion = { deletionTimestamp: '2026-01-02T03:00:00Z', finalizers: [finalizerNames.managed] };
  assert.deepEqual(
    remedyOf((await refusal(undefined, { externalIdentity, metadata: deletion })).fault),
    { name: 'refused', advice: 'Change the fields in the managed resource.', commands: edits.slice(0, 1) },
    'for a deletion, neither class nor claim matters',
  );
  const taken = (await refusal(undefined, { advice: 'ChooseExternalName', errorClass: 'Conflict' })).fault;
  assert.deepEqual([taken?.name, taken?.commands], ['name taken', []]);
  assert.match(taken?.advice ?? '', /^Create another claim, with another external name\. Save the data/);
  const inTheWay = (
    await refusal(undefined, { advice: 'HandOver', errorClass: 'Conflict', externalIdentity })
  ).fault;
  assert.deepEqual(remedyOf(inTheWay), {
    name: 'in the way',
    advice:
      'The external resource exists, so that another name has no effect. Do what the message says: that needs an administrator of the external system. The controllers continue by themselves. To try again at once:',
    commands: inTheWay?.commands ?? [],
  });
  assert.match(
    inTheWay?.commands.join() ?? '',
    /^kubectl annotate postgresqldatabases\.\S+ \S+ --overwrite crossplane\.io\/reconcile-requested-at=/,
    'neither the claim nor its data is given up',
  );
  const nameFault = (await refusal(undefined, { advice: 'ChooseExternalName' })).fault;
  assert.match(nameFault?.advice ?? '', /^Create another claim, with another external name\. Save the data/);
});

test('for edited parameters of a claim the trace repeats the advice of the condition, and adds none', async () => {
  const apiVersion = legacy.apiVersion;
  const why = 'its class has another version; correct the claim, or its class';
  const conditions = [
    condition('Ready', 'False', 'Incompatible', why),
    condition('Synced', 'False', 'ReconcileError', why),
  ];
  const [name = ''] = provisionedNames(claimAt('team/db') as Claim);
  const classRef = { apiVersion, kind: 'FavouriteDBInstanceClass', name: 'small' };
  const resourceRef = { ...legacy, name };
  const edited = claimAt(
    'team/db',
    { version: '5.7', classRef, resourceRef },
    { status: { observedGeneration: 1, conditions }, finalizers: [finalizerNames.claim] },
  );
  const before = claimAt('team/db', { version: '5.6' }) as Claim;
  const remedyFor = async (status: object) => {
    const resource = {
      ...resourceRef,
      metadata: { name, generation: 1, annotations: parametersNote(before) },
      spec: { claimRef: { ...edited.metadata, apiVersion: edited.apiVersion, kind: edited.kind }, classRef },
      status: { observedGeneration: 1, ...status },
    };
    const provider = {
      apiVersion: 'fcp.crossplane.io/v1alpha3',
      kind: 'ProviderConfig',
      metadata: { name: 'default' },
      spec: { credentials: { source: 'None' } },
    };
    const specTemplate = { forProvider: { version: '5.6' } };
    const small = { ...classRef, metadata: { name: 'small' }, specTemplate };
    const objects = [edited, resource, small, provider] as unknown as KubernetesObject[];
    const { fault } = await tracedIn(objects, ['fancysqlinstance', 'team/db']);
    return { cause: fault?.cause, ...remedyOf(fault) };
  };
  const editOfClaim = 'kubectl -n team edit fancysqlinstances.database.crossplane.io db';
  const editOfClass = 'kubectl edit favouritedbinstanceclasses.database.fcp.crossplane.io small';
  const shown = { name: 'incompatible', cause: `${sentence(why)}.`, advice: undefined };
  assert.deepEqual(await remedyFor({}), { ...shown, commands: [editOfClaim, editOfClass] });
  const externalIdentity = '{"name":"team-db","fields":{}}';
  assert.deepEqual(await remedyFor({ externalIdentity }), { ...shown, commands: [editOfClaim] });
});

const secretRef = { namespace: 'infra', name: 'gcp', key: 'key.json' };
const provider = googleProvider('demo', { source: 'Secret', secretRef });
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'infra', name: 'gcp' },
  data: { 'key.json': 'e30=' },
} as KubernetesObject;
const writeConnectionSecretToRef = { namespace: 'apps', name: 'news' };

const left = (namespace: string): string =>
  `the secrets of namespace ${namespace} are left alone: add it to --secret-namespaces, and its Role`;

describe('a Secret that the controllers exclude or may not read is fixed at their Deployment or Role', () => {
  const rows: Readonly<
    Record<string, readonly [words: string, error: Condition['error'], link: string, commands: string]>
  > = {
    'a Secret with credentials, excluded': [
      `cannot get secret infra/gcp: ${left('infra')}`,
      { class: 'SecretsExcluded', namespace: 'infra' },
      'credentials',
      'kubectl -n crossplane-system edit deployment services-stack',
    ],
    'a Secret to publish, excluded': [
      `publish failed: cannot create secret apps/news: ${left('apps')}`,
      { class: 'SecretsExcluded', namespace: 'apps' },
      'resource secret',
      'kubectl -n crossplane-system edit deployment services-stack',
    ],
    'a Secret that no role allows them to read': [
      'cannot get secret infra/gcp: secrets "gcp" is forbidden: User "a" cannot get resource "secrets" in API group "" in the namespace "infra"',
      { class: 'SecretsForbidden', namespace: 'infra' },
      'credentials',
      'kubectl -n infra get rolebindings -o wide',
    ],
  };
  for (const [name, [words, error, link, commands]] of Object.entries(rows)) {
    test(name, async () => {
      const topic = failingTopic(words, error, { writeConnectionSecretToRef });
      const { fault } = await tracedIn([provider, secret, topic], ['topic', 'news']);
      const shown = [fault?.name, fault?.link, fault?.commands];
      assert.deepEqual(shown, ['secret out of reach', link, [commands]]);
    });
  }
});

test('a user who may not read the resource is sent to its administrator, also for a conflict', async () => {
  const error = { class: 'Conflict', holder: { by: 'AnotherResource' } };
  const ready = condition('Ready', 'False', 'Conflict', 'an administrator has to decide about it', error);
  const status = { observedGeneration: 1, conditions: [ready] };
  const claim = claimAt('team-shop/orders', { resourceRef: { ...legacy, name: 'db' } }, { status });
  const source = sourceOf([leaseHeld(), claim], [], ({ kind }) => kind !== legacy.kind);
  const { fault } = await tracedIn([claim], ['fancysqlinstance', 'team-shop/orders'], source);
  assert.deepEqual(remedyOf(fault), {
    name: 'name taken',
    advice: 'You cannot read the managed resource. An administrator of it can see more:',
    commands: ['kubectl services-stack trace favouritedbinstance.database.fcp.crossplane.io db'],
  });
});

test('a bug of a configure is a fault of the claim, and no edit of the claim is advised', async () => {
  const message = 'bug in the stack fcp: configure returned sise, which FavouriteDBInstance does not have';
  const ready = condition('Ready', 'False', 'StackBug', message, { class: 'StackBug' });
  const status = { observedGeneration: 1, conditions: [ready] };
  const claim = claimAt('team-shop/orders', {}, { status });
  const { fault } = await tracedIn([claim], ['fancysqlinstance', 'team-shop/orders']);
  assert.deepEqual(
    [fault?.name, fault?.link, fault?.cause, fault?.commands],
    ['bug in the stack', 'claim', `The controller of the claim met a ${message}.`, []],
  );
});

const edit = 'kubectl -n team-shop edit fancysqlinstances.database.crossplane.io orders';
const classLabelled = (name: string, labels: Readonly<Record<string, string>>): KubernetesObject => {
  const type = { apiVersion: 'database.fcp.crossplane.io/v1alpha3', kind: 'FavouriteDBInstanceClass' };
  return { ...type, metadata: { name, labels }, specTemplate: {} } as KubernetesObject;
};
const classes = [
  classLabelled('favourite-large', { size: 'large', tier: 'gold' }),
  classLabelled('favourite-small', { size: 'small' }),
];

const claiming = (classSelector: object | undefined): KubernetesObject => {
  const reason = classSelector ? 'NoMatchingClass' : 'NoDefaultClass';
  const status = { observedGeneration: 1, conditions: [condition('Ready', 'False', reason, 'no class')] };
  return claimAt('team-shop/orders', classSelector && { classSelector }, { status });
};

type Row = readonly [
  selector: object | undefined,
  classes: readonly KubernetesObject[],
  advice: string | undefined,
  command?: string,
];
const select = 'Select one of these classes, or ask an administrator for another.';
/** It can provision nothing. */
const unusable = {
  ...classLabelled('favourite-unusable', { size: 'none' }),
  specTemplate: { managementPolicies: ['Observe'] },
};

describe('if no class matches, no command changes a label', () => {
  const rows: Readonly<Record<string, Row>> = {
    'the labels of the classes that can serve the claim are listed': [
      { matchLabels: { size: 'tiny', zone: 'eu' } },
      [...classes, unusable],
      `The classes that can serve the claim have the labels size=large, size=small, tier=gold. ${select}`,
      edit,
    ],
    'without classes there are no labels': [
      { matchLabels: { size: 'tiny' } },
      [],
      'No class that can serve the claim has a label. Ask an administrator for one.',
      edit,
    ],
    'an administrator chooses the class that becomes the default, among those that can serve the claim': [
      undefined,
      [...classes, unusable],
      'An administrator can make a class the default. All claims of the cluster that name no class then get it. Replace CLASS by one of: favourite-large, favourite-small.',
      'kubectl annotate favouritedbinstanceclasses.database.fcp.crossplane.io CLASS --overwrite resourceclass.crossplane.io/is-default-class=true',
    ],
    'without classes no class is named as the default': [
      undefined,
      [],
      'An administrator can make a class the default with the annotation resourceclass.crossplane.io/is-default-class=true. All claims of the cluster that name no class then get it.',
    ],
  };
  for (const [name, [selector, there, advice, ...commands]] of Object.entries(rows)) {
    test(name, async () => {
      const objects = [claiming(selector), ...there];
      const { fault } = await tracedIn(objects, ['fancysqlinstance', 'team-shop/orders']);
      assert.deepEqual(remedyOf(fault), { name: 'no match', advice, commands });
    });
  }
});
