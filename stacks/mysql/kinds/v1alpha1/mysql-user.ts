import { z } from 'zod';
import type { ObjectKind } from '../../../../package/schema.ts';
import { defineManaged, ownName, passwordRotation } from '../../../../package/schema.ts';
import { userConnection } from './connection.ts';
import { group, stack, userFields, version } from './fields.ts';

/** A user of a MariaDB server. No claim binds to it. */
export const MySQLUserKind = defineManaged(
  {
    group,
    version,
    stack,
    kind: 'MySQLUser',
    plural: 'mysqlusers',
    shortNames: ['myuser'],
    isClaimable: false,
    description:
      'A user of a MariaDB server, who may connect from any host. Its external name is the name of the user. MySQLGrants give it privileges.',
    connectionDetails: userConnection,
  },
  z
    .object({ name: ownName('user', 80), ...userFields, passwordRotation })
    .describe('The desired state of the user. Changes made elsewhere are reverted.'),
  {},
);
export type MySQLUser = ObjectKind<typeof MySQLUserKind>;
