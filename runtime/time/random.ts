/**
 * The only door through which chance comes in: uniform in [0, 1). `main.ts` hands over the machine's, tests a seeded
 * one. What must not be guessed, a password, is none of its business.
 */
export type Random = () => number;

/** A UUID (version 4) that chance makes; to tell things apart, not to keep them from being guessed. */
export function randomUuid(random: Random): string {
  const word = (): string =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  const [a, b, c, d] = [word(), word(), word(), word()];
  const variant = '89ab'[Math.floor(random() * 4)];
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${variant}${c.slice(1, 4)}-${c.slice(4)}${d}`;
}

/** The same numbers for the same seed (mulberry32 by Tommy Ettinger, public domain); for tests, not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
