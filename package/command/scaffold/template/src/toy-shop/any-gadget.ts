import type { ObjectKind } from '../../../../../schema.ts';
import { defineClaim, optional, text } from '../../../../../schema.ts';

/** The request of an app team. It has only fields that make sense for every provider. */
export const AnyGadgetKind = defineClaim(
  {
    group: 'claims.example.org',
    version: 'v1beta1',
    kind: 'AnyGadget',
    plural: 'anygadgets',
    description: 'A claim for a tiny gadget.',
  },
  {
    engineVersion: optional(text('The requested version, for example 5.7. Without it, the class decides.')),
  },
);
export type AnyGadget = ObjectKind<typeof AnyGadgetKind>;
