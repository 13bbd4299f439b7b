type Json = Readonly<Record<string, unknown>>;

const isPlainObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of an object's own key. Ignores keys that all JavaScript objects inherit (`constructor`, `__proto__`). */
const own = (object: Json, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);

/** A merge patch cannot store null, so null means the same as an absent key. */
const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Whether two JSON values are equal. The order of keys does not matter, and undefined keys are absent. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) && a.length === b.length && a.every((element, index) => isSameJson(element, b[index]))
    );
  }
  if (!isPlainObject(a) || !isPlainObject(b)) return false;
  for (const key in a) if (!isSameJson(a[key], own(b, key))) return false;
  for (const key in b) if (own(a, key) === undefined && b[key] !== undefined) return false;
  return true;
}

/** The value for a new key, without nulls: a merge patch would read them as removals. */
function withoutNulls(value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (isAbsent(member) ? [] : [[key, withoutNulls(member)]])),
  );
}

/**
 * The JSON merge patch (RFC 7386) that turns `from` into `to`: null removes a key, arrays are replaced whole. Takes plain
 * JSON; keys that are undefined or null count as absent. Undefined if there is nothing to change.
 */
export function mergePatch(from: object, to: object): Json | undefined {
  const before = from as Json;
  const after = to as Json;
  const patch: (readonly [key: string, value: unknown])[] = [];
  for (const [key, present] of Object.entries(before)) {
    if (!isAbsent(present) && isAbsent(own(after, key))) patch.push([key, null]);
  }
  for (const [key, wanted] of Object.entries(after)) {
    const present = own(before, key);
    if (isAbsent(wanted) || present === wanted) continue;
    if (isPlainObject(present) && isPlainObject(wanted)) {
      const nested = mergePatch(present, wanted);
      if (nested !== undefined) patch.push([key, nested]);
    } else if (!isSameJson(present, wanted)) {
      patch.push([key, withoutNulls(wanted)]);
    }
  }
  return patch.length === 0 ? undefined : Object.fromEntries(patch);
}
