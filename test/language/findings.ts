import { ParseEnglish } from 'parse-english';
import { declaredNames, isAtFault } from './names.ts';
import { textsOf } from './texts.ts';
import type { Exception, NameWord, TextKind, Word } from './words.ts';
import { exceptions, leaningOpening, nameWords, sentenceLimits, words } from './words.ts';

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly kind: TextKind | 'name';
  /** The words at fault, in small letters, or how many words the sentence has. */
  readonly found: string;
  /** The plain English for them. */
  readonly instead: string;
}

interface Rules {
  readonly words: readonly Word[];
  /** Default: the list of `words.ts`. */
  readonly nameWords?: readonly NameWord[];
  readonly exceptions: readonly Exception[];
}

/** All findings of a file, in the order of its lines. */
export function findingsOf(
  path: string,
  source: string,
  rules: Rules = { words, exceptions },
): readonly Finding[] {
  const suspects = textsOf(path, source).filter(({ kind, text }) => isSuspect(kind, text, rules.words));
  const findings = suspects.flatMap(({ kind, text, line }) =>
    sentencesOf(text).flatMap(({ sentence, offset }) =>
      findingsInSentence(kind, sentence, rules.words).map(({ at, found, instead }) => ({
        path,
        line: line + linesIn(text.slice(0, offset + at)),
        kind,
        found,
        instead,
      })),
    ),
  );
  const isExcepted = ({ found }: Finding): boolean =>
    rules.exceptions.some((exception) => exception.path === path && exception.found === found);
  return [...namesAtFault(path, source, rules), ...findings]
    .filter((finding) => !isExcepted(finding))
    .sort((a, b) => a.line - b.line);
}

function namesAtFault(path: string, source: string, rules: Rules): readonly Finding[] {
  const { nameWords: list = nameWords } = rules;
  return declaredNames(path, source).flatMap((each) =>
    list
      .filter((word) => isAtFault(each, word))
      .map(({ instead }) => ({ path, line: each.line, kind: 'name', found: each.name, instead })),
  );
}

const linesIn = (text: string): number => text.split('\n').length - 1;

/** Whether it is worth while to find its sentences: the parser of English is slow. */
function isSuspect(kind: TextKind, text: string, list: readonly Word[]): boolean {
  return (
    openingsOf(kind).test(text) ||
    leaning(kind, text).length > 0 ||
    wordsIn(text) > (sentenceLimits[kind] ?? Infinity) ||
    houseWords(kind, text, list).length > 0
  );
}

const pronouns = ['What', 'Who', 'Whose', 'Which', 'Whoever', 'Whatever', 'Whichever'];
const openings = new RegExp(`\\b(?:${pronouns.join('|')})\\b`);
/** The name of a test begins with a small letter. */
const openingsOfNames = new RegExp(openings, 'i');

const openingsOf = (kind: TextKind): RegExp => (/name$/.test(kind) ? openingsOfNames : openings);

function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

interface Found {
  /** Where in the sentence. */
  readonly at: number;
  readonly found: string;
  readonly instead: string;
}

function findingsInSentence(kind: TextKind, sentence: string, list: readonly Word[]): readonly Found[] {
  return [
    ...headless(kind, sentence),
    ...leaning(kind, sentence),
    ...houseWords(kind, sentence, list),
    ...tooLong(kind, sentence),
  ];
}

/** A sentence that begins with a clause instead of a noun. Questions and headings may begin like this. */
function headless(kind: TextKind, sentence: string): readonly Found[] {
  const { 0: opening, index } = openingsOf(kind).exec(sentence) ?? {};
  if (
    opening === undefined ||
    /\w/.test(sentence.slice(0, index)) ||
    kind === 'heading' ||
    /\?\W*$/.test(sentence)
  )
    return [];
  return [{ at: 0, found: `${opening} …`, instead: 'name the subject: the claim, the Secret, the user' }];
}

/** The name of a test that cannot be read without the test above it. A row of a table is completed by its test. */
function leaning(kind: TextKind, sentence: string): readonly Found[] {
  const [opening] = leaningOpening.exec(sentence) ?? [];
  if (kind !== 'test name' || opening === undefined) return [];
  return [{ at: 0, found: `${opening} …`, instead: 'a whole rule that can be read alone' }];
}

function houseWords(kind: TextKind, sentence: string, list: readonly Word[]): readonly Found[] {
  return list
    .filter(({ scope = [kind], unless }) => scope.includes(kind) && !unless?.pattern.test(sentence))
    .flatMap((word) =>
      [...sentence.matchAll(expressionOf(word))].map(({ 0: found, index }) => ({
        at: index,
        found: found.toLowerCase().replaceAll(/\s+/g, ' '),
        instead: word.instead,
      })),
    );
}

const expressions = new WeakMap<Word, RegExp>();

function expressionOf(word: Word): RegExp {
  const known = expressions.get(word);
  if (known !== undefined) return known;
  const expression = new RegExp(word.pattern ?? phrasePattern(word.phrases ?? []), 'gi');
  expressions.set(word, expression);
  return expression;
}

function phrasePattern(phrases: readonly string[]): string {
  const alternatives = phrases.map((phrase) => phrase.replaceAll(' ', '\\s+').replaceAll('*', "[\\w']*"));
  return `(?<![\\w-])(?:${alternatives.join('|')})(?![\\w-])`;
}

function tooLong(kind: TextKind, sentence: string): readonly Found[] {
  const count = wordsIn(sentence);
  const limit = sentenceLimits[kind];
  if (limit === undefined || count <= limit) return [];
  return [
    { at: 0, found: `${count} words`, instead: `a sentence has at most ${limit}; make two, or a list` },
  ];
}

interface Sentence {
  readonly sentence: string;
  /** Where in the text it begins. */
  readonly offset: number;
}

const english = new ParseEnglish();

interface EnglishNode {
  readonly type: string;
  readonly children?: readonly EnglishNode[];
  readonly position?: {
    readonly start: { readonly offset?: number | undefined };
    readonly end: { readonly offset?: number | undefined };
  };
}

function sentencesOf(text: string): readonly Sentence[] {
  const sentences: Sentence[] = [];
  const visit = ({ type, children, position }: EnglishNode): void => {
    if (type !== 'SentenceNode') for (const child of children ?? []) visit(child);
    else {
      const offset = position?.start.offset ?? 0;
      sentences.push({ sentence: text.slice(offset, position?.end.offset), offset });
    }
  };
  visit(english.parse(withoutUnits(text)) as EnglishNode);
  return sentences;
}

/** As long as the text. The parser takes the unit of "within 5 s." for the initial of a name, which ends no sentence. */
function withoutUnits(text: string): string {
  return text.replaceAll(/(\d) ([smhBVW])\./g, '$1$2$2.');
}
