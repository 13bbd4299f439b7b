/**
 * The only source of randomness: uniform in [0, 1). `main.ts` passes the machine's, tests pass a seeded one. Passwords
 * do not come from here: they need `randomBytes`.
 */
export type Random = () => number;

/** A random UUID (version 4). Use it to tell things apart; it is not a secret. */
export function randomUuid(random: Random): string {
  const word = (): string =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  const [a, b, c, d] = [word(), word(), word(), word()];
  const variant = '89ab'[Math.floor(random() * 4)];
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${variant}${c.slice(1, 4)}-${c.slice(4)}${d}`;
}

/** Returns the same numbers for the same seed (mulberry32 by Tommy Ettinger, public domain). Not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
