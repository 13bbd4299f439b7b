import type { ObjectKind } from '../../../../schema.ts';
import { defineClaim, optional, text } from '../../../../schema.ts';

/** What an application team asks for. Only what makes sense whoever provides it is asked here. */
export const AnyGadgetKind = defineClaim(
  {
    group: 'toys.example.org',
    version: 'v1alpha1',
    kind: 'AnyGadget',
    plural: 'anygadgets',
    description: 'A claim of a tiny gadget.',
  },
  { version: optional(text('The version that is wanted, as 5.7. Without it, the class decides.')) },
);
export type AnyGadget = ObjectKind<typeof AnyGadgetKind>;
