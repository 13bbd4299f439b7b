import upperFirst from 'lodash/upperFirst.js';
import { isGroup, isReservedGroup, isVersion } from '../../../apis/core/api-names.ts';
import { UsageError } from '../usage-error.ts';

/** The names of a new service, as its author gives them. */
export interface Names {
  /** The managed kind: `CacheCluster`. */
  readonly kind: string;
  readonly claim: string;
  readonly group: string;
  readonly version: string;
  /** `cache-clusters`. */
  readonly stack: string;
}

/** The names from flags. */
export interface GivenNames extends Pick<Names, 'group' | 'version'> {
  readonly claim?: string;
  readonly stack?: string;
}

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
 * The complete names of a new service. The default claim is `<Kind>Claim`, and the default stack is the plural of the kind.
 * Throws UsageError with one line for each argument that is not valid.
 */
export function namesOf(kind: string, given: GivenNames): Names {
  const { claim = `${kind}Claim`, stack = pluralOf(wordsOf(kind).join('-').toLowerCase()) } = given;
  const names = { kind, claim, stack, group: given.group, version: given.version };
  const problems = [...problemsOfKinds(names, given), ...problemsOfTheRest(names)];
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return names;
}

function problemsOfKinds({ kind, claim, group }: Names, given: GivenNames): readonly string[] {
  const kindProblems = problemsOfKind('<Kind>', kind, group);
  // The claim's default name has the same problems as the kind: report them once.
  const isRepetition = given.claim === undefined && kindProblems.length > 0;
  return isRepetition ? kindProblems : [...kindProblems, ...problemsOfKind('--claim', claim, group)];
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
