type Json = Readonly<Record<string, unknown>>;

const isPlainObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A merge patch cannot store null, so that null asks for the same as an absent key. */
const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Whether two JSON values are the same; the order of keys does not count, undefined keys are absent. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) && a.length === b.length && a.every((element, index) => isSameJson(element, b[index]))
    );
  }
  if (!isPlainObject(a) || !isPlainObject(b)) return false;
  for (const key in a) if (!isSameJson(a[key], b[key])) return false;
  for (const key in b) if (a[key] === undefined && b[key] !== undefined) return false;
  return true;
}

/** What a key becomes that `from` lacks: the value without the nulls, which a patch would take for removals. */
function withoutNulls(value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (isAbsent(member) ? [] : [[key, withoutNulls(member)]])),
  );
}

/**
 * The JSON merge patch (RFC 7386) that turns `from` into `to`: null removes a key, arrays are replaced whole.
 * Takes plain JSON; keys that are undefined or null count as absent. Undefined when there is nothing to change.
 */
export function mergePatch(from: object, to: object): Json | undefined {
  const before = from as Json;
  const after = to as Json;
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(before)) {
    if (!isAbsent(before[key]) && isAbsent(after[key])) patch[key] = null;
  }
  for (const [key, wanted] of Object.entries(after)) {
    const present = before[key];
    if (isAbsent(wanted) || present === wanted) continue;
    if (isPlainObject(present) && isPlainObject(wanted)) {
      const nested = mergePatch(present, wanted);
      if (nested !== undefined) patch[key] = nested;
    } else if (!isSameJson(present, wanted)) {
      patch[key] = withoutNulls(wanted);
    }
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
