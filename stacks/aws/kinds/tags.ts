import { z } from 'zod';

/** The user's tags for a resource of AWS. `noun` is its name in the description. */
export const awsTags = (noun: string) =>
  z
    .record(z.string().max(128), z.string().max(256))
    .describe(
      `Tags of the ${noun}, besides those that name its owner. Tags that other users have set are kept. Tags that name the owner (crossplane-…) and tags of AWS itself (aws:…) have no effect here.`,
    );
