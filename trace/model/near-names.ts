import partition from 'lodash/partition.js';
import uniq from 'lodash/uniq.js';
import type { ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { likeness, mostLike } from '../../apis/core/v1alpha1/likeness.ts';
import { compareNames } from '../../apis/core/v1alpha1/name-order.ts';
import type { SoughtInVain } from './findings.ts';
import { named } from './words.ts';

/** The lowest likeness of a similar name: for example two swapped letters in a name of four. */
const leastLikeness = 0.4;
const mostNear = 3;
/** A name with less than this share of the best likeness is not similar. */
const share = 0.75;

/** The existing names that are similar to a missing one, the most similar first. */
function nearNames(sought: string, there: readonly string[]): readonly string[] {
  const scored = uniq(there)
    .filter((name) => name !== sought)
    .map((name) => ({ name, score: likeness(sought, name) }));
  const best = Math.max(...scored.map(({ score }) => score));
  return mostLike(scored, Math.max(leastLikeness, share * best));
}

const suggestion = (names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`Did you mean ${names.slice(0, mostNear).join(' or ')}?`];

/** Where the name exists, or similar names: a sentence each. */
export function hintsAt({ key, there, isNamespaceAbsent }: SoughtInVain): readonly string[] {
  const { name, namespace = '' } = key;
  const [own, others] = partition(there, (one) => one.namespace === key.namespace);
  const namespaces = uniq(there.flatMap((one) => one.namespace ?? []));
  const absent = isNamespaceAbsent
    ? [[`There is no namespace ${namespace}.`, ...suggestion(nearNames(namespace, namespaces))].join(' ')]
    : [];
  const elsewhere = others
    .flatMap((one) => (one.name === name ? (one.namespace ?? []) : []))
    .toSorted(compareNames);
  if (elsewhere.length > 0) {
    const plural = elsewhere.length === 1 ? '' : 's';
    return [...absent, `There is one in namespace${plural} ${named(elsewhere)}: -n ${elsewhere[0]}`];
  }
  const namesOf = (keys: readonly ObjectKey[]): readonly string[] =>
    nearNames(
      name,
      keys.map((one) => one.name),
    );
  const near = namesOf(own);
  if (near.length > 0) return [...absent, ...suggestion(near)];
  const keys = namesOf(others).flatMap((each) => others.filter((one) => one.name === each));
  return [...absent, ...suggestion(keys.map(objectKeyText))];
}
