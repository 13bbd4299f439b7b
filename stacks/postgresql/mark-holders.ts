import type { Environment, Managed } from '../../package/stack.ts';
import { nameInUse, ownerIdOf, resourceId } from '../../package/stack.ts';
import type { HolderOf, MarkHolder } from './client/mark.ts';
import { markOf } from './client/mark.ts';
import { PostgreSQLDatabaseKind } from './kinds/v1alpha1/postgresql-database.ts';
import { PostgreSQLRoleKind } from './kinds/v1alpha1/postgresql-role.ts';

const index = 'mark';

/** Finds the PostgreSQLRole or PostgreSQLDatabase whose mark a role has, in the caches. */
export function markHolders(env: Pick<Environment, 'resource'>): HolderOf {
  const stores = [
    env.resource<Managed>(PostgreSQLRoleKind).store,
    env.resource<Managed>(PostgreSQLDatabaseKind).store,
  ];
  for (const store of stores) store.addIndex(index, (managed) => [markOf(ownerIdOf(managed))]);
  return (mark, role) => {
    for (const store of stores) {
      const [holder] = store.byIndex(index, mark);
      if (holder !== undefined) return described(holder);
    }
    // The resource of a role was deleted and kept the role. Only administrators make roles of this kind.
    const isRole = mark === markOf(resourceId(PostgreSQLRoleKind, role));
    return isRole ? { isClaims: false, what: `PostgreSQLRole ${role}` } : undefined;
  };
}

function described(managed: Managed): MarkHolder {
  const { kind, metadata, spec } = managed;
  const { claimRef, classRef } = spec;
  const isClaims = claimRef !== undefined || classRef !== undefined;
  const claim = claimRef && ` of ${claimRef.kind} ${claimRef.namespace}/${claimRef.name}`;
  const externalName = nameInUse(managed) ?? metadata.name;
  return { isClaims, what: `${kind} ${metadata.name}${claim ?? ''}`, externalName };
}
