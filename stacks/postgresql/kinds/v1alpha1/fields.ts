import { z } from 'zod';
import { immutable, optional } from '../../../../package/schema.ts';

export const group = 'postgresql.crossplane.io';
export const version = 'v1alpha1';
export const stack = 'postgresql';

/** No control characters: PostgreSQL accepts them in names, and a terminal that lists the names would execute them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses them
const withoutControls = /^[^\x00-\x1f\x7f-\x9f]*$/;

/** A name in PostgreSQL: at most 63 bytes of UTF-8. This schema counts characters; the server counts bytes. */
export const identifier = (description: string) =>
  z.string().min(1).max(63).regex(withoutControls).describe(description);

/** The name of a database or role, which is the initial value of the external name. */
export const ownName = (what: string) =>
  optional(
    immutable(
      identifier(
        `The name of the ${what} on the server, at most 63 bytes. It is the initial value of the external name annotation. Without it: the name of this object.`,
      ),
    ),
  );

export const connectionLimit = (what: string) =>
  optional(
    z.int().min(-1).describe(`The maximum number of connections of ${what} at a time; -1: any number.`),
  );
