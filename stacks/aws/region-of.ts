import type { Managed } from '../../package/stack.ts';

interface Regional {
  readonly region?: unknown;
}

/** The region of a managed resource; undefined: the provider's region. */
export function regionOf({ spec: { forProvider, initProvider } }: Managed): string | undefined {
  const region =
    (forProvider as Regional | undefined)?.region ?? (initProvider as Regional | undefined)?.region;
  return typeof region === 'string' ? region : undefined;
}
