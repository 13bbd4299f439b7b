import { createHash } from 'node:crypto';

/** The names that an external system accepts. */
export interface NameLimits {
  /** The most characters of a name. Names derived from the managed resource's name are cut to this length. */
  readonly maxLength: number;
  /** The whole name must match it. Absent: any name. */
  readonly pattern?: RegExp;
}

const hashLength = 5;

/**
 * The external name derived from the managed resource's name. A long name is cut and gets a hash of the whole name,
 * so that two names with the same beginning differ. Always the same for one name.
 */
export function fittingName(name: string, { maxLength }: NameLimits): string {
  if (name.length <= maxLength) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashLength);
  const beginning = name.slice(0, maxLength - hashLength - 1).replace(/[-.]+$/, '');
  return `${beginning}-${hash}`;
}

/** Why the external system does not accept a name. Undefined: it accepts the name. */
export function nameProblem(name: string, { maxLength, pattern }: NameLimits): string | undefined {
  if (name.length > maxLength) {
    return `the name "${name}" has ${name.length} characters, and the external system accepts ${maxLength}`;
  }
  if (
    pattern === undefined ||
    new RegExp(`^(?:${pattern.source})$`, pattern.flags.replace(/[gy]/g, '')).test(name)
  )
    return undefined;
  return `the name "${name}" does not match ${pattern.source}, which the external system requires`;
}
