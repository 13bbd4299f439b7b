import { z } from 'zod';
import type { ObjectKind } from '../../../../../package/schema.ts';
import { defineManaged, immutable, late, optional, text } from '../../../../../package/schema.ts';

/** A private network of Favourite Cloud. No claim binds to it; the cloud assigns its id. */
export const NetworkKind = defineManaged(
  {
    group: 'network.fcp.crossplane.io',
    version: 'v1alpha3',
    kind: 'Network',
    plural: 'networks',
    shortNames: ['fcpnet'],
    isClaimable: false,
    stack: 'fcp',
    description: 'A private network of Favourite Cloud. Its external name is the id that the cloud assigned.',
  },
  z
    .object({
      displayName: optional(late(text('The name of the network in the console of the cloud.'))),
      cidr: optional(
        immutable(
          late(
            z
              .string()
              .regex(/^\d{1,3}(\.\d{1,3}){3}\/\d{1,2}$/)
              .describe('The addresses of the network, for example 10.0.0.0/16. Absent: the cloud chooses.'),
          ),
        ),
      ),
    })
    .describe('The desired state of the network. Changes made elsewhere are reverted.'),
  {
    id: optional(z.string().describe('The id that the cloud assigned.')),
    status: optional(z.string().describe('The state of the network.')),
  },
);
export type Network = ObjectKind<typeof NetworkKind>;
