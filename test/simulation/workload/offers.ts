import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { ObjectName } from '../scenario.ts';
import type { Draft } from './draft.ts';

/** What offers a resource that was another claim's again: to whoever wants it, or to one of these claims by its name. */
export function offerAgain(draft: Draft, claims: readonly ObjectName[]): object {
  const metadata = { annotations: { [annotationKeys.reoffer]: 'true' } };
  if (claims.length === 0 || draft.has(0.4, 'to anybody')) return { metadata };
  const { given: _given, ...to } = draft.pick(claims, 'to whom it is offered');
  return { metadata, spec: { claimRef: { ...to, uid: null } } };
}
