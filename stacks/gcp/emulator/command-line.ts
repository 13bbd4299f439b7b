import type { HelpRequested } from '../../../package/testing.ts';
import {
  BadFlag,
  durationFlag,
  emulatorFlags,
  emulatorOptions,
  fileFlag,
  numberFlag,
  readCommandLine,
  wordFlag,
} from '../../../package/testing.ts';
import { newAccount } from './control.ts';
import type { LocalGoogleCloudOptions } from './server.ts';
import type { NewAccount } from './service-accounts.ts';

const defaultPort = 18085;
const apis = ['redis.googleapis.com', 'pubsub.googleapis.com'];

const usage = `flags:
  --port N                    where to listen; 0 takes a free one (${defaultPort})
  --data FILE                 the file that keeps the inventory when the process ends (none)
  --key-file FILE             a service account's key that is accepted; created if there is no file (none)
  --provisioning-time 2s      how long an instance is CREATING (2s)
  --update-time 1s            how long it is UPDATING (1s)
  --deletion-time 1s          how long it is DELETING (1s)
  --read-delay 500ms          how long reads lag behind writes (0)
  --token-lifetime 1h         how long an access token is good for (1h)
  --fail-rate 0.1             share of requests that fail, 0 to 1 (0)
  --rate-limit N              requests per second before 429 (none)
  --quota-instances N         instances of Memorystore in a project and region (none)
  --quota-gb N                gigabytes of Memorystore in a project and region (none)
  --disable API               an API that is not enabled, such as ${apis[0]}; may be repeated
  --no-redis                  instances have no real Redis

key [FILE]                    gets a service account's key from the running emulator (to standard output)
  --url URL                   the URL of the emulator (http://127.0.0.1:${defaultPort})
  --project ID                the project of the account and its roles (example-project)
  --name NAME                 the part of its address before the @ (crossplane)
  --role ROLE                 a role of the account; may be repeated (roles/redis.admin and roles/pubsub.admin)`;

/** Serve, with these options. */
export interface Serve {
  readonly act: 'serve';
  readonly options: LocalGoogleCloudOptions;
  /** The file of a key that the emulator accepts. Created if there is none. */
  readonly keyFile?: string;
  /** Whether a real Redis is behind each instance. */
  readonly hasRedis: boolean;
}

/** Get a key from the running emulator. */
export interface GetKey {
  readonly act: 'key';
  /** The file to write. Default: standard output. */
  readonly file?: string;
  readonly url: string;
  readonly account: NewAccount;
}

/** Parses a command line. A text is the error, and names the flag. */
export const parseCommandLine = (args: readonly string[]): Serve | GetKey | HelpRequested | string =>
  args[0] === 'key' ? parseKey(args.slice(1)) : parseServe(args);

const parseServe = (args: readonly string[]): Serve | HelpRequested | string =>
  readCommandLine(args, {
    usage,
    config: {
      allowNegative: true,
      options: {
        ...emulatorFlags,
        'key-file': { type: 'string' },
        'update-time': { type: 'string', default: '1s' },
        'token-lifetime': { type: 'string', default: '1h' },
        'quota-instances': { type: 'string' },
        'quota-gb': { type: 'string' },
        disable: { type: 'string', multiple: true, default: [] },
        redis: { type: 'boolean', default: true },
      },
    },
    read({ values }): Serve {
      const { disable, redis, 'key-file': keyFile } = values;
      const count = (flag: 'quota-instances' | 'quota-gb'): number | undefined => {
        const text = values[flag];
        return text === undefined ? undefined : numberFlag(`--${flag}`, text, { max: 1_000_000 });
      };
      const [instances, memoryGb] = [count('quota-instances'), count('quota-gb')];
      return {
        act: 'serve',
        hasRedis: redis,
        ...(keyFile !== undefined && { keyFile: fileFlag('--key-file', keyFile) }),
        options: {
          ...emulatorOptions(values, { defaultPort }),
          updateMs: durationFlag('--update-time', values['update-time']),
          tokenLifetimeMs: durationFlag('--token-lifetime', values['token-lifetime'], { minMs: 1000 }),
          quotas: {
            ...(instances !== undefined && { instances }),
            ...(memoryGb !== undefined && { memoryGb }),
          },
          disabled: disable.map((api) => wordFlag('--disable', api, apis)),
        },
      };
    },
  });

const parseKey = (args: readonly string[]): GetKey | HelpRequested | string =>
  readCommandLine(args, {
    usage,
    config: {
      allowPositionals: true,
      options: {
        url: { type: 'string', default: `http://127.0.0.1:${defaultPort}` },
        project: { type: 'string' },
        name: { type: 'string' },
        role: { type: 'string', multiple: true },
      },
    },
    read({ values, positionals }): GetKey {
      const [file, ...rest] = positionals;
      if (rest.length > 0) throw new BadFlag(`key: takes one file, and not ${rest.join(', ')} as well`);
      const { url, project, name, role: roles } = values;
      if (!URL.canParse(url)) throw new BadFlag(`--url: "${url}" is no URL`);
      const account = newAccount(
        {
          ...(project !== undefined && { project }),
          ...(name !== undefined && { name }),
          ...(roles !== undefined && { roles }),
        },
        (field) => (field === 'roles' ? '--role' : `--${field}`),
      );
      return { act: 'key', url: url.replace(/\/$/, ''), account, ...(file !== undefined && { file }) };
    },
  });
