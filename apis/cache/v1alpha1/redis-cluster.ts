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
      'A claim of a Redis. Despite its name it may be satisfied by a single node, or by one that is not in cluster mode.',
  },
  {
    engineVersion: optional(
      z
        .string()
        .regex(/^[0-9]+\.([0-9]+|x)$/)
        .describe(
          'The version of Redis that is wanted, as 5.0, 6.x or 7.2. Without it, the class decides. Of use when the Redis is provisioned.',
        ),
    ),
  },
);

export type RedisCluster = ObjectKind<typeof RedisClusterKind>;
