import { z } from 'zod';

/** A region of AWS, for example us-west-1. It is part of the address of AWS's services. */
export const awsRegion = (description: string) =>
  z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    .min(1)
    .max(63)
    .describe(description);
