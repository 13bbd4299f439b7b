import escapeRegExp from 'lodash/escapeRegExp.js';
import lowerFirst from 'lodash/lowerFirst.js';
import upperFirst from 'lodash/upperFirst.js';
import type { Names } from './names.ts';
import { pluralOf, wordsOf } from './names.ts';

/** The names in the template. Each has two words, so that all spellings of a name differ. */
export const templateNames: Names = {
  kind: 'TinyGadget',
  claim: { kind: 'AnyGadget', group: 'claims.example.org', version: 'v1beta1', isShared: false },
  group: 'toys.example.org',
  version: 'v1alpha1',
  stack: 'toy-shop',
};

const hasCapitals = (name: string): boolean => /[A-Z]/.test(name);

/** A name in the notations of code, manifests and sentences. */
const spellings = {
  pascal: (name: string) => (hasCapitals(name) ? name : wordsOf(name).map(upperFirst).join('')),
  camel(name: string) {
    const [first = ''] = wordsOf(name);
    const rest = spellings.pascal(name).slice(first.length);
    return (/^[A-Z]+[0-9]*$/.test(first) ? first.toLowerCase() : lowerFirst(first)) + rest;
  },
  kebab: (name: string) => wordsOf(name).join('-').toLowerCase(),
  flat: (name: string) => wordsOf(name).join('').toLowerCase(),
  words: (name: string) => wordsOf(name).map(inSentence).join(' '),
  titled: (name: string) => wordsOf(name).map(upperFirst).join(' '),
} as const;

/** A word within a sentence. Abbreviations keep their capitals. */
const inSentence = (word: string): string => (/^[A-Z]{2}/.test(word) ? word : word.toLowerCase());

/** All spellings of a name, always in the same order. */
function spelled(name: string): readonly string[] {
  const each = Object.values(spellings).map((spell) => spell(name));
  return [...each, ...each.map(pluralOf), ...articled(spellings.words(name))];
}

const articled = (words: string): readonly string[] => {
  const article = /^[aeiou]/i.test(words) ? 'an' : 'a';
  return [`${article} ${words}`, `${upperFirst(article)} ${words}`];
};

const everySpelling = (names: Names): readonly string[] => [
  ...[names.kind, names.claim.kind, names.stack].flatMap(spelled),
  ...[names.group, names.version, names.claim.group, names.claim.version],
];

/** Replaces the template's names by those of a new service, each in the same spelling. */
export function respelling(names: Names): (text: string) => string {
  const to = everySpelling(names);
  const replaced = new Map(everySpelling(templateNames).map((from, i) => [from, to[i] ?? from]));
  const longestFirst = [...replaced.keys()].toSorted((a, b) => b.length - a.length).map(escapeRegExp);
  const pattern = new RegExp(longestFirst.join('|'), 'g');
  return (text) => text.replaceAll(pattern, (found) => replaced.get(found) ?? found);
}
