/**
 * A mutant that no test can notice, because it changes nothing visible. It is known by its text, so that it
 * may move; an edit of the line needs a new judgement.
 */
export interface Equivalent {
  /** The line the mutant begins in, without its indentation. */
  readonly line: string;
  readonly was: string;
  readonly becomes: string;
  /** Why nothing can tell the difference. */
  readonly because: string;
}

export const equivalents: readonly Equivalent[] = [
  {
    line: 'if (managed.status?.credential === undefined || credential === undefined || stored === undefined)',
    was: 'stored === undefined',
    becomes: 'false',
    because: 'a check before has generated the credential; the types do not know that',
  },
  ...['resourceClass === undefined', 'plan === undefined', 'plan instanceof Error'].map((was) => ({
    line: 'if (resourceClass === undefined || plan === undefined || plan instanceof Error) return undefined;',
    was,
    becomes: 'false',
    because: 'without a class there is no plan; a check before has decided about a plan that failed',
  })),
  {
    line: "if (claim === undefined || decision.act === 'nothing') return ended;",
    was: 'claim === undefined',
    becomes: 'false',
    because: 'of a claim that is gone nothing is decided but nothing; the types do not know that',
  },
  ...[
    ['target === undefined || source === undefined', 'false'],
    ['target === undefined || source === undefined', 'target === undefined && source === undefined'],
    ['target === undefined', 'false'],
    ['source === undefined', 'false'],
  ].map(([was = '', becomes = '']) => ({
    line: 'if (target === undefined || source === undefined) return ended;',
    was,
    becomes,
    because: 'where either is missing nothing is decided but nothing; the types do not know that',
  })),
  ...['claim === undefined || managed === undefined', 'claim === undefined', 'managed === undefined'].map(
    (was) => ({
      line: "if (claim === undefined || managed === undefined) return { name: 'NothingToCopyTo' }; // the checks above exclude this",
      was,
      becomes: 'false',
      because: 'a check before has decided if either does not exist; the types do not know that',
    }),
  ),
  {
    line: '...(selectorOf(object, field) === undefined ? [] : [bySelector]),',
    was: 'selectorOf(object, field) === undefined',
    becomes: 'false',
    because: 'who has no selector is passed over afterwards, too; the index spares the look at each',
  },
];
