import { z } from 'zod';
import { immutable } from '../../apis/core/marks.ts';
import type { ObjectKind } from '../../apis/core/schema.ts';
import { optional, text } from '../../apis/core/schema.ts';
import { available, unavailable } from '../../apis/core/v1alpha1/condition.ts';
import { defineManaged } from '../../apis/core/v1alpha1/define-managed.ts';
import { defineProvider, defineProviderConfig } from '../../apis/core/v1alpha1/define-provider.ts';
import { externalName, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails } from '../../apis/core/v1alpha1/secret.ts';
import { cloudClients } from '../../controllers/author/cloud-clients.ts';
import type { StackProvider } from '../../controllers/author/define-stack.ts';
import { defineStack, service } from '../../controllers/author/define-stack.ts';
import type { ExternalClient } from '../../controllers/core/managed/external-client.ts';
import type { Conformance, World } from '../../testing/scenario.ts';
import { unlessAborted } from '../fakes/outside.ts';

const names = { group: 'example.org', version: 'v1', stack: 'boxes' };

export const BoxKind = defineManaged(
  { ...names, kind: 'Box', plural: 'boxes', description: 'A box.' },
  z
    .object({
      size: z.int().describe('How much goes into it.'),
      colour: optional(text('What it is painted with.')),
      isOpen: optional(z.boolean().describe('Whether it opens without a password.')),
      material: optional(immutable(text('What it is made of.'))),
      shelf: optional(text('Where it stands. It cannot be moved, and nobody marked that.')),
    })
    .describe('The box as it should be.'),
  { volume: optional(z.int().describe('How much goes into it.')) },
);
export type Box = ObjectKind<typeof BoxKind>;

/** A box as it is. */
export interface StoredBox {
  readonly owner: string;
  readonly size: number;
  readonly colour?: string | undefined;
  readonly shelf: string;
  /** Absent where it opens without. */
  readonly password?: string | undefined;
}

/** Boxes in memory, by name, and what the kit wants to go wrong. */
export class BoxCloud {
  readonly boxes = new Map<string, StoredBox>();
  passwords = 0;
  failure: string | undefined;
  isHanging = false;
  losesAnswer = false;

  /** A request. */
  async ask<T>(signal: AbortSignal, effect: () => T): Promise<T> {
    if (this.isHanging) return unlessAborted(signal, new Promise<never>(() => {}));
    signal.throwIfAborted();
    if (this.failure !== undefined) throw new Error(this.failure);
    return effect();
  }

  async create(signal: AbortSignal, name: string, box: StoredBox): Promise<void> {
    await this.ask(signal, () => this.boxes.set(name, box));
    if (!this.losesAnswer) return;
    this.losesAnswer = false;
    throw new Error('the connection was closed');
  }
}

/** The parts of a box client, so that a broken one differs in one of them. */
export interface BoxParts {
  readonly nameOf: (box: Box) => string;
  /** What a request says that came to nothing. */
  readonly told: (error: Error) => string;
  readonly isPainted: (box: Box, stored: StoredBox) => boolean;
}

export const boxParts: BoxParts = {
  nameOf: (box) => externalName(box) ?? '',
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it is about
  told: ({ message }) => message.replaceAll(/[\u0000-\u001f]/g, '').replaceAll('box-token', '***'),
  isPainted: ({ spec: { forProvider } }, { colour }) =>
    forProvider.colour === undefined || forProvider.colour.toUpperCase() === colour,
};

/** A box client that keeps every rule. */
export function boxClient(cloud: BoxCloud, given: Partial<BoxParts> = {}): ExternalClient<Box> {
  const { nameOf, told, isPainted } = { ...boxParts, ...given };
  const asked = async <T>(signal: AbortSignal, request: () => Promise<T>): Promise<T> => {
    try {
      return await request();
    } catch (error) {
      signal.throwIfAborted();
      throw new Error(`the boxes answered: ${told(error as Error)}`);
    }
  };
  const find = async (box: Box, signal: AbortSignal): Promise<StoredBox | undefined> => {
    const found = await asked(signal, () => cloud.ask(signal, () => cloud.boxes.get(nameOf(box))));
    if (found === undefined || found.owner === box.metadata.name) return found;
    if (wasDeleted(box)) return undefined;
    throw new Error(`box "${nameOf(box)}" belongs to ${found.owner}`);
  };
  const wanted = ({ spec: { forProvider } }: Box) => ({
    size: forProvider.size ?? 0,
    ...(forProvider.colour !== undefined && { colour: forProvider.colour.toUpperCase() }),
  });
  const passwordOf = (box: Box, known: ConnectionDetails): string | undefined => {
    if (box.spec.forProvider.isOpen) return undefined;
    cloud.passwords += 1;
    return known.password ?? `box-password-${cloud.passwords}`;
  };
  return {
    async observe(box, known, signal) {
      const found = await find(box, signal);
      if (found === undefined) return { exists: false, isUpToDate: false };
      const { size, shelf = 'low' } = box.spec.forProvider;
      const { isOpen = false } = box.spec.forProvider;
      const isKnown = isOpen ? found.password === undefined : known.password !== undefined;
      return {
        exists: true,
        isUpToDate: isKnown && found.size === size && isPainted(box, found) && found.shelf === shelf,
        ready: isKnown ? available() : unavailable('the password is not known'),
        details: { endpoint: `${nameOf(box)}.boxes`, ...(isOpen && { password: null }) },
        status: { volume: found.size },
      };
    },
    async create(box, known, signal) {
      if ((await find(box, signal)) !== undefined) return {};
      const password = passwordOf(box, known);
      const { shelf = 'low' } = box.spec.forProvider;
      const made = { owner: box.metadata.name, ...wanted(box), shelf, password };
      await asked(signal, () => cloud.create(signal, nameOf(box), made));
      return password === undefined ? {} : { details: { password } };
    },
    async update(box, known, signal) {
      const found = await find(box, signal);
      if (found === undefined) throw new Error('there is no such box any more');
      const password = passwordOf(box, known);
      const changed = { ...found, ...wanted(box), password };
      await asked(signal, () => cloud.ask(signal, () => cloud.boxes.set(nameOf(box), changed)));
      const { shelf = 'low' } = box.spec.forProvider;
      if (shelf !== found.shelf) throw new Error('a box cannot be moved to another shelf');
      return password === undefined ? {} : { details: { password } };
    },
    async delete(box, signal) {
      if ((await find(box, signal)) === undefined) return;
      await asked(signal, () => cloud.ask(signal, () => cloud.boxes.delete(nameOf(box))));
    },
  };
}

type Connect = StackProvider<BoxCloud, object>['connect'];

export interface BoxWorldOptions {
  /** Made once a process. */
  readonly client?: (cloud: BoxCloud) => () => ExternalClient<Box>;
  readonly connect?: (cloud: BoxCloud) => Connect;
}

/** A world of boxes in which everything is there that a rule may need. */
export function boxWorld({ client, connect }: BoxWorldOptions = {}): World {
  const cloud = new BoxCloud();
  const open = connect?.(cloud) ?? cloudClients(() => cloud);
  let external = (): ExternalClient<Box> => boxClient(cloud);
  const stack = defineStack({
    name: 'boxes',
    provider: {
      provider: defineProvider({ ...names, description: 'Access to boxes.' }),
      providerConfig: defineProviderConfig({ ...names, description: 'Access to boxes.' }),
      connect(env, kinds) {
        if (client !== undefined) external = client(cloud);
        return open(env, kinds);
      },
    },
    services: [
      service({
        managed: BoxKind,
        externalNames: 'deterministic',
        external: (_cloud: BoxCloud) => external(),
      }),
    ],
  });
  return {
    stack,
    credentials: JSON.stringify({ url: 'http://boxes', token: 'box-token' }),
    things: () => [...cloud.boxes],
    foreign: (name) =>
      void cloud.boxes.set(name, { owner: 'them', size: 9, shelf: 'low', password: 'a-password-of-theirs' }),
    fail(text) {
      cloud.failure = text;
    },
    loseAnswer() {
      cloud.losesAnswer = true;
    },
    hang() {
      cloud.isHanging = true;
    },
    opens: ({ password }) => [...cloud.boxes.values()].some((box) => box.password === password),
  };
}

export const boxScenario = {
  managed: BoxKind,
  forProvider: { size: 3, material: 'wood' },
  changes: [{ size: 5 }, { colour: 'green' }],
  refusedChanges: [{ material: 'tin' }, { shelf: 'high' }],
  details: ['endpoint', 'password'],
  withoutDetails: [{ change: { isOpen: true }, keys: ['password'] }],
} satisfies Omit<Conformance<Box>, 'open'>;
