import type { ObjectKind } from '../../../../../schema.ts';
import {
  databaseConnection,
  defineClass,
  defineManaged,
  immutable,
  late,
  optional,
  text,
  z,
} from '../../../../../schema.ts';

const group = 'toys.example.org';
const version = 'v1alpha1';

const parameters = {
  size: z.int().min(1).max(1000).describe('The capacity in GiB.'),
  version: optional(immutable(late(text('The running version, for example 5.7. Absent: Toy Shop chooses.')))),
};

/** The managed resource: the desired state of one tiny gadget in the cloud, and the state that the cloud reports. */
export const TinyGadgetKind = defineManaged(
  {
    group,
    version,
    kind: 'TinyGadget',
    plural: 'tinygadgets',
    stack: 'toy-shop',
    description: 'A tiny gadget of Toy Shop.',
    connectionDetails: databaseConnection,
  },
  z.object(parameters).describe('The desired state. Changes made elsewhere are reverted.'),
  {
    state: optional(z.string().describe('The state that Toy Shop reports.')),
    endpoint: optional(z.string().describe('The address, as host:port.')),
  },
);
export type TinyGadget = ObjectKind<typeof TinyGadgetKind>;

/** The parameters that an administrator sets for the tiny gadgets of claims. */
export const TinyGadgetClassKind = defineClass(
  {
    group,
    version,
    kind: 'TinyGadgetClass',
    plural: 'tinygadgetclasses',
    description: 'A class of tiny gadgets for claims.',
  },
  z.object(parameters).describe('The parameters of every tiny gadget of this class.'),
);
export type TinyGadgetClass = ObjectKind<typeof TinyGadgetClassKind>;
