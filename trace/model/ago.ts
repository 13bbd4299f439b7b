const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** `12 s`, `3 min`, `2 h`, `5 d`. */
function lasting(ms: number): string {
  const [unitMs, unit] = units.find(([least]) => Math.abs(ms) >= least) ?? [1_000, 's'];
  return `${Math.round(Math.abs(ms) / unitMs)} ${unit}`;
}

/** `for 12 s`. */
export const since = (atMs: number, now: Date): string =>
  Number.isNaN(atMs) ? 'since an unknown time' : `for ${lasting(now.getTime() - atMs)}`;

/** `12 s ago`; `in 12 s` for a time in the future; `at an unknown time` for NaN. */
export function ago(atMs: number, now: Date): string {
  if (Number.isNaN(atMs)) return 'at an unknown time';
  const ms = now.getTime() - atMs;
  return ms < 0 ? `in ${lasting(ms)}` : `${lasting(ms)} ago`;
}
