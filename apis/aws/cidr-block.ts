import { z } from 'zod';

/** Addresses of the fourth version of IP, as AWS writes them. */
export const cidrBlock = (description: string) =>
  z
    .string()
    .regex(/^\d{1,3}(\.\d{1,3}){3}\/\d{1,2}$/)
    .describe(description);
