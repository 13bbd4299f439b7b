import isPlainObjectIn from 'lodash/isPlainObject.js';

export type Json = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is Json => isPlainObjectIn(value);

/** The parameters of a creation: `forProvider`, completed from `initProvider`. */
export const creationParameters = ({
  initProvider,
  forProvider = {},
}: {
  readonly initProvider?: object;
  readonly forProvider?: object;
}): object =>
  initProvider === undefined ? forProvider : laidOver(initProvider as Json, forProvider as Json);

/** Merges `over` into `base`: objects by key, lists by index. A merged list is as long as the list of `over`. */
export function laidOver(base: Json, over: Json): Json {
  const given = Object.entries(over);
  return Object.fromEntries([
    ...Object.entries(base),
    ...given.map(([key, value]) => [key, merged(Object.hasOwn(base, key) ? base[key] : undefined, value)]),
  ]);
}

function merged(below: unknown, above: unknown): unknown {
  if (isJsonObject(below) && isJsonObject(above)) return laidOver(below, above);
  if (Array.isArray(below) && Array.isArray(above)) {
    return above.map((element: unknown, index) => merged(below[index], element));
  }
  return above;
}
