/**
 * Orders two resourceVersions of one kind: negative, 0 or positive. They are decimal numbers of up to 64 bits
 * without leading zeros, so that the longer is the greater; '' is the least. Comparable since Kubernetes 1.35
 * by promise (KEP-5504), before that by fact.
 */
export function compareResourceVersions(a: string, b: string): number {
  if (a === b) return 0;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}
