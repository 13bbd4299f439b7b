import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HeldCredentials } from '../../../controllers/provider/credential-sources.ts';
import { noteSecretTexts, secretTextsOf } from '../../../controllers/provider/secret-texts.ts';
import { providerConfig } from '../external-fake.ts';

const server = { endpoint: 'db.example', username: 'admin', password: 'hunter2', port: '5432' };
const account = {
  project_id: 'shop-1',
  private_key: 'MIIE-hunter2',
  token_uri: 'https://oauth.example/token',
  client_email: 'shop@example.com',
};

/** Entries of a Secret, the key that the provider names, and the secret texts. */
const rows: Readonly<
  Record<string, readonly [data: Readonly<Record<string, string>>, key: string, secrets: readonly string[]]>
> = {
  'a text is secret as a whole': [{ token: 'hunter2' }, 'token', ['hunter2']],
  'a text under any other key is secret, too': [{ value: 'hunter2' }, 'value', ['hunter2']],
  'the host is no secret, although the provider names its entry': [server, 'endpoint', ['hunter2']],
  'the password is secret, whatever entry the provider names': [server, 'username', ['hunter2']],
  'of JSON, fields with a secret name are secret, and no URL': [
    { 'key.json': JSON.stringify(account) },
    'key.json',
    [JSON.stringify(account), 'MIIE-hunter2'],
  ],
  'a password in a URL is secret': [{ url: 'db://admin:hunter2@db.example/a' }, 'url', ['hunter2']],
  'a field of lines with names is secret': [
    { config: 'user = admin\npassword = hunter2' },
    'config',
    ['user = admin\npassword = hunter2', 'hunter2'],
  ],
};

describe('the secret texts of a provider', () => {
  for (const [rule, [data, key, want]] of Object.entries(rows)) {
    test(rule, () => {
      const provider = providerConfig('default', { source: 'Secret' });
      const credentials: HeldCredentials = {
        source: 'Secret',
        text: data[key] ?? '',
        entries: () => data,
        origin: 'secret infra/cloud',
        key,
      };
      noteSecretTexts(provider, credentials);
      assert.deepEqual(secretTextsOf(provider).toSorted(), want.toSorted());
    });
  }
});
