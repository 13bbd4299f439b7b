import type { ObjectKind } from '../../core/schema.ts';
import { optional, text } from '../../core/schema.ts';
import { defineClaim } from '../../core/v1alpha1/define-claim.ts';

export const FancySQLInstanceKind = defineClaim(
  {
    group: 'database.crossplane.io',
    version: 'v1alpha1',
    kind: 'FancySQLInstance',
    plural: 'fancysqlinstances',
    shortNames: ['fsql'],
    description: 'A claim of a FancySQL database. Any cloud that offers one may satisfy it.',
  },
  {
    version: optional(
      text(
        'The version of FancySQL that is wanted, as 5.7. Without it, the class decides. Of use when the database is provisioned.',
      ),
    ),
  },
);

export type FancySQLInstance = ObjectKind<typeof FancySQLInstanceKind>;
