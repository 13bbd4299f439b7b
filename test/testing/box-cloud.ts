import isMatch from 'lodash/isMatch.js';
import omit from 'lodash/omit.js';
import { z } from 'zod';
import { immutable, late } from '../../apis/core/marks.ts';
import type { ObjectKind } from '../../apis/core/schema.ts';
import { optional, text, texts } from '../../apis/core/schema.ts';
import { available } from '../../apis/core/v1alpha1/condition.ts';
import type { DetailsOf } from '../../apis/core/v1alpha1/connection-details.ts';
import { defineManaged } from '../../apis/core/v1alpha1/define-managed.ts';
import { defineProvider, defineProviderConfig } from '../../apis/core/v1alpha1/define-provider.ts';
import { externalName, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { cloudClients } from '../../controllers/author/cloud-clients.ts';
import type { StackProvider } from '../../controllers/author/define-stack.ts';
import { defineStack, service } from '../../controllers/author/define-stack.ts';
import { generatedPassword } from '../../controllers/credential.ts';
import type {
  DesiredCredential,
  ExternalClient,
  PollingClient,
} from '../../controllers/managed/connecting/external-client.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import type { Conformance, Given, World } from '../../testing/scenario.ts';
import { unlessAborted } from '../fakes/outside.ts';

const names = { group: 'example.org', version: 'v1', stack: 'boxes' };

const BoxKind = defineManaged(
  {
    ...names,
    kind: 'Box',
    plural: 'boxes',
    description: 'A box.',
    connectionDetails: {
      endpoint: text('Where it stands.'),
      seal: optional(text('What closes it.')),
      password: optional(text('What opens it.')),
      uri: optional(text('Both in one.')),
    },
  },
  z
    .object({
      size: z.int().describe('How much goes into it.'),
      colour: optional(text('What it is painted with.')),
      isOpen: optional(z.boolean().describe('Whether it opens without a password.')),
      material: optional(immutable(text('What it is made of.'))),
      label: optional(late(text('What is written on it. The boxes choose one where nobody does.'))),
      shelf: optional(text('Where it stands. It cannot be moved, and nobody marked that.')),
      tags: optional(texts('What hangs on it, beside a tag with the name of its owner.')),
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
  readonly label: string;
  readonly shelf: string;
  readonly material?: string | undefined;
  /** Beside the owner's. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Absent where it opens without. */
  readonly password?: string | undefined;
}

/** Boxes in memory, by name, and what the kit wants to go wrong. */
export class BoxCloud {
  readonly boxes = new Map<string, StoredBox>();
  /** The running operations, by name. */
  readonly operations = new Map<string, { readonly endsAtMs: number; readonly act: () => void }>();
  readonly ended = new Set<string>();
  readonly elapsedMs: Clock['elapsedMs'];
  failure: string | undefined;
  isHanging = false;
  /** Its answers hold nothing. */
  isAnswerEmpty = false;
  losesAnswer = false;

  constructor({ elapsedMs }: Pick<Clock, 'elapsedMs'>) {
    this.elapsedMs = elapsedMs;
  }

  /** Applies the operations whose time has passed. */
  catchUp(): void {
    for (const [name, { endsAtMs, act }] of this.operations) {
      if (endsAtMs > this.elapsedMs()) continue;
      this.operations.delete(name);
      this.ended.add(name);
      act();
    }
  }

  /** A request. */
  async ask<T>(signal: AbortSignal, effect: () => T): Promise<T> {
    this.catchUp();
    if (this.isHanging) return unlessAborted(signal, new Promise<never>(() => {}));
    signal.throwIfAborted();
    if (this.failure !== undefined) throw new Error(this.failure);
    if (this.isAnswerEmpty) throw new Error('the answer is empty');
    return effect();
  }

  /** Where an answer is to be lost, it is now. */
  loseAnswer(): void {
    if (!this.losesAnswer) return;
    this.losesAnswer = false;
    throw new Error('the connection was closed');
  }
}

/** The parts of a box client, so that a broken one differs in one of them. */
export interface BoxParts {
  readonly nameOf: (box: Box) => string;
  /** The message of a failed request. */
  readonly reported: (error: Error) => string;
  readonly isPainted: (box: Box, stored: StoredBox) => boolean;
  readonly isSized: (box: Box, stored: StoredBox) => boolean;
  /** Whether it is made of what it should be, which cannot be changed. */
  readonly isMadeOf: (box: Box, stored: StoredBox) => boolean;
  /** The owner that is stored when the box is created or changed. */
  readonly ownerOf: (box: Box) => string;
  /** The label that the cloud chose, as it is reported. */
  readonly labelOf: (stored: StoredBox) => string;
}

export const boxParts: BoxParts = {
  nameOf: (box) => externalName(box) ?? '',
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it is about
  reported: ({ message }) => message.replaceAll(/[\u0000-\u001f]/g, '').replaceAll('box-token', '***'),
  isPainted: ({ spec: { forProvider } }, { colour }) =>
    forProvider.colour === undefined || forProvider.colour.toUpperCase() === colour,
  isSized: ({ spec: { forProvider } }, { size }) => (forProvider.size ?? size) === size,
  isMadeOf: ({ spec: { forProvider } }, { material }) => (forProvider.material ?? material) === material,
  ownerOf: (box) => box.metadata.name,
  labelOf: ({ label }) => label,
};

/** The tags that a user asks for. They may not set the owner. */
const tagsOf = ({ spec: { forProvider } }: Box) =>
  omit(forProvider.tags, ['crossplane-kind', 'crossplane-name']);

const wanted = (box: Box, { spec: { forProvider } } = box) => ({
  ...(forProvider.tags !== undefined && { tags: tagsOf(box) }),
  ...(forProvider.size !== undefined && { size: forProvider.size }),
  ...(forProvider.label !== undefined && { label: forProvider.label }),
  ...(forProvider.colour !== undefined && { colour: forProvider.colour.toUpperCase() }),
});

const isClosed = ({ spec: { forProvider } }: Box): boolean => forProvider.isOpen !== true;

/** The password that a box has once the credential is set. */
function passwordOf(box: Box, credential?: DesiredCredential, before?: StoredBox): string | undefined {
  if (!isClosed(box)) return undefined;
  return credential?.isApplied === false ? credential.value : before?.password;
}

const newBox = (box: Box, password: string | undefined, owner = boxParts.ownerOf(box)): StoredBox => {
  const { shelf = 'low', material } = box.spec.forProvider;
  return { owner, size: 0, label: 'a box', ...wanted(box), shelf, material, password };
};

/** How a box is reached; `uri` contains the password. An open box has no seal. */
function detailsOf(box: Box, name: string, credential: DesiredCredential | undefined): DetailsOf<Box> {
  const uri = credential && `box://:${credential.value}@${name}.boxes`;
  const seal = isClosed(box) ? `seal of ${name}` : null;
  return { endpoint: `${name}.boxes`, seal, ...(uri !== undefined && { uri }) };
}

function checkShelf({ spec: { forProvider } }: Box, found: StoredBox): void {
  const { shelf = 'low' } = forProvider;
  if (shelf !== found.shelf) throw new Error('a box cannot be moved to another shelf');
}

/** A box client that keeps every rule. */
export function boxClient(cloud: BoxCloud, given: Partial<BoxParts> = {}): ExternalClient<Box> {
  const { nameOf, reported, isPainted, isSized, isMadeOf, ownerOf, labelOf } = { ...boxParts, ...given };
  const translated = async <T>(signal: AbortSignal, request: () => Promise<T>): Promise<T> => {
    try {
      return await request();
    } catch (error) {
      signal.throwIfAborted();
      throw new Error(`the boxes answered: ${reported(error as Error)}`);
    }
  };
  const find = async (box: Box, signal: AbortSignal): Promise<StoredBox | undefined> => {
    const found = await translated(signal, () => cloud.ask(signal, () => cloud.boxes.get(nameOf(box))));
    if (found === undefined || found.owner === box.metadata.name) return found;
    if (wasDeleted(box)) return undefined;
    throw new Error(`box "${nameOf(box)}" belongs to ${found.owner}`);
  };
  return {
    async observe(box, credential, signal) {
      const found = await find(box, signal);
      if (found === undefined) return { exists: false, isUpToDate: false };
      const { label = found.label, shelf = 'low' } = box.spec.forProvider;
      const isOpen = !isClosed(box);
      return {
        exists: true,
        isUpToDate:
          (!isOpen || found.password === undefined) &&
          isSized(box, found) &&
          isPainted(box, found) &&
          isMadeOf(box, found) &&
          isMatch(found.tags ?? {}, tagsOf(box)) &&
          found.label === label &&
          found.shelf === shelf,
        ...(box.spec.forProvider.label === undefined && { lateInitialized: { label: labelOf(found) } }),
        ready: available(),
        details: { ...detailsOf(box, nameOf(box), credential), ...(isOpen && { uri: null }) },
        status: { volume: found.size },
      };
    },
    async create(box, credential, signal) {
      if ((await find(box, signal)) !== undefined) return { isExisting: true };
      const made = newBox(box, passwordOf(box, credential), ownerOf(box));
      await translated(signal, () => cloud.ask(signal, () => cloud.boxes.set(nameOf(box), made)));
      cloud.loseAnswer();
      return {};
    },
    async update(box, credential, signal) {
      const found = await find(box, signal);
      if (found === undefined) throw new Error('there is no such box any more');
      const password = passwordOf(box, credential, found);
      const changed = { ...found, ...wanted(box), owner: ownerOf(box), password };
      await translated(signal, () => cloud.ask(signal, () => cloud.boxes.set(nameOf(box), changed)));
      checkShelf(box, found);
      if (!isMadeOf(box, found)) throw new Error(`the material of a box stays: ${found.material}`);
      return {};
    },
    async delete(box, signal) {
      if ((await find(box, signal)) === undefined) return;
      await translated(signal, () => cloud.ask(signal, () => cloud.boxes.delete(nameOf(box))));
    },
  };
}

/** How long an operation takes. */
const operationMs = 30_000;

/** The same, for boxes that take their time: each change is answered with the name of an operation. */
export function slowBoxClient(cloud: BoxCloud): PollingClient<Box> {
  const sound = boxClient(cloud);
  const { nameOf } = boxParts;
  /** If it is requested again during that time, the first operation goes on. */
  const begin = (name: string, signal: AbortSignal, act: () => void): Promise<string> =>
    cloud.ask(signal, () => {
      const endsAtMs = cloud.elapsedMs() + operationMs;
      if (!cloud.operations.has(name)) cloud.operations.set(name, { endsAtMs, act });
      return name;
    });
  return {
    async observe(box, credential, signal) {
      const observed = await sound.observe(box, credential, signal);
      const underWay = (['update', 'delete'] as const).find((what) =>
        cloud.operations.has(`${what}/${nameOf(box)}`),
      );
      return { ...observed, ...(observed.exists && underWay && { operation: underWay }) };
    },
    async create(box, credential, signal) {
      if ((await sound.observe(box, credential, signal)).exists) return { isExisting: true };
      const name = `create/${nameOf(box)}`;
      if (cloud.operations.has(name)) return { operation: name, isExisting: true };
      const made = newBox(box, passwordOf(box, credential));
      await begin(name, signal, () => cloud.boxes.set(nameOf(box), made));
      cloud.loseAnswer();
      return { operation: name };
    },
    async update(box, credential, signal) {
      await sound.observe(box, credential, signal);
      const found = cloud.boxes.get(nameOf(box));
      if (found === undefined) throw new Error('there is no such box any more');
      checkShelf(box, found);
      if (!boxParts.isMadeOf(box, found)) throw new Error(`the material of a box stays: ${found.material}`);
      const changed = { ...found, ...wanted(box), password: passwordOf(box, credential, found) };
      const act = () => cloud.boxes.set(nameOf(box), changed);
      return { operation: await begin(`update/${nameOf(box)}`, signal, act) };
    },
    async delete(box, signal) {
      if (!(await sound.observe(box, undefined, signal)).exists) return {};
      const act = () => cloud.boxes.delete(nameOf(box));
      return { operation: await begin(`delete/${nameOf(box)}`, signal, act) };
    },
    poll: (name, signal) =>
      cloud.ask(signal, () => {
        if (cloud.operations.has(name)) return { state: 'running' };
        return cloud.ended.has(name) ? { state: 'done' } : { state: 'unknown' };
      }),
  };
}

type Connect = StackProvider<BoxCloud, object>['connect'];

export interface BoxWorldOptions {
  /** Made once a process. */
  readonly client?: (cloud: BoxCloud) => () => ExternalClient<Box>;
  readonly connect?: (cloud: BoxCloud) => Connect;
}

/** A world of boxes in which everything is there that a rule may need. */
export function boxWorld({ clock }: Given, { client, connect }: BoxWorldOptions = {}): World {
  const cloud = new BoxCloud(clock);
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
        credential: { ...generatedPassword, isWanted: isClosed },
        external: (_cloud: BoxCloud) => external(),
      }),
    ],
  });
  return {
    stack,
    credentials: JSON.stringify({ url: 'http://boxes', token: 'box-token' }),
    externals() {
      cloud.catchUp();
      return [...cloud.boxes];
    },
    foreign(name) {
      const foreign = { owner: 'them', size: 9, label: 'theirs', shelf: 'low' };
      cloud.boxes.set(name, { ...foreign, password: 'a-password-of-theirs' });
    },
    fail(text) {
      cloud.failure = text;
    },
    answer() {
      cloud.isAnswerEmpty = true;
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
  forProvider: { size: 3, material: 'wood', label: 'cups' },
  changes: [{ size: 5 }, { colour: 'green' }],
  refusedChanges: [{ material: 'tin' }, { shelf: 'high' }],
  tags: (tags: Readonly<Record<string, string>>) => ({ tags }),
  late: ['label'],
  withoutDetails: [{ change: { isOpen: true }, keys: ['seal', 'password', 'uri'] }],
} satisfies Omit<Conformance<Box>, 'open'>;
