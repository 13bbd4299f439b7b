/** Moves surrogates behind the rest of the basic plane, so that code units sort as code points do. */
const rank = (unit: number): number =>
  unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit;

/**
 * Orders names by code points, as Kubernetes and etcd do. The order is the same in every process, whatever its locale.
 * Returns a negative number, 0 or a positive number.
 */
export function compareNames(a: string, b: string): number {
  for (let at = 0; at < a.length && at < b.length; at += 1) {
    const difference = rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
