import type { ObjectKind } from '../../../../../package/schema.ts';
import { defineClaim, optional, text } from '../../../../../package/schema.ts';

export const FancySQLInstanceKind = defineClaim(
  {
    group: 'database.crossplane.io',
    version: 'v1alpha1',
    kind: 'FancySQLInstance',
    plural: 'fancysqlinstances',
    shortNames: ['fsql'],
    description: 'A claim for a FancySQL database. Any cloud that offers one can provide it.',
  },
  {
    version: optional(
      text(
        'The requested version of FancySQL, for example 5.7. Without it, the class decides. It can be corrected until the database is created.',
      ),
    ),
  },
);

export type FancySQLInstance = ObjectKind<typeof FancySQLInstanceKind>;
