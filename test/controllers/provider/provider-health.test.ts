import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallResult } from '../../../controllers/provider/provider-health.ts';
import { createProviderHealth } from '../../../controllers/provider/provider-health.ts';
import { providerConfig, providerConfigKind, providerKind } from '../external-fake.ts';

const provider = (generation = 1, uid = 'u') => providerConfig('default', undefined, { uid, generation });
const refused = (message = 'boom'): CallResult => ({ errorClass: 'CredentialsRefused', message });

function scene() {
  const health = createProviderHealth();
  const emitted: string[] = [];
  health.changed$(providerConfigKind).subscribe(({ name }) => emitted.push(`${name} changed`));
  health.mayWork$(providerConfigKind).subscribe(({ name }) => emitted.push(`${name} may work`));
  return {
    health,
    emitted,
    record: (user: string, result: CallResult, of = provider(), version?: string) =>
      health.record(providerConfigKind, of, { user, result, ...(version && { system: { version } }) }),
    known: (of = provider(), users = ['a', 'b']) => {
      const { results = [], system } = health.of(providerConfigKind, of, users) ?? {};
      return { results: Object.fromEntries(results), ...(system && { system }) };
    },
  };
}

describe('the health of a provider by its calls', () => {
  test('the last result of each user is kept, and only a new one is a change', () => {
    const at = scene();
    for (let call = 0; call < 1_000; call += 1) at.record('a', 'works');
    for (let call = 0; call < 1_000; call += 1) at.record('b', refused());
    assert.deepEqual(at.known(), { results: { a: 'works', b: refused() } });
    assert.deepEqual(at.emitted, ['default changed', 'default changed']);
  });

  test('a success is no change if another user has one', () => {
    const at = scene();
    at.record('a', 'works');
    at.record('b', 'works');
    assert.deepEqual(at.emitted, ['default changed']);
  });

  test('results of another kind of provider do not count', () => {
    const at = scene();
    at.health.record(providerKind, provider(), { user: 'a', result: 'works' });
    assert.deepEqual([at.known(), at.emitted], [{ results: {} }, []]);
  });

  test('the first success after failures alone reports that users may be tried again', () => {
    const at = scene();
    at.record('a', refused());
    at.record('b', refused());
    at.record('a', 'works');
    at.record('b', 'works');
    assert.deepEqual(at.emitted, [
      'default changed',
      'default changed',
      'default changed',
      'default may work',
    ]);
  });

  test('new credentials forget all results, and users may be tried again', () => {
    const at = scene();
    at.record('a', refused());
    at.health.renew(providerConfigKind, 'default');
    assert.deepEqual(at.known(), { results: {} });
    assert.deepEqual(at.emitted, ['default changed', 'default may work']);
  });

  test('a deleted user is forgotten', () => {
    const at = scene();
    at.record('a', 'works');
    at.record('b', refused());
    assert.deepEqual(at.known(provider(), ['b']), { results: { b: refused() } });
    assert.deepEqual(at.known(), { results: { b: refused() } });
  });

  test('a call from before an edit does not count', () => {
    const at = scene();
    const [former, edited] = [provider(1), provider(2)];
    at.record('a', 'works', former);
    assert.deepEqual(at.known(edited), { results: {} });
    at.record('a', refused(), edited);
    at.record('a', 'works', former);
    assert.deepEqual(at.known(edited), { results: { a: refused() } });
  });

  test('a call from before the provider was recreated does not count', () => {
    const at = scene();
    at.record('a', 'works', provider(5, 'former'));
    assert.deepEqual(at.known(provider(1, 'new')), { results: {} });
  });

  test('a version is kept when other calls report none, and a new one is a change', () => {
    const at = scene();
    at.record('a', 'works', provider(), 'PostgreSQL 17');
    at.record('a', 'works');
    assert.equal(at.known().system?.version, 'PostgreSQL 17');
    at.record('a', 'works', provider(), 'PostgreSQL 18');
    assert.equal(at.known().system?.version, 'PostgreSQL 18');
    assert.deepEqual(at.emitted, ['default changed', 'default changed']);
  });

  test('a run that shows nothing ends a failure, and not a success', () => {
    const at = scene();
    at.record('a', 'works');
    at.record('a', 'unknown');
    at.record('b', refused());
    at.record('b', 'unknown');
    assert.deepEqual(at.known(), { results: { a: 'works', b: 'unknown' } });
    assert.deepEqual(at.emitted, ['default changed', 'default changed', 'default changed']);
  });

  test('of the users that failed, the one whose call is oldest is tried again', () => {
    const at = scene();
    const tried: boolean[][] = [];
    at.health
      .mayWork$(providerConfigKind)
      .subscribe(({ isFor }) => tried.push(['a', 'b', 'c'].map((user) => isFor(user))));
    at.record('a', 'unknown');
    at.record('b', refused());
    at.record('c', refused());
    at.health.retryOne(providerConfigKind, 'default');
    assert.deepEqual(tried, [[false, true, false]]);
  });

  test('a deleted provider is forgotten', () => {
    const at = scene();
    at.record('a', 'works');
    at.health.forget(providerConfigKind, 'default');
    assert.deepEqual(at.known(), { results: {} });
  });
});
