import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Accounts } from '../../../controllers/author/account-password.ts';
import { accountPassword, isLockedOut } from '../../../controllers/author/account-password.ts';
import { createPasswordChecks } from '../../../controllers/author/password-checks.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { managed } from '../objects.ts';

const { signal } = new AbortController();

/** Accounts of a server, and the calls that set or test a password. */
function server(passwords: Record<string, string>) {
  const calls: string[] = [];
  const accounts: Accounts = {
    async setPassword(name, password, { ownerId }) {
      calls.push(`set ${name} for ${ownerId}`);
      passwords[name] = password;
    },
    async checkPassword(name, password) {
      calls.push(`check ${name}`);
      return passwords[name] === password;
    },
  };
  const checks = createPasswordChecks({ clock: testClock(), random: () => 0.5 });
  return { calls, password: accountPassword({ accounts, checks }) };
}

describe('the password of an account', () => {
  const box = managed({});
  const { name } = box.metadata;
  const ownerId = `${box.kind}.${box.apiVersion.split('/')[0]}/${name}`.toLowerCase();
  const fresh = { value: 'new', isApplied: false };
  const applied = { value: 'new', isApplied: true };

  test('is set unless it is applied, and then counts as in force without a test', async () => {
    const { calls, password } = server({});
    assert.equal(await password.set(box, undefined, signal), false);
    assert.equal(await password.set(box, applied, signal), false);
    assert.equal(await password.set(box, fresh, signal), true);
    assert.equal(await password.verdictOn(box, applied, signal), 'inForce');
    assert.deepEqual(calls, [`set ${name} for ${ownerId}`]);
  });

  test('counts as in force after a creation with it, until the account may be another', async () => {
    const { calls, password } = server({});
    password.wasCreatedWith(box, fresh);
    assert.equal(await password.verdictOn(box, applied, signal), 'inForce');
    password.doubt(box);
    assert.equal(await password.verdictOn(box, applied, signal), 'wrong');
    assert.deepEqual(calls, [`check ${name}`]);
  });

  test('of a resource that is only observed is tested for the user whom its Secret names', async () => {
    const { calls, password } = server({ clerk: 'given' });
    assert.equal(await password.verdictOnGiven(box, fresh, signal), undefined);
    const given = { value: 'given', isApplied: false, username: 'clerk' };
    assert.equal(await password.verdictOnGiven(box, given, signal), 'inForce');
    assert.deepEqual(calls, ['check clerk', 'check clerk']);
  });
});

describe('a password is tested', () => {
  const periodMs = 1000;
  /** A server that takes some passwords; `undefined`: any. */
  const checksAt = () => {
    const clock = testClock();
    const tested: string[] = [];
    const checks = createPasswordChecks({ clock, random: () => 0.5, periodMs });
    const verdictOn = (value: string, isApplied: boolean, works?: readonly string[]) =>
      checks.verdictOn('a', { value, isApplied }, async (password) => {
        tested.push(password);
        return works === undefined || works.includes(password);
      });
    return { clock, checks, verdictOn, tested };
  };

  const rows = {
    'at once where it is not applied: it works, and another does not': {
      works: ['secret'],
      want: 'inForce',
      tested: ['secret', 'not secret'],
    },
    'and is wrong where it does not work': { works: [], want: 'wrong', tested: ['secret'] },
    'and nothing is known where the server takes any': {
      works: undefined,
      want: undefined,
      tested: ['secret', 'not secret'],
    },
  };
  for (const [name, { works, want, tested: all }] of Object.entries(rows)) {
    test(name, async () => {
      const { verdictOn, tested } = checksAt();
      assert.equal(await verdictOn('secret', false, works), want);
      assert.equal(await verdictOn('secret', false, works), want);
      assert.deepEqual(tested, all, 'once');
    });
  }

  test('not at once after a restart where it is applied, but within a period', async () => {
    const { clock, verdictOn, tested } = checksAt();
    assert.equal(await verdictOn('secret', true, []), undefined);
    assert.deepEqual(tested, []);
    clock.stall(periodMs / 2);
    assert.equal(await verdictOn('secret', true, []), 'wrong');
    assert.deepEqual(tested, ['secret']);
  });
  test('a login is checked once per period, and the result holds until the next', async () => {
    const { clock, checks, verdictOn, tested } = checksAt();
    checks.wasSet('a', 'secret');
    assert.equal(await verdictOn('secret', true, []), 'inForce');
    clock.stall(periodMs);
    assert.equal(await verdictOn('secret', true, []), 'wrong');
    assert.equal(await verdictOn('secret', true, ['secret']), 'wrong');
    assert.deepEqual(tested, ['secret']);
    clock.stall(periodMs);
    assert.equal(await verdictOn('secret', true, ['secret']), 'inForce');
    assert.deepEqual(tested, ['secret', 'secret']);
  });
  test('at once where the account was not that of the resource, also if it is applied', async () => {
    const { checks, verdictOn, tested } = checksAt();
    checks.wasSet('a', 'secret');
    checks.doubt('a');
    assert.equal(await verdictOn('secret', true, []), 'wrong');
    assert.deepEqual(tested, ['secret']);
  });
  test('no more once it was set', async () => {
    const { checks, verdictOn, tested } = checksAt();
    assert.equal(await verdictOn('secret', false, []), 'wrong');
    checks.wasSet('a', 'secret');
    assert.equal(await verdictOn('secret', true, []), 'inForce');
    assert.deepEqual(tested, ['secret']);
  });
  test('again when it could not be tested', async () => {
    const { checks, verdictOn, tested } = checksAt();
    await assert.rejects(
      checks.verdictOn('a', { value: 'secret', isApplied: false }, () =>
        Promise.reject(new Error('unreachable')),
      ),
      /^Error: unreachable$/,
    );
    assert.equal(await verdictOn('secret', false, []), 'wrong');
    assert.deepEqual(tested, ['secret']);
  });
});

describe('a password that worked works no more', () => {
  const rows = [
    { credential: { value: 'p', isApplied: true }, verdict: 'wrong', want: true },
    { credential: { value: 'p', isApplied: true }, verdict: 'inForce', want: false },
    { credential: { value: 'p', isApplied: true }, verdict: undefined, want: false },
    // The former one may work.
    { credential: { value: 'p', isApplied: false }, verdict: 'wrong', want: false },
    { credential: undefined, verdict: undefined, want: false },
  ] as const;
  for (const { credential, verdict, want } of rows) {
    test(`${want}: applied ${credential?.isApplied}, ${verdict}`, () =>
      assert.equal(isLockedOut(credential, verdict), want));
  }
});
