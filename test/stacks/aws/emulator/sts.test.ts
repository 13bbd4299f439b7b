import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { STS } from '@aws-sdk/client-sts';
import type { Account } from '../../../../stacks/aws/emulator/account.ts';
import { exampleAccount } from '../../../../stacks/aws/emulator/account.ts';
import type { LocalAwsOptions } from '../../../../stacks/aws/emulator/server.ts';
import { answerOf } from './answer-of.ts';

const other: Account = {
  id: '210987654321',
  accessKeyId: 'AKIAI44QH8DHBEXAMPLE',
  secretAccessKey: 'je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY',
};

/** The identity that the official client gets, or the error. */
const identity = (
  credentials: Pick<Account, 'accessKeyId' | 'secretAccessKey' | 'sessionToken'>,
  { region = 'eu-west-1', ...options }: LocalAwsOptions & { readonly region?: string } = {},
): Promise<unknown> =>
  answerOf(
    (config) => new STS({ ...config, region, credentials: { ...credentials } }),
    async (sts) => {
      const { Account: id, Arn } = await sts.getCallerIdentity({});
      return { id, Arn };
    },
    options,
  );

const userOf = ({ id }: Account) => ({ id, Arn: `arn:aws:iam::${id}:user/crossplane` });

describe('the official client of STS', () => {
  test('returns the account of each key', async () => {
    assert.deepEqual(await identity(exampleAccount), userOf(exampleAccount));
    assert.deepEqual(await identity(other, { accounts: [exampleAccount, other] }), userOf(other));
  });

  test('refuses an unknown key', async () => {
    assert.deepEqual(await identity(other), {
      name: 'InvalidClientTokenId',
      message: 'The security token included in the request is invalid.',
      status: 403,
    });
  });

  test('is refused with a wrong secret', async () => {
    const refusal = await identity({ ...exampleAccount, secretAccessKey: 'wrong' });
    assert.equal((refusal as { name: string }).name, 'SignatureDoesNotMatch');
  });

  test('is refused in an unknown region', async () => {
    assert.deepEqual(await identity(exampleAccount, { region: 'eu-nowhere-1' }), {
      name: 'SignatureDoesNotMatch',
      message: 'Credential should be scoped to a valid region.',
      status: 403,
    });
  });

  test('with temporary credentials needs their token', async () => {
    const temporary: Account = { ...exampleAccount, sessionToken: 'token' };
    const options: LocalAwsOptions = { accounts: [temporary] };
    assert.deepEqual(await identity(temporary, options), userOf(exampleAccount));
    const refusal = await identity(exampleAccount, options);
    assert.equal((refusal as { name: string }).name, 'SignatureDoesNotMatch');
  });

  test('is refused requests beyond the rate limit', async () => {
    const twice = await answerOf(
      (config) => new STS(config),
      async (sts) => {
        await sts.getCallerIdentity({});
        await sts.getCallerIdentity({});
      },
      { rateLimit: 1 },
    );
    assert.deepEqual(twice, { name: 'Throttling', message: 'Rate exceeded', status: 400 });
  });
});
