import { z } from 'zod';

/** A block of IPv4 addresses in AWS's format. */
export const cidrBlock = (description: string) =>
  z
    .string()
    .regex(/^\d{1,3}(\.\d{1,3}){3}\/\d{1,2}$/)
    .describe(description);
