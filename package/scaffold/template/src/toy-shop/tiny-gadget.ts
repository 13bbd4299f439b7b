import type { ObjectKind } from '../../../../schema.ts';
import { defineClass, defineManaged, immutable, late, optional, text, z } from '../../../../schema.ts';

const group = 'toys.example.org';
const version = 'v1alpha1';

const parameters = {
  size: z.int().min(1).max(1000).describe('How much it holds, in GiB.'),
  version: optional(immutable(late(text('The version it runs, as 5.7. Toy Shop chooses if it is absent.')))),
};

/** What stands for one thing in the cloud: what it should be like, and what the cloud tells of it. */
export const TinyGadgetKind = defineManaged(
  {
    group,
    version,
    kind: 'TinyGadget',
    plural: 'tinygadgets',
    stack: 'toy-shop',
    description: 'A tiny gadget of Toy Shop.',
  },
  z.object(parameters).describe('What it should be like. Changes made elsewhere are reverted.'),
  {
    state: optional(z.string().describe('Its state, as Toy Shop says it.')),
    endpoint: optional(z.string().describe('Where it is reached, as host:port.')),
  },
);
export type TinyGadget = ObjectKind<typeof TinyGadgetKind>;

/** What an administrator decides for all that claims are given. */
export const TinyGadgetClassKind = defineClass(
  {
    group,
    version,
    kind: 'TinyGadgetClass',
    plural: 'tinygadgetclasses',
    description: 'A class of tiny gadgets, from which claims are satisfied.',
  },
  z.object(parameters).describe('What everything of this class is like.'),
);
export type TinyGadgetClass = ObjectKind<typeof TinyGadgetClassKind>;
