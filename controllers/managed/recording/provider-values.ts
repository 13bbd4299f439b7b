import isPlainObjectIn from 'lodash/isPlainObject.js';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';

type Json = Readonly<Record<string, unknown>>;

const isPlainObject = (value: unknown): value is Json => isPlainObjectIn(value);

/** Merges `over` into `base`: objects by key, lists by index. A merged list is as long as the list of `over`. */
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

/** Removes from `values`, at any depth, the fields that `taken` also has. Also removes objects that become empty. */
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

/** Returns the managed resource for `create`: `forProvider` gets the fields of `initProvider` that it lacks. */
export function withInitProvider<M extends Managed>(managed: M): M {
  const { initProvider, forProvider } = managed.spec;
  if (initProvider === undefined) return managed;
  const merged = laidOver(initProvider as Json, (forProvider ?? {}) as Json);
  return { ...managed, spec: { ...managed.spec, forProvider: merged } };
}

/**
 * Sets absent fields of `forProvider` to the values that the external system chose. Skips fields of `initProvider`, and
 * fields in lists, because list elements cannot be matched. Returns `managed` itself if nothing changes.
 */
export function withLateInitialized<M extends Managed>(managed: M, values: object): M {
  const { initProvider, forProvider } = managed.spec;
  const given = (forProvider ?? {}) as Json;
  const absent = without(without(values as Json, given), (initProvider ?? {}) as Json);
  if (Object.keys(absent).length === 0) return managed;
  return { ...managed, spec: { ...managed.spec, forProvider: laidOver(absent, given) } };
}
