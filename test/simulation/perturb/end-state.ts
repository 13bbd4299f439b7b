import isEqual from 'lodash/isEqual.js';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { decodeDetails } from '../../../apis/core/v1alpha1/secret.ts';
import type { Change, Invariant } from '../invariant.ts';
import { claimKinds } from '../kinds.ts';
import type { World } from '../world.ts';

/**
 * Everything there is when all has come to rest, by its name, with what may differ between two good runs taken out:
 *
 * - UIDs, the names that are derived from them, and the ids that a cloud gives: instead, whose they are;
 * - passwords: instead, what they open. One that opens nothing stays, and so is a difference;
 * - resourceVersions, generations and times. What was observed must be the latest generation;
 * - digests of published details: their keys count;
 * - the order of conditions, and those on asynchronous operations, which tell how it came about;
 * - Events.
 */
export type EndState = Readonly<Record<string, unknown>>;

/** Knows whose each UID is, also once its object is gone; to be played along with a run. */
export interface UidRecord extends Invariant {
  /** `the UID of Secret team-shop/cart-connection`, by UID. */
  readonly owners: ReadonlyMap<string, string>;
}

export function uidRecord(): UidRecord {
  const owners = new Map<string, string>();
  return {
    name: 'every UID is of one object',
    owners,
    changed({ kind, before, after }: Change) {
      if (before === undefined && after?.metadata.uid !== undefined) {
        owners.set(after.metadata.uid, `the UID of ${kind.kind} ${objectKeyText(after.metadata)}`);
      }
      return [];
    },
  };
}

/** What there is in a world that has come to rest. */
export function endState(world: World, { owners }: UidRecord): EndState {
  const { cluster, clouds } = world;
  const passwords = new Map<string, string>();
  for (const cloud of Object.values(clouds)) {
    for (const { item } of cloud.instances()) passwords.set(item.password, `the password of ${item.name}`);
  }
  const plain = plainText(derivedName(world), owners, passwords);
  const objects = cluster
    .objects()
    .filter(({ kind }) => kind !== 'Event')
    .map((object) => [`${object.kind} ${objectKeyText(object.metadata)}`, comparable(object)] as const);
  const instances = Object.entries(clouds).flatMap(([system, cloud]) => [
    ...cloud
      .instances()
      .map(({ item, phase }) => [`${system} ${item.name}`, comparable({ ...item, phase })] as const),
    ...cloud
      .networks()
      .map(
        ({ item, phase }) =>
          [`${system} network ${item.displayName}`, comparable({ ...item, phase })] as const,
      ),
  ]);
  return Object.fromEntries(
    [...objects, ...instances]
      .map(([name, thing]) => [plain(name) as string, plain(thing)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Where two ends differ, in sentences: nowhere if both are the same. */
export function endDifferences(reference: EndState, actual: EndState): readonly string[] {
  const names = [...new Set([...Object.keys(reference), ...Object.keys(actual)])];
  return names.flatMap((name) => {
    if (!(name in actual)) return [`${name} is missing`];
    if (!(name in reference)) return [`${name} should not be there`];
    return leafDifferences(reference[name], actual[name], name);
  });
}

function leafDifferences(reference: unknown, actual: unknown, path: string): readonly string[] {
  if (isEqual(reference, actual)) return [];
  if (!isRecord(reference) || !isRecord(actual)) {
    return [`${path} is ${JSON.stringify(actual)}, in the reference ${JSON.stringify(reference)}`];
  }
  const keys = [...new Set([...Object.keys(reference), ...Object.keys(actual)])];
  return keys.flatMap((key) => leafDifferences(reference[key], actual[key], `${path} ${key}`));
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The beginnings of the names that are given to what is provisioned for the claims of a scenario. */
function derivedName({ scenario }: World): RegExp {
  const beginnings = [
    ...scenario.steps.map(({ act }) => (act.type === 'create' ? act.object : undefined)),
    ...scenario.objects,
  ]
    .filter((object) => claimKinds.some(({ kind }) => kind === object?.kind))
    .map((object) => `${object?.metadata.namespace}-${object?.metadata.name}`);
  return new RegExp(`\\b(${['no-claim', ...beginnings].join('|')})-[a-z0-9]{5}\\b`, 'g');
}

/** Fields whose value is the server's or time's alone. */
const dropped = new Set(['resourceVersion', 'generation', 'creationTimestamp', 'lastTransitionTime']);
const asynchronous = new Set(['AsyncOperation', 'LastAsyncOperation']);
const publishedDetails = 'crossplane.io/published-details';

/** An object, with what was observed of it in words. */
function comparable(thing: object): unknown {
  const { metadata, data } = thing as Partial<Secret>;
  const look = (value: unknown, key: string): unknown => {
    if (key === 'observedGeneration')
      return value === metadata?.generation ? 'the latest' : `${value} of ${metadata?.generation}`;
    if (key === publishedDetails) return Object.keys(JSON.parse(String(value)) as object).toSorted();
    if (key === 'conditions' && Array.isArray(value)) {
      const conditions = value as readonly { readonly type: string }[];
      return Object.fromEntries(
        conditions
          .filter(({ type }) => !asynchronous.has(type))
          .map((condition) => [condition.type, look(condition, '')]),
      );
    }
    if (key === 'id' && typeof value === 'number') return '(id)';
    if (Array.isArray(value)) return value.map((item) => look(item, ''));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([each]) => !dropped.has(each))
        .map(([each, inner]) => [each, look(inner, each)]),
    );
  };
  return look({ ...thing, ...(data !== undefined && { data: decodeDetails(thing as Secret) }) }, '');
}

const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z\b/g;
const cloudId = /\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

/** Takes out of every text in a thing what may differ. */
function plainText(
  derived: RegExp,
  owners: ReadonlyMap<string, string>,
  passwords: ReadonlyMap<string, string>,
): (thing: unknown) => unknown {
  const owned = (given: string): string => given.replaceAll(/\buid-\w+\b/g, (uid) => owners.get(uid) ?? uid);
  const opened = (given: string): string =>
    [...passwords].reduce((told, [password, opens]) => told.replaceAll(password, opens), given);
  const text = (given: string): string =>
    // Whose a UID is may be something that is named after a UID itself.
    owned(owned(opened(given)))
      .replaceAll(derived, '$1-…')
      .replaceAll(time, '(time)')
      .replaceAll(cloudId, '(id)');
  const plain = (thing: unknown): unknown => {
    if (typeof thing === 'string') return text(thing);
    if (Array.isArray(thing)) return thing.map(plain);
    if (!isRecord(thing)) return thing;
    return Object.fromEntries(Object.entries(thing).map(([key, value]) => [text(key), plain(value)]));
  };
  return plain;
}
