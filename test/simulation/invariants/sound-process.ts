import type { InvariantOf } from '../invariant.ts';

/** The errors of a JavaScript engine about a mistake in a program. */
const mistake =
  /\b(TypeError|ReferenceError|RangeError|SyntaxError|URIError|AssertionError|EvalError)\b|Cannot (?:read|set|convert) |is not (?:a function|iterable|defined|a constructor)|Maximum call stack|a bug (?:stopped|in) /;

/** A mistake of ours is not one that the next attempt fixes. */
export const soundProcess: InvariantOf = () => ({
  name: 'no line of the log tells of a mistake in the program',
  logged(line) {
    const found = mistake.exec(line);
    return found === null ? [] : [line.slice(0, 500)];
  },
});
