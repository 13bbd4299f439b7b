import { z } from 'zod';

/** Tags that somebody wants a thing of AWS to have, beside those that say whose it is. */
export const awsTags = (noun: string) =>
  z
    .record(z.string().max(128), z.string().max(256))
    .describe(
      `Tags that the ${noun} has, beside those that say whose it is. Others, which somebody else set, are kept. Those that say whose it is (crossplane-…), and those of AWS itself (aws:…), have no effect here.`,
    );
