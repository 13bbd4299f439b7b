import { z } from 'zod';
import { nameOnServer, optional } from '../../../../package/schema.ts';

export const group = 'postgresql.crossplane.io';
export const version = 'v1alpha1';
export const stack = 'postgresql';

/** The longest name in PostgreSQL, in bytes of UTF-8. */
export const maxNameBytes = 63;

export const identifier = (description: string) => nameOnServer(description, maxNameBytes);

export const connectionLimit = (what: string) =>
  optional(
    z.int().min(-1).describe(`The maximum number of connections of ${what} at a time; -1: any number.`),
  );
