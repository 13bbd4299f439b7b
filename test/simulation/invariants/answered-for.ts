import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import {
  annotationKeys,
  externalName,
  finalizerNames,
  hasFinalizer,
} from '../../../apis/core/v1alpha1/meta.ts';
import type { InvariantOf, Seen } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { managedKinds } from '../kinds.ts';
import { mayDelete } from './external-kept.ts';

interface Outside {
  readonly system: 'favourite' | 'other';
  /** By which a managed resource knows it. */
  readonly name: string;
  /** The name of its managed resource, and its kind as in `favouritedbinstance.database.fcp.crossplane.io`. */
  readonly owner: string | undefined;
  readonly ownerKind: string | undefined;
  readonly isGoing: boolean;
}

type Tags = Readonly<Record<string, string>>;

function everything({ clouds }: Pick<Seen, 'clouds'>): readonly Outside[] {
  return (['favourite', 'other'] as const).flatMap((system) =>
    [
      ...clouds[system].instances().map(({ item, phase }) => ({ name: item.name, tags: item.tags, phase })),
      ...clouds[system].networks().map(({ item, phase }) => ({ name: item.id, tags: item.tags, phase })),
    ].map(({ name, tags, phase }: { name: string; tags: Tags; phase: string }) => ({
      system,
      name,
      owner: tags['crossplane-name'],
      ownerKind: tags['crossplane-kind'],
      isGoing: phase === 'deleting',
    })),
  );
}

const kindTag = ({ kind, apiVersion }: Pick<Managed, 'kind' | 'apiVersion'>): string =>
  `${kind}.${apiVersion.split('/')[0]}`.toLowerCase();

/** What is on record; an edit of the name has no effect. */
function nameOf(managed: Managed): string | undefined {
  const recorded =
    managed.status?.externalIdentity ?? managed.metadata.annotations?.[annotationKeys.externalIdentity];
  const { name } = JSON.parse(recorded ?? '{}') as { readonly name?: string };
  return name ?? externalName(managed);
}

/** A creation that was cut off under a name that the system assigns: a person must look, as its condition says. */
const isUnknown = ({ status }: Managed): boolean =>
  status?.conditions?.some(({ message = '' }) => message.startsWith('cannot determine creation result')) ??
  false;

const text = ({ system, name }: Outside): string => `${name} in ${system}`;

/**
 * Whatever was made outside has one managed resource that answers for it, or had one whose policies left it there; and
 * none has two.
 */
export const answeredFor: InvariantOf = (world) => {
  /** What was left outside on purpose, as `kind name`. */
  const kept = new Set<string>();
  const placeOf = (outside: Outside): string => `${outside.ownerKind} ${outside.name}`;

  return {
    name: 'an external resource has one managed resource that answers for it, unless policies kept it',
    changed({ by, kind, before, after }) {
      if (!managedKinds.includes(kind) || after !== undefined || before === undefined) return [];
      const managed = before as unknown as Managed;
      const name = nameOf(managed) ?? '';
      const place = `${kindTag(managed)} ${name}`;
      if (!isProcess(by) || !mayDelete(managed)) {
        // A person who takes a finalizer away takes it upon himself.
        if (!mayDelete(managed) || hasFinalizer(managed, finalizerNames.managed)) kept.add(place);
        return [];
      }
      return everything(world)
        .filter((one) => placeOf(one) === place && one.owner === managed.metadata.name && !one.isGoing)
        .map((one) => `${by} lets ${kind.kind} ${managed.metadata.name} go, and ${text(one)} is still there`);
    },
    atRest() {
      const present = everything(world).filter(({ owner }) => owner !== undefined);
      return present.flatMap((one) => {
        const kind = managedKinds.find(
          ({ kind, group }) => `${kind}.${group}`.toLowerCase() === one.ownerKind,
        );
        const managed = kind && (world.cluster.find(kind, { name: one.owner ?? '' }) as Managed | undefined);
        if (kept.has(placeOf(one))) return [];
        if (managed === undefined) return [`nobody answers for ${text(one)}, made for ${one.owner}`];
        return nameOf(managed) === one.name || isUnknown(managed)
          ? []
          : [`${text(one)} was made for ${one.owner}, which has ${nameOf(managed)}`];
      });
    },
  };
};
