import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exampleAccount } from '../../../emulators/aws/account.ts';
import { parseCommandLine } from '../../../emulators/aws/command-line.ts';

const red = '111122223333:AKIAREDREDREDRED0001:secret-of-red';
const blue = '444455556666:AKIABLUEBLUEBLUE0002:secret/of+blue';
const byDefault = {
  port: 18090,
  accounts: [{ ...exampleAccount, denied: [] }],
  quotas: {},
  provisioningMs: 2_000,
  deletionMs: 1_000,
  readDelayMs: 0,
  failRate: 0,
};

describe('the command line of the local AWS', () => {
  const account = (id: string, accessKeyId: string, secretAccessKey: string, denied: readonly string[]) => ({
    id,
    accessKeyId,
    secretAccessKey,
    denied,
  });
  const good: Readonly<Record<string, object>> = {
    '': {},
    '--port 0 --provisioning-time 10s --deletion-time 0 --read-delay 500ms': {
      ...{ port: 0, provisioningMs: 10_000, deletionMs: 0, readDelayMs: 500 },
    },
    '--fail-rate 0.1 --rate-limit 20 --data aws.json --quota vpc=2 --quota instance=0': {
      ...{ failRate: 0.1, rateLimit: 20, dataFile: 'aws.json', quotas: { vpc: 2, instance: 0 } },
    },
    [`--account ${red} --account ${blue} --deny AKIABLUEBLUEBLUE0002=ec2:*`]: {
      accounts: [
        account('111122223333', 'AKIAREDREDREDRED0001', 'secret-of-red', []),
        account('444455556666', 'AKIABLUEBLUEBLUE0002', 'secret/of+blue', ['ec2:*']),
      ],
    },
  };
  for (const [line, expected] of Object.entries(good)) {
    test(line || 'none', () =>
      assert.deepEqual(parseCommandLine(line.split(' ').filter(Boolean)), {
        options: { ...byDefault, ...expected },
        hasDatabases: true,
      }),
    );
  }

  test('--no-databases starts no databases', () => {
    assert.deepEqual(parseCommandLine(['--no-databases']), { options: byDefault, hasDatabases: false });
  });

  const bad: readonly (readonly [readonly string[], string])[] = [
    [['--port', 'x'], '--port: "x" is no number from 0 to 65535'],
    [['--data', ''], '--data: must name a file'],
    [['--deletion-time', 'soon'], '--deletion-time: "soon" is no duration as 500ms, 2s or 1m'],
    [['--fail-rate', '2'], '--fail-rate: "2" is no share from 0 to 1'],
    [['--quota', 'vpc'], '--quota: "vpc" is none of the form NAME=N'],
    [['--quota', 'bogus=1'], '--quota: "bogus" is none of vpc, subnet, instance, db-instance, nodegroup'],
    [['--quota', 'vpc=-1'], '--quota: "-1" is no number from 0 to 1000000'],
    [
      ['--deny', `${exampleAccount.accessKeyId}=sts:NoSuchThing`],
      '--deny: "sts:NoSuchThing" is none of sts:*, sts:GetCallerIdentity',
    ],
    [
      ['--deny', `${exampleAccount.accessKeyId}=s3:*`],
      '--deny: "s3:*" is none of sts:*, ec2:*, sqs:*, eks:*, rds:*',
    ],
    [['--read-delay', '99999999999999h'], '--read-delay: "99999999999999h" is more than 24h'],
    [['--deny', 'AKIA=ec2:*'], '--deny: no --account has the access key "AKIA"'],
    [
      ['--account', '1:KEY:hunter2'],
      '--account: is none of the form ID:KEY:SECRET, of 12 digits, 16 to 128 letters and digits, and 8 to 128 characters',
    ],
    [['--bogus'], "Unknown option '--bogus'"],
  ];
  for (const [args, message] of bad) {
    test(`${args.join(' ')} is an error that names the flag`, () => {
      const reported = parseCommandLine(args);
      assert.equal(typeof reported, 'string');
      assert.equal(String(reported).split('\n')[0], message);
      assert.match(String(reported), /--account ID:KEY:SECRET/);
    });
  }
});
