import { z } from 'zod';
import type { ObjectKind } from '../../core/schema.ts';
import { optional } from '../../core/schema.ts';
import { defineClaim } from '../../core/v1alpha1/define-claim.ts';

export const PostgreSQLInstanceKind = defineClaim(
  {
    group: 'database.crossplane.io',
    version: 'v1alpha1',
    kind: 'PostgreSQLInstance',
    plural: 'postgresqlinstances',
    shortNames: ['pgsql'],
    description: 'A claim of a PostgreSQL database.',
  },
  {
    engineVersion: optional(
      z
        .string()
        .regex(/^[0-9]+(\.[0-9]+)?$/)
        .describe(
          'The major version of PostgreSQL that is wanted, as 9.6, 14 or 18. It must be that of the server the class points at. Without it, any will do. Of use when the database is provisioned.',
        ),
    ),
  },
);

export type PostgreSQLInstance = ObjectKind<typeof PostgreSQLInstanceKind>;
