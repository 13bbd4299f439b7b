import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import { nameInUse } from '../external-identity.ts';
import { ownerIdOf, resourceId } from './owner-id.ts';

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

/** The kinds whose resources have marks on a server: one or both. */
export interface MarkedKinds {
  /** Only administrators make these: no class provisions one, whatever its spec says. */
  readonly administrators?: Kind<Managed>;
  readonly claimable?: Kind<Managed>;
}

/** Finds the resource whose mark something has. `name`: its name on the server. */
export type HolderOf = (mark: string, name: string) => MarkHolder | undefined;

/**
 * Finds the resource whose mark something has, in the caches. `markOf` makes the mark of an owner id. Undefined: none is
 * known. It was deleted, or it is of another cluster. The mark of an administrator's kind tells the kind also after the
 * deletion of its resource.
 */
export function markHolders(
  env: Pick<Environment, 'resource'>,
  { administrators, claimable }: MarkedKinds,
  markOf: (ownerId: string) => string,
): HolderOf {
  const byMark = (kind: Kind<Managed> | undefined) => {
    if (kind === undefined) return undefined;
    const { store } = env.resource<Managed>(kind);
    store.addIndex(index, (managed) => [markOf(ownerIdOf(managed))]);
    return (mark: string): MarkHolder | undefined => {
      const [holder] = store.byIndex(index, mark);
      return holder && described(holder);
    };
  };
  const [administratorByMark, claimByMark] = [byMark(administrators), byMark(claimable)];
  return (mark, name) => {
    const deleted =
      administrators !== undefined && mark === markOf(resourceId(administrators, name))
        ? { what: `${administrators.kind} ${name}` }
        : undefined;
    const holder = administratorByMark?.(mark) ?? deleted;
    return holder === undefined ? claimByMark?.(mark) : { ...holder, isClaims: false };
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
