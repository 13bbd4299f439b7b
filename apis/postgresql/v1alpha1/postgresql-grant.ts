import { z } from 'zod';
import { hasAny, withRules } from '../../core/rules.ts';
import type { ObjectKind } from '../../core/schema.ts';
import { optional } from '../../core/schema.ts';
import { allowsAny, defineManaged } from '../../core/v1alpha1/define-managed.ts';
import { reference, selector } from '../../core/v1alpha1/fields.ts';
import { group, identifier, stack, version } from './fields.ts';

const hasMembership = (forProvider: string): string =>
  hasAny(forProvider, 'memberOf', 'memberOfRef', 'memberOfSelector');

const target = (description: string) => optional(z.string().describe(description));

/** What a role may do on a database or schema, or the role it is a member of. */
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
      'What a role may do on a database or on a schema of it, or a role it is a member of. One grant says all that a role may do on one target.',
  },
  withRules(
    z
      .object({
        role: optional(identifier('The role that is granted something.')),
        roleRef: optional(reference('The PostgreSQLRole whose role is taken as role.')),
        roleSelector: optional(selector('Chooses the PostgreSQLRole whose role is taken as role.')),
        database: optional(identifier('The database the privileges are for.')),
        databaseRef: optional(reference('The PostgreSQLDatabase whose database is taken as database.')),
        databaseSelector: optional(
          selector('Chooses the PostgreSQLDatabase whose database is taken as database.'),
        ),
        schema: optional(
          identifier('The schema of the database the privileges are for. Absent: the database itself.'),
        ),
        privileges: optional(
          z
            .array(z.enum(['ALL', 'CONNECT', 'CREATE', 'TEMPORARY', 'TEMP', 'USAGE']))
            .min(1)
            .describe(
              'On a database: CONNECT, CREATE, TEMPORARY (or TEMP). On a schema: CREATE, USAGE. ALL: every one of them. Others that the role has there are revoked.',
            ),
        ),
        memberOf: optional(identifier('The role it becomes a member of, instead of having privileges.')),
        memberOfRef: optional(reference('The PostgreSQLRole whose role is taken as memberOf.')),
        memberOfSelector: optional(selector('Chooses the PostgreSQLRole whose role is taken as memberOf.')),
        withGrantOption: optional(
          z.boolean().describe('Whether the role may pass on what it is granted. Default: false.'),
        ),
      })
      .describe('The grant as it should be. Changes made elsewhere are reverted.'),
    {
      rule: `!(${hasMembership('self')} && has(self.privileges))`,
      message: 'a grant has either privileges, on a database, or memberOf, not both',
    },
  ),
  {
    granted: optional(
      z
        .object({
          role: z.string().describe('Who was granted it.'),
          database: target('The database the privileges are for.'),
          schema: target('The schema the privileges are for.'),
          memberOf: target('The role it was made a member of.'),
        })
        .describe('What is granted now, and revoked when the grant changes to another.'),
    ),
  },
  {
    rule: `!${allowsAny('self.spec', 'Create', 'Update')} || ${hasMembership('self.spec.forProvider')} || has(self.spec.forProvider.privileges)`,
    message: 'a grant has privileges, on a database, or memberOf, unless managementPolicies only observe',
    fieldPath: '.spec.forProvider',
  },
);
export type PostgreSQLGrant = ObjectKind<typeof PostgreSQLGrantKind>;
