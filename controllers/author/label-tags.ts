import type { Managed } from '../../apis/core/v1alpha1/managed.ts';

type Labels = Readonly<Record<string, string>>;

/** The labels of a managed resource that have one of the keys; undefined if it has none of them. */
export function labelsNamed({ metadata }: Managed, keys: readonly string[] = []): Labels | undefined {
  const labels = Object.entries(metadata.labels ?? {}).filter(([key]) => keys.includes(key));
  return labels.length === 0 ? undefined : Object.fromEntries(labels);
}

/** The managed resource with another value of a field of `forProvider`. */
export function withParameter<M extends Managed>(
  managed: M,
  field: string,
  change: (value: unknown) => unknown,
): M {
  const { spec } = managed;
  const forProvider: Readonly<Record<string, unknown>> = { ...spec.forProvider };
  return {
    ...managed,
    spec: { ...spec, forProvider: { ...forProvider, [field]: change(forProvider[field]) } },
  };
}
