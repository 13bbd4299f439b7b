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
    description: 'A claim for a PostgreSQL database.',
  },
  {
    engineVersion: optional(
      z
        .string()
        .regex(/^[0-9]+(\.[0-9]+)?$/)
        .describe(
          'The requested major version of PostgreSQL, for example 9.6, 14 or 18. The server of the class must have this version. Without it, any version is accepted. It can be corrected until the database is created.',
        ),
    ),
  },
);

export type PostgreSQLInstance = ObjectKind<typeof PostgreSQLInstanceKind>;
