import { advice } from '../../apis/core/v1alpha1/advice.ts';
import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { advice as clientAdvice } from '../../clients/advice.ts';
import type { Holder } from '../../clients/external-error.ts';
import { ExternalError } from '../../clients/external-error.ts';
import type { Owner } from '../../clients/ownership-tags.ts';
import { ownerIn, ownerNamedBy, ownershipOf, ownerTags } from '../../clients/ownership-tags.ts';
import { wasObservedOnly } from '../external-identity.ts';
import { isObserver } from '../management-policies.ts';
import { withNameAdvice } from '../name-advice.ts';
import { providerOf } from '../provider/provider-choice.ts';

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

/** A resource in a cloud that has the external name of a managed resource. */
export interface Candidate {
  /** For messages: `instance "x"`. */
  readonly what: string;
  readonly tags: Readonly<Record<string, string>>;
  /**
   * Whether more than the tags shows that we own it: its ID is the one in the status, or the cloud assigned its name, so
   * that a user must have written that name on purpose. Not needed to import a resource that was only observed before.
   */
  readonly isKnown?: boolean | undefined;
}

/**
 * For an observation: whether the tags name another owner, so that the controller publishes no details. Undefined if not.
 */
export const ownedByAnother = (
  managed: Managed,
  tags: Candidate['tags'],
  owner: Owner = ownerOf(managed),
): { readonly isOfAnother: true } | undefined =>
  ownershipOf(tags, owner) === 'others' ? { isOfAnother: true } : undefined;

/**
 * Whether a managed resource owns a resource in the cloud. `owner` is the owner in our tags.
 * - `ours`: it has our tags. Or it has no owner, and was only observed before. Or the managed resource may only
 *   observe, which changes nothing: then spread {@link ownedByAnother} into the observation.
 * - `notOurs`: another owner has it, and the managed resource is being deleted: nothing has to be deleted.
 *
 * Throws an ExternalError that names the owner if there is another one: the resource is neither adopted nor changed.
 */
export function checkOwnership(
  managed: Managed,
  { what, tags, isKnown }: Candidate,
  owner: Owner = ownerOf(managed),
): 'ours' | 'notOurs' {
  const { spec } = managed;
  const ownership = ownershipOf(tags, owner);
  // guard: otherwise it adopts another owner's resource
  if (ownership === 'ours' || (ownership === 'unowned' && (isKnown || wasObservedOnly(managed))))
    return 'ours';
  if (wasDeleted(managed)) return 'notOurs';
  if (isObserver(managed)) return 'ours';
  // A claim chose this name. Only to observe the resource would give its team the details of another owner.
  const isOfClaim = spec.claimRef !== undefined;
  const [whose, hint, holder]: readonly [string, string, Holder] =
    ownership === 'unowned'
      ? ['carries no tag of an owner', '', { by: 'Nobody' }]
      : [
          `belongs to ${ownerNamedBy(tags)}`,
          isOfClaim ? '' : `; ${clientAdvice.createRetainedAgain}`,
          { by: 'AnotherResource', ...ownerIn(tags) },
        ];
  // Its identity is recorded, so that an edit of the external name has no effect.
  if (managed.status?.externalIdentity !== undefined) {
    const tags = Object.entries(ownerTags({ kind: owner.kind, name: owner.name }));
    const todo = clientAdvice.setOwnerTags(tags.map(([key, value]) => `${key}=${value}`));
    const happened = `${what} exists and ${whose}, but this resource managed one of this name`;
    throw new ExternalError(`${happened}; ${todo}`, { errorClass: 'MarkLost', holder });
  }
  const observing = isOfClaim ? '' : `, or ${advice.observeExisting}`;
  throw new ExternalError(`${withNameAdvice(managed, `${what} exists and ${whose}`)}${observing}${hint}`, {
    errorClass: 'Conflict',
    advice: { kinds: isOfClaim ? ['ChooseExternalName'] : ['ChooseExternalName', 'ObserveOnly'] },
    holder,
  });
}
