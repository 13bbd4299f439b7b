import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type { Holder } from '../../clients/external-error.ts';
import { ExternalError } from '../../clients/external-error.ts';
import type { Owner } from '../../clients/ownership-tags.ts';
import { labelled, ownerIn, ownerNamedBy, ownershipOf } from '../../clients/ownership-tags.ts';
import { shouldCreate, shouldDelete, shouldUpdate } from '../core/management-policies.ts';
import { providerOf } from '../core/provider/provider-choice.ts';

/** The owner that a managed resource's external resource is tagged with. */
export function ownerOf(managed: Managed): Owner {
  const { apiVersion, kind, metadata, spec } = managed;
  return {
    kind: ownerKind({ kind, group: apiVersion.split('/')[0] ?? '' }),
    name: metadata.name,
    ...(spec.classRef?.name === undefined ? {} : { className: spec.classRef.name }),
    provider: providerOf(managed),
  };
}

const ownerKind = ({ kind, group }: Pick<Kind, 'kind' | 'group'>): string => `${kind}.${group}`.toLowerCase();

/** Whether the tags of an owner, or the labels where tags are labels, name a managed resource of this kind and name. */
export function isOwnerNamed(
  told: Pick<Owner, 'kind' | 'name'>,
  kind: Pick<Kind, 'kind' | 'group'>,
  name: string,
): boolean {
  const owner = { kind: ownerKind(kind), name };
  return [owner, labelled(owner)].some((one) => one.kind === told.kind && one.name === told.name);
}

/** Something in a cloud that has the external name of a managed resource. */
export interface Candidate {
  /** For messages: `instance "x"`. */
  readonly what: string;
  readonly tags: Readonly<Record<string, string>>;
  /**
   * Whether it counts as ours without any tag of an owner: it was observed before by this managed resource, or
   * the cloud assigned its name, so that somebody must have written that name down on purpose.
   */
  readonly isKnown: boolean;
}

/** How what was kept outside finds back. */
const takingUp =
  'what a deleted one left (Retain, Orphan) is taken up again by one of the kind and name that it had';

/**
 * Whether a managed resource may take a thing in the cloud for its own. `owner` is what its own are tagged with.
 * - `ours`: tagged so, or known; or nothing but looking is allowed, which does no harm.
 * - `notOurs`: somebody else's, and the managed resource is being deleted: for it, nothing is there.
 * Throws an ExternalError that names the owner if it is somebody else's: it is neither adopted nor changed.
 */
export function whoseIs(
  managed: Managed,
  { what, tags, isKnown }: Candidate,
  owner: Owner = ownerOf(managed),
): 'ours' | 'notOurs' {
  const { spec } = managed;
  const ownership = ownershipOf(tags, owner);
  if (ownership === 'ours' || (ownership === 'nobody' && isKnown)) return 'ours';
  if (wasDeleted(managed)) return 'notOurs';
  if (!shouldCreate(spec) && !shouldUpdate(spec) && !shouldDelete(spec)) return 'ours';
  const [whose, hint, holder]: readonly [string, string, Holder] =
    ownership === 'nobody'
      ? ['carries no tag of an owner', '', { by: 'Nobody' }]
      : [`belongs to ${ownerNamedBy(tags)}`, `; ${takingUp}`, { by: 'AnotherResource', ...ownerIn(tags) }];
  throw new ExternalError(
    `${what} exists and ${whose}; choose another external name, or observe it with spec.managementPolicies ["Observe"]${hint}`,
    { errorClass: 'Conflict', advice: { kinds: ['ChooseExternalName', 'ObserveOnly'] }, holder },
  );
}
