import type { HelpRequested } from '../../../package/testing.ts';
import {
  BadFlag,
  emulatorFlags,
  emulatorOptions,
  numberFlag,
  readCommandLine,
  wordFlag,
} from '../../../package/testing.ts';
import type { Account } from './account.ts';
import { exampleAccount } from './account.ts';
import type { QuotaName } from './quotas.ts';
import { defaultQuotas } from './quotas.ts';
import type { LocalAwsOptions } from './server.ts';
import { actionsOf, allServices, patternsOf } from './services.ts';

const defaultPort = 18_090;
const quotaNames = Object.keys(defaultQuotas) as QuotaName[];

const usage = `flags:
  --port N                     where to listen; 0 takes a free one (${defaultPort})
  --account ID:KEY:SECRET      an account and its access key; may be repeated (${exampleAccount.id}:${exampleAccount.accessKeyId}:…)
  --deny KEY=ACTION            an action that an access key's policies do not allow, as ec2:CreateVpc; may be repeated
  --quota NAME=N               how many there may be of ${quotaNames.join(', ')}, as vpc=5; may be repeated
  --data FILE                  the file that keeps the inventory when the process ends (none)
  --provisioning-time 2s       how long creation takes (2s)
  --deletion-time 1s           how long deletion takes (1s)
  --read-delay 500ms           how long reads lag behind writes (0)
  --fail-rate 0.1              share of requests that fail, 0 to 1 (0)
  --rate-limit N               requests per second and account before it limits them (none)
  --no-databases               nothing is behind DB instances`;

/** A parsed command line. */
export interface Serve {
  readonly options: LocalAwsOptions;
  /** Whether a real database is behind each DB instance. */
  readonly hasDatabases: boolean;
}

/** Parses a command line. A text is the error, and names the flag. */
export const parseCommandLine = (args: readonly string[]): Serve | HelpRequested | string =>
  readCommandLine(args, {
    usage,
    config: {
      allowNegative: true,
      options: {
        ...emulatorFlags,
        account: { type: 'string', multiple: true, default: [] },
        deny: { type: 'string', multiple: true, default: [] },
        quota: { type: 'string', multiple: true, default: [] },
        databases: { type: 'boolean', default: true },
      },
    },
    read({ values }): Serve {
      const [first = exampleAccount, ...others] = values.account.map(account);
      const denied = values.deny.map((text) => pair('--deny', text, 'KEY=ACTION'));
      const known = patternsOf(actionsOf(allServices()));
      for (const [key, action] of denied) {
        if (![first, ...others].some(({ accessKeyId }) => accessKeyId === key)) {
          throw new BadFlag(`--deny: no --account has the access key "${key}"`);
        }
        wordFlag('--deny', action, sameService(known, action));
      }
      const withDenied = (one: Account): Account => ({
        ...one,
        denied: denied.flatMap(([key, action]) => (key === one.accessKeyId ? [action] : [])),
      });
      return {
        hasDatabases: values.databases,
        options: {
          ...emulatorOptions(values, { defaultPort }),
          accounts: [withDenied(first), ...others.map(withDenied)],
          quotas: Object.fromEntries(
            values.quota.map((text) => {
              const [name, count] = pair('--quota', text, 'NAME=N');
              return [
                wordFlag('--quota', name, quotaNames),
                numberFlag('--quota', count, { max: 1_000_000 }),
              ];
            }),
          ),
        },
      };
    },
  });

/** No part of it is repeated in a message: the last is a secret. */
function account(text: string): Account {
  const [, id, accessKeyId, secretAccessKey] = /^(\d{12}):(\w{16,128}):(\S{8,128})$/.exec(text) ?? [];
  if (id === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    throw new BadFlag(
      '--account: is none of the form ID:KEY:SECRET, of 12 digits, 16 to 128 letters and digits, and 8 to 128 characters',
    );
  }
  return { id, accessKeyId, secretAccessKey };
}

function pair(flag: string, text: string, form: string): readonly [string, string] {
  const [, name, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new BadFlag(`${flag}: "${text}" is none of the form ${form}`);
  return [name, value];
}

/** The actions of the service that one names, or, where there is no such service, what stands for all of each. */
function sameService(known: readonly string[], action: string): readonly string[] {
  const own = known.filter((one) => one.startsWith(`${action.split(':')[0]}:`));
  return own.length > 0 ? own : known.filter((one) => one.endsWith(':*'));
}
