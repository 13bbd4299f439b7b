/**
 * `npm run gcp [-- flags]`: Google Cloud's APIs on loopback until SIGINT or SIGTERM. Standard output carries their URL,
 * nothing else; a wrong flag ends it with code 2. `npm run gcp -- key FILE` gets a service account's key from the
 * running one.
 */
import { writeFileSync } from 'node:fs';
import { cannot, checkWritable, readJsonFile } from '../../local/flag-files.ts';
import { BadFlag } from '../../local/flags.ts';
import { prepareRedis } from '../../local/redis-binaries.ts';
import { textProgress } from '../../local/text-progress.ts';
import type { GetKey, Serve } from '../../stacks/gcp/emulator/command-line.ts';
import { parseCommandLine } from '../../stacks/gcp/emulator/command-line.ts';
import { startGoogleCloud } from '../../stacks/gcp/emulator/server.ts';
import type { ServiceAccountKey } from '../../stacks/gcp/emulator/service-accounts.ts';
import { isServiceAccountKey } from '../../stacks/gcp/emulator/service-accounts.ts';
import { checkPlace, runCommandLine, serveUntilStopped } from '../../testing/emulators/emulator-process.ts';
import { localRedis } from './local-redis.ts';

const progress = textProgress({ prefix: 'gcp:' });
await runCommandLine(parseCommandLine(process.argv.slice(2)), (options) =>
  options.act === 'key' ? getKey(options) : serve(options),
);

async function serve({ options, keyFile, hasRedis }: Serve): Promise<void> {
  await checkPlace(options);
  const key = keyFile === undefined ? undefined : keyIn(keyFile);
  const redis = hasRedis ? await prepareRedis({ environment: process.env, progress }) : undefined;
  if (redis?.by === 'none') progress.note(`nothing is behind the instances: ${redis.reason}`);
  await using cloud = await startGoogleCloud({
    ...options,
    ...(redis !== undefined && redis.by !== 'none' && { redis: localRedis(redis) }),
  });
  if (key !== undefined) cloud.accounts.acceptKey(key);
  else if (keyFile !== undefined) writeKey('--key-file', keyFile, cloud.createKey());
  await serveUntilStopped(cloud);
}

/** The key in a file; undefined if the file does not exist yet. Throws BadFlag. */
function keyIn(file: string): ServiceAccountKey | undefined {
  const json = readJsonFile('--key-file', file);
  if (json === undefined) return void checkWritable('--key-file', file);
  if (!isServiceAccountKey(json)) throw new BadFlag(`--key-file: ${file} holds no key of a service account`);
  return json;
}

async function getKey({ url, account, file }: GetKey): Promise<void> {
  const response = await fetch(`${url}/_keys`, { method: 'POST', body: JSON.stringify(account) }).catch(
    () => {
      throw new Error(`nothing answers at ${url}: start it with npm run gcp, or say where it is with --url`);
    },
  );
  if (!response.ok) throw new Error(`${url} says: ${await response.text()}`);
  const key = (await response.json()) as ServiceAccountKey;
  if (file === undefined) process.stdout.write(textOf(key));
  else writeKey('key', file, key);
}

/** For its owner alone. */
function writeKey(flag: string, file: string, key: ServiceAccountKey): void {
  try {
    writeFileSync(file, textOf(key), { mode: 0o600 });
  } catch (error) {
    throw cannot(flag, 'write', file, error);
  }
  progress.note(`a key of ${key.client_email} is in ${file}`);
}

function textOf(key: ServiceAccountKey): string {
  return `${JSON.stringify(key, null, 2)}\n`;
}
