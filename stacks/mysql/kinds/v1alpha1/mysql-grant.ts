import { z } from 'zod';
import type { ObjectKind } from '../../../../package/schema.ts';
import { allowsAny, defineManaged, optional, reference, selector } from '../../../../package/schema.ts';
import { databaseName, group, privileges, stack, userName, version } from './fields.ts';

/** The privileges of a user on a database. */
export const MySQLGrantKind = defineManaged(
  {
    group,
    version,
    stack,
    kind: 'MySQLGrant',
    plural: 'mysqlgrants',
    shortNames: ['mygrant'],
    isClaimable: false,
    description:
      'The privileges of a user on a database. One grant lists all privileges of a user on one database.',
  },
  z
    .object({
      user: optional(userName('The user that receives the privileges.')),
      userRef: optional(reference('The MySQLUser whose user is used as user.')),
      userSelector: optional(selector('Selects the MySQLUser whose user is used as user.')),
      userDatabaseRef: optional(
        reference(
          'The MySQLDatabase whose own user is used as user. Needed for the user of a claim: its name is not enough, because a team can choose it.',
        ),
      ),
      database: optional(
        databaseName(
          'The database of the privileges. For the database of a claim use databaseRef: its name is not enough, because a team can choose it.',
        ),
      ),
      databaseRef: optional(reference('The MySQLDatabase whose database is used as database.')),
      databaseSelector: optional(selector('Selects the MySQLDatabase whose database is used as database.')),
      privileges: optional(
        privileges(
          'The privileges on the database, such as SELECT. ALL: all that the server knows, without GRANT OPTION. Other privileges of the user on the database are revoked.',
        ),
      ),
    })
    .describe('The desired state of the grant. Changes made elsewhere are reverted.'),
  {
    granted: optional(
      z
        .object({
          user: z.string().describe('The user that has the privileges.'),
          database: z.string().describe('The database of the privileges.'),
        })
        .describe('The current grant. It is revoked when the grant changes to another user or database.'),
    ),
  },
  {
    rule: `!${allowsAny('self.spec', 'Create', 'Update')} || has(self.spec.forProvider.privileges)`,
    message: 'a grant needs privileges, unless managementPolicies allow neither Create nor Update',
    fieldPath: '.spec.forProvider',
  },
);
export type MySQLGrant = ObjectKind<typeof MySQLGrantKind>;
