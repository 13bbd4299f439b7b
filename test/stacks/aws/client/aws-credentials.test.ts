import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseAwsCredentials } from '../../../../stacks/aws/client/aws-credentials.ts';

const key = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalr/+EXAMPLE=KEY' };
const lines = `aws_access_key_id = ${key.accessKeyId}\naws_secret_access_key = ${key.secretAccessKey}\n`;

describe('an access key is read from', () => {
  const texts: Readonly<Record<string, string>> = {
    'a credentials file': `[default]\n${lines}`,
    'one that begins with a comment, as Windows writes it': `# mine\n\n[default]\n${lines}`.replaceAll(
      '\n',
      '\r\n',
    ),
    'the default of several profiles': `[other]\naws_access_key_id = X\naws_secret_access_key = Y\n[default]\n${lines}`,
    'the only profile, whatever its name': `[profile ops]\nregion = eu-west-1\n${lines}`,
    'its lines alone': lines,
    'the output of the command line for a new access key': JSON.stringify({
      AccessKey: {
        UserName: 'ops',
        Status: 'Active',
        AccessKeyId: key.accessKeyId,
        SecretAccessKey: key.secretAccessKey,
      },
    }),
    'the output of a credential process': JSON.stringify({
      Version: 1,
      AccessKeyId: key.accessKeyId,
      SecretAccessKey: key.secretAccessKey,
    }),
  };
  for (const [what, text] of Object.entries(texts)) {
    test(what, () => assert.deepEqual(parseAwsCredentials(text), { accessKey: key }));
  }
  test('temporary credentials, with their token', () => {
    assert.deepEqual(parseAwsCredentials(`[default]\n${lines}aws_session_token = abc==\n`), {
      accessKey: { ...key, sessionToken: 'abc==' },
    });
  });
});

describe('a message names the fault of the credentials, and contains no value of them', () => {
  const wrong: Readonly<Record<string, string>> = {
    'are no profile: [default], aws_access_key_id = … and aws_secret_access_key = … are expected': 'hunter2',
    'have several profiles and none of them is [default]': `[a]\n${lines}[b]\n${lines}`,
    'have no aws_access_key_id': '[default]\naws_secret_access_key = hunter2\n',
    'have no aws_secret_access_key': '[default]\naws_access_key_id = hunter2\n',
    'have an aws_secret_access_key with invalid characters':
      '[default]\naws_access_key_id = a\naws_secret_access_key = hunter 2\n',
    'are neither a profile nor JSON': '{"AccessKeyId": hunter2',
  };
  for (const [what, text] of Object.entries(wrong)) {
    test(what, () => {
      assert.throws(() => parseAwsCredentials(text), {
        message: `the credentials ${what}`,
        code: 'InvalidCredentials',
      });
    });
  }
});
