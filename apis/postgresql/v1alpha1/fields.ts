import { z } from 'zod';
import { immutable } from '../../core/marks.ts';
import { optional } from '../../core/schema.ts';

export const group = 'postgresql.crossplane.io';
export const version = 'v1alpha1';
export const stack = 'postgresql';

/** No control characters: PostgreSQL takes them, and shows them to whoever lists names in a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it refuses
const withoutControls = /^[^\x00-\x1f\x7f-\x9f]*$/;

/** What PostgreSQL takes for the name of anything: 63 bytes of UTF-8, which the server must count itself. */
export const identifier = (description: string) =>
  z.string().min(1).max(63).regex(withoutControls).describe(description);

/** The name of a database or role, which is the initial value of the external name. */
export const ownName = (what: string) =>
  optional(
    immutable(
      identifier(
        `The name of the ${what} on the server, 63 bytes at most; the initial value of the external name annotation. Without it: the name of this object.`,
      ),
    ),
  );

export const connectionLimit = (what: string) =>
  optional(z.int().min(-1).describe(`How many connections ${what} may have at a time; -1: any number.`));
