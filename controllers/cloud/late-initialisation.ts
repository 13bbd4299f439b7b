import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { Observation } from '../core/managed/external-client.ts';
import { shouldOnlyObserve } from '../core/managed/management-policies.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * What `forProvider` takes over from a thing in a cloud: those of `values` that neither it nor `initProvider`
 * has. An import, which may only be observed, is filled completely. What was made from a class is left as the
 * class says: its values would be the cloud's defaults, and to write them down is one more write for each claim.
 */
export function lateInitialisation({ spec }: Managed, values: Json): Pick<Observation, 'lateInitialized'> {
  if (spec.classRef !== undefined && !shouldOnlyObserve(spec)) return {};
  const given = { ...spec.initProvider, ...spec.forProvider } as Json;
  const absent = Object.entries(values).filter(
    ([field, value]) => value !== undefined && given[field] === undefined,
  );
  return absent.length === 0 ? {} : { lateInitialized: Object.fromEntries(absent) };
}
