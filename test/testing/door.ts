/** The replies of a system while its door is not open. */
interface Replies<T> {
  readonly failing: (text: string) => T;
  readonly hanging: () => T;
  /** A success with this text. */
  readonly answering?: (text: string) => T;
}

/** The way of the requests to a system. `fail`, `answer` and `hang` are those of a world of the kit. */
export function door() {
  let way: keyof Replies<unknown> | 'open' = 'open';
  let output = '';
  const say = (next: typeof way) => (text: string) => {
    way = next;
    output = text;
  };
  return {
    /** Carries a request out, or answers with this failure or text, or never. */
    pass<T>(effect: () => T, { failing, hanging, answering = failing }: Replies<T>): T {
      if (way === 'open') return effect();
      return { failing, hanging, answering }[way](output);
    },
    fail: say('failing'),
    answer: say('answering'),
    hang: () => say('hanging')(''),
  };
}
