import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import type { ObjectName } from '../scenario.ts';
import type { Draft } from './draft.ts';

/** What offers a resource that was another claim's again: to whoever wants it, or to one of these claims by its name. */
export function offerAgain(draft: Draft, claims: readonly ObjectName[]): object {
  const offered = (to: string): object => ({ annotations: { [annotationKeys.reoffer]: to } });
  if (claims.length === 0 || draft.has(0.4, 'to anybody')) return { metadata: offered('true') };
  const { given: _given, ...to } = draft.pick(claims, 'to whom it is offered');
  const metadata = offered(draft.pick(['claim', 'claim', 'true'], 'how'));
  return { metadata, spec: { claimRef: { ...to, uid: null } } };
}
