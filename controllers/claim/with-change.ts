import isEqual from 'lodash/isEqual.js';
import { isJsonObject } from '../creation-parameters.ts';

/** The value with what changed between `before` and `after`. Undefined: it is removed. */
export function withChange(value: unknown, before: unknown, after: unknown): unknown {
  if (isEqual(before, after)) return value;
  if (!isJsonObject(value) || !isJsonObject(before) || !isJsonObject(after)) return after;
  const keys = Object.keys({ ...value, ...before, ...after });
  const entries = keys.map((key) => [key, withChange(value[key], before[key], after[key])] as const);
  return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
}
