import type { Described } from '../schema.ts';
import type { labelSelector as labelSelectorSchema } from './fields.ts';

/** Kubernetes' label selector. Both parts must hold; an empty selector matches everything. */
export type LabelSelector = Described<ReturnType<typeof labelSelectorSchema>>;

export type LabelSelectorRequirement = NonNullable<LabelSelector['matchExpressions']>[number];

/**
 * A predicate over labels, with the semantics of Kubernetes' metav1.LabelSelectorAsSelector: NotIn and DoesNotExist match
 * objects without the key. For a malformed selector it returns a message: In or NotIn without values, Exists or
 * DoesNotExist with values, or an unknown operator.
 */
export function labelSelector(
  selector: LabelSelector,
): ((labels: Readonly<Record<string, string>> | undefined) => boolean) | string {
  for (const [index, { operator, values }] of (selector.matchExpressions ?? []).entries()) {
    const field = `matchExpressions[${index}]`;
    if (operator === 'In' || operator === 'NotIn') {
      if (!values?.length) return `${field}.values: must be given for operator ${operator}`;
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values?.length) return `${field}.values: must not be given for operator ${operator}`;
    } else {
      return `${field}.operator: "${String(operator)}" is not one of In, NotIn, Exists, DoesNotExist`;
    }
  }
  return (labels = {}) =>
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every((requirement) => requirementHolds(requirement, labels));
}

function requirementHolds(
  { key, operator, values = [] }: LabelSelectorRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}

/** A selector in kubectl's notation, keys sorted, for messages: `size=small,tier in (a,b)`. */
export function describeSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const parts = [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, operator, values = [] }) => {
      if (operator === 'Exists') return key;
      if (operator === 'DoesNotExist') return `!${key}`;
      return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`;
    }),
  ];
  return parts.length === 0 ? 'everything' : parts.toSorted().join(',');
}
