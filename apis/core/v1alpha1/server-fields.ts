import { z } from 'zod';
import { immutable } from '../marks.ts';
import { optional } from '../schema.ts';

/* Schemas of the parts that kinds of databases and accounts on a shared server have in common. */

/** No control characters: servers accept some in names, and a terminal that lists the names would execute them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses them
const withoutControls = /^[^\x00-\x1f\x7f-\x9f]*$/;

/** A name on a server. The schema counts characters; the server may count bytes. */
export const nameOnServer = (description: string, maxLength: number) =>
  z.string().min(1).max(maxLength).regex(withoutControls).describe(description);

/** The name of a database or account, which is the initial value of the external name. `unit`: what the server counts. */
export const ownName = (what: string, maxLength: number, unit: 'characters' | 'bytes' = 'characters') =>
  optional(
    immutable(
      nameOnServer(
        `The name of the ${what} on the server, at most ${maxLength} ${unit}. It is the initial value of the external name annotation. Without it: the name of this object.`,
        maxLength,
      ),
    ),
  );

/** The policy for sessions of other clients, for the field `onDelete` of a database. */
export const sessionPolicy = optional(
  z
    .enum(['WaitForSessions', 'TerminateSessions'])
    .describe(
      'How open sessions are handled when the database is deleted: wait until there are none (the default), or terminate them.',
    ),
);
