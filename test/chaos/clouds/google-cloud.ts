import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SavedInventory } from '../../../stacks/gcp/emulator/cloud.ts';
import type { SavedReplica } from '../../../stacks/gcp/emulator/replica.ts';
import { createServiceAccounts } from '../../../stacks/gcp/emulator/service-accounts.ts';
import type { External } from '../observed.ts';
import type { CloudProgram } from './cloud-process.ts';
import { ownerIn, restCall } from './cloud-process.ts';

/** The project of its keys. */
export const project = 'example-project';

/** The service account stays; it gets another key, and the former one is deleted. */
export const googleCloud: CloudProgram<SavedInventory> = {
  main: 'stacks/gcp/emulator/main.ts',
  flags: ['--no-redis', '--update-time', '300ms'],
  newCredentials({ url, directory, plant }) {
    const key = createServiceAccounts().createKey({ project }, url);
    // In the words that its text is made of, which is how a log would tell it.
    for (const word of key.private_key.match(/\w{20,}/g) ?? []) plant(word);
    const file = join(directory, `gcp-key-${key.private_key_id}.json`);
    writeFileSync(file, JSON.stringify(key), { mode: 0o600 });
    return { text: () => JSON.stringify(key), flags: ['--key-file', file] };
  },
  withoutCredentials: (inventory) => ({ ...inventory, accounts: [] }),
  externals: ({ memorystore, topics }) => [
    ...resourcesOf(memorystore.instances, ({ name, createdAtMs, authString, fields }) => ({
      identity: `${name} of ${createdAtMs}`,
      ...(authString !== undefined && { password: authString }),
      fields: { memorySizeGb: fields.memorySizeGb as number },
    })),
    ...resourcesOf(topics, ({ name, fields }) => ({
      identity: name, // Pub/Sub tells no more
      fields: { messageRetentionDuration: fields.messageRetentionDuration as string },
    })),
  ],
  callOf: (request) => ({ ...restCall(request), ...(request.path === '/token' && { isWrite: false }) }),
};

interface Labelled {
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The resources that carry our labels; a name without the part before a slash. */
const resourcesOf = <T extends Labelled>(
  saved: SavedReplica<T>,
  reported: (item: T) => Pick<External, 'identity' | 'password' | 'fields'>,
): readonly External[] =>
  saved.flatMap(([, { value }]) => {
    const owner = ownerIn((value?.fields.labels ?? {}) as Record<string, string>);
    if (value === undefined || owner === undefined) return [];
    const name = value.name.slice(value.name.lastIndexOf('/') + 1);
    return [{ system: 'gcp' as const, name, owner, ...reported(value) }];
  });
