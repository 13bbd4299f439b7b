import { z } from 'zod';
import { immutable, late } from '../../core/marks.ts';
import type { ObjectKind } from '../../core/schema.ts';
import { name, optional, text } from '../../core/schema.ts';
import { defineClass } from '../../core/v1alpha1/define-class.ts';
import { defineManaged } from '../../core/v1alpha1/define-managed.ts';
import { reference, selector } from '../../core/v1alpha1/fields.ts';

const group = 'database.fcp.crossplane.io';
const version = 'v1alpha3';

const fancinessLevel = late(z.int().min(0).max(1000).describe('How fancy the instance is, from 0 to 1000.'));
const parameters = {
  version: optional(
    immutable(
      late(text('The version of FancySQL the instance runs, as 5.7. The cloud chooses if it is absent.')),
    ),
  ),
  networkId: optional(late(text('Id of the network the instance is reached through.'))),
  networkIdRef: optional(reference('The Network whose id is taken as networkId.')),
  networkIdSelector: optional(selector('Chooses the Network whose id is taken as networkId.')),
};

/** A FavouriteDB instance of Favourite Cloud. */
export const FavouriteDBInstanceKind = defineManaged(
  {
    group,
    version,
    kind: 'FavouriteDBInstance',
    plural: 'favouritedbinstances',
    shortNames: ['favdb'],
    stack: 'fcp',
    description: 'A FavouriteDB instance of Favourite Cloud.',
  },
  z
    .object({
      name: optional(
        immutable(
          name(
            'The name of the instance in the cloud; the initial value of the external name annotation. Without it: the name of this object.',
          ),
        ),
      ),
      fancinessLevel: optional(fancinessLevel),
      ...parameters,
    })
    .describe('The instance as it should be. Changes made elsewhere are reverted.'),
  {
    id: optional(z.int().describe('The id the cloud gave the instance.')),
    status: optional(z.string().describe('The state of the instance: CREATING, ONLINE, DELETING.')),
    hostname: optional(z.string().describe('Where the instance is reached.')),
  },
);
export type FavouriteDBInstance = ObjectKind<typeof FavouriteDBInstanceKind>;

/** What FavouriteDB instances that claims are given are like. */
export const FavouriteDBInstanceClassKind = defineClass(
  {
    group,
    version,
    kind: 'FavouriteDBInstanceClass',
    plural: 'favouritedbinstanceclasses',
    shortNames: ['favdbclass'],
    description: 'A class of FavouriteDB instances, from which claims are satisfied.',
  },
  z.object({ fancinessLevel, ...parameters }).describe('What every instance of this class is like.'),
);
export type FavouriteDBInstanceClass = ObjectKind<typeof FavouriteDBInstanceClassKind>;
