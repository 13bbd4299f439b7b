import type { FlavourName } from '../../../testing/favourite-cloud/cloud.ts';
import type { SavedInventory } from '../../../testing/favourite-cloud/inventory.ts';
import type { External } from '../observed.ts';
import type { CloudProgram } from './cloud-process.ts';
import { ownerIn, restCall } from './cloud-process.ts';

const levelField = { favourite: 'fancinessLevel', other: 'ambivalence' } as const;

/** One of the demo's clouds. */
export const demoCloud = (flavour: FlavourName): CloudProgram<SavedInventory> => ({
  main: 'testing/favourite-cloud/main.ts',
  flags: ['--flavour', flavour],
  newCredentials({ plant }) {
    const token = plant();
    return { text: (url) => JSON.stringify({ url, token }), flags: ['--token', token] };
  },
  externals: (inventory, nowMs) => externalsIn(flavour, inventory, nowMs),
  callOf: restCall,
});

function externalsIn(flavour: FlavourName, inventory: SavedInventory, nowMs: number): readonly External[] {
  const alive = <T>(saved: SavedInventory[keyof SavedInventory] | undefined) =>
    (Array.isArray(saved) ? saved : [])
      .filter(([, { deletedAtMs }]) => deletedAtMs === undefined || deletedAtMs > nowMs)
      .map(([name, { item }]) => [name, item as T] as const);
  const instances = alive<SavedInventory['instances'][number][1]['item']>(inventory.instances);
  const networks = alive<SavedInventory['networks'][number][1]['item']>(inventory.networks);
  const named = (name: string, tags: Readonly<Record<string, string>>) => ({
    system: flavour,
    name,
    owner: ownerIn(tags) ?? 'nobody',
  });
  return [
    ...instances.map(([name, { tags, uuid, password, level }]) => ({
      ...named(name, tags),
      identity: uuid,
      password,
      fields: { [levelField[flavour]]: level },
    })),
    ...networks.map(([name, { tags, id }]) => ({ ...named(name, tags), identity: id, fields: {} })),
  ];
}
