import uniq from 'lodash/uniq.js';
import type { ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../apis/core/v1alpha1/kind.ts';
import { compareNames } from '../../apis/core/v1alpha1/name-order.ts';
import { likeness, mostLike } from '../likeness.ts';
import type { SoughtInVain } from './findings.ts';
import { named } from './link-parts.ts';

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

/** `Did you mean cart or carts?`; undefined: no name is similar. */
export function meant(sought: string, there: readonly string[]): string | undefined {
  const near = nearNames(sought, there);
  return near.length === 0 ? undefined : asked(near);
}

const asked = (names: readonly string[]): string => `Did you mean ${names.join(' or ')}?`;

/** Where the name exists, or similar names: a sentence each. */
export function hintsAt({ key, there, isNamespaceAbsent }: SoughtInVain): readonly string[] {
  const { name, namespace } = key;
  const namespaces = uniq(there.flatMap((one) => one.namespace ?? []));
  const isIn = ({ namespace: its }: ObjectKey): boolean => its === namespace;
  const elsewhere = there.flatMap((one) =>
    one.name === name && !isIn(one) && one.namespace !== undefined ? [one.namespace] : [],
  );
  const absent = isNamespaceAbsent
    ? [[`There is no namespace ${namespace}.`, meant(namespace ?? '', namespaces)].filter(Boolean).join(' ')]
    : [];
  if (elsewhere.length > 0) {
    const [first, ...others] = elsewhere.toSorted(compareNames);
    const plural = others.length === 0 ? '' : 's';
    return [...absent, `There is one in namespace${plural} ${named([first ?? '', ...others])}: -n ${first}`];
  }
  const own = there.filter(isIn).map((one) => one.name);
  const others = there.filter((one) => !isIn(one));
  const like = nearNames(
    name,
    others.map((one) => one.name),
  );
  const keys = like.flatMap((each) => others.filter((one) => one.name === each)).map(objectKeyText);
  const near = meant(name, own) ?? (keys.length === 0 ? undefined : asked(keys.slice(0, mostNear)));
  return [...absent, ...(near === undefined ? [] : [near])];
}
