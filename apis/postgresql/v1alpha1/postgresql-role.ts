import { z } from 'zod';
import type { ObjectKind } from '../../core/schema.ts';
import { optional, text } from '../../core/schema.ts';
import { defineManaged } from '../../core/v1alpha1/define-managed.ts';
import { passwordRotation } from '../../core/v1alpha1/fields.ts';
import { connectionLimit, group, ownName, stack, version } from './fields.ts';

const flag = (description: string) => optional(z.boolean().describe(description));

/** A role of a PostgreSQL server. No claim asks for one. */
export const PostgreSQLRoleKind = defineManaged(
  {
    group,
    version,
    stack,
    kind: 'PostgreSQLRole',
    plural: 'postgresqlroles',
    shortNames: ['pgrole'],
    isClaimable: false,
    description:
      'A role of a PostgreSQL server: a user if it may log in, else a group. Its external name is the name of the role.',
  },
  z
    .object({
      name: ownName('role'),
      login: flag('Whether it may log in; then it has a password. Default: false.'),
      privileges: optional(
        z
          .object({
            createDb: flag('May create databases. Default: false.'),
            createRole: flag('May create roles. Default: false.'),
            inherit: flag('Has the privileges of the roles it is a member of. Default: true.'),
            replication: flag('May replicate. Default: false.'),
            bypassRls: flag('Is not subject to row level security. Default: false.'),
          })
          .describe('What it may do on the whole server. It is never a superuser.'),
      ),
      connectionLimit: connectionLimit('the role'),
      configurationParameters: optional(
        z
          .array(
            z.object({
              name: text('Name of the parameter, as search_path.'),
              value: z.string().describe('Its value.'),
            }),
          )
          .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
          .describe('Run-time parameters of its sessions, these and no others. Absent: not looked after.'),
      ),
      passwordRotation,
    })
    .describe('The role as it should be. Changes made elsewhere are reverted.'),
  {},
);
export type PostgreSQLRole = ObjectKind<typeof PostgreSQLRoleKind>;
