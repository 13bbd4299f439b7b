import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FlavourName } from '../../local/favourite-cloud/cloud.ts';
import type { SavedEstate } from '../../local/favourite-cloud/estate.ts';
import type { External } from './observed.ts';
import type { ServerProcess } from './server-process.ts';
import { startServerProcess } from './server-process.ts';

/** A cloud as a process of its own, which may be ended at any moment and goes on where it was. */
export interface CloudProcess {
  readonly flavour: FlavourName;
  readonly port: number;
  token(): string;
  current(): ServerProcess | undefined;
  /** Starts it, with another token or more flags if given, and waits until it answers. */
  start(options?: { readonly token?: string; readonly flags?: readonly string[] }): Promise<void>;
  /** What it holds, from its own records. */
  externals(): readonly External[];
}

export interface CloudProcessOptions {
  readonly directory: string;
  readonly flavour: FlavourName;
  readonly port: number;
  readonly token: string;
}

export function cloudProcess({ directory, flavour, port, ...options }: CloudProcessOptions): CloudProcess {
  const dataFile = join(directory, `${flavour}-data.json`);
  let { token } = options;
  let current: ServerProcess | undefined;
  return {
    flavour,
    port,
    token: () => token,
    current: () => current,
    async start({ token: given = token, flags: more = [] } = {}) {
      token = given;
      const flags = {
        flavour,
        port,
        token,
        data: dataFile,
        'provisioning-time': '300ms',
        'deletion-time': '200ms',
      };
      current = startServerProcess(directory, flavour, [
        'local/favourite-cloud/main.ts',
        ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]),
        ...more,
      ]);
      const started = current;
      while (!(await answers(port))) {
        if (started.hasEnded()) throw new Error(`the ${flavour} cloud has ended, see ${started.logFile}`);
        await sleep(50);
      }
    },
    externals: () => externalsIn(flavour, saved(dataFile), Date.now()),
  };
}

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(1000) }).then(
    async (response) => (await response.arrayBuffer()) !== undefined,
    () => false,
  );

function saved(file: string): SavedEstate | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SavedEstate;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const levelField = { favourite: 'fancinessLevel', other: 'ambivalence' } as const;

/** What a cloud holds that is not being deleted. */
function externalsIn(
  flavour: FlavourName,
  estate: SavedEstate | undefined,
  nowMs: number,
): readonly External[] {
  const alive = <T>(saved: SavedEstate[keyof SavedEstate] | undefined) =>
    (Array.isArray(saved) ? saved : [])
      .filter(([, { deletedAtMs }]) => deletedAtMs === undefined || deletedAtMs > nowMs)
      .map(([name, { item }]) => [name, item as T] as const);
  const owner = (tags: Readonly<Record<string, string>>): string =>
    `${tags['crossplane-kind']} ${tags['crossplane-name']}`;
  const instances = alive<SavedEstate['instances'][number][1]['item']>(estate?.instances);
  const networks = alive<SavedEstate['networks'][number][1]['item']>(estate?.networks);
  return [
    ...instances.map(([name, { tags, uuid, password, level }]) => ({
      system: flavour,
      name,
      owner: owner(tags),
      identity: uuid,
      password,
      fields: { [levelField[flavour]]: level },
    })),
    ...networks.map(([name, { tags, id }]) => ({
      system: flavour,
      name,
      owner: owner(tags),
      identity: id,
      fields: {},
    })),
  ];
}
