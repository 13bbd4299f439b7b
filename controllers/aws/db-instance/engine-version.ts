/** The numbers in `16.4` or `8.0.35`; whatever comes after them in a version of Oracle is left out. */
const numbersIn = (version: string): readonly number[] =>
  (/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? '').split('.').map(Number);

/**
 * Whether a version serves where another is wanted: it is that one, or begins with it (16.4 where 16 is wanted), or is a
 * later one that differs in the last number only, as RDS takes over by itself. With `any`, each later one does.
 */
export function isAtLeast(version: string, wanted: string, which: 'minor' | 'any' = 'minor'): boolean {
  if (version === wanted || version.startsWith(`${wanted}.`)) return true;
  const [is, least] = [numbersIn(version), numbersIn(wanted)];
  const at = least.findIndex((number, index) => number !== is[index]);
  // Then what comes after the numbers says it: 19.0.0.0.ru-2026-01.rur-2026-01.r1.
  if (at < 0) return which === 'any' || version > wanted;
  const isLater = (is[at] ?? -1) > (least[at] ?? 0);
  return isLater && (which === 'any' || (is.length === least.length && at > 0 && at === least.length - 1));
}
