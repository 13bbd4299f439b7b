/** The kinds of text that the check reads. */
export type TextKind = 'docs' | 'heading' | 'comment' | 'test name' | 'row name' | 'message';

/**
 * A word or phrase that this project does not use, and the plain English for it.
 *
 * A phrase matches whole words in any case, across line breaks; `*` stands for any ending of a word. Where the phrase
 * is also everyday English, `pattern` matches only the use that is meant.
 */
export interface Word {
  readonly phrases?: readonly string[];
  readonly pattern?: RegExp;
  /** The plain English for it. */
  readonly instead: string;
  /** The kinds of text that are checked; all if left out. */
  readonly scope?: readonly TextKind[];
  /** Sentences that match this may have the word, with the reason. */
  readonly unless?: { readonly pattern: RegExp; readonly reason: string };
}

/** A word list: a new word needs an example in `language.test.ts` that it finds. */
export const words: readonly Word[] = [
  {
    phrases: ['told'],
    instead: 'reported; the status shows',
    unless: { pattern: /\btold apart\b/i, reason: '"to tell apart" is the field\'s word for to distinguish' },
  },
  { phrases: ['says so', 'say so', 'said so', 'word of it', 'without a word'], instead: 'reports it' },
  { phrases: ['on record', 'a record of'], instead: 'recorded; the recorded value' },
  {
    phrases: ['has gone', 'have gone', 'had gone', 'goes with it'],
    instead: 'is being deleted; was deleted',
  },
  { phrases: ['what is left', 'has left', 'is left of'], instead: 'remains' },
  {
    phrases: ['let go of', 'lets go of', 'letting go of'],
    instead: 'released; the finalizer was removed',
  },
  {
    phrases: [
      'offered again',
      'an offer',
      'the offer',
      'offers it',
      'is offered',
      'was offered',
      'be offered',
    ],
    instead: 'made available again',
  },
  { phrases: ['leave to', 'has leave', 'have leave', 'gives leave', 'without leave'], instead: 'consent' },
  {
    phrases: ['handed over', 'hand over', 'hands over', 'handing over', 'hand it over', 'hands it over'],
    instead: "copied to the claim's Secret; passed to",
  },
  { phrases: ['former claim', 'former claims'], instead: 'previous claim' },
  // "A claim whose Secret is missing" is the field's language.
  {
    phrases: ['whose it is', 'whose they are', 'whose that is', 'whose is', 'whose a'],
    instead: 'the owning claim; the owner',
  },
  { phrases: ['rightful', 'rightfully'], instead: 'owning' },
  {
    phrases: ['taken away', 'take away', 'takes away', 'taking away', 'taken from'],
    instead: 'removed; claimed; owned by another claim',
  },
  { phrases: ['a look', 'looked at', 'looks at'], instead: 'an observation; observed; read' },
  {
    // "outside" as a noun or an adverb, not the preposition in "outside the cluster".
    pattern:
      /\b(?:the|from|what is|exists?|something|anything|nothing) outside\b(?! the| a )|\boutside(?=[.,;:!?)]|$| (?:is|are|was|has|may|does|did|and|or|goes|exists|that|which|by|with)\b)/i,
    instead: 'in the external system; the external resource',
  },
  { phrases: ['anew'], instead: 'again; recreated' },
  {
    phrases: ['renewal', 'renewals'],
    instead: 'credential rotation',
    unless: { pattern: /\bleases?\b|\bleader|\btokens?\b/i, reason: 'a Lease and a token are renewed' },
  },
  { phrases: ['is due', 'are due', 'was due', 'were due', 'be due', 'falls due'], instead: 'is pending' },
  { phrases: ['owed', 'owes'], instead: 'pending; needed' },
  { phrases: ['contest', 'contests', 'contested', 'disown*'], instead: 'concurrent update; invalidate' },
  {
    phrases: ['overtaken', 'overtakes', 'overtake'],
    instead: 'deleted before the finalizer was written; outdated',
  },
  { phrases: ['heir', 'heirs'], instead: 'successor' },
  { phrases: ['unsure', 'in doubt', 'doubted'], instead: 'not confirmed' },
  { phrases: ['misfit*', 'unfit'], instead: 'incompatible' },
  { pattern: /\bendings\b|\b(?:the|an|its|each|another|one|this|every) ending\b/i, instead: 'outcome' },
  {
    phrases: ['somebody', "somebody's", 'nobody', "nobody's", 'whoever'],
    instead: 'a user; an administrator; no controller',
  },
  { phrases: ['stand-in', 'stand-ins', 'stands in for', 'stand in for'], instead: 'emulator; a fake' },
  { phrases: ['estate', 'estates'], instead: 'inventory' },
  { phrases: ['mend', 'mends', 'mended', 'mending'], instead: 'fix; fixed' },
  { phrases: ['by then'], instead: 'at that time' },
  { phrases: ['meanwhile'], instead: 'during that time' },
  { phrases: ['in its place', 'in their place', 'in his place'], instead: 'instead' },
  { phrases: ['kept in step', 'in step with', 'keeps in step'], instead: 'in sync' },
  { pattern: /(?:\(|, )as (?:for example|\d)/i, instead: 'such as' },
];

/** A word that no declared name has: of a variable, parameter, function, type, property, method or file. */
export interface NameWord {
  /** Parts of a name in camel case or kebab case. */
  readonly words?: readonly string[];
  /** For more than a word. */
  readonly pattern?: RegExp;
  /** The plain English for it. */
  readonly instead: string;
  /** A new `Set` or `Map` may have the name. */
  readonly isCollectionAllowed?: boolean;
}

/** A new entry needs an example in `language.test.ts` that it finds. */
export const nameWords: readonly NameWord[] = [
  { words: ['asked'], instead: 'requested, desired; request' },
  { words: ['kept', 'unkept'], instead: 'retained, stored, cached, previous' },
  { words: ['said'], instead: 'reported; message, output' },
  // An algorithm remembers in the set `seen` what it has visited.
  { words: ['seen', 'unseen'], instead: 'observed, visible, received', isCollectionAllowed: true },
  { words: ['theirs'], instead: 'foreign, other' },
  { words: ['thing', 'things'], instead: 'item, resource; its kind' },
  { words: ['habit', 'habits'], instead: 'option, setting' },
  { words: ['oddity', 'oddities'], instead: 'exception, rule' },
  { pattern: /^of[A-Z]/, instead: 'the noun last: claimChecks, not ofClaim' },
];

/** The beginnings of a test name that lean on another test; the suite may name the subject of the first verb. */
export const leaningOpening =
  /^\W*(?:but|and|or|nor|also|so|then|else|otherwise|unless|except|it|its|they|their|one (?:that|which|who|whose|of|in|with|without))\b/i;

/** A finding that stays, with the reason. `text` is what the check prints as found. */
export interface Exception {
  readonly path: string;
  readonly found: string;
  readonly reason: string;
}

export const exceptions: readonly Exception[] = [
  {
    path: 'apis/core/v1alpha1/ready-reasons.ts',
    found: 'KeptResourceExists',
    reason: 'a kept resource is in the glossary, and users read this reason',
  },
];

/** The most words that a sentence of a kind of text may have; a kind that is left out has no limit. */
export const sentenceLimits: Partial<Readonly<Record<TextKind, number>>> = { docs: 30, message: 25 };
