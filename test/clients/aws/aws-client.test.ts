import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AwsClientOptions } from '../../../clients/aws/aws-client.ts';
import { awsClient } from '../../../clients/aws/aws-client.ts';
import type { CloudError } from '../../../clients/cloud-error.ts';
import { guarded, keptConnections } from '../../../clients/http.ts';
import { exampleAccount } from '../../../local/aws/account.ts';
import type { Fault } from '../../../local/aws/action-faults.ts';
import type { LocalAwsOptions } from '../../../local/aws/server.ts';
import { startAws } from '../../../local/aws/server.ts';
import { realClock } from '../../../runtime/time/clock.ts';

const { signal } = new AbortController();
const action = 'sts:GetCallerIdentity';

type Scene = LocalAwsOptions & {
  readonly client?: Partial<AwsClientOptions>;
  readonly faults?: readonly Fault[];
};

/** What a client finds out about its account, and how often it asked. */
async function accountOf({ client = {}, faults = [], ...options }: Scene = {}) {
  await using aws = await startAws(options);
  for (const fault of faults) aws.faults.inject({ action, ...fault });
  const made = awsClient({
    ...{ accessKey: exampleAccount, clock: { ...realClock(), sleep: quick }, random: () => 0 },
    parameters: { region: 'eu-west-1', endpoint: { url: { type: 'Static', static: aws.url } } },
    ...client,
  });
  const account = await made.account(undefined, signal).catch((error: CloudError) => ({
    ...{ message: error.message.replaceAll(aws.url, 'URL'), code: error.code, status: error.status },
    hasRequestId: error.requestId !== undefined,
  }));
  return { account, calls: aws.calls()[action] ?? 0 };
}

/** Waits between attempts pass at once; deadlines do not. */
const quick: AwsClientOptions['clock']['sleep'] = (delayMs, given) =>
  delayMs < 5_000 ? Promise.resolve() : realClock().sleep(delayMs, given);

describe('a client of AWS', () => {
  test('knows its account', async () => {
    assert.deepEqual(await accountOf(), { account: '123456789012', calls: 1 });
  });

  const passing: readonly (readonly [string, Fault])[] = [
    ['an error of the service', { kind: 'fail', status: 500, times: 2 }],
    ['a lost connection', { kind: 'cut' }],
    ['a lost answer', { kind: 'loseResponse' }],
    ['a gateway', { kind: 'gateway', status: 502 }],
    ['a limit of requests', { kind: 'fail', code: 'Throttling', message: 'Rate exceeded', status: 400 }],
  ];
  for (const [what, fault] of passing) {
    test(`tries again after ${what}`, async () => {
      const { account, calls } = await accountOf({ faults: [fault] });
      assert.deepEqual({ account, calls }, { account: '123456789012', calls: 1 + (fault.times ?? 1) });
    });
  }

  test('says in one sentence what is wrong with a key, and what to do', async () => {
    const { account, calls } = await accountOf({
      client: { accessKey: { ...exampleAccount, accessKeyId: 'AKIAI44QH8DHBEXAMPLE' } },
    });
    assert.deepEqual(account, {
      message:
        'cannot find out the account of the credentials: AWS STS (eu-west-1, URL) refused (403 InvalidClientTokenId): The security token included in the request is invalid; check the access key that the credentials of the provider hold, and the region (spec.forProvider.region, or that of the provider): its account must have it',
      code: 'InvalidClientTokenId',
      status: 403,
      hasRequestId: true,
    });
    assert.equal(calls, 1);
  });

  test('gives up on a limit that stays, and says so', async () => {
    const fault: Fault = {
      kind: 'fail',
      code: 'Throttling',
      message: 'Rate exceeded',
      status: 400,
      times: 9,
    };
    assert.deepEqual(await accountOf({ faults: [fault] }), {
      account: {
        message:
          'cannot find out the account of the credentials: AWS STS (eu-west-1, URL) is limiting requests (400 Throttling): Rate exceeded',
        code: 'Throttling',
        status: 400,
        hasRequestId: true,
      },
      calls: 4,
    });
  });

  test('passes on that the process keeps requests back, and does not try again', async () => {
    const halt = new Error('another process may lead');
    let asked = 0;
    const dispatcher = guarded(keptConnections(), () => {
      asked += 1;
      throw halt;
    });
    const { account, calls } = await accountOf({ client: { dispatcher } });
    assert.deepEqual(account, { message: halt.message, code: 'Halted', status: 0, hasRequestId: false });
    assert.deepEqual([asked, calls], [1, 0]);
  });

  test('says that nobody answers', async () => {
    const { account } = await accountOf({
      client: {
        parameters: {
          region: 'eu-west-1',
          endpoint: { url: { type: 'Static', static: 'http://127.0.0.1:1' } },
        },
      },
    });
    assert.deepEqual(account, {
      message:
        'cannot find out the account of the credentials: AWS STS (eu-west-1, http://127.0.0.1:1) is unreachable: connection refused',
      code: 'Unreachable',
      status: 0,
      hasRequestId: false,
    });
  });

  test('of a region that there is not says so, for AWS has no address for it', async () => {
    const failure = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const aws = awsClient({
      ...{
        accessKey: exampleAccount,
        clock: { ...realClock(), sleep: quick },
        random: () => 0,
        parameters: {},
      },
      dispatcher: { request: () => Promise.reject(failure) },
    });
    await assert.rejects(aws.account('us-nowhere-1', signal), {
      message:
        'cannot find out the account of the credentials: AWS STS (us-nowhere-1) is unreachable: name not found; check spec.forProvider.region',
    });
  });

  test('gives up on an attempt that nobody answers, and an aborted call ends at once', async () => {
    await using local = await startAws();
    const parameters = {
      region: 'eu-west-1',
      endpoint: { url: { type: 'Static', static: local.url } },
    } as const;
    const options = {
      ...{ accessKey: exampleAccount, parameters, random: () => 0 },
      maxAttempts: 1,
      timeoutMs: 50,
    };
    const aws = awsClient({ ...options, clock: realClock() });
    local.faults.inject({ kind: 'hang', action, times: 2 });
    await assert.rejects(aws.account(undefined, signal), {
      code: 'TimedOut',
      message: /did not answer within 50 ms$/,
    });
    const aborting = new AbortController();
    const call = awsClient({ ...options, timeoutMs: 60_000, clock: realClock() }).account(
      undefined,
      aborting.signal,
    );
    setTimeout(() => aborting.abort(new Error('the run is over')), 20);
    await assert.rejects(call, { message: 'the run is over' });
  });
});
