import intersection from 'lodash/intersection.js';
import orderBy from 'lodash/orderBy.js';
import range from 'lodash/range.js';
import uniq from 'lodash/uniq.js';

/** The pairs of letters next to each other in a word, its begin and end among them. */
const pairsIn = (word: string): readonly string[] => {
  const whole = ` ${word} `;
  return uniq(range(whole.length - 1).map((at) => whole.slice(at, at + 2)));
};

/**
 * How like two words are, from 0 to 1, by the pairs of letters that they share (Sørensen and Dice). It finds slips of the
 * finger as well as words that are parts of others, which a distance in edits does not.
 */
export function likeness(one: string, other: string): number {
  const [pairs, others] = [pairsIn(one), pairsIn(other)];
  return (2 * intersection(pairs, others).length) / (pairs.length + others.length);
}

const most = 3;

/** The names that are at least so like what was sought, the most like first; not many. */
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
