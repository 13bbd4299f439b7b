import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ManagedSpec, ManagedStatus } from '../../apis/core/v1alpha1/managed.ts';
import type { CredentialNote, SecretDetails, StoredCredential } from '../../controllers/credential.ts';
import {
  claimText,
  credentialOf,
  decodeNote,
  encodeNote,
  generateCredential,
  generatedPassword,
  hmacOf,
  holdsSecrets,
  isCopyInForce,
  newNoteKey,
  whyNotUsable,
} from '../../controllers/credential.ts';
import { claimRef, managed } from './objects.ts';

const key = 'a2V5';

describe('the note on a Secret', () => {
  const notes: readonly CredentialNote[] = [
    { key },
    { key, for: 'FancySQLInstance team/orders' },
    { key, rotation: '2026-01' },
    { key, for: 'FancySQLInstance team/orders', rotation: '2026-01' },
  ];
  for (const note of notes) {
    test(`is read as it was written: ${JSON.stringify(note)}`, () =>
      assert.deepEqual(decodeNote(encodeNote(note)), note));
  }

  test('is read without what another version added', () => {
    assert.deepEqual(decodeNote('{"key":"a2V5","for":"A b/c","since":7}'), { key, for: 'A b/c' });
  });

  for (const text of [
    undefined,
    '',
    '{',
    'null',
    '7',
    '"a2V5"',
    '[]',
    '{}',
    '{"key":""}',
    '{"key":7}',
    '{"for":"A b/c"}',
    '{"key":"a2V5","for":7}',
    '{"key":"a2V5","for":null}',
    '{"key":"a2V5","rotation":{}}',
  ]) {
    test(`is none where it is malformed: ${text}`, () => assert.equal(decodeNote(text), undefined));
  }

  test('names a claim by kind, namespace and name, with a UID or without', () => {
    const { uid: _uid, ...withoutUid } = claimRef();
    assert.equal(claimText(claimRef()), 'FancySQLInstance team/orders');
    assert.equal(claimText(withoutUid), 'FancySQLInstance team/orders');
  });

  test('has a key of 32 random bytes', () => {
    const sizes: number[] = [];
    const made = newNoteKey((size) => {
      sizes.push(size);
      return Buffer.alloc(size, 1);
    });
    assert.deepEqual([sizes, Buffer.from(made, 'base64')], [[32], Buffer.alloc(32, 1)]);
    assert.notEqual(newNoteKey(), newNoteKey());
  });
});

describe('the record of a credential', () => {
  test('is an HMAC-SHA-256 under the key of the note', () => {
    // RFC 4231, test case 2
    const jefe = Buffer.from('Jefe').toString('base64');
    const digest = Buffer.from(hmacOf('for nothing?', { key: jefe }, 'what do ya want '), 'base64');
    assert.equal(digest.toString('hex'), '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
  });

  test('differs for another credential, for another key and for another resource', () => {
    const records = [
      hmacOf('a', { key }, 'uid'),
      hmacOf('b', { key }, 'uid'),
      hmacOf('a', { key: 'b3RoZXI=' }, 'uid'),
      hmacOf('a', { key }, 'restored'),
    ];
    assert.equal(new Set(records).size, 4);
  });
});

describe('a generated credential', () => {
  test('has the length and the alphabet of its kind', () => {
    for (const wanted of [generatedPassword, { length: 8, alphabet: '01' }, { length: 41, alphabet: 'x' }]) {
      const made = generateCredential(wanted);
      assert.equal(made.length, wanted.length);
      const strange = [...made].filter((character) => !wanted.alphabet.includes(character));
      assert.deepEqual(strange, []);
    }
    assert.notEqual(generateCredential(generatedPassword), generateCredential(generatedPassword));
  });

  test('has each character of its alphabet equally often: bytes beyond a multiple of its size are dropped', () => {
    const alphabet = 'abcdefghijk'; // 256 is 23 times 11, and 3
    let next = 0;
    const everyByteOnce = (size: number): Buffer =>
      Buffer.from(Array.from({ length: size }, () => next++ % 256));
    const made = generateCredential({ length: 253, alphabet }, everyByteOnce);
    const counts = [...alphabet].map((character) => made.split(character).length - 1);
    assert.deepEqual(
      counts,
      [...alphabet].map(() => 23),
    );
    assert.equal(next, 253);
  });

  test('asks for more bytes where some were dropped', () => {
    const sizes: number[] = [];
    const random = (size: number): Buffer => {
      sizes.push(size);
      return Buffer.alloc(size, sizes.length === 1 ? 255 : 0);
    };
    assert.equal(generateCredential({ length: 3, alphabet: 'abc' }, random), 'aaa');
    assert.deepEqual(sizes, [3, 3]);
  });
});

const to = { namespace: 'infra', name: 'db' };
const generated: SecretDetails = {
  credential: { ...generatedPassword, isWanted: ({ spec }) => !('owner' in (spec.forProvider ?? {})) },
};
const reported: SecretDetails = { reportsSecrets: true };

describe('the resources that have a credential', () => {
  const inSecret = { writeConnectionSecretToRef: to };
  const have = (spec: ManagedSpec, details: SecretDetails, want: boolean): void =>
    assert.equal(credentialOf(managed(spec), details) !== undefined, want);
  test('of a kind that generates one', () => have(inSecret, generated, true));
  test('with a secret store alone', () =>
    have({ publishConnectionDetailsTo: { name: 'db' } }, generated, true));
  test('that keep their details in no place have none', () => have({}, generated, false));
  test('with a spec that wants no credential have none', () =>
    have({ ...inSecret, forProvider: { owner: 'app' } }, generated, false));
  test('that are only observed have one as all others', () =>
    have({ ...inSecret, managementPolicies: ['Observe'] }, generated, true));
  test('of a kind without a generated credential have none', () => have(inSecret, reported, false));
});

describe('the content of a Secret', () => {
  const without = { writeConnectionSecretToRef: to, forProvider: { owner: 'app' } };
  const is = (
    isSecret: boolean,
    stored: Partial<StoredCredential>,
    details = generated,
    spec: ManagedSpec = { writeConnectionSecretToRef: to },
  ): void =>
    assert.equal(holdsSecrets(managed(spec), { details: {}, note: undefined, ...stored }, details), isSecret);
  test('is secret if it names a claim', () => is(true, { note: { key } }));
  test('is secret if it has the credential', () => is(true, { details: { password: 'p' } }));
  test('is secret if the spec wants no credential any more', () =>
    is(true, { details: { password: 'p' } }, generated, without));
  test('is secret if a person gave the credential in another entry', () =>
    is(true, { details: { uri: 'postgresql://app:p@db' } }));
  test('is not secret if it has only an address', () =>
    is(false, { details: { endpoint: 'db', port: '1' } }));
  test('is not secret if the spec wants no credential and it has none', () =>
    is(false, { details: { note: 'hello' } }, generated, without));
  test('is secret if the external system reports secrets', () =>
    is(true, { details: { host: 'db' } }, reported));
  test('is not secret without an entry', () => is(false, {}, reported));
  test('is not secret for a kind without secrets', () =>
    is(false, { note: { key }, details: { a: 'b' } }, {}));
});

describe('why a claim cannot have the connection details', () => {
  const recorded = { hmac: hmacOf('p', { key }, 'managed-uid'), pending: false };
  const mine: StoredCredential = {
    details: { password: 'p' },
    note: { key, for: 'FancySQLInstance team/orders' },
  };
  const noted = (note: CredentialNote | undefined): StoredCredential => ({ ...mine, note });
  function is(
    why: ReturnType<typeof whyNotUsable>,
    stored?: StoredCredential,
    credential?: ManagedStatus['credential'],
    details: SecretDetails = generated,
  ): void {
    const status = credential === undefined ? {} : { credential };
    const object = managed({ writeConnectionSecretToRef: to }, { status });
    assert.equal(whyNotUsable(object, stored, claimRef(), details), why);
  }
  test('a claim can have the details if the Secret is for it and the credential is in force', () =>
    is(undefined, mine, recorded));
  test('a claim cannot have details if the Secret does not exist', () =>
    is('CredentialMissing', undefined, recorded));
  test('a claim cannot have details if the Secret is for another claim', () =>
    is('CredentialOfAnotherClaim', noted({ key, for: 'FancySQLInstance team/former' }), recorded));
  test('a claim cannot have details if the Secret is for no claim', () =>
    is('CredentialForNoClaim', noted({ key }), recorded));
  test('a claim cannot have details if the Secret has no note', () =>
    is('CredentialForNoClaim', noted(undefined), recorded));
  test('a claim cannot have details if no credential is recorded', () => is('CredentialNotApplied', mine));
  test('a claim cannot have details if another credential is recorded', () =>
    is('CredentialNotApplied', mine, { ...recorded, hmac: hmacOf('former', { key }, 'managed-uid') }));
  test('a claim cannot have details that the external system does not use yet', () =>
    is('CredentialNotApplied', mine, { ...recorded, pending: true }));
  test('a claim cannot have details if the Secret lacks the entry', () =>
    is('CredentialNotApplied', { ...mine, details: {} }, recorded));
  test('a claim can have reported details that are for it', () => is(undefined, mine, undefined, reported));
  test('a claim cannot have reported details that are for another claim', () =>
    is('CredentialOfAnotherClaim', noted({ key, for: 'unknown' }), undefined, reported));
  test('a claim can have details that hold no secret', () => is(undefined, undefined, undefined, {}));
});

describe('the copy of a claim, while the policies forbid another credential, and the Secret was lost', () => {
  const credential = { hmac: hmacOf('p', { key }, 'managed-uid'), pending: false };
  const spec: ManagedSpec = { writeConnectionSecretToRef: to, managementPolicies: ['Observe'] };
  const object = managed(spec, { status: { credential } });
  const published: StoredCredential = { details: { endpoint: 'db' }, note: undefined };

  test('counts as in force with a password', () => {
    assert.equal(isCopyInForce(object, published, { password: 'p' }, generated), true);
  });
  test('does not count as in force without one', () => {
    assert.equal(isCopyInForce(object, published, { endpoint: 'db' }, generated), false);
  });
});
