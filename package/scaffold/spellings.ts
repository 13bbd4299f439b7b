import escapeRegExp from 'lodash/escapeRegExp.js';
import lowerFirst from 'lodash/lowerFirst.js';
import upperFirst from 'lodash/upperFirst.js';
import type { Names } from './names.ts';
import { pluralOf, wordsOf } from './names.ts';

/** What the template calls things: names of two words, so that each spelling of one differs from every other. */
export const templateNames: Names = {
  kind: 'TinyGadget',
  claim: 'AnyGadget',
  group: 'toys.example.org',
  version: 'v1alpha1',
  stack: 'toy-shop',
};

const hasCapitals = (name: string): boolean => /[A-Z]/.test(name);

/** What a name looks like in code, in manifests and in sentences. */
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

/** Abbreviations stay as they are. */
const inSentence = (word: string): string => (/^[A-Z]{2}/.test(word) ? word : word.toLowerCase());

/** Every spelling of a name, in one order. */
function spelled(name: string): readonly string[] {
  const each = Object.values(spellings).map((spell) => spell(name));
  return [...each, ...each.map(pluralOf), ...articled(spellings.words(name))];
}

const articled = (words: string): readonly string[] => {
  const article = /^[aeiou]/i.test(words) ? 'an' : 'a';
  return [`${article} ${words}`, `${upperFirst(article)} ${words}`];
};

const everySpelling = (names: Names): readonly string[] => [
  ...[names.kind, names.claim, names.stack].flatMap(spelled),
  names.group,
  names.version,
];

/** Puts a new service's names in the place of the template's, each in the spelling that it stands in. */
export function respelling(names: Names): (text: string) => string {
  const to = everySpelling(names);
  const replaced = new Map(everySpelling(templateNames).map((from, i) => [from, to[i] ?? from]));
  const longestFirst = [...replaced.keys()].toSorted((a, b) => b.length - a.length).map(escapeRegExp);
  const pattern = new RegExp(longestFirst.join('|'), 'g');
  return (text) => text.replaceAll(pattern, (found) => replaced.get(found) ?? found);
}
