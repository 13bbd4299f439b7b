import type { LabelSelector } from '../../apis/core/v1alpha1/selector.ts';
import { labelSelector } from '../../apis/core/v1alpha1/selector.ts';

/** One part of a selector. */
export interface Wish {
  readonly key: string;
  readonly isMet: (labels: Readonly<Record<string, string>> | undefined) => boolean;
  /** The label that would meet it where there is none of that key. */
  readonly label?: string | undefined;
}

/** What a selector asks for, part by part. */
export function wishesIn({ matchLabels = {}, matchExpressions = [] }: LabelSelector): readonly Wish[] {
  const parts: readonly (LabelSelector & { readonly key: string; readonly value?: string | undefined })[] = [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, value, matchLabels: { [key]: value } })),
    ...matchExpressions.map((one) => ({
      key: one.key,
      value: one.operator === 'Exists' ? 'true' : one.operator === 'In' ? one.values?.[0] : undefined,
      matchExpressions: [one],
    })),
  ];
  return parts.map(({ key, value, ...part }) => {
    const selects = labelSelector(part);
    return {
      key,
      isMet: (labels) => typeof selects === 'function' && selects(labels),
      ...(value !== undefined && { label: `${key}=${value}` }),
    };
  });
}
