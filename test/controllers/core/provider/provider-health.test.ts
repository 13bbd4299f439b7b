import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Kind, KubernetesObject } from '../../../../apis/core/v1alpha1/kind.ts';
import type { Fault } from '../../../../controllers/core/error-class.ts';
import { createProviderHealth } from '../../../../controllers/core/provider/provider-health.ts';
import { testClock } from '../../../../testing/test-clock.ts';
import { providerConfigKind, providerKind } from '../external-fake.ts';

const provider = (generation = 1, uid = 'u'): KubernetesObject => ({
  apiVersion: 'fcp.crossplane.io/v1alpha3',
  kind: 'ProviderConfig',
  metadata: { name: 'default', uid, generation },
});

function scene() {
  const clock = testClock();
  const startedMs = clock.elapsedMs();
  const health = createProviderHealth({ clock });
  const news: string[] = [];
  health.changed$(providerConfigKind).subscribe(({ name }) => news.push(name));
  const kind: Kind = providerConfigKind;
  return {
    health,
    news,
    pass: clock.stall,
    /** Since when calls fail, after the start. */
    failingSinceMs: () => (health.of(kind, provider())?.failing?.sinceMs ?? Number.NaN) - startedMs,
    works: (version?: string, of = provider()) => health.works(kind, of, version),
    fails: (fault: Fault, message = 'boom', of = provider()) => health.fails(kind, of, { fault, message }),
    known: (of = provider()) => {
      const { failing, hasWorked, systemVersion } = health.of(kind, of) ?? {};
      return { hasWorked, fault: failing?.fault, message: failing?.message, systemVersion };
    },
  };
}

describe('the health of a provider by its calls', () => {
  test('a thousand equal results are one change, and results of another kind do not count', () => {
    const at = scene();
    for (let call = 0; call < 1_000; call += 1) at.works();
    for (let call = 0; call < 1_000; call += 1) at.fails('CredentialsRefused');
    at.health.fails(providerKind, provider(), { fault: 'CredentialsRefused', message: 'boom' });
    assert.deepEqual(at.news, ['default', 'default']);
  });

  test('a call that succeeds ends the failure, and a later failure starts again', () => {
    const at = scene();
    at.fails('Unreachable');
    at.pass(1_000);
    at.works();
    assert.equal(at.known().fault, undefined);
    at.pass(1_000);
    at.fails('Unreachable');
    assert.equal(at.failingSinceMs(), 2_000);
  });

  test('the start of a failure does not change with its reason', () => {
    const at = scene();
    at.fails('Unreachable');
    at.pass(3_000);
    at.fails('CredentialsRefused');
    assert.equal(at.failingSinceMs(), 0);
  });

  test('of calls that fail differently, the one that got furthest is reported', () => {
    const at = scene();
    for (let minute = 0; minute < 60; minute += 1) {
      for (const fault of ['CredentialsUnreadable', 'Unreachable', 'CredentialsRefused'] as const)
        at.fails(fault, fault);
      at.pass(60_000);
    }
    assert.equal(at.known().message, 'CredentialsRefused');
    assert.equal(at.news.length, 3, 'one for each of the first minute');
  });

  test('a failure that no call met for 2 minutes is replaced by current failures', () => {
    const at = scene();
    at.fails('CredentialsUnreadable', 'secret a does not exist');
    at.pass(119_999);
    at.fails('CredentialsUnreadable', 'secret a has no key');
    assert.equal(at.known().message, 'secret a does not exist');
    at.pass(1);
    at.fails('CredentialsUnreadable', 'secret a has no key');
    assert.equal(at.known().message, 'secret a has no key');
  });

  test('a call from before an edit does not count', () => {
    const at = scene();
    const [former, edited] = [provider(1), provider(2)];
    at.works(undefined, former);
    assert.deepEqual(at.known(edited).hasWorked, undefined);
    at.fails('CredentialsRefused', 'boom', edited);
    at.works(undefined, former);
    assert.equal(at.known(edited).fault, 'CredentialsRefused');
    at.works(undefined, edited);
    at.fails('CredentialsRefused', 'boom', former);
    assert.equal(at.known(edited).fault, undefined);
  });

  test('a call from before the provider was recreated does not count', () => {
    const at = scene();
    at.works(undefined, provider(5, 'former'));
    assert.equal(at.known(provider(1, 'new')).hasWorked, undefined);
  });

  test('a version is reported once, also if other calls report none', () => {
    const at = scene();
    for (let call = 0; call < 100; call += 1) {
      at.works('PostgreSQL 17');
      at.works();
    }
    assert.equal(at.known().systemVersion, 'PostgreSQL 17');
    assert.equal(at.news.length, 1);
  });

  test('of two alternating versions one is reported; a new one once the old one stops', () => {
    const at = scene();
    for (let minute = 0; minute < 60; minute += 1) {
      at.works('PostgreSQL 17');
      at.works('PostgreSQL 18');
      at.pass(60_000);
    }
    assert.equal(at.known().systemVersion, 'PostgreSQL 17');
    assert.equal(at.news.length, 1);
    at.pass(60_000);
    at.works('PostgreSQL 18');
    assert.equal(at.known().systemVersion, 'PostgreSQL 18');
  });

  test('a deleted provider is forgotten', () => {
    const at = scene();
    at.works();
    at.health.forget(providerConfigKind, 'default');
    assert.equal(at.known().hasWorked, undefined);
  });
});
