import { z } from 'zod';
import type { ObjectKind } from '../../../../package/schema.ts';
import { defineManaged, optional, ownName, passwordRotation, text } from '../../../../package/schema.ts';
import { userConnection } from './connection.ts';
import { connectionLimit, group, maxNameBytes, stack, version } from './fields.ts';

const flag = (description: string) => optional(z.boolean().describe(description));

/** A role of a PostgreSQL server. No claim binds to it. */
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
      'A role of a PostgreSQL server: a user if it may log in, otherwise a group. Its external name is the name of the role.',
    connectionDetails: userConnection,
  },
  z
    .object({
      name: ownName('role', maxNameBytes, 'bytes'),
      login: flag('Whether the role may log in. If so, it has a password. Default: false.'),
      privileges: optional(
        z
          .object({
            createDb: flag('May create databases. Default: false.'),
            createRole: flag('May create roles. Default: false.'),
            inherit: flag('Has the privileges of the roles of which it is a member. Default: true.'),
            replication: flag('May replicate. Default: false.'),
            bypassRls: flag('Is not subject to row level security. Default: false.'),
          })
          .describe('The privileges of the role on the whole server. It is never a superuser.'),
      ),
      connectionLimit: connectionLimit('the role'),
      configurationParameters: optional(
        z
          .array(
            z.object({
              name: text('Name of the parameter, for example search_path.'),
              value: z.string().describe('Value of the parameter.'),
            }),
          )
          .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
          .describe(
            'Run-time parameters of the sessions of the role; all other parameters are removed. Absent: the parameters are not managed.',
          ),
      ),
      passwordRotation,
    })
    .describe('The desired state of the role. Changes made elsewhere are reverted.'),
  {},
);
export type PostgreSQLRole = ObjectKind<typeof PostgreSQLRoleKind>;
