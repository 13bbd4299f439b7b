import { credentialsFile, exampleAccount } from '../../../stacks/aws/emulator/account.ts';
import type { StoredVpc } from '../../../stacks/aws/emulator/ec2/stored.ts';
import type { SavedInventory } from '../../../stacks/aws/emulator/inventory.ts';
import { savedField } from '../../../stacks/aws/emulator/inventory.ts';
import type { StoredInstance } from '../../../stacks/aws/emulator/rds/db-instance.ts';
import type { Queue } from '../../../stacks/aws/emulator/sqs/queue.ts';
import type { External } from '../observed.ts';
import type { SentRequest } from '../sent-requests.ts';
import type { CloudCall, CloudProgram } from './cloud-process.ts';
import { ownerIn, restCall } from './cloud-process.ts';

/** The account stays; its access key gets another secret. */
export const aws: CloudProgram<SavedInventory> = {
  main: 'stacks/aws/emulator/main.ts',
  // Databases behind all its DB instances would be most of what runs here.
  flags: ['--no-databases', '--quota', 'vpc=10000', '--quota', 'db-instance=10000'],
  newCredentials({ plant }) {
    const { id, accessKeyId } = exampleAccount;
    const secretAccessKey = plant();
    return {
      text: () => credentialsFile({ accessKeyId, secretAccessKey }),
      flags: ['--account', `${id}:${accessKeyId}:${secretAccessKey}`],
    };
  },
  externals: (inventory) => [
    ...resourcesOf<StoredVpc>(inventory, 'ec2/vpc', ({ id }) => ({ name: id, identity: id, fields: {} })),
    ...resourcesOf<StoredInstance>(inventory, 'rds/db-instance', ({ id, item }) => ({
      name: id,
      identity: item.resourceId,
      password: item.password,
      fields: { backupRetentionPeriod: { ...item.settings, ...item.pending }.BackupRetentionPeriod },
    })),
    ...resourcesOf<Queue>(inventory, 'sqs/queue', ({ item: { url, attributes }, createdAtMs }) => ({
      name: url,
      identity: `${url} of ${createdAtMs}`,
      fields: { delaySeconds: Number(attributes.DelaySeconds) },
    })),
  ],
  callOf,
};

/** A thing, as the cloud has saved it. */
interface SavedItem<T> {
  readonly id: string;
  readonly item: T;
  readonly createdAtMs: number;
}

/** The resources of one sort, in all regions, that carry our tags. */
const resourcesOf = <T extends { readonly tags: Readonly<Record<string, string>> }>(
  inventory: SavedInventory,
  sort: string,
  reported: (saved: SavedItem<T>) => Omit<External, 'system' | 'owner'>,
): readonly External[] =>
  Object.entries(inventory)
    .filter(([key]) => key.endsWith(` ${sort}`))
    .flatMap(([, { [savedField]: saved }]) => saved)
    .filter(([, { deletedAtMs }]) => deletedAtMs === undefined)
    .flatMap(([id, { item, createdAtMs }]) => {
      const owner = ownerIn((item as T).tags);
      return owner === undefined
        ? []
        : [{ system: 'aws' as const, owner, ...reported({ id, item: item as T, createdAtMs }) }];
    });

/** Parameters that say what a call is about: names and ids, and what is filtered by. No password is among them. */
const isAbout = (parameter: string): boolean =>
  /(?:Id|Ids|Identifier|Name|Url|Filter\.\d+\.Value)(?:\.\d+)?$/.test(parameter);

function callOf(request: SentRequest): CloudCall {
  const { path, headers, body } = request;
  const target = headers.get('x-amz-target');
  if (path !== '/') return restCall(request); // that of EKS
  const parameters =
    target === undefined ? Object.fromEntries(new URLSearchParams(body)) : (JSON.parse(body) as object);
  const action =
    target?.split('.').at(-1) ?? (parameters as { readonly Action?: string }).Action ?? 'nothing';
  const about = Object.entries(parameters).flatMap(([name, value]) => (isAbout(name) ? [String(value)] : []));
  return { what: [action, ...about].join(' '), isWrite: !/^(?:Describe|Get|List)/.test(action) };
}
