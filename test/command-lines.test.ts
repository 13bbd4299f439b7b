import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exampleAccount } from '../stacks/aws/emulator/account.ts';
import { parseCommandLine as aws } from '../stacks/aws/emulator/command-line.ts';
import { parseCommandLine as gcp } from '../stacks/gcp/emulator/command-line.ts';
import { parseCommandLine as favouriteCloud } from '../testing/favourite-cloud/command-line.ts';

interface Command {
  readonly parse: (args: readonly string[]) => unknown;
  /** The options without flags. */
  readonly byDefault: object;
  /** By command line, the differences from that. */
  readonly accepted: Readonly<Record<string, object>>;
  /** Command lines with their errors; absent: the first flag is named. */
  readonly refused: readonly (string | readonly [line: string, error: string | RegExp])[];
}

const account = (
  id: string,
  accessKeyId: string,
  secretAccessKey: string,
  denied: readonly string[] = [],
) => ({
  id,
  accessKeyId,
  secretAccessKey,
  denied,
});
const { accessKeyId: exampleKey } = exampleAccount;
const delays = { provisioningMs: 2_000, deletionMs: 1_000, readDelayMs: 0, failRate: 0 };
const awsOptions = {
  port: 18090,
  accounts: [{ ...exampleAccount, denied: [] }],
  quotas: {},
  ...delays,
};
const gcpOptions = {
  port: 18085,
  updateMs: 1_000,
  tokenLifetimeMs: 3_600_000,
  quotas: {},
  disabled: [],
  ...delays,
};
const awsLine = (options: object) => ({ options: { ...awsOptions, ...options } });

const commands: Readonly<Record<string, Command>> = {
  'the emulator of AWS': {
    parse: aws,
    byDefault: { options: awsOptions, hasDatabases: true },
    accepted: {
      '--no-databases': { hasDatabases: false },
      '--port 0 --provisioning-time 10s --deletion-time 0 --read-delay 500ms': awsLine({
        port: 0,
        provisioningMs: 10_000,
        deletionMs: 0,
        readDelayMs: 500,
      }),
      '--fail-rate 0.1 --rate-limit 20 --data aws.json --quota vpc=2 --quota instance=0': awsLine({
        failRate: 0.1,
        rateLimit: 20,
        dataFile: 'aws.json',
        quotas: { vpc: 2, instance: 0 },
      }),
      '--account 111122223333:AKIAREDREDREDRED0001:secret-of-red --account 444455556666:AKIABLUEBLUEBLUE0002:secret/of+blue --deny AKIABLUEBLUEBLUE0002=ec2:*':
        awsLine({
          accounts: [
            account('111122223333', 'AKIAREDREDREDRED0001', 'secret-of-red'),
            account('444455556666', 'AKIABLUEBLUEBLUE0002', 'secret/of+blue', ['ec2:*']),
          ],
        }),
    },
    refused: [
      ['--port x', '--port: "x" is no number from 0 to 65535'],
      ['--data ', '--data: must name a file'],
      ['--deletion-time soon', '--deletion-time: "soon" is no duration as 500ms, 2s or 1m'],
      ['--fail-rate 2', '--fail-rate: "2" is no share from 0 to 1'],
      ['--quota vpc', '--quota: "vpc" is none of the form NAME=N'],
      ['--quota bogus=1', '--quota: "bogus" is none of vpc, subnet, instance, db-instance, nodegroup'],
      ['--quota vpc=-1', '--quota: "-1" is no number from 0 to 1000000'],
      [
        `--deny ${exampleKey}=sts:NoSuchThing`,
        '--deny: "sts:NoSuchThing" is none of sts:*, sts:GetCallerIdentity',
      ],
      [`--deny ${exampleKey}=s3:*`, '--deny: "s3:*" is none of sts:*, ec2:*, sqs:*, eks:*, rds:*'],
      ['--read-delay 99999999999999h', '--read-delay: "99999999999999h" is more than 24h'],
      ['--deny AKIA=ec2:*', '--deny: no --account has the access key "AKIA"'],
      [
        '--account 1:KEY:hunter2',
        '--account: is none of the form ID:KEY:SECRET, of 12 digits, 16 to 128 letters and digits, and 8 to 128 characters',
      ],
      ['--bogus', "Unknown option '--bogus'"],
    ],
  },
  'the emulator of Favourite Cloud': {
    parse: favouriteCloud,
    byDefault: { ...delays, flavour: 'favourite', port: 18080 },
    accepted: {
      '--flavour other': { flavour: 'other', port: 18081 },
      '--port 0 --token t --data held.json --provisioning-time 1m30s --deletion-time 0': {
        port: 0,
        token: 't',
        dataFile: 'held.json',
        provisioningMs: 90_000,
        deletionMs: 0,
      },
      '--read-delay 250ms --fail-rate .5 --rate-limit 9': { readDelayMs: 250, failRate: 0.5, rateLimit: 9 },
    },
    refused: [
      '--bogus',
      '--port 70000',
      '--port x',
      '--port',
      '--token ',
      '--data ',
      '--provisioning-time 2',
      '--deletion-time soon',
      '--read-delay -1s',
      '--fail-rate 1.5',
      '--rate-limit 0',
      '--flavour sweet',
    ],
  },
  'the emulator of Google Cloud': {
    parse: gcp,
    byDefault: { act: 'serve', hasRedis: true, options: gcpOptions },
    accepted: {
      '--port 0 --data held.json --key-file key.json --provisioning-time 1m30s --update-time 5s --deletion-time 0 --read-delay 250ms --no-redis':
        {
          hasRedis: false,
          keyFile: 'key.json',
          options: {
            ...gcpOptions,
            port: 0,
            dataFile: 'held.json',
            provisioningMs: 90_000,
            updateMs: 5_000,
            deletionMs: 0,
            readDelayMs: 250,
          },
        },
      '--token-lifetime 1m --fail-rate .5 --rate-limit 9 --quota-instances 3 --quota-gb 16 --disable redis.googleapis.com --disable pubsub.googleapis.com':
        {
          options: {
            ...gcpOptions,
            tokenLifetimeMs: 60_000,
            failRate: 0.5,
            rateLimit: 9,
            quotas: { instances: 3, memoryGb: 16 },
            disabled: ['redis.googleapis.com', 'pubsub.googleapis.com'],
          },
        },
    },
    refused: [
      ['--bogus', "Unknown option '--bogus'"],
      ['serve', /^Unexpected argument 'serve'/],
      '--port 70000',
      '--provisioning-time 2',
      '--update-time soon',
      '--token-lifetime -1s',
      '--fail-rate 1.5',
      '--rate-limit 0',
      '--quota-gb many',
      ['--data ', '--data: must name a file'],
      ['--key-file ', '--key-file: must name a file'],
      ['--disable compute.googleapis.com', /^--disable: "compute/],
      ['key a b', /^key: takes one file/],
      ['key --url here', /^--url: "here"/],
      ['--token-lifetime 0', /^--token-lifetime: "0" is less than 1000ms/],
      ['--token-lifetime 25h', /^--token-lifetime: "25h" is more than 24h/],
      ['--quota-gb -1', /^--quota-gb: "-1" is no number from 0 to 1000000/],
      ['key --role roles/god', /^--role: "roles\/god" is none of /],
      ['key --name X', /^--name: "X" is no name of a service account/],
    ],
  },
};

for (const [name, { parse, byDefault, accepted, refused }] of Object.entries(commands)) {
  describe(`the flags of ${name}`, () => {
    for (const [line, parsed] of Object.entries({ '': {}, ...accepted })) {
      test(`${line || 'no flag'} is accepted`, () =>
        assert.deepEqual(parse(line === '' ? [] : line.split(' ')), { ...byDefault, ...parsed }));
    }
    for (const each of refused) {
      const [line, error] = typeof each === 'string' ? [each, new RegExp(/^[^ =]+/.exec(each)![0])] : each;
      test(`${line} is refused by name`, () => {
        const [found = ''] = String(parse(line.split(' '))).split('\n');
        if (typeof error === 'string') assert.equal(found, error);
        else assert.match(found, error);
      });
    }
  });
}

test('the command key of the emulator of Google Cloud gets a key', () => {
  const url = 'http://127.0.0.1:18085';
  assert.deepEqual(gcp(['key']), { act: 'key', url, account: {} });
  const line =
    'key out.json --url http://127.0.0.1:1/ --project some-project --name somebody --role roles/viewer --role roles/redis.viewer';
  assert.deepEqual(gcp(line.split(' ')), {
    act: 'key',
    file: 'out.json',
    url: 'http://127.0.0.1:1',
    account: { project: 'some-project', name: 'somebody', roles: ['roles/viewer', 'roles/redis.viewer'] },
  });
});
