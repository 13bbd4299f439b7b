import uniqBy from 'lodash/uniqBy.js';
import type { Definition } from '../apis/core/schema.ts';
import type { Kind, KubernetesObject } from '../apis/core/v1alpha1/kind.ts';
import { kindKey } from '../apis/core/v1alpha1/kind.ts';
import { compareNames } from '../apis/core/v1alpha1/name-order.ts';
import type { ObjectReference } from '../apis/core/v1alpha1/reference.ts';
import { referenceIsOfKind } from '../apis/core/v1alpha1/reference.ts';
import type { DefinedStack } from '../controllers/author/define-stack.ts';
import type { ClaimService } from '../controllers/core/claim-service.ts';
import type { ManagedService } from '../controllers/core/managed/setup.ts';
import { environmentAtRest } from '../controllers/environment-at-rest.ts';

/** What the objects of a kind are in the chain from a claim to its server. */
export type Sort = 'claim' | 'class' | 'managed' | 'provider';

export interface KnownKind {
  readonly sort: Sort;
  readonly kind: Definition;
}

/** Its kind, for objects that are known to be of type `T` by its sort. */
export const objectsOf = <T extends KubernetesObject>({ kind }: KnownKind): Kind<T> =>
  kind as unknown as Kind<T>;

/** A word that names no kind, or several; the message says which there are. */
export class UnknownKind extends Error {
  override readonly name = 'UnknownKind';
}

/** What is known of the kinds of some stacks. */
export interface Catalogue {
  readonly kinds: readonly KnownKind[];
  readonly services: readonly ClaimService[];
  readonly managed: readonly ManagedService[];
  /**
   * The kind that a word means: plural, singular, short name or kind, in any case, with or without group (and version).
   * Throws UnknownKind.
   */
  named(word: string): KnownKind;
  /** The kind of objects that a reference names; undefined for one of no kind known here. */
  ofReference(reference: ObjectReference | undefined): KnownKind | undefined;
}

/** What stacks consist of. Nothing runs. */
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
    ofReference: (reference) => kinds.find(({ kind }) => referenceIsOfKind(reference, kind)),
  };
}

const fullName = ({ plural, group }: Kind): string => `${plural}.${group}`;

function namedIn(kinds: readonly KnownKind[], word: string): KnownKind {
  const sought = word.toLowerCase();
  const found = kinds.filter(({ kind }) => spellings(kind).includes(sought));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const several = found.length > 0;
  const which = (several ? found : kinds).map(({ kind }) => fullName(kind)).toSorted(compareNames);
  throw new UnknownKind(
    several
      ? `${JSON.stringify(word)} may be any of ${which.join(', ')}: say which`
      : `${JSON.stringify(word)} is no kind that is known here; there are ${which.join(', ')}`,
  );
}

function spellings({ kind, plural, group, version, shortNames = [] }: Definition): readonly string[] {
  const bare = [kind.toLowerCase(), plural, ...shortNames];
  return bare.flatMap((name) => [name, `${name}.${group}`, `${name}.${version}.${group}`]);
}
