import { z } from 'zod';
import type { ObjectKind } from '../../../../../package/schema.ts';
import {
  databaseConnection,
  defineClass,
  defineManaged,
  immutable,
  late,
  name,
  optional,
  reference,
  selector,
  text,
} from '../../../../../package/schema.ts';

const group = 'database.fcp.crossplane.io';
const version = 'v1alpha3';

const fancinessLevel = late(z.int().min(0).max(1000).describe('How fancy the instance is, from 0 to 1000.'));
const parameters = {
  version: optional(
    immutable(
      late(
        text('The version of FancySQL that the instance runs, for example 5.7. Absent: the cloud chooses.'),
      ),
    ),
  ),
  networkId: optional(late(text('Id of the network through which the instance is reached.'))),
  networkIdRef: optional(reference('The Network whose id is used as networkId.')),
  networkIdSelector: optional(selector('Selects the Network whose id is used as networkId.')),
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
    holdsData: true,
    description: 'A FavouriteDB instance of Favourite Cloud.',
    connectionDetails: databaseConnection,
  },
  z
    .object({
      name: optional(
        immutable(
          name(
            'The name of the instance in the cloud. It is the initial value of the external name annotation. Without it: the name of this object.',
          ),
        ),
      ),
      fancinessLevel: optional(fancinessLevel),
      ...parameters,
    })
    .describe('The desired state of the instance. Changes made elsewhere are reverted.'),
  {
    id: optional(z.int().describe('The id that the cloud assigned to the instance.')),
    status: optional(z.string().describe('The state of the instance: CREATING, ONLINE, DELETING.')),
    hostname: optional(z.string().describe('The host name of the instance.')),
  },
);
export type FavouriteDBInstance = ObjectKind<typeof FavouriteDBInstanceKind>;

/** The parameters of FavouriteDB instances for claims. */
export const FavouriteDBInstanceClassKind = defineClass(
  {
    group,
    version,
    kind: 'FavouriteDBInstanceClass',
    plural: 'favouritedbinstanceclasses',
    shortNames: ['favdbclass'],
    description: 'A class of FavouriteDB instances for claims.',
  },
  z.object({ fancinessLevel, ...parameters }).describe('The parameters of every instance of this class.'),
);
export type FavouriteDBInstanceClass = ObjectKind<typeof FavouriteDBInstanceClassKind>;
