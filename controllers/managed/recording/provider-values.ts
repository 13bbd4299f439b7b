import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Json } from '../../creation-parameters.ts';
import { creationParameters, isJsonObject, laidOver } from '../../creation-parameters.ts';

/** Removes from `values`, at any depth, the fields that `taken` also has. Also removes objects that become empty. */
function without(values: Json, taken: Json): Json {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]): readonly [string, unknown][] => {
      const other = taken[key];
      if (other === undefined) return value === undefined ? [] : [[key, value]];
      if (!isJsonObject(value) || !isJsonObject(other)) return [];
      const rest = without(value, other);
      return Object.keys(rest).length === 0 ? [] : [[key, rest]];
    }),
  );
}

/** Returns the managed resource for `create`: `forProvider` gets the fields of `initProvider` that it lacks. */
export function withInitProvider<M extends Managed>(managed: M): M {
  const { spec } = managed;
  if (spec.initProvider === undefined) return managed;
  return { ...managed, spec: { ...spec, forProvider: creationParameters(spec) } };
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
