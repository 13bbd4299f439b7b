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
  text,
} from '../../../../../package/schema.ts';

const group = 'database.ocp.crossplane.io';
const version = 'v1alpha1';

const ambivalence = late(z.int().min(0).max(100).describe('How ambivalent the database is, from 0 to 100.'));
const parameters = {
  engineVersion: optional(
    immutable(
      late(
        text(
          'The version of FancySQL that the database supports, for example 5.7. Absent: the cloud chooses.',
        ),
      ),
    ),
  ),
};

/** An AmbivalentDB database of Other Cloud. */
export const AmbivalentDBInstanceKind = defineManaged(
  {
    group,
    version,
    kind: 'AmbivalentDBInstance',
    plural: 'ambivalentdbinstances',
    shortNames: ['ambdb'],
    stack: 'ocp',
    holdsData: true,
    description: 'An AmbivalentDB database of Other Cloud.',
    connectionDetails: databaseConnection,
  },
  z
    .object({
      name: optional(
        immutable(
          name(
            'The name of the database in the cloud. It is the initial value of the external name annotation. Without it: the name of this object.',
          ),
        ),
      ),
      ambivalence: optional(ambivalence),
      ...parameters,
    })
    .describe('The desired state of the database. Changes made elsewhere are reverted.'),
  {
    uuid: optional(z.string().describe('The UUID that the cloud assigned to the database.')),
    state: optional(z.string().describe('The state of the database that the cloud reports.')),
    endpoint: optional(z.string().describe('The address of the database, as host:port.')),
  },
);
export type AmbivalentDBInstance = ObjectKind<typeof AmbivalentDBInstanceKind>;

/** The parameters of AmbivalentDB databases for claims. */
export const AmbivalentDBInstanceClassKind = defineClass(
  {
    group,
    version,
    kind: 'AmbivalentDBInstanceClass',
    plural: 'ambivalentdbinstanceclasses',
    shortNames: ['ambdbclass'],
    description: 'A class of AmbivalentDB databases for claims.',
  },
  z.object({ ambivalence, ...parameters }).describe('The parameters of every database of this class.'),
);
export type AmbivalentDBInstanceClass = ObjectKind<typeof AmbivalentDBInstanceClassKind>;
