import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { Seen } from '../invariant.ts';

/** What a process made outside. */
export interface Outside {
  readonly system: 'favourite' | 'other' | 'postgresql';
  /** By which a managed resource knows it. */
  readonly name: string;
  /** The name of its managed resource, and its kind as in `favouritedbinstance.database.fcp.crossplane.io`. */
  readonly owner: string | undefined;
  readonly ownerKind: string | undefined;
  readonly isGoing: boolean;
  /** Names of networks are no names of databases. */
  readonly isNetwork: boolean;
}

interface Item extends Pick<Outside, 'name' | 'isNetwork'> {
  readonly tags: Readonly<Record<string, string>>;
  readonly phase: string;
}

/** Databases and networks of the clouds. */
export function inClouds({ clouds }: Pick<Seen, 'clouds'>): readonly Outside[] {
  return (['favourite', 'other'] as const).flatMap((system) =>
    [
      ...clouds[system].instances().map(({ item, phase }) => ({ ...item, phase, isNetwork: false })),
      ...clouds[system]
        .networks()
        .map(({ item, phase }) => ({ ...item, name: item.id, phase, isNetwork: true })),
    ].map(({ name, tags, phase, isNetwork }: Item) => ({
      system,
      name,
      isNetwork,
      owner: tags['crossplane-name'],
      ownerKind: tags['crossplane-kind'],
      isGoing: phase === 'deleting',
    })),
  );
}

/** Databases and roles of PostgreSQL whose mark is that of one of these owners. */
export function inPostgresql(
  { postgresql }: Pick<Seen, 'postgresql'>,
  owners: ReadonlyMap<string, Pick<Outside, 'owner' | 'ownerKind'>>,
): readonly Outside[] {
  return [...postgresql.databases(), ...postgresql.roles()].flatMap(({ name, comment = '' }) => {
    const owner = owners.get(comment);
    return owner === undefined
      ? []
      : [{ system: 'postgresql' as const, name, ...owner, isGoing: false, isNetwork: false }];
  });
}

/** As in `favouritedbinstance.database.fcp.crossplane.io`. */
export const kindTag = ({ kind, apiVersion }: Pick<Managed, 'kind' | 'apiVersion'>): string =>
  `${kind}.${apiVersion.split('/')[0]}`.toLowerCase();
