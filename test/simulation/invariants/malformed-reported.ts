import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { malformationOf } from '../../../apis/core/v1alpha1/well-formed.ts';
import type { InvariantOf } from '../invariant.ts';
import { claimKinds, managedKinds } from '../kinds.ts';

/** The author of a malformed claim or resource finds that in Synced, if its definition admits that. */
export const malformedReported: InvariantOf = ({ cluster, scenario }) => ({
  name: 'a malformed claim or resource at rest reports it',
  atRest: () =>
    [...claimKinds, ...managedKinds]
      .flatMap((kind) => cluster.all(kind) as unknown as readonly Managed[])
      .filter((object) => scenario.isLoose === true && malformationOf(object) !== undefined)
      .filter(({ status }) => !/^malformed/.test(getCondition(status?.conditions, 'Synced').message ?? ''))
      .map(({ kind, metadata }) => `${kind} ${objectKeyText(metadata)} is malformed, and does not report it`),
});
