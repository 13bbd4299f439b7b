import { z } from 'zod';
import type { ObjectKind } from '../../core/schema.ts';
import { optional } from '../../core/schema.ts';
import { defineClaim } from '../../core/v1alpha1/define-claim.ts';

export const MySQLInstanceKind = defineClaim(
  {
    group: 'database.crossplane.io',
    version: 'v1alpha1',
    kind: 'MySQLInstance',
    plural: 'mysqlinstances',
    shortNames: ['mysql'],
    description: 'A claim for a MySQL database.',
  },
  {
    engineVersion: optional(
      z
        .string()
        .regex(/^[0-9]+\.[0-9]+$/)
        .describe(
          'The requested version of MySQL, for example 5.7 or 8.0. Without it, the class decides. It can be corrected until the database is created.',
        ),
    ),
  },
);

export type MySQLInstance = ObjectKind<typeof MySQLInstanceKind>;
