import groupBy from 'lodash/groupBy.js';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { InvariantOf } from '../invariant.ts';
import { claimKinds, managedKinds } from '../kinds.ts';

/** Once all is at rest: one resource for a Bound claim, and one Bound claim for a resource. */
export const oneToOne: InvariantOf = ({ cluster }) => ({
  name: 'a claim has at most one managed resource, and a managed resource at most one claim',
  atRest() {
    const claims = claimKinds.flatMap((kind) => cluster.all(kind) as unknown as readonly Claim[]);
    const resources = managedKinds.flatMap((kind) => cluster.all(kind) as unknown as readonly Managed[]);
    const bound = resources.filter(({ status }) => status?.bindingPhase === 'Bound');
    const several = <T>(groups: Readonly<Record<string, readonly T[]>>): readonly (readonly T[])[] =>
      Object.values(groups).filter(({ length }) => length > 1);
    const shared = several(
      groupBy(
        claims.filter(({ status }) => status?.bindingPhase === 'Bound'),
        ({ spec }) => `${spec.resourceRef?.kind} ${spec.resourceRef?.name}`,
      ),
    );
    const doubled = several(groupBy(bound, ({ spec }) => spec.claimRef?.uid));
    return [
      ...shared.map(
        (all) =>
          `${all.map(({ metadata }) => objectKeyText(metadata)).join(' and ')} are bound to one resource`,
      ),
      ...doubled.map(
        (all) => `${all.map(({ metadata }) => metadata.name).join(' and ')} are bound to one claim`,
      ),
    ];
  },
});
