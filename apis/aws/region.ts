import { z } from 'zod';

/** A region of AWS, as us-west-1: part of the address of its services. */
export const awsRegion = (description: string) =>
  z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    .min(1)
    .max(63)
    .describe(description);
