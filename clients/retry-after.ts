/** The wait that a Retry-After header (seconds, or a date) asks for, in milliseconds. */
export function retryAfterMsOf(header: string | string[] | undefined, nowMs: number): number | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
