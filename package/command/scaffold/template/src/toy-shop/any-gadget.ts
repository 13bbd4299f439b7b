import type { ObjectKind } from '../../../../../schema.ts';
import { defineClaim, optional, text } from '../../../../../schema.ts';

/** The request of an app team. It has only fields that make sense for every provider. */
export const AnyGadgetKind = defineClaim(
  {
    group: 'toys.example.org',
    version: 'v1alpha1',
    kind: 'AnyGadget',
    plural: 'anygadgets',
    description: 'A claim for a tiny gadget.',
  },
  { version: optional(text('The requested version, for example 5.7. Without it, the class decides.')) },
);
export type AnyGadget = ObjectKind<typeof AnyGadgetKind>;
