import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { LabelSelector } from '../../apis/core/v1alpha1/selector.ts';
import { labelSelector } from '../../apis/core/v1alpha1/selector.ts';
import { isMalformedAt, malformationOf } from '../../apis/core/v1alpha1/well-formed.ts';

export type ClaimNamespace =
  | { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  /** `problem`: why the labels of the namespace are not known. */
  | { readonly name: string; readonly problem: string };

/** Whether a `namespaceSelector` restricts the namespaces, so that the claim's namespace must be read. */
export const restrictsNamespaces = (offered: Class | Managed | undefined): boolean =>
  offered !== undefined && selectorOf(offered).selector !== undefined;

/**
 * Why the claims of a namespace may not use a class or managed resource, as a text that follows the name of the object;
 * undefined if they may use it. A malformed selector, or a namespace whose labels are not known, allows no claim. The
 * text never lists the allowed namespaces.
 */
export function whyNotFor(
  namespace: ClaimNamespace | undefined,
  offered: Class | Managed,
): string | undefined {
  const { selector, field } = selectorOf(offered);
  if (isMalformedAt(offered, field)) return `cannot be claimed: ${malformationOf(offered)}`;
  if (selector === undefined) return undefined;
  const selects = labelSelector(selector);
  if (typeof selects === 'string') return `cannot be claimed: ${field}.${selects}`;
  if (namespace === undefined) return `may be claimed from namespaces that ${field} selects`;
  const { name } = namespace;
  if ('problem' in namespace) {
    return `may be claimed from namespaces that ${field} selects, and the labels of namespace ${name} are not known: ${namespace.problem}`;
  }
  return selects(namespace.labels)
    ? undefined
    : `may not be claimed from namespace ${name}: ${field} does not select it`;
}

function selectorOf(offered: Class | Managed): { readonly selector?: LabelSelector; readonly field: string } {
  const [part, field] =
    'specTemplate' in offered ? [offered.specTemplate, 'specTemplate'] : [offered.spec, 'spec'];
  const selector = part?.namespaceSelector;
  return { field: `${field}.namespaceSelector`, ...(selector !== undefined && { selector }) };
}
