import { escapeIdentifier } from 'pg';
import type { Managed } from '../../package/stack.ts';
import { nameOf, ownerIdOf, wasOurs } from '../../package/stack.ts';
import type { Roles } from './client/role.ts';
import { roleOwnership } from './ownership.ts';

/**
 * The parts of a deleted resource that stay on the server, for an Event. They were renamed, or their mark was removed, so
 * nothing shows that they may be dropped. Undefined: nothing stays.
 */
export async function remaining(
  managed: Managed,
  roles: Pick<Roles, 'observe' | 'renamed'>,
  options: {
    /** Databases with the mark of the resource. */
    readonly databases: readonly string[];
    /** Whether the resource has a role of its own. */
    readonly hasRole: boolean;
    readonly signal: AbortSignal;
  },
): Promise<string | undefined> {
  const { databases, hasRole, signal } = options;
  const name = nameOf(managed);
  const isLooked = hasRole && wasOurs(managed) && roleOwnership.hasUsableName(managed);
  const role = isLooked ? await roles.observe(name, { signal }) : undefined;
  const renamed = hasRole ? await roles.renamed(ownerIdOf(managed), { signal }) : undefined;
  const parts = [
    ...databases.map((each) => `database ${escapeIdentifier(each)}, which has the mark of this resource`),
    ...(renamed === undefined
      ? []
      : [`role ${escapeIdentifier(renamed)}, which has the mark of this resource`]),
    ...roleOwnership.unmarkedRemains(managed, role),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}
