import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ManagedSpec, ManagedStatus } from '../../../apis/core/v1alpha1/managed.ts';
import type { CredentialNote, KeptCredential, SecretDetails } from '../../../controllers/core/credential.ts';
import {
  claimText,
  credentialOf,
  decodeNote,
  encodeNote,
  generateCredential,
  generatedPassword,
  hasSecretDetails,
  hmacOf,
  newNoteKey,
  whyNotUsable,
} from '../../../controllers/core/credential.ts';
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
      assert.deepEqual(
        [...made].filter((character) => !wanted.alphabet.includes(character)),
        [],
      );
    }
    assert.notEqual(generateCredential(generatedPassword), generateCredential(generatedPassword));
  });

  test('has each character of its alphabet equally often: bytes beyond a multiple of its size are dropped', () => {
    const alphabet = 'abcdefghijk'; // 256 is 23 times 11, and 3
    let next = 0;
    const everyByteOnce = (size: number): Buffer =>
      Buffer.from(Array.from({ length: size }, () => next++ % 256));
    const made = generateCredential({ length: 253, alphabet }, everyByteOnce);
    assert.deepEqual(
      [...alphabet].map((character) => made.split(character).length - 1),
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
  const rows: Readonly<
    Record<
      string,
      { spec: ManagedSpec; details: SecretDetails; has: readonly [generated: boolean, secret: boolean] }
    >
  > = {
    'of a kind that generates one': {
      spec: { writeConnectionSecretToRef: to },
      details: generated,
      has: [true, true],
    },
    'with a secret store alone': {
      spec: { publishConnectionDetailsTo: { name: 'db' } },
      details: generated,
      has: [true, true],
    },
    'that keep their details in no place': { spec: {}, details: generated, has: [false, false] },
    'with a spec that wants no credential': {
      spec: { writeConnectionSecretToRef: to, forProvider: { owner: 'app' } },
      details: generated,
      has: [false, false],
    },
    'that are only observed': {
      spec: { writeConnectionSecretToRef: to, managementPolicies: ['Observe'] },
      details: generated,
      has: [false, false],
    },
    'with an external system that generates a credential': {
      spec: { writeConnectionSecretToRef: to },
      details: reported,
      has: [false, true],
    },
    'with an external system that generates a credential, and without a place for it': {
      spec: {},
      details: reported,
      has: [false, false],
    },
    'of a kind that has none': { spec: { writeConnectionSecretToRef: to }, details: {}, has: [false, false] },
  };
  for (const [name, { spec, details, has }] of Object.entries(rows)) {
    test(name, () => {
      const object = managed(spec);
      assert.deepEqual([credentialOf(object, details) !== undefined, hasSecretDetails(object, details)], has);
    });
  }
});

describe('why a claim cannot have the connection details', () => {
  const recorded = { hmac: hmacOf('p', { key }, 'managed-uid'), pending: false };
  const mine: KeptCredential = {
    details: { password: 'p' },
    note: { key, for: 'FancySQLInstance team/orders' },
  };
  const noted = (note: CredentialNote | undefined): KeptCredential => ({ ...mine, note });
  const rows: Readonly<
    Record<
      string,
      {
        kept?: KeptCredential | undefined;
        credential?: ManagedStatus['credential'];
        details?: SecretDetails;
        why: ReturnType<typeof whyNotUsable>;
      }
    >
  > = {
    'a claim can have the details if the Secret is for it and the credential is in force': {
      kept: mine,
      credential: recorded,
      why: undefined,
    },
    'a claim cannot have details if the Secret does not exist': {
      credential: recorded,
      why: 'CredentialMissing',
    },
    'a claim cannot have details if the Secret is for another claim': {
      kept: noted({ key, for: 'FancySQLInstance team/former' }),
      credential: recorded,
      why: 'CredentialOfAnotherClaim',
    },
    'a claim cannot have details if the Secret is for no claim': {
      kept: noted({ key }),
      credential: recorded,
      why: 'CredentialForNoClaim',
    },
    'a claim cannot have details if the Secret has no note': {
      kept: noted(undefined),
      credential: recorded,
      why: 'CredentialForNoClaim',
    },
    'a claim cannot have details if no credential is recorded': { kept: mine, why: 'CredentialNotApplied' },
    'a claim cannot have details if another credential is recorded': {
      kept: mine,
      credential: { ...recorded, hmac: hmacOf('former', { key }, 'managed-uid') },
      why: 'CredentialNotApplied',
    },
    'a claim cannot have details that the external system does not use yet': {
      kept: mine,
      credential: { ...recorded, pending: true },
      why: 'CredentialNotApplied',
    },
    'a claim cannot have details if the Secret lacks the entry': {
      kept: { ...mine, details: {} },
      credential: recorded,
      why: 'CredentialNotApplied',
    },
    'a claim can have reported details that are for it': { kept: mine, details: reported, why: undefined },
    'a claim cannot have reported details that are for another claim': {
      kept: noted({ key, for: 'unknown' }),
      details: reported,
      why: 'CredentialOfAnotherClaim',
    },
    'a claim can have details that hold no secret': { details: {}, why: undefined },
  };
  for (const [name, { kept, credential, details = generated, why }] of Object.entries(rows)) {
    test(name, () => {
      const status = credential === undefined ? {} : { credential };
      const object = managed({ writeConnectionSecretToRef: to }, { status });
      assert.equal(whyNotUsable(object, kept, claimRef(), details), why);
    });
  }
});
