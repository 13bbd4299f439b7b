import { z } from 'zod';
import type { ObjectKind } from '../../../../package/schema.ts';
import {
  allowsAny,
  defineManaged,
  hasAny,
  optional,
  reference,
  selector,
  withRules,
} from '../../../../package/schema.ts';
import { group, identifier, stack, version } from './fields.ts';

const hasMembership = (forProvider: string): string =>
  hasAny(forProvider, 'memberOf', 'memberOfRef', 'memberOfDatabaseRef', 'memberOfSelector');

const references = [
  ...['roleRef', 'roleSelector', 'roleDatabaseRef'],
  ...['memberOfRef', 'memberOfSelector', 'memberOfDatabaseRef'],
] as const;

/** Whether two references of a grant name the same object. */
const areSame = (one: (typeof references)[number], other: (typeof references)[number]): string =>
  `(has(self.${one}) && has(self.${other}) && self.${one}.name == self.${other}.name)`;

/**
 * Whether the fields make a role a member of itself. A role that a reference was resolved to is not compared, because the
 * controllers must be able to write it: they refuse the grant.
 */
const isOfItself = [
  `(has(self.role) && has(self.memberOf) && self.role == self.memberOf && !${hasAny('self', ...references)})`,
  areSame('roleRef', 'memberOfRef'),
  areSame('roleDatabaseRef', 'memberOfDatabaseRef'),
].join(' || ');

const target = (description: string) => optional(z.string().describe(description));

/** The privileges of a role on a database or schema, or its membership in another role. */
export const PostgreSQLGrantKind = defineManaged(
  {
    group,
    version,
    stack,
    kind: 'PostgreSQLGrant',
    plural: 'postgresqlgrants',
    shortNames: ['pggrant'],
    isClaimable: false,
    description:
      'The privileges of a role on a database or on one of its schemas, or its membership in another role. One grant lists all privileges of a role on one target.',
  },
  withRules(
    z
      .object({
        role: optional(identifier('The role that receives the privileges or the membership.')),
        roleRef: optional(reference('The PostgreSQLRole whose role is used as role.')),
        roleSelector: optional(selector('Selects the PostgreSQLRole whose role is used as role.')),
        roleDatabaseRef: optional(
          reference(
            'The PostgreSQLDatabase whose own owner role is used as role. Needed for the role of a claim: its name is not enough, because a team can choose it.',
          ),
        ),
        database: optional(
          identifier(
            'The database of the privileges. For the database of a claim use databaseRef: its name is not enough, because a team can choose it.',
          ),
        ),
        databaseRef: optional(reference('The PostgreSQLDatabase whose database is used as database.')),
        databaseSelector: optional(
          selector('Selects the PostgreSQLDatabase whose database is used as database.'),
        ),
        schema: optional(
          identifier(
            'The schema of the privileges, in the database. Absent: the privileges are on the database itself.',
          ),
        ),
        privileges: optional(
          z
            .array(z.enum(['ALL', 'CONNECT', 'CREATE', 'TEMPORARY', 'TEMP', 'USAGE']))
            .min(1)
            .describe(
              'On a database: CONNECT, CREATE, TEMPORARY (or TEMP). On a schema: CREATE, USAGE. ALL: all of these. Other privileges of the role on the target are revoked.',
            ),
        ),
        memberOf: optional(
          identifier(
            'The role of which it becomes a member, instead of having privileges. One role: each membership is a grant of its own.',
          ),
        ),
        memberOfRef: optional(reference('The PostgreSQLRole whose role is used as memberOf.')),
        memberOfDatabaseRef: optional(
          reference(
            'The PostgreSQLDatabase whose own owner role is used as memberOf. Needed for the role of a claim.',
          ),
        ),
        memberOfSelector: optional(selector('Selects the PostgreSQLRole whose role is used as memberOf.')),
        withGrantOption: optional(
          z
            .boolean()
            .describe(
              'Whether the role may grant the privileges or the membership to other roles. Default: false.',
            ),
        ),
      })
      .describe('The desired state of the grant. Changes made elsewhere are reverted.'),
    {
      rule: `!(${hasMembership('self')} && has(self.privileges))`,
      message: 'a grant has either privileges or memberOf, not both: remove one of them',
    },
    {
      rule: `!(${isOfItself})`,
      message: 'a role cannot be a member of itself: change the role, or memberOf',
      fieldPath: '.memberOf',
    },
  ),
  {
    granted: optional(
      z
        .object({
          role: z.string().describe('The role that has the grant.'),
          database: target('The database of the privileges.'),
          schema: target('The schema of the privileges.'),
          memberOf: target('The role of which it is a member.'),
        })
        .describe('The current grant. It is revoked when the grant changes to another role or target.'),
    ),
  },
  {
    rule: `!${allowsAny('self.spec', 'Create', 'Update')} || ${hasMembership('self.spec.forProvider')} || has(self.spec.forProvider.privileges)`,
    message:
      'a grant needs privileges or memberOf, unless managementPolicies allow neither Create nor Update',
    fieldPath: '.spec.forProvider',
  },
);
export type PostgreSQLGrant = ObjectKind<typeof PostgreSQLGrantKind>;
