import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Observation } from '../core/managed/external-client.ts';

type Json = Readonly<Record<string, unknown>>;

/** What `forProvider` takes over from a thing in a cloud: those of `values` that neither it nor `initProvider` has. */
export function lateInitialisation({ spec }: Managed, values: Json): Pick<Observation, 'lateInitialized'> {
  const given = { ...spec.initProvider, ...spec.forProvider } as Json;
  const absent = Object.entries(values).filter(
    ([field, value]) => value !== undefined && given[field] === undefined,
  );
  return absent.length === 0 ? {} : { lateInitialized: Object.fromEntries(absent) };
}
