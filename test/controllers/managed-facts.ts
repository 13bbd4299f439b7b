import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import type { ConnectionEntry } from '../../controllers/connection/connection-place.ts';
import type { StoredCredential } from '../../controllers/credential.ts';
import type { Observation } from '../../controllers/managed/connecting/external-client.ts';
import type { Step } from '../../controllers/managed/run/decision.ts';
import type { Facts, KindFacts, ObservedFacts } from '../../controllers/managed/run/facts.ts';
import { factsOf } from '../../controllers/managed/run/facts.ts';

export const kindFacts: KindFacts = {
  identity: { isAssigned: false, marks: { immutable: ['region'], identity: ['region'] } },
  secretDetails: {},
  creationGraceMs: 0,
  confirmAbsenceMs: 5_000,
  holdsData: false,
  isObserveOnly: false,
  uncreatable: () => undefined,
};

/** The facts of a run that made these steps. */
export function factsAbout(
  managed: Managed,
  { did, ...facts }: Partial<Omit<Facts, 'managed' | 'did'>> & { readonly did?: readonly Step[] } = {},
): Facts {
  const base = factsOf(facts.kind ?? kindFacts, managed);
  return { ...base, ...facts, did: { ...base.did, steps: new Set(did) } };
}

/** An entry in a Secret that is never written. */
export const entryOf = (stored: StoredCredential): ConnectionEntry => ({
  ...stored,
  isOwned: true,
  write: () => Promise.reject(new Error('unexpected write')),
  confirm: async () => undefined,
});

/** The steps of a run until it has observed the external resource. */
const untilObserved: readonly Step[] = ['resolveReferences', 'connect', 'readPlace', 'observe'];

/** The facts of a run that has just observed the external resource. */
export function observedFacts(
  managed: Managed,
  observation: Observation,
  { absentForMs = 0, ...facts }: { readonly absentForMs?: number } & Partial<Facts> = {},
): ObservedFacts {
  const latest = { observation, absentForMs };
  const connected = { external: {} as NonNullable<Facts['access']>['external'] };
  return { ...factsAbout(managed, { did: untilObserved }), access: connected, latest, ...facts };
}
