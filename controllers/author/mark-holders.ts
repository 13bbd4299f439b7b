import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import { nameInUse } from '../external-identity.ts';
import { ownerIdOf } from './owner-id.ts';

/** The resource whose mark something on a shared server has. */
export interface MarkHolder {
  /** Whether a claim has it, or had it. Then a tenant has, or had, its password. */
  readonly isClaims: boolean;
  /** For messages to administrators, for example `PostgreSQLDatabase ledger of PostgreSQLInstance team-a/ledger`. */
  readonly what: string;
  /** The name that it should have on the server. Absent: it is not known. */
  readonly externalName?: string;
}

const index = 'mark';

/**
 * Finds the resource of these kinds whose mark something has, in the caches. `markOf` makes the mark of an owner id.
 * Undefined: none is known. It was deleted, or it is of another cluster.
 */
export function markHolders(
  env: Pick<Environment, 'resource'>,
  kinds: readonly Kind<Managed>[],
  markOf: (ownerId: string) => string,
): (mark: string) => MarkHolder | undefined {
  const stores = kinds.map((kind) => env.resource<Managed>(kind).store);
  for (const store of stores) store.addIndex(index, (managed) => [markOf(ownerIdOf(managed))]);
  return (mark) => {
    for (const store of stores) {
      const [holder] = store.byIndex(index, mark);
      if (holder !== undefined) return described(holder);
    }
    return undefined;
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
