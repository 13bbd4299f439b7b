import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CloudError } from '../../../../clients/cloud-error.ts';
import { HaltedError, isUncertain } from '../../../../clients/cloud-error.ts';
import { guarded, keepAliveConnections } from '../../../../clients/http.ts';
import { realClock } from '../../../../runtime/time/clock.ts';
import type { AwsClientOptions } from '../../../../stacks/aws/client/aws-client.ts';
import { awsClient } from '../../../../stacks/aws/client/aws-client.ts';
import { exampleAccount } from '../../../../stacks/aws/emulator/account.ts';
import type { Fault } from '../../../../stacks/aws/emulator/action-faults.ts';
import type { LocalAwsOptions } from '../../../../stacks/aws/emulator/server.ts';
import { startAws } from '../../../../stacks/aws/emulator/server.ts';

const { signal } = new AbortController();
const wrongKey = { ...exampleAccount, accessKeyId: 'AKIAI44QH8DHBEXAMPLE' };
const action = 'sts:GetCallerIdentity';

type Scene = LocalAwsOptions & {
  readonly client?: Partial<AwsClientOptions>;
  readonly faults?: readonly Fault[];
};

/** A client of the emulator at a URL, whose waits between attempts pass at once; deadlines do not. */
const clientAt = (
  url: string,
  { region = 'eu-west-1', ...options }: Partial<AwsClientOptions> & { readonly region?: string | null } = {},
) =>
  awsClient({
    accessKey: exampleAccount,
    clock: { ...realClock(), sleep: quick },
    random: () => 0,
    parameters: {
      ...(region !== null && { region }),
      endpoint: { url: { type: 'Static', static: url } },
    },
    ...options,
  });

/** The account that a client finds, and the number of its requests. */
async function accountOf({ client = {}, faults = [], ...options }: Scene = {}) {
  await using aws = await startAws(options);
  for (const fault of faults) aws.faults.inject({ action, ...fault });
  const made = clientAt(aws.url, client);
  const account = await made.account(undefined, signal).catch((error: CloudError) => ({
    message: error.message.replaceAll(aws.url, 'URL'),
    code: error.code,
    status: error.status,
    hasRequestId: error.requestId !== undefined,
  }));
  return { account, calls: aws.calls()[action] ?? 0 };
}

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
    const { account, calls } = await accountOf({ client: { accessKey: wrongKey } });
    assert.deepEqual(account, {
      message:
        'cannot find out the account of the credentials: AWS STS (eu-west-1, URL) refused (403 InvalidClientTokenId): The security token included in the request is invalid; check the access key in the credentials of the provider, and the region (spec.forProvider.region, or that of the provider): the account must have enabled it',
      code: 'InvalidClientTokenId',
      status: 403,
      hasRequestId: true,
    });
    assert.equal(calls, 1);
  });

  test('gives up on a rate limit that stays, and reports it', async () => {
    const limit = { kind: 'fail', code: 'Throttling', message: 'Rate exceeded', status: 400 } as const;
    assert.deepEqual(await accountOf({ faults: [{ ...limit, times: 9 }] }), {
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
    let requests = 0;
    const dispatcher = guarded(keepAliveConnections(), () => {
      requests += 1;
      throw halt;
    });
    const { account, calls } = await accountOf({ client: { dispatcher } });
    assert.deepEqual(account, { message: halt.message, code: 'Halted', status: 0, hasRequestId: false });
    assert.deepEqual([requests, calls], [1, 0]);
  });

  test('reports that there is no answer', async () => {
    const endpoint = { url: { type: 'Static', static: 'http://127.0.0.1:1' } } as const;
    const { account } = await accountOf({ client: { parameters: { region: 'eu-west-1', endpoint } } });
    assert.deepEqual(account, {
      message:
        'cannot find out the account of the credentials: AWS STS (eu-west-1, http://127.0.0.1:1) is unreachable: connection refused',
      code: 'Unreachable',
      status: 0,
      hasRequestId: false,
    });
  });

  test('reports a region that does not exist, because AWS has no address for it', async () => {
    const failure = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const aws = awsClient({
      accessKey: exampleAccount,
      clock: { ...realClock(), sleep: quick },
      random: () => 0,
      parameters: {},
      dispatcher: { request: () => Promise.reject(failure) },
    });
    await assert.rejects(aws.account('us-nowhere-1', signal), {
      message:
        'cannot find out the account of the credentials: AWS STS (us-nowhere-1) is unreachable: name not found; check spec.forProvider.region',
      isNowhere: true,
    });
  });

  const ours = '123456789012';
  type Home = readonly [
    named: string,
    account: string | undefined,
    requests: readonly string[],
    options?: Parameters<typeof clientAt>[1],
  ];
  const homes: Readonly<Record<string, Home>> = {
    'the region of the provider': ['mars-1', ours, ['eu-west-1'], { region: 'eu-west-1' }],
    'else one that every account has': ['mars-1', ours, ['us-east-1']],
    'in China first, where that is named': ['cn-mars-1', ours, ['cn-north-1', 'us-east-1']],
    'or for the government first': ['us-gov-mars-1', ours, ['us-gov-west-1', 'us-east-1']],
    'nowhere else where that is the region that is named': ['us-east-1', undefined, []],
    'nowhere with a wrong key': [
      'cn-mars-1',
      undefined,
      ['cn-north-1', 'us-east-1'],
      { accessKey: wrongKey },
    ],
  };
  for (const [what, [named, wanted, regions, options = {}]] of Object.entries(homes)) {
    test(`is at home in ${what}`, async () => {
      await using local = await startAws();
      const connections = keepAliveConnections();
      const requests: string[] = [];
      const aws = clientAt(local.url, {
        region: null,
        ...options,
        dispatcher: {
          request(request) {
            const [, region = ''] =
              /Credential=\w+\/\d+\/([^/]+)\//.exec(String(request.headers.authorization)) ?? [];
            requests.push(region);
            return connections.request(request);
          },
        },
      });
      const account = await aws.accountAtHome(named, signal);
      assert.deepEqual([account, requests], [wanted, regions]);
    });
  }

  test('does not ask again for an account that another region has reported', async () => {
    await using local = await startAws();
    const aws = clientAt(local.url, { region: null });
    const found = [await aws.accountAtHome('mars-1', signal), await aws.account('mars-1', signal)];
    assert.deepEqual([found, local.calls()[action]], [['123456789012', '123456789012'], 1]);
  });

  test('the check of credentials asks each time, also without a region and for a known account', async () => {
    await using local = await startAws();
    const aws = clientAt(local.url, { region: null });
    await aws.account(undefined, signal);
    await aws.checkCredentials(signal);
    assert.equal(local.calls()[action], 2);
    const wrong = clientAt(local.url, { region: null, accessKey: wrongKey });
    await assert.rejects(wrong.checkCredentials(signal), { errorClass: 'CredentialsRefused' });
  });

  describe('refused for a region that a resource names', () => {
    const invalidRegion = 'Credential should be scoped to a valid region';
    const checkKey =
      'check the access key in the credentials of the provider, and the region (spec.forProvider.region, or that of the provider): the account must have enabled it';
    const changeRegion =
      'the credentials work in another region: change spec.forProvider.region, or enable that region for the account';
    const invalidKey = `The security token included in the request is invalid; ${checkKey}`;
    interface Refusal {
      readonly accessKey?: AwsClientOptions['accessKey'];
      readonly signingRegion?: string;
      /** null: the provider names none. */
      readonly provider?: null;
      readonly fault?: Fault;
    }
    const validate = 'AWS was not able to validate';
    const refusals: Readonly<
      Record<string, readonly [region: string, code: string, advice: string, calls: number, given?: Refusal]>
    > = {
      'a region that the account does not have: the credentials work in another region': [
        'ap-east-1',
        'RegionRefused',
        `${invalidRegion}; ${changeRegion}`,
        2,
      ],
      'in the words that EC2 has for wrong credentials': [
        'eu-central-1',
        'RegionRefused',
        `${validate}; ${changeRegion}`,
        2,
        { fault: { kind: 'fail', code: 'AuthFailure', message: validate, status: 401 } },
      ],
      'a region of another part of AWS, where the provider names none': [
        'cn-mars-1',
        'RegionRefused',
        `${invalidRegion}; ${changeRegion}`,
        3,
        { provider: null },
      ],
      'with credentials that are good nowhere: they are wrong': [
        'eu-central-1',
        'InvalidClientTokenId',
        invalidKey,
        2,
        { accessKey: wrongKey },
      ],
      'that is the provider’s: no other region is asked': [
        'eu-west-1',
        'InvalidClientTokenId',
        invalidKey,
        1,
        { accessKey: wrongKey },
      ],
      'though requests are signed for another: that is to be changed': [
        'eu-central-1',
        'SignatureDoesNotMatch',
        `${invalidRegion}; change spec.endpoint.signingRegion of the provider, and ${checkKey}`,
        1,
        { signingRegion: 'one' },
      ],
    };
    for (const [what, [region, code, advice, calls, given = {}]] of Object.entries(refusals)) {
      test(what, async () => {
        const { accessKey = exampleAccount, signingRegion, provider, fault } = given;
        await using aws = await startAws();
        if (fault !== undefined) aws.faults.inject({ action, ...fault });
        const url = { type: 'Static', static: aws.url } as const;
        const made = clientAt(aws.url, {
          accessKey,
          parameters: {
            ...(provider !== null && { region: 'eu-west-1' }),
            endpoint: { url, ...(signingRegion !== undefined && { signingRegion }) },
          },
        });
        await assert.rejects(made.account(region, signal), (error: CloudError) => {
          const [, detail] = /refused \(\d+ \w+\): (.*)$/.exec(error.message) ?? [];
          assert.deepEqual([error.code, error.status, detail], [code, 403, advice]);
          return true;
        });
        assert.equal(aws.calls()[action], calls);
      });
    }
  });

  test('gives up on an attempt without an answer, and an aborted call ends at once', async () => {
    await using local = await startAws();
    const aws = clientAt(local.url, { maxAttempts: 1, timeoutMs: 50, clock: realClock() });
    local.faults.inject({ kind: 'hang', action, times: 2 });
    await assert.rejects(aws.account(undefined, signal), {
      code: 'TimedOut',
      message: /did not answer within 50 ms$/,
    });
    const aborting = new AbortController();
    const patient = clientAt(local.url, { maxAttempts: 1, timeoutMs: 60_000 });
    const call = patient.account(undefined, aborting.signal);
    setTimeout(() => aborting.abort(new Error('the run is over')), 20);
    await assert.rejects(call, { message: 'the run is over' });
  });
});

describe('a call that creates something, and has no token for it', () => {
  const creation = 'ec2:CreateVpc';
  /** How often it was sent, what was made, what it waited for, and how it ended. */
  async function made(fault: Fault, notYet?: RegExp) {
    await using local = await startAws();
    local.faults.inject({ action: creation, ...fault });
    const waits: number[] = [];
    const sleep: typeof quick = (delayMs, given) => {
      if (delayMs < 10_000) waits.push(delayMs);
      return quick(delayMs, given);
    };
    const aws = clientAt(local.url, { clock: { ...realClock(), sleep } });
    const ended = await aws
      .call(
        {
          service: 'ec2',
          what: 'create VPC',
          isRepeatable: false,
          ...(notYet && { notYet }),
          run: (ec2, http) => ec2.createVpc({ CidrBlock: '10.0.0.0/16' }, http),
        },
        signal,
      )
      .then(
        () => 'made',
        (error: CloudError) => error.code,
      );
    const vpcs = local.collections('ec2/vpc').flatMap(([, collection]) => collection.all());
    return { ended, sent: local.calls()[creation], vpcs: vpcs.length, waits };
  }

  const throttled: Fault = { kind: 'fail', code: 'RequestLimitExceeded', status: 503 };
  const early: Fault = { kind: 'fail', code: 'InvalidVpcID.NotFound', status: 400 };
  const rows: Readonly<
    Record<
      string,
      { fault: Fault; notYet?: RegExp; ended: string; sent: number; vpcs: number; waits: readonly number[] }
    >
  > = {
    'is not repeated after a lost answer': {
      fault: { kind: 'loseResponse' },
      ended: 'ConnectionLost',
      sent: 1,
      vpcs: 1,
      waits: [],
    },
    'is not repeated after an error of the service': {
      fault: { kind: 'fail' },
      ended: 'InternalError',
      sent: 1,
      vpcs: 0,
      waits: [],
    },
    'is repeated where AWS limits requests, later and later': {
      fault: { ...throttled, times: 3 },
      ended: 'made',
      sent: 4,
      vpcs: 1,
      waits: [500, 1_000, 2_000],
    },
    'is repeated four times at most': {
      fault: { ...throttled, times: 9 },
      ended: 'RequestLimitExceeded',
      sent: 4,
      vpcs: 0,
      waits: [500, 1_000, 2_000],
    },
    'is not repeated where AWS asks for a long wait': {
      fault: { ...throttled, retryAfter: 60 },
      ended: 'RequestLimitExceeded',
      sent: 1,
      vpcs: 0,
      waits: [],
    },
    'is repeated where something does not show yet, and is expected to': {
      fault: early,
      notYet: /^InvalidVpcID\.NotFound$/,
      ended: 'made',
      sent: 2,
      vpcs: 1,
      waits: [500],
    },
    'is not repeated where that is not expected': {
      fault: early,
      ended: 'InvalidVpcID.NotFound',
      sent: 1,
      vpcs: 0,
      waits: [],
    },
  };
  for (const [name, { fault, notYet, ...want }] of Object.entries(rows)) {
    test(name, async () => assert.deepEqual(await made(fault, notYet), want));
  }
});

test('a call that the process keeps back is uncertain if it repeats one that may have been carried out', async () => {
  await using local = await startAws();
  local.faults.inject({ action, kind: 'loseResponse' });
  let left = 1;
  const dispatcher = guarded(keepAliveConnections(), () => {
    if (left === 0) throw new Error('another process may lead');
    left -= 1;
  });
  const aws = clientAt(local.url, { dispatcher });
  await assert.rejects(
    aws.account(undefined, signal),
    (error) => error instanceof HaltedError && isUncertain(error),
  );
});
