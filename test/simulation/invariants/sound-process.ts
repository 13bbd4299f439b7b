import type { InvariantOf } from '../invariant.ts';

/** What an engine says of a mistake in a program, and not of the world. */
const mistake =
  /\b(TypeError|ReferenceError|RangeError|SyntaxError|AssertionError|EvalError)\b|Cannot read propert|is not a function|is not iterable|is not defined/;

/** A mistake of ours is none that the next attempt mends. */
export const soundProcess: InvariantOf = () => ({
  name: 'no line of the log tells of a mistake in the program',
  logged(line) {
    const found = mistake.exec(line);
    return found === null ? [] : [line.slice(0, 500)];
  },
});
