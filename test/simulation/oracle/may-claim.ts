import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { NamespaceKind } from '../../../apis/core/v1alpha1/namespace.ts';
import type { LabelSelector } from '../../../apis/core/v1alpha1/selector.ts';
import type { Objects } from './taken-secret.ts';

/*
 * The rules of docs/decisions/0046-namespace-selectors.md for classes, resources and the namespaces of
 * claims, without a line of the controllers.
 */

export type Labels = Readonly<Record<string, string>>;

export const isWellFormed = ({ matchExpressions = [] }: LabelSelector): boolean =>
  matchExpressions.every(({ operator, values = [] }) =>
    operator === 'In' || operator === 'NotIn'
      ? values.length > 0
      : ['Exists', 'DoesNotExist'].includes(operator) && values.length === 0,
  );

export const isSelected = (
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Labels,
): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, operator, values = [] }) => {
    const isThere = Object.hasOwn(labels, key);
    if (operator === 'Exists') return isThere;
    if (operator === 'DoesNotExist') return !isThere;
    const isOne = isThere && values.includes(labels[key] ?? '');
    return operator === 'In' ? isOne : !isOne;
  });

/** The namespace selector of a class or resource. */
export const namespaceSelectorOf = (offered: KubernetesObject): LabelSelector | undefined => {
  const { spec, specTemplate } = offered as {
    readonly spec?: { readonly namespaceSelector?: LabelSelector };
    readonly specTemplate?: { readonly namespaceSelector?: LabelSelector };
  };
  return (specTemplate ?? spec)?.namespaceSelector;
};

/** A namespace's labels, its name among them; undefined: there is no such namespace. */
export const labelsOfNamespace = (namespace: KubernetesObject | undefined): Labels | undefined =>
  namespace && { ...namespace.metadata.labels, 'kubernetes.io/metadata.name': namespace.metadata.name };

/** Whether a selector lets in a namespace with these labels. */
export const letsIn = (selector: LabelSelector | undefined, labels: Labels | undefined): boolean =>
  selector === undefined || (labels !== undefined && isWellFormed(selector) && isSelected(selector, labels));

/** Whether a claim's namespace may have it now. */
export const mayClaim = ({ metadata }: Claim, offered: KubernetesObject, objects: Objects): boolean =>
  letsIn(
    namespaceSelectorOf(offered),
    labelsOfNamespace(objects.all(NamespaceKind).find((each) => each.metadata.name === metadata.namespace)),
  );

/** Whether it may only be observed: then an administrator must have reserved it. */
export const isOffered = ({ spec }: Managed): boolean => {
  const { managementPolicies: policies = ['*'], claimRef, namespaceSelector } = spec;
  const isChanged = policies.some((each) => ['*', 'Create', 'Update'].includes(each));
  return isChanged || policies.length === 0 || claimRef !== undefined || namespaceSelector !== undefined;
};
