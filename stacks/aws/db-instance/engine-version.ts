/** The numbers in `16.4` or `8.0.35`. The rest of an Oracle version is left out. */
const numbersIn = (version: string): readonly number[] =>
  (/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? '').split('.').map(Number);

/**
 * Whether a version satisfies the wanted one. It does if both are equal, or if it begins with the wanted one (16.4 for
 * 16). A later version that differs in the last number only also does, because RDS upgrades by itself. With `any`, each
 * later version does.
 */
export function isAtLeast(version: string, wanted: string, which: 'minor' | 'any' = 'minor'): boolean {
  if (version === wanted || version.startsWith(`${wanted}.`)) return true;
  const [is, least] = [numbersIn(version), numbersIn(wanted)];
  const at = least.findIndex((number, index) => number !== is[index]);
  // Then the rest after the numbers decides: 19.0.0.0.ru-2026-01.rur-2026-01.r1.
  if (at < 0) return which === 'any' || version > wanted;
  const isLater = (is[at] ?? -1) > (least[at] ?? 0);
  return isLater && (which === 'any' || (is.length === least.length && at > 0 && at === least.length - 1));
}
