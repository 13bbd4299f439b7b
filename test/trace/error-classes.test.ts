import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { externalErrorClasses } from '../../clients/external-error.ts';
import { faultOfError } from '../../trace/model/signs.ts';
import { failingWith, tracedIn } from './traced-objects.ts';

test('the class of an error says which fault the trace shows', () => {
  const classes = [
    ...externalErrorClasses,
    ...['CredentialsUnreadable', 'ExternalMissing', 'OtherSystem', 'SecretsForbidden', 'SecretsExcluded'],
    ...['OfAnotherVersion', 'constructor'],
  ];
  const found = classes.map((name) => [name, faultOfError({ class: name })]);
  assert.deepEqual(Object.fromEntries(found), {
    CredentialsRefused: 'wrong credentials',
    Forbidden: 'not allowed',
    Unreachable: 'provider down',
    Throttled: 'rate limited',
    QuotaExceeded: 'quota',
    Invalid: 'refused',
    Conflict: 'name taken',
    NotReady: 'refused',
    Unknown: 'refused',
    CredentialsUnreadable: 'wrong credentials',
    ExternalMissing: undefined,
    OtherSystem: undefined,
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
    'a refused field is changed in the resource and its class, or in another claim': [
      { class: 'Invalid' },
      'refused',
      'Change the fields in the managed resource and in its class. If the claim set them, create another claim: the fields of a claim cannot change.',
    ],
  };
  const provider = {
    apiVersion: 'gcp.crossplane.io/v1beta1',
    kind: 'ProviderConfig',
    metadata: { name: 'demo' },
    spec: { credentials: { source: 'None' } },
  } as KubernetesObject;
  for (const [name, [error, fault, advice]] of Object.entries(rows)) {
    test(name, async () => {
      const topic = {
        apiVersion: 'pubsub.gcp.crossplane.io/v1alpha1',
        kind: 'Topic',
        metadata: { name: 'news', generation: 1 },
        spec: { providerConfigRef: { name: 'demo' }, forProvider: {} },
        status: { observedGeneration: 1, ...failingWith('it failed', error) },
      } as KubernetesObject;
      const trace = await tracedIn([topic, provider], ['topic', 'news']);
      assert.deepEqual([trace.fault?.name, trace.fault?.advice], [fault, advice]);
    });
  }
});
