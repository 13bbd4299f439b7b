import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { ForProviderOf, Observation } from '../core/managed/external-client.ts';

type Json = Readonly<Record<string, unknown>>;

/** The same fields, any of which may be undefined. */
export type Values<T> = { readonly [F in keyof T]?: T[F] | undefined };

/** What `forProvider` takes over from a thing in a cloud: those of `values` that neither it nor `initProvider` has. */
export function lateInitialisation<M extends Managed>(
  { spec }: M,
  values: Values<ForProviderOf<M>>,
): Pick<Observation<M>, 'lateInitialized'> {
  const given = { ...spec.initProvider, ...spec.forProvider } as Json;
  const absent = Object.entries(values).filter(
    ([field, value]) => value !== undefined && given[field] === undefined,
  );
  return absent.length === 0 ? {} : { lateInitialized: Object.fromEntries(absent) as ForProviderOf<M> };
}
