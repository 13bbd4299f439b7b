import isPlainObjectIn from 'lodash/isPlainObject.js';
import type { Managed } from '../../../../apis/core/v1alpha1/managed.ts';

type Json = Readonly<Record<string, unknown>>;

const isPlainObject = (value: unknown): value is Json => isPlainObjectIn(value);

/** Merges `over` into `base`: objects by key, lists by index. The list of `over` decides the length. */
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

/** Removes values that `taken` has, at any depth, lists as a whole. Empty objects are removed. */
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

/** For a creation: `forProvider` merged into `initProvider`, as Upjet does. */
export function withInitProvider<M extends Managed>(managed: M): M {
  const { initProvider, forProvider } = managed.spec;
  if (initProvider === undefined) return managed;
  const merged = laidOver(initProvider as Json, (forProvider ?? {}) as Json);
  return { ...managed, spec: { ...managed.spec, forProvider: merged } };
}

/**
 * Adds values that the external system chose for absent fields, except fields of `initProvider` and fields in
 * lists, whose elements cannot be matched. Returns `managed` itself if nothing changes.
 */
export function withLateInitialized<M extends Managed>(managed: M, values: object): M {
  const { initProvider, forProvider } = managed.spec;
  const given = (forProvider ?? {}) as Json;
  const absent = without(without(values as Json, given), (initProvider ?? {}) as Json);
  if (Object.keys(absent).length === 0) return managed;
  return { ...managed, spec: { ...managed.spec, forProvider: laidOver(absent, given) } };
}
