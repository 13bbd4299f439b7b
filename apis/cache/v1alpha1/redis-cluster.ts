import { z } from 'zod';
import type { ObjectKind } from '../../core/schema.ts';
import { optional } from '../../core/schema.ts';
import { defineClaim } from '../../core/v1alpha1/define-claim.ts';

export const RedisClusterKind = defineClaim(
  {
    group: 'cache.crossplane.io',
    version: 'v1alpha1',
    kind: 'RedisCluster',
    plural: 'redisclusters',
    shortNames: ['redis'],
    description:
      'A claim for a Redis. Despite its name the Redis may be a single node, or not be in cluster mode.',
  },
  {
    engineVersion: optional(
      z
        .string()
        .regex(/^[0-9]+\.([0-9]+|x)$/)
        .describe(
          'The requested version of Redis, for example 5.0, 6.x or 7.2. Without it, the class decides. It can be corrected until the Redis is created.',
        ),
    ),
  },
);

export type RedisCluster = ObjectKind<typeof RedisClusterKind>;
