import isPlainObjectIn from 'lodash/isPlainObject.js';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';

type Json = Readonly<Record<string, unknown>>;

const isPlainObject = (value: unknown): value is Json => isPlainObjectIn(value);

/**
 * `over` laid over `base`: objects merge key by key, lists element by element, and all else is that of `over`. How
 * many elements a list has is for `over` to say, so a list of plain values is its own whole.
 */
function laidOver(base: Json, over: Json): Json {
  const given = Object.entries(over);
  return Object.fromEntries([
    ...Object.entries(base),
    ...given.map(([key, value]) => [key, merged(Object.hasOwn(base, key) ? base[key] : undefined, value)]),
  ]);
}

function merged(below: unknown, above: unknown): unknown {
  if (isPlainObject(below) && isPlainObject(above)) return laidOver(below, above);
  if (Array.isArray(below) && Array.isArray(above)) {
    return above.map((element: unknown, index) => merged(below[index], element));
  }
  return above;
}

/** Without what `taken` has a value for, however deep, lists as a whole; objects that end up empty go too. */
function without(values: Json, taken: Json): Json {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]): readonly [string, unknown][] => {
      const other = taken[key];
      if (other === undefined) return value === undefined ? [] : [[key, value]];
      if (!isPlainObject(value) || !isPlainObject(other)) return [];
      const rest = without(value, other);
      return Object.keys(rest).length === 0 ? [] : [[key, rest]];
    }),
  );
}

/**
 * The managed resource as creation sees it: `initProvider` beneath `forProvider`, which wins where both speak
 * (Upjet merges the two so, lists by index included).
 */
export function withInitProvider<M extends Managed>(managed: M): M {
  const { initProvider, forProvider } = managed.spec;
  if (initProvider === undefined) return managed;
  const merged = laidOver(initProvider as Json, (forProvider ?? {}) as Json);
  return { ...managed, spec: { ...managed.spec, forProvider: merged } };
}

/**
 * The managed resource with values that the external system chose: only those of fields that are absent, however
 * deep. Fields of `initProvider` are left out, because in `forProvider` they would be kept as they are from then
 * on, and it is the point of `initProvider` that they are not; so are lists that either has: which element of theirs
 * is which of the external system's is not known. Returns `managed` if nothing is absent.
 */
export function withLateInitialized<M extends Managed>(managed: M, values: object): M {
  const { initProvider, forProvider } = managed.spec;
  const given = (forProvider ?? {}) as Json;
  const absent = without(without(values as Json, given), (initProvider ?? {}) as Json);
  if (Object.keys(absent).length === 0) return managed;
  return { ...managed, spec: { ...managed.spec, forProvider: laidOver(absent, given) } };
}
