import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ClaimStatus } from '../../apis/core/v1alpha1/claim.ts';
import {
  available,
  binding,
  creating,
  reconcileSuccess,
  withShortMessage,
} from '../../apis/core/v1alpha1/condition.ts';
import type { ManagedSpec, ManagedStatus } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import type { ClaimFacts } from '../../controllers/claim/claim-status.ts';
import { withClaimStatus } from '../../controllers/claim/claim-status.ts';
import { scrub, withManagedStatus } from '../../controllers/managed/recording/status.ts';
import { claim, deletionTimestamp, managed, now } from './objects.ts';

const lastTransitionTime = '2026-01-02T03:04:05Z';
const conditions = [binding('waiting'), reconcileSuccess()];
const reconciling = (reason: string, message?: string) =>
  ({ type: 'Reconciling', status: 'True', reason, ...(message && { message }) }) as const;
const written = (generation?: number) =>
  [...conditions, reconciling('Binding', 'waiting')].map((facts) => ({
    ...facts,
    lastTransitionTime,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  }));

describe('the status of a claim', () => {
  const secret = { writeConnectionSecretToRef: { name: 'conn' } };
  const bound = { bindingPhase: 'Bound' } as const;
  const boundWithSecret = { ...bound, binding: { name: 'conn' } };
  const [unbound, released] = [{ bindingPhase: 'Unbound' }, { bindingPhase: 'Released' }] as const;
  function becomes(
    want: Omit<ClaimStatus, 'conditions' | 'observedGeneration'>,
    facts: Partial<ClaimFacts> = {},
    before?: ClaimStatus,
    spec: object = {},
  ): void {
    const subject = claim(spec, before === undefined ? {} : { status: before });
    const { status, ...rest } = withClaimStatus(subject, { conditions, ...facts }, now);
    assert.deepEqual(status, { ...want, observedGeneration: 3, conditions: written(3) });
    const { status: _status, ...others } = subject;
    assert.deepEqual(rest, others, 'and nothing else changes');
  }
  test('at first it is Unbound, and of this generation', () => becomes({ bindingPhase: 'Unbound' }));
  test('a phase that is not reported stays', () => becomes(bound, undefined, bound));
  test('an older generation is replaced', () =>
    becomes({ bindingPhase: 'Released' }, released, { ...bound, observedGeneration: 1 }));
  test('a claim that was bound is never Unbound again: Bound', () => becomes(released, unbound, bound));
  test('a claim that was bound is never Unbound again: Released', () => becomes(released, unbound, released));
  test('a claim that is bound again is Bound', () => becomes(bound, bound, released));
  test('bound with the secret that it wants: a Provisioned Service', () =>
    becomes(boundWithSecret, { ...bound, hasSecret: true }, undefined, secret));
  test('a claim keeps its values if the update does not name them', () =>
    becomes(boundWithSecret, undefined, boundWithSecret, secret));
  test('a renamed Secret is named once it was written', () => {
    const former = { ...bound, binding: { name: 'former' } };
    becomes(former, undefined, former, secret);
    becomes(boundWithSecret, { ...bound, hasSecret: true }, former, secret);
  });
  test('a value that was never set is absent', () => becomes(bound, undefined, bound, secret));
  test('a secret that it has no more', () => becomes(bound, { hasSecret: false }, boundWithSecret, secret));
  test('a claim that wants no Secret has none', () => becomes(bound, { hasSecret: true }, boundWithSecret));
  test('a claim that is not Bound has no Secret', () =>
    becomes(released, { bindingPhase: 'Released', hasSecret: true }, boundWithSecret, secret));
  test('a status without a generation sets no observedGeneration', () => {
    const { generation: _generation, ...metadata } = claim().metadata;
    const { status } = withClaimStatus({ ...claim(), metadata }, { conditions }, now);
    assert.deepEqual(status, { bindingPhase: 'Unbound', conditions: written() });
  });
});

describe('the status of a managed resource, whole', () => {
  const ready = { synced: reconcileSuccess(), ready: available(), isCredentialInForce: true };
  const times = { lastTransitionTime, observedGeneration: 2 };
  const [synced, isReady] = [
    { ...reconcileSuccess(), ...times },
    { ...available(), ...times },
  ];
  const earlier = <T extends object>(condition: T) => ({
    ...condition,
    lastTransitionTime: '2025-01-01T00:00:00Z',
  });
  function becomes(
    want: ManagedStatus & object,
    facts: Parameters<typeof withManagedStatus>[1] = ready,
    before?: ManagedStatus,
    spec: ManagedSpec = {},
  ): void {
    const subject = managed(spec, before === undefined ? {} : { status: before });
    assert.deepEqual(withManagedStatus(subject, facts, now).status, { ...want, observedGeneration: 2 });
  }
  test('ready: bindable, and of this generation', () =>
    becomes({ bindingPhase: 'Unbound', conditions: [synced, isReady] }));
  test('a status without Ready is pending at first', () =>
    becomes(
      {
        conditions: [
          synced,
          { type: 'Ready', status: 'Unknown', reason: 'Pending', ...times },
          { ...reconciling('Pending'), ...times },
        ],
      },
      { synced: reconcileSuccess(), isCredentialInForce: true },
    ));
  test('a status without Ready keeps the earlier one', () =>
    becomes(
      { conditions: [{ ...isReady, observedGeneration: 1 }, synced] },
      { synced: reconcileSuccess(), isCredentialInForce: true },
      { observedGeneration: 1, conditions: [{ ...isReady, observedGeneration: 1 }] },
    ));
  test('ready, while another credential is being set: not available to claims yet', () =>
    becomes(
      { credential: { hmac: 'h', pending: true }, conditions: [synced, isReady] },
      { ...ready, isCredentialInForce: false, status: { credential: { hmac: 'h', pending: true } } },
    ));
  test('a value that the external system reports is beside the rest', () =>
    becomes(
      { bindingPhase: 'Bound', endpoint: 'db.example', conditions: [synced, isReady] } as ManagedStatus,
      { ...ready, status: { endpoint: 'db.example' } },
      { bindingPhase: 'Bound' },
    ));
  test('a Bound resource stays Bound while another credential is set', () =>
    becomes(
      { bindingPhase: 'Bound', conditions: [synced, isReady] },
      { ...ready, isCredentialInForce: false },
      { bindingPhase: 'Bound' },
    ));
  test('a resource that another version released is Released, also without a status', () =>
    becomes(
      { bindingPhase: 'Released', boundUID: 'managed-uid', conditions: [synced, isReady] },
      undefined,
      undefined,
      { claimRef: { uid: 'unknown' } },
    ));
  test('a resource that another version released gets the UID that later tells that it was made available', () =>
    becomes(
      { bindingPhase: 'Released', boundUID: 'managed-uid', conditions: [synced, isReady] },
      undefined,
      { bindingPhase: 'Released' },
      { claimRef: { uid: 'unknown' } },
    ));
  test('the record of a credential stays until a run knows another one', () =>
    becomes(
      {
        bindingPhase: 'Bound',
        credential: { hmac: 'before', pending: false },
        conditions: [synced, isReady],
      },
      undefined,
      { bindingPhase: 'Bound', credential: { hmac: 'before', pending: false } },
    ));
  test('a run that knows another credential records it', () =>
    becomes(
      { bindingPhase: 'Bound', credential: { hmac: 'after', pending: true }, conditions: [synced, isReady] },
      { ...ready, status: { credential: { hmac: 'after', pending: true } } },
      { bindingPhase: 'Bound', credential: { hmac: 'before', pending: false } },
    ));
  test('an unchanged status is equal, times included', () =>
    becomes({ bindingPhase: 'Unbound', conditions: [earlier(synced), earlier(isReady)] }, undefined, {
      bindingPhase: 'Unbound',
      conditions: [earlier(synced), earlier(isReady)],
    }));
  test('an operation has conditions of its own', () =>
    becomes(
      {
        conditions: [
          synced,
          { ...creating(), ...times },
          { type: 'AsyncOperation', status: 'False', reason: 'Ongoing', ...times },
          { ...reconciling('Creating'), ...times },
        ],
      },
      {
        synced: reconcileSuccess(),
        ready: creating(),
        isCredentialInForce: true,
        operation: [{ type: 'AsyncOperation', status: 'False', reason: 'Ongoing' }],
      },
    ));
  test('of no generation nothing is said of one', () => {
    const { generation: _generation, ...metadata } = managed().metadata;
    const { status } = withManagedStatus({ ...managed(), metadata }, ready, now);
    const facts = [reconcileSuccess(), available()].map((each) => ({ ...each, lastTransitionTime }));
    assert.deepEqual(status, { bindingPhase: 'Unbound', conditions: facts });
  });
  const phases = {
    Unbindable: 'Unbindable',
    Unbound: 'Unbound',
    Bound: 'Released',
    Released: 'Released',
  } as const;
  for (const [before, want] of Object.entries(phases)) {
    test(`a resource that is deleted while it is ${before} is ${want}, Ready or not`, () => {
      const status = { bindingPhase: before as keyof typeof phases };
      const leaving = managed({}, { deletionTimestamp, status });
      assert.equal(withManagedStatus(leaving, ready, now).status?.bindingPhase, want);
    });
  }
});

describe('messages', () => {
  test('as long as they may be they stay whole, and longer ones are cut at that length', () => {
    const reported = (message: string) => withShortMessage(binding(message)).message;
    assert.equal(reported('x'.repeat(1_024)), 'x'.repeat(1_024));
    assert.equal(reported('x'.repeat(1_025)), `${'x'.repeat(1_023)}…`);
    assert.equal(reported(`a\n${'x'.repeat(1_022)}`), `a ${'x'.repeat(1_022)}`);
  });
  test('a public detail is no secret, nor is one of three characters', () => {
    const details = {
      endpoint: 'host',
      username: 'bobby',
      port: '5432',
      database: 'shop',
      pin: '123',
      token: '1234',
    };
    assert.equal(scrub(managed(), 'bobby@host:5432/shop 123 1234', details), 'bobby@host:5432/shop 123 ***');
  });
  test('details that are published beside passwords are no secrets, so that messages can name them', () => {
    const details = {
      topic: 'orders',
      projectName: 'crossplane',
      sslmode: 'verify-full',
      certificates: '-----BEGIN CERTIFICATE-----',
      clusterCA: '-----BEGIN CERTIFICATE-----',
    };
    const message =
      'topic "orders" of crossplane@crossplane.iam.gserviceaccount.com: verify-full -----BEGIN CERTIFICATE-----';
    assert.equal(scrub(managed(), message, details), message);
  });
  test('the names of the resource are no secrets, whichever detail has them', () => {
    const { name } = managed().metadata;
    const annotations = { [annotationKeys.externalName]: 'orders' };
    const details = { vhost: 'orders', object: name, pin: '1234' };
    assert.equal(
      scrub(managed({}, { annotations }), `no virtual host "orders" of ${name} 1234`, details),
      `no virtual host "orders" of ${name} ***`,
    );
  });
  test('the longest secret is removed first, so that no part of another remains', () => {
    assert.equal(scrub(managed(), 'abcd-efgh abcd', { a: 'abcd', b: 'abcd-efgh' }), '*** ***');
  });
});
