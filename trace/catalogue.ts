import uniqBy from 'lodash/uniqBy.js';
import type { Definition } from '../apis/core/schema.ts';
import type { Kind, KubernetesObject } from '../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../apis/core/v1alpha1/kind.ts';
import { likeness, mostLike } from '../apis/core/v1alpha1/likeness.ts';
import { compareNames } from '../apis/core/v1alpha1/name-order.ts';
import type { ObjectReference } from '../apis/core/v1alpha1/reference.ts';
import { referenceIsOfKind } from '../apis/core/v1alpha1/reference.ts';
import type { DefinedStack } from '../controllers/author/define-stack.ts';
import { environmentAtRest } from '../controllers/author/environment-at-rest.ts';
import type { ClaimService } from '../controllers/claim-service.ts';
import type { ManagedService } from '../controllers/managed/setup.ts';

/** The role of a kind in the chain from a claim to its external system. */
export type Sort = 'claim' | 'class' | 'managed' | 'provider';

export interface KnownKind {
  readonly sort: Sort;
  readonly kind: Definition;
}

/** The kind with the object type `T`, which its sort implies. */
export const objectsOf = <T extends KubernetesObject>({ kind }: KnownKind): Kind<T> =>
  kind as unknown as Kind<T>;

/** A word that names no kind, or several; the message lists the kinds. */
export class UnknownKind extends Error {
  override readonly name = 'UnknownKind';
}

export interface Catalogue {
  readonly kinds: readonly KnownKind[];
  readonly services: readonly ClaimService[];
  readonly managed: readonly ManagedService[];
  /**
   * The kind by its plural, singular, short name or kind, in any case, with or without group (and version).
   * Throws UnknownKind.
   */
  named(word: string): KnownKind;
  /** The kind in a reference; undefined: no stack here has it. */
  referenceKind(reference: ObjectReference | undefined): KnownKind | undefined;
}

/** The kinds of these stacks. No controller runs. */
export function catalogueOf(stacks: readonly DefinedStack[]): Catalogue {
  const env = environmentAtRest();
  const services = stacks.flatMap(({ claims }) => claims);
  const managed = stacks.flatMap((stack) => stack.managed(env));
  const keysOf = (some: readonly Kind[]): ReadonlySet<string> => new Set(some.map(kindKey));
  const sorts: readonly (readonly [Sort, ReadonlySet<string>])[] = [
    ['claim', keysOf(services.map(({ claim }) => claim))],
    ['class', keysOf(services.map((service) => service.class))],
    ['managed', keysOf(managed.map(({ kind }) => kind))],
    ['provider', keysOf(managed.flatMap(({ providers }) => [providers.provider, providers.providerConfig]))],
  ];
  const definitions = uniqBy(
    stacks.flatMap((stack) => stack.definitions),
    kindKey,
  );
  const kinds = definitions.flatMap((kind): readonly KnownKind[] => {
    const sort = sorts.find(([, keys]) => keys.has(kindKey(kind)))?.[0];
    return sort === undefined ? [] : [{ sort, kind }];
  });
  return {
    kinds,
    services,
    managed,
    named: (word) => namedIn(kinds, word),
    referenceKind: (reference) => kinds.find(({ kind }) => referenceIsOfKind(reference, kind)),
  };
}

const fullName = ({ plural, group }: Kind): string => `${plural}.${group}`;

function namedIn(kinds: readonly KnownKind[], word: string): KnownKind {
  const sought = word.toLowerCase();
  const found = kinds.filter(({ kind }) => spellings(kind).includes(sought));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const quoted = JSON.stringify(word);
  if (only !== undefined)
    throw new UnknownKind(`${quoted} names several kinds: use one of ${namesOf(found)}`);
  const near = nearTo(sought, kinds);
  const claims = kinds.filter(({ sort }) => sort === 'claim');
  throw new UnknownKind(
    near.length > 0
      ? `${quoted} is not a known kind; did you mean ${near.join(' or ')}?`
      : `${quoted} is not a known kind; claims are ${namesOf(claims)}, and there are ${kinds.length - claims.length} other kinds`,
  );
}

const namesOf = (kinds: readonly KnownKind[]): string =>
  kinds
    .map(({ kind }) => fullName(kind))
    .toSorted(compareNames)
    .join(', ');

/** The lowest likeness of a similar kind name. */
const leastLikeness = 0.5;

/** The kinds with similar names, the most similar first. */
function nearTo(sought: string, kinds: readonly KnownKind[]): readonly string[] {
  const [bare = ''] = sought.split('.');
  const scored = kinds.map(({ kind }) => ({
    name: fullName(kind),
    score: Math.max(...bareNames(kind).map((name) => likeness(bare, name))),
  }));
  return mostLike(scored, leastLikeness);
}

const bareNames = ({ kind, plural, shortNames = [] }: Definition): readonly string[] => [
  kind.toLowerCase(),
  plural,
  ...shortNames,
];

function spellings(definition: Definition): readonly string[] {
  const { group, version } = definition;
  return bareNames(definition).flatMap((name) => [name, `${name}.${group}`, `${name}.${version}.${group}`]);
}
