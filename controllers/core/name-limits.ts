import { createHash } from 'node:crypto';

/** What an external system takes for a name that we choose. */
export interface NameLimits {
  /** Characters; names that are made from that of the managed resource are cut to it. */
  readonly maxLength: number;
  /** What the whole name must match; absent: anything. */
  readonly pattern?: RegExp;
}

const hashLength = 5;

/**
 * The name of an external resource after that of its managed resource, cut where it is too long: then a hash of all of it
 * is at its end, so that two that begin alike stay two. The same name each time.
 */
export function fittingName(name: string, { maxLength }: NameLimits): string {
  if (name.length <= maxLength) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashLength);
  const beginning = name.slice(0, maxLength - hashLength - 1).replace(/[-.]+$/, '');
  return `${beginning}-${hash}`;
}

/** What is wrong with a name, and what to do about it; undefined: nothing. */
export function nameProblem(
  name: string,
  { maxLength, pattern }: NameLimits,
  annotation: string,
): string | undefined {
  const advice = `give another one in the annotation ${annotation}`;
  if (name.length > maxLength) {
    return `the name "${name}" has ${name.length} characters, and the external system takes ${maxLength}; ${advice}`;
  }
  if (
    pattern === undefined ||
    new RegExp(`^(?:${pattern.source})$`, pattern.flags.replace(/[gy]/g, '')).test(name)
  )
    return undefined;
  return `the name "${name}" does not match ${pattern.source}, as the external system asks; ${advice}`;
}
