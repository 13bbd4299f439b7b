import assert from 'node:assert/strict';
import type { KeyPairKeyObjectResult } from 'node:crypto';
import { generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import { parseServiceAccountKey, secretsOf } from '../../../../stacks/gcp/client/service-account-key.ts';

const pem = ({ privateKey }: KeyPairKeyObjectResult): string =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const rsa = pem(generateKeyPairSync('rsa', { modulusLength: 2048 }));
const ed25519 = pem(generateKeyPairSync('ed25519'));

const file = {
  type: 'service_account',
  project_id: 'a-project',
  private_key_id: 'abc',
  private_key: rsa,
  client_email: 'robot@a-project.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.googleapis.com/token',
  universe_domain: 'googleapis.com',
};

const fileWith = (fields: object): string => JSON.stringify({ ...file, ...fields });

describe('the key of a service account', () => {
  const whole = {
    clientEmail: file.client_email,
    privateKey: rsa.trim(),
    privateKeyId: 'abc',
    tokenUri: 'https://oauth2.googleapis.com/token',
    universeDomain: 'googleapis.com',
  };
  const cases: Record<string, readonly [given: object, want: object]> = {
    'as Google hands it out': [{}, whole],
    'without what goes without saying': [
      { type: undefined, token_uri: undefined, universe_domain: undefined },
      whole,
    ],
    'of another token endpoint, and another cloud': [
      { token_uri: 'http://127.0.0.1:8080/token/', universe_domain: 'example.org' },
      { ...whole, tokenUri: 'http://127.0.0.1:8080/token', universeDomain: 'example.org' },
    ],
    'of an emulator, with the address of its APIs': [
      { endpoint: 'http://127.0.0.1:8080/' },
      { ...whole, endpoint: 'http://127.0.0.1:8080' },
    ],
  };
  for (const [name, [given, want]] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(parseServiceAccountKey(fileWith(given)), want));
  }

  const refused: Record<string, readonly [text: string, why: RegExp]> = {
    'that is no JSON': ['robot', /are not JSON/],
    'that is a list': ['[]', /are not a JSON object/],
    'of a person': [fileWith({ type: 'authorized_user' }), /service_account/],
    'without an address': [fileWith({ client_email: undefined }), /no client_email/],
    'without the key itself': [fileWith({ private_key: undefined }), /no private_key/],
    'with a key that is none': [fileWith({ private_key: 'hush' }), /cannot be read/],
    'with a key of another kind': [fileWith({ private_key: ed25519 }), /not for RSA/],
    'with an address of something else': [
      fileWith({ token_uri: 'file:///etc/passwd' }),
      /token_uri of neither http nor https/,
    ],
    'with a user in an address': [fileWith({ token_uri: 'https://user:hush@x.test/' }), /with a user/],
    'with a number for a text': [fileWith({ client_email: 5 }), /no text/],
  };
  for (const [name, [text, why]] of Object.entries(refused)) {
    test(`${name} is refused, without being repeated`, () => {
      assert.throws(
        () => parseServiceAccountKey(text),
        (error: Error) =>
          error.message.startsWith('the credentials ') &&
          why.test(error.message) &&
          !error.message.includes('hush') &&
          !error.message.includes('passwd'),
      );
    });
  }
});

test('no line of the key may be in a message', () => {
  const secrets = secretsOf({ privateKey: rsa });
  const lines = rsa.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));
  assert.ok(lines.length > 10);
  for (const line of lines) assert.ok(secrets.includes(line));
});
