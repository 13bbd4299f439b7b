import { BadFlag } from '../../local/flags.ts';

/** Checks the value of a field. Throws BadFlag, which names the field by `at`. */
export type Field = (at: string, value: unknown) => void;

/** One of these words. */
export const oneOf =
  (known: readonly string[]): Field =>
  (at, value) => {
    if (typeof value === 'string' && known.includes(value)) return;
    throw new BadFlag(`${at}: ${JSON.stringify(value)} is none of ${known.join(', ')}`);
  };

/** A whole number. */
export const whole =
  ({ min, max = Number.MAX_SAFE_INTEGER }: { readonly min: number; readonly max?: number }): Field =>
  (at, value) => {
    if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new BadFlag(`${at}: ${JSON.stringify(value)} is no whole number ${range}`);
  };

export const text: Field = (at, value) => {
  if (typeof value !== 'string') throw new BadFlag(`${at}: ${JSON.stringify(value)} is no text`);
};

/** A list with items that pass this check. */
export const listOf =
  (item: Field): Field =>
  (at, value) => {
    if (!Array.isArray(value)) throw new BadFlag(`${at}: ${JSON.stringify(value)} is no list`);
    value.forEach((one, index) => {
      item(`${at}[${index}]`, one);
    });
  };

/** An object that has no other fields than these; those that it must have are named. */
export const objectOf =
  (fields: Readonly<Record<string, Field>>, required: readonly string[] = []): Field =>
  (at, value) => {
    const known = Object.keys(fields).join(', ');
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new BadFlag(`${at}: is no object of ${known}`);
    }
    const missing = required.find((name) => !Object.hasOwn(value, name));
    if (missing !== undefined) throw new BadFlag(`${missing}: is missing`);
    for (const [name, one] of Object.entries(value)) {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (field === undefined) throw new BadFlag(`${JSON.stringify(name)} is none of the fields ${known}`);
      field(name, one);
    }
  };
