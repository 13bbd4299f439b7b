import upperFirst from 'lodash/upperFirst.js';
import { isGroup, isReservedGroup, isVersion } from '../../../apis/core/api-names.ts';
import type { Definition } from '../../../apis/core/schema.ts';
import { compareNames } from '../../../apis/core/v1alpha1/name-order.ts';
import * as claims from '../../claims.ts';
import { UsageError } from '../usage-error.ts';

/** The claim kind that a new service satisfies. */
interface ClaimNames {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  /** Whether `services-stack/claims` exports it. Otherwise the service defines it. */
  readonly isShared: boolean;
}

/** The names of a new service. */
export interface Names {
  /** The managed kind: `CacheCluster`. */
  readonly kind: string;
  readonly claim: ClaimNames;
  readonly group: string;
  readonly version: string;
  /** `cache-clusters`. */
  readonly stack: string;
}

/** The names from flags. */
export interface GivenNames extends Pick<Names, 'group' | 'version'> {
  /** A claim kind that exists. */
  readonly claim?: string;
  readonly newClaim?: string;
  readonly stack?: string;
}

/** The claim kinds that `services-stack/claims` exports, by their names. */
const sharedClaims: ReadonlyMap<string, Definition> = new Map(
  Object.values(claims).map((definition) => [definition.kind, definition]),
);

/** `FavouriteDBInstance`: Favourite, DB, Instance. `cache-clusters`: cache, clusters. */
export const wordsOf = (name: string): readonly string[] =>
  /[A-Z]/.test(name)
    ? (name.match(/[A-Z]+[0-9]*(?![a-z])|[A-Z]?[a-z]+[0-9]*|[0-9]+/g) ?? [])
    : name.split('-');

/** The plural as the API server derives it from a kind: boxes, policies, queues. */
export function pluralOf(word: string): string {
  if (/(?:s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}

/** Names that `kubectl get` reads as categories: a stack with such a name would be mixed with other kinds. */
const categories = ['crossplane', 'managed', 'class', 'classes', 'claim', 'claims', 'provider'];

const isKind = (text: string): boolean => /^[A-Z][A-Za-z0-9]*$/.test(text) && /[a-z]/.test(text);

/** The longest name of a definition, and of a label. */
const longestName = 253;
const longestLabel = 63;

/**
 * The complete names of a new service. The default claim is a new `<Kind>Claim`, and the default stack is the plural of the
 * kind. Throws UsageError with one line for each argument that is not valid.
 */
export function namesOf(kind: string, given: GivenNames): Names {
  const { group, version, stack = pluralOf(wordsOf(kind).join('-').toLowerCase()) } = given;
  const names = { kind, claim: claimOf(kind, given), stack, group, version };
  const problems = [
    ...problemsOfKind('<Kind>', kind, group),
    ...problemsOfClaim(given),
    ...problemsOfTheRest(names),
  ];
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return names;
}

function claimOf(kind: string, { claim, newClaim = `${kind}Claim`, group, version }: GivenNames): ClaimNames {
  const shared = sharedClaims.get(claim ?? '');
  return shared === undefined
    ? { kind: newClaim, group, version, isShared: false }
    : { kind: shared.kind, group: shared.group, version: shared.version, isShared: true };
}

/** The default name has no problems besides those of the managed kind. */
function problemsOfClaim({ claim, newClaim, group }: GivenNames): readonly string[] {
  if (claim !== undefined && newClaim !== undefined) {
    return ['--new-claim: a service has one claim kind: omit --claim or --new-claim'];
  }
  if (newClaim !== undefined) return problemsOfKind('--new-claim', newClaim, group);
  if (claim === undefined || sharedClaims.has(claim)) return [];
  const known = [...sharedClaims.keys()].toSorted(compareNames).join(', ');
  return [
    `--claim: services-stack/claims has no "${claim}": use one of ${known}, or define a claim kind with --new-claim`,
  ];
}

function problemsOfKind(argument: string, name: string, group: string): readonly string[] {
  if (!isKind(name)) {
    const likely = upperFirst(name.replaceAll(/[^A-Za-z0-9]+(.)?/g, (_, next = '') => next.toUpperCase()));
    const hint = isKind(likely) ? `, for example ${likely}` : '';
    return [
      `${argument}: "${name}" is not in PascalCase: use letters and digits, with a capital first${hint}`,
    ];
  }
  const plural = pluralOf(`${name}Class`.toLowerCase());
  const isTooLong = plural.length > longestLabel || `${plural}.${group}`.length > longestName;
  return isTooLong
    ? [`${argument}: "${name}" is too long for the name of a definition: use a shorter one`]
    : [];
}

function problemsOfTheRest({ group, version, stack }: Names): readonly string[] {
  const problems: string[] = [];
  if (!isGroup(group)) {
    problems.push(`--group: "${group}" is not a DNS name with a dot: use one such as cache.example.org`);
  } else if (isReservedGroup(group)) {
    problems.push(`--group: "${group}" is reserved for Kubernetes: use one below your own domain`);
  }
  if (!isVersion(version)) {
    problems.push(`--version: "${version}" is not a version of an API: use one such as v1alpha1 or v1`);
  }
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(stack) || stack.length > longestLabel) {
    problems.push(
      `--stack: "${stack}" is not allowed: use lower-case letters, digits and single dashes, such as cache-clusters`,
    );
  } else if (categories.includes(stack)) {
    problems.push(`--stack: "${stack}" is a category of kinds in kubectl: choose another name`);
  }
  return problems;
}
