const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Parses a duration in Go's format (`500ms`, `30s`, `1h30m`, `1.5h`) to milliseconds. Undefined for any other text and for
 * 0. Go's units below a millisecond are not supported: no duration here is that short.
 */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return undefined;
  const totalMs = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (unitsMs[unit ?? ''] ?? 0),
    0,
  );
  return totalMs > 0 ? totalMs : undefined;
}
