import intersection from 'lodash/intersection.js';
import orderBy from 'lodash/orderBy.js';
import range from 'lodash/range.js';
import uniq from 'lodash/uniq.js';

/** The pairs of adjacent letters in a word, with its begin and end. */
const pairsIn = (word: string): readonly string[] => {
  const whole = ` ${word} `;
  return uniq(range(whole.length - 1).map((at) => whole.slice(at, at + 2)));
};

/**
 * The likeness of two words, from 0 to 1, by their common pairs of letters (Sørensen and Dice). It finds typing mistakes
 * and also words that are parts of others; an edit distance does not find the latter.
 */
export function likeness(one: string, other: string): number {
  const [pairs, others] = [pairsIn(one), pairsIn(other)];
  return (2 * intersection(pairs, others).length) / (pairs.length + others.length);
}

/** The items whose names are most like a mistyped name, the most similar first; then by name. */
export const nearestFirst = <T>(
  sought: string,
  items: readonly T[],
  nameOf: (item: T) => string,
): readonly T[] => orderBy(items, [(item) => likeness(sought, nameOf(item)), nameOf], ['desc', 'asc']);

const most = 3;

/** The few names with at least the score `least`, the highest score first. */
export const mostLike = (
  scored: readonly { readonly name: string; readonly score: number }[],
  least: number,
): readonly string[] =>
  orderBy(
    scored.filter(({ score }) => score >= least),
    ['score', 'name'],
    ['desc', 'asc'],
  )
    .slice(0, most)
    .map(({ name }) => name);
