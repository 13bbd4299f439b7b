import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { ExternalClient, Managed } from '../../../package/stack.ts';
import {
  accountOn,
  available,
  createPasswordChecks,
  noSurvey,
  ownerDigest,
  ownershipByMark,
  unavailable,
} from '../../../package/stack.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { managed } from '../objects.ts';

const { signal } = new AbortController();
const box = managed({});
const { name } = box.metadata;
const ownerId = `${box.kind}.${box.apiVersion.split('/')[0]}/${name}`.toLowerCase();
const mine = ownerDigest(ownerId);
const others = ownerDigest('somebody else');
const password = { value: 'secret', isApplied: false };

interface Account {
  readonly name: string;
  readonly mark?: string | undefined;
  readonly size: number;
  readonly password?: string | undefined;
  /** The broker refuses the password to some of its programs. */
  readonly isShadowed?: boolean;
}

/** A broker with accounts, as the author of a stack would write its client: it keeps a mark beside each. */
class Broker {
  readonly accounts = new Map<string, Account>();
  readonly calls: string[] = [];
  readonly client: ExternalClient = accountOn<Managed, number, Account>({
    accounts: {
      observe: async (each) => this.accounts.get(each),
      create: async (each, size, { ownerId: owner, password: secret }) => {
        this.calls.push(`create ${each}`);
        this.accounts.set(each, { name: each, mark: ownerDigest(owner), size, password: secret });
      },
      update: async (each, size) => this.#change(`resize ${each}`, each, { size }),
      setPassword: async (each, secret) => this.#change(`set ${each}`, each, { password: secret }),
      checkPassword: async (each, secret) => this.accounts.get(each)?.password === secret,
      drop: async (each) => {
        this.calls.push(`drop ${each}`);
        this.accounts.delete(each);
      },
    },
    ownership: ownershipByMark<Account>({
      kind: 'user',
      quoted: (each) => `<${each}>`,
      checkOwnName(each) {
        if (each === 'guest') throw new Error('user <guest> is reserved');
      },
      checkNewName(each) {
        if (each.includes(' ')) throw new Error('a user has no spaces');
      },
      markOf: ownerDigest,
      markIn: ({ mark }) => mark,
      markStatement: (each, owner) => `MARK ${each} ${ownerDigest(owner)}`,
    }),
    administrator: 'root',
    checks: createPasswordChecks({ clock: testClock(), random: () => 0.5 }),
    survey: noSurvey,
    holderOf: () => ({ isClaims: true, what: 'Box other of Claim team/other' }),
    spec: () => 2,
    observationOf: (_box, { size }, isLockedOut) => ({
      exists: true,
      isUpToDate: size === 2,
      ready: isLockedOut ? unavailable('refused') : available(),
    }),
    detailsOf: (_box, credential) => ({
      username: name,
      ...(credential && { uri: `of ${credential.value}` }),
    }),
    isDoubtful: ({ isShadowed = false }) => isShadowed,
  });

  has(account: Partial<Account>): void {
    const { name: key = name } = account;
    this.accounts.set(key, { name: key, size: 2, ...account });
  }

  #change(call: string, each: string, change: Partial<Account>): void {
    this.calls.push(call);
    this.accounts.set(each, { ...(this.accounts.get(each) ?? assert.fail()), ...change });
  }
}

const wasManaged = { ...box, status: { externalIdentity: name } };
const observer = managed({ managementPolicies: ['Observe'] });
const deleted = { ...wasManaged, metadata: { ...box.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
const called = (each: Managed, externalName: string): Managed => ({
  ...each,
  metadata: { ...each.metadata, annotations: { 'crossplane.io/external-name': externalName } },
});

let broker: Broker;
beforeEach(() => {
  broker = new Broker();
});

describe('an account on a shared server', () => {
  test('is created with its mark and the password, which counts as in force at once', async () => {
    assert.deepEqual(await broker.client.observe(box, password, signal), {
      exists: false,
      isUpToDate: false,
    });
    const { details } = await broker.client.create(box, password, signal);
    assert.deepEqual(details, { username: name, uri: 'of secret' });
    assert.deepEqual(broker.accounts.get(name), { name, mark: mine, size: 2, password: 'secret' });
    const { credential, ready, isUpToDate } = await broker.client.observe(
      box,
      { ...password, isApplied: true },
      signal,
    );
    assert.deepEqual([credential, ready?.status, isUpToDate], ['inForce', 'True', true]);
  });

  test('gets a new password first, and alone', async () => {
    broker.has({ mark: mine, size: 1, password: 'old' });
    await broker.client.update(box, password, signal);
    assert.deepEqual(broker.calls, [`set ${name}`]);
    await broker.client.update(box, { ...password, isApplied: true }, signal);
    assert.deepEqual(broker.calls, [`set ${name}`, `resize ${name}`]);
  });

  test('is tested at each observation if the server may refuse its password, and is not ready if it does', async () => {
    const observed = async (account: Partial<Account>) => {
      broker.has({ mark: mine, ...account });
      const { credential, ready } = await broker.client.observe(box, password, signal);
      return [credential, ready?.status];
    };
    const isShadowed = true;
    assert.deepEqual(await observed({ password: 'former' }), ['wrong', 'True'], 'the former one may work');
    assert.deepEqual(await observed({ password: 'former', isShadowed }), ['wrong', 'False']);
    assert.deepEqual(await observed({ password: 'secret', isShadowed }), ['inForce', 'True']);
    assert.deepEqual(await observed({ password: 'former', isShadowed }), ['wrong', 'False']);
  });

  test('is dropped only with the mark of its resource', async () => {
    broker.has({ mark: others });
    await broker.client.delete(box, signal);
    assert.deepEqual(broker.calls, []);
    broker.has({ mark: mine });
    await broker.client.delete(box, signal);
    assert.deepEqual(broker.calls, [`drop ${name}`]);
  });

  test('that was lost, and whose name another resource has, counts as taken', async () => {
    broker.has({ mark: others });
    const { exists, taken } = await broker.client.observe(wasManaged, undefined, signal);
    assert.equal(exists, false);
    assert.match(taken ?? '', new RegExp(`^user <${name}> is of Box other of Claim team/other now`));
  });

  test('of another resource is observed without its details', async () => {
    broker.has({ mark: others });
    const { isOfAnother } = await broker.client.observe(observer, undefined, signal);
    assert.equal(isOfAnother, true);
  });

  const refused: Readonly<Record<string, readonly [Managed, Partial<Account> | undefined, RegExp]>> = {
    'with the mark of another resource': [box, { mark: others }, /is managed by another resource, not by/],
    'without a mark, with the statement that adopts it': [
      box,
      {},
      new RegExp(
        `exists and is not managed by .* kubectl delete of this resource drops it.*MARK ${name} ${mine}$`,
      ),
    ],
    'that has lost its mark, with the statement that gives it back': [
      wasManaged,
      {},
      new RegExp(`has no mark, but this resource managed a user of this name; .*MARK ${name} ${mine}$`),
    ],
    'as which the provider logs in': [
      called(box, 'root'),
      undefined,
      /is the one that the provider logs in as/,
    ],
    'with a name of the server': [called(box, 'guest'), undefined, /^user <guest> is reserved; /],
    'with a name that no new account may have': [called(box, 'a b'), undefined, /^a user has no spaces; /],
  };
  for (const [what, [resource, account, message]] of Object.entries(refused)) {
    test(`is refused ${what}`, async () => {
      if (account !== undefined) broker.has(account);
      await assert.rejects(broker.client.observe(resource, undefined, signal), { message });
      assert.deepEqual(broker.calls, []);
    });
  }

  const afterDeletion: Readonly<Record<string, readonly [Managed, Partial<Account> | undefined, object]>> = {
    'while it has the mark': [deleted, { mark: mine }, { exists: true }],
    'with the mark of another resource': [deleted, { mark: others }, { exists: false }],
    'without a mark: it stays, and an Event names it': [
      deleted,
      {},
      { exists: false, remains: `user <${name}>, which has no mark` },
    ],
    'that is the administrator': [called(deleted, 'root'), { name: 'root', mark: mine }, { exists: false }],
    'with a name of the server': [called(deleted, 'guest'), { name: 'guest', mark: mine }, { exists: false }],
  };
  for (const [what, [resource, account, want]] of Object.entries(afterDeletion)) {
    test(`of a deleted resource ${what}`, async () => {
      if (account !== undefined) broker.has(account);
      const { exists, remains } = await broker.client.observe(resource, undefined, signal);
      assert.deepEqual({ exists, ...(remains !== undefined && { remains }) }, want);
    });
  }
});
