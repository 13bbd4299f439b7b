/**
 * Chance by name: uniform in [0, 1), the same for the same seed and name, whatever else was asked for. So what is taken
 * out of a run leaves the rest of it as it was, as far as it does not depend on it.
 */
export type Chance = (...name: readonly (string | number)[]) => number;

/** FNV-1a over the name, mixed as mulberry32 does (Tommy Ettinger, public domain). */
export const chanceOf =
  (seed: number): Chance =>
  (...name) => {
    let hash = (0x811c9dc5 ^ seed) >>> 0;
    for (const part of name) {
      const text = String(part);
      for (let index = 0; index < text.length; index += 1) {
        hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
      }
      hash = Math.imul(hash ^ 0x1f, 0x01000193);
    }
    let mixed = (hash + 0x6d2b79f5) >>> 0;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
