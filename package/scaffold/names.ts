import upperFirst from 'lodash/upperFirst.js';
import { isGroup, isKept, isVersion } from '../../apis/core/api-names.ts';
import { UsageError } from '../usage-error.ts';

/** What a new service is called, as its author says it. */
export interface Names {
  /** Of the managed resource: `CacheCluster`. */
  readonly kind: string;
  readonly claim: string;
  readonly group: string;
  readonly version: string;
  /** `cache-clusters`. */
  readonly stack: string;
}

/** The names as flags have them. */
export interface GivenNames extends Pick<Names, 'group' | 'version'> {
  readonly claim?: string;
  readonly stack?: string;
}

/** `FavouriteDBInstance`: Favourite, DB, Instance. `cache-clusters`: cache, clusters. */
export const wordsOf = (name: string): readonly string[] =>
  /[A-Z]/.test(name)
    ? (name.match(/[A-Z]+[0-9]*(?![a-z])|[A-Z]?[a-z]+[0-9]*|[0-9]+/g) ?? [])
    : name.split('-');

/** As the API server guesses it of a kind: boxes, policies, queues. */
export function pluralOf(word: string): string {
  if (/(?:s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}

/** `kubectl get` takes these for all kinds of a sort; a stack of the name would be among them. */
const categories = ['crossplane', 'managed', 'class', 'classes', 'claim', 'claims', 'provider'];

const isKind = (text: string): boolean => /^[A-Z][A-Za-z0-9]*$/.test(text) && /[a-z]/.test(text);

/** The longest name of a definition, and of a label. */
const longestName = 253;
const longestLabel = 63;

/**
 * The names of a new service, complete. A claim that is not named is `<Kind>Claim`, a stack the plural of the kind. Throws
 * UsageError with a line for each argument that is no such name.
 */
export function namesOf(kind: string, given: GivenNames): Names {
  const { claim = `${kind}Claim`, stack = pluralOf(wordsOf(kind).join('-').toLowerCase()) } = given;
  const names = { kind, claim, stack, group: given.group, version: given.version };
  const problems = [...problemsOfKinds(names, given), ...problemsOfTheRest(names)];
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return names;
}

function problemsOfKinds({ kind, claim, group }: Names, given: GivenNames): readonly string[] {
  const ofKind = problemsOfKind('<Kind>', kind, group);
  // What follows from the kind is wrong with it.
  const isRepetition = given.claim === undefined && ofKind.length > 0;
  return isRepetition ? ofKind : [...ofKind, ...problemsOfKind('--claim', claim, group)];
}

function problemsOfKind(argument: string, name: string, group: string): readonly string[] {
  if (!isKind(name)) {
    const likely = upperFirst(name.replaceAll(/[^A-Za-z0-9]+(.)?/g, (_, next = '') => next.toUpperCase()));
    const hint = isKind(likely) ? `, as ${likely}` : '';
    return [`${argument}: "${name}" is not in PascalCase: letters and digits, with a capital first${hint}`];
  }
  const plural = pluralOf(`${name}Class`.toLowerCase());
  const isTooLong = plural.length > longestLabel || `${plural}.${group}`.length > longestName;
  return isTooLong ? [`${argument}: "${name}" is too long for the name of a definition`] : [];
}

function problemsOfTheRest({ group, version, stack }: Names): readonly string[] {
  const problems: string[] = [];
  if (!isGroup(group)) {
    problems.push(`--group: "${group}" is not a DNS name with a dot in it, as cache.example.org`);
  } else if (isKept(group)) {
    problems.push(`--group: "${group}" is kept for Kubernetes itself; take one below a domain of yours`);
  }
  if (!isVersion(version)) {
    problems.push(`--version: "${version}" is not a version of an API, as v1alpha1 or v1`);
  }
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(stack) || stack.length > longestLabel) {
    problems.push(
      `--stack: "${stack}" is not of lower case letters, digits and single dashes, as cache-clusters`,
    );
  } else if (categories.includes(stack)) {
    problems.push(`--stack: "${stack}" is what kubectl calls all kinds of a sort; choose another name`);
  }
  return problems;
}
