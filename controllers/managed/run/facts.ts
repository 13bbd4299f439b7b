import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import type { ExternalOperation, Managed, ManagedStatus } from '../../../apis/core/v1alpha1/managed.ts';
import type { ReportedDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { present } from '../../../apis/core/v1alpha1/secret.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import type { ConnectionEntry } from '../../connection/connection-place.ts';
import { heldCredentialOf, hmacOf } from '../../credential.ts';
import type { StepFailure } from '../../step-failure.ts';
import type {
  DesiredCredential,
  ExternalClient,
  Observation,
  OperationType,
} from '../connecting/external-client.ts';
import type { ManagedReconcilerOptions } from '../options.ts';
import type { IdentityContext } from '../recording/identity.ts';
import { scrub } from '../recording/status.ts';
import type { ManagedDecisionName, Step } from './decision.ts';

type Options = ManagedReconcilerOptions<Managed>;

/** The properties of a managed kind that its decisions depend on. */
export interface KindFacts
  extends Required<
    Pick<Options, 'secretDetails' | 'creationGraceMs' | 'confirmAbsenceMs' | 'holdsData' | 'uncreatable'>
  > {
  readonly identity: IdentityContext;
  readonly isObserveOnly: boolean;
}

/** The knowledge of a run about one managed resource. Each step returns new facts. */
export interface Facts {
  readonly kind: KindFacts;
  /** The managed resource as this run read or wrote it last. */
  readonly managed: Managed;
  /** The connected client, and the external system to which it connects. Absent: not connected yet. */
  readonly access?: { readonly external: ExternalClient; readonly system?: string | undefined };
  readonly place: PlaceFacts;
  readonly operation: OperationFacts;
  readonly latest?: LatestObservation;
  /**
   * The credential that the external system has, as this run learned. `wrong`: it does not have that of the Secret. Absent:
   * this run has learned nothing new, so that `status.credential` counts.
   */
  readonly applied?: Applied | 'wrong';
  /** The connection details and the fields of the status that the calls of this run reported. */
  readonly reported: {
    readonly details: ReportedDetails;
    readonly status: NonNullable<Observation['status']>;
  };
  readonly did: Did;
  readonly failure?: StepFailure;
}

interface Applied extends NonNullable<ManagedStatus['credential']> {
  /** This run has set it, so that the next observation may not show it yet. */
  readonly isNew?: boolean;
}

export type ObservedFacts = Facts & { readonly latest: LatestObservation };

export const isObserved = (facts: Facts): facts is ObservedFacts => facts.latest !== undefined;

/** The Secret of the resource, or without one its entry in the secret store. */
interface PlaceFacts {
  readonly entry?: ConnectionEntry;
  /** Why it cannot be read or written. Then the run creates nothing and sets no credential. */
  readonly accessFailure?: StepFailure;
  /** Why the copy in the secret store failed, or the deletion of a previous Secret or store entry. */
  readonly followUpFailure?: StepFailure;
}

export interface OperationFacts {
  readonly underWay?: ExternalOperation | undefined;
  /** The type of an operation that succeeded, or that the external system does not know any more. */
  readonly ended?: OperationType;
  readonly succeeded?: ExternalOperation;
  readonly failed?: { readonly type: OperationType; readonly failure: StepFailure };
  /** The external name that a creation reported. */
  readonly externalName?: string | undefined;
  /** The conditions AsyncOperation and LastAsyncOperation, if they change. */
  readonly conditions?: readonly ConditionFacts[];
}

interface LatestObservation {
  readonly observation: Observation;
  /** For how many ms observations have found nothing. */
  readonly absentForMs: number;
}

interface Did {
  /** The decision of the last step, as in docs/decision-tables.md. */
  readonly decision?: ManagedDecisionName | undefined;
  readonly steps: ReadonlySet<Step>;
  readonly events: readonly EventFacts[];
}

export const factsOf = (kind: KindFacts, managed: Managed, underWay?: ExternalOperation): Facts => ({
  kind,
  managed,
  place: {},
  operation: { underWay },
  reported: { details: {}, status: {} },
  did: { steps: new Set(), events: [] },
});

export const hasDone = ({ did }: Facts, ...steps: readonly Step[]): boolean =>
  steps.some((step) => did.steps.has(step));

/** The call of this run that changed the external resource. A run makes at most one. */
export const changeMade = (facts: Facts): OperationType | undefined =>
  (['create', 'update', 'delete'] as const).find((call) => hasDone(facts, call));

/** The observation, if it found the external resource. */
export const found = ({ latest }: Facts): Observation | undefined =>
  latest?.observation.exists === true ? latest.observation : undefined;

export function clientOf({ access }: Facts): ExternalClient {
  if (access === undefined) throw new Error('the external client is not connected');
  return access.external;
}

/** The credential in the Secret, which `create` and `update` set. Undefined: none, or it cannot be read or written. */
export function credentialIn(facts: Facts): DesiredCredential | undefined {
  const { kind, managed, place } = facts;
  const { entry, accessFailure } = place;
  const credential = heldCredentialOf<Managed>(managed, entry, kind.secretDetails);
  const value = credential && entry?.details[credential.key];
  if (accessFailure !== undefined || entry === undefined || value === undefined) return undefined;
  const { username } = entry.details;
  const hmac = hmacIn(entry, value, managed);
  const isApplied = hmac !== undefined && hmac === appliedCredential(facts)?.hmac;
  return { value, isApplied, ...(username && { username }) };
}

/** The credential that the external system has, as this run learned, else as the status says. */
export const appliedCredential = ({ applied, managed }: Facts): Applied | undefined =>
  applied === 'wrong' ? undefined : (applied ?? managed.status?.credential);

/** The HMACs of the credentials in entries. A run asks often. */
const hmacs = new WeakMap<ConnectionEntry, string>();

function hmacIn(entry: ConnectionEntry, value: string, { metadata: { uid } }: Managed): string | undefined {
  if (entry.note === undefined) return undefined;
  const hmac = hmacs.get(entry) ?? hmacOf(value, entry.note, uid);
  hmacs.set(entry, hmac);
  return hmac;
}

export const isCredentialDue = (facts: Facts): boolean => credentialIn(facts)?.isApplied === false;

/** Whether the external resource equals its spec, and has the credential of the Secret. */
export const isAsWanted = (facts: Facts): boolean =>
  found(facts)?.isUpToDate === true && !isCredentialDue(facts);

/** Whether an operation is under way, by the status or by the observation. */
export const isBusy = (facts: Facts): boolean =>
  (facts.operation.underWay ?? found(facts)?.operation) !== undefined;

/** The facts after the credential of the Secret was set, or found in use. */
export function withApplied(facts: Facts, state: Omit<Applied, 'hmac'>): Facts {
  const { entry } = facts.place;
  const credential = credentialIn(facts);
  const hmac = entry && credential && hmacIn(entry, credential.value, facts.managed);
  return hmac === undefined ? facts : { ...facts, applied: { hmac, ...state } };
}

/** Adds the values that a call or an observation reported. */
export const withReport = (
  facts: Facts,
  { details = {}, status }: Pick<Observation, 'details' | 'status'>,
): Facts => ({
  ...facts,
  reported: {
    details: { ...facts.reported.details, ...details },
    status: { ...facts.reported.status, ...status },
  },
});

export const withEvents = (facts: Facts, ...events: readonly EventFacts[]): Facts => ({
  ...facts,
  did: { ...facts.did, events: [...facts.did.events, ...events] },
});

/** Removes from a message all secrets that the run knows. */
export const scrubOf = ({ managed, place, reported }: Facts, message: string): string =>
  scrub(managed, message, place.entry?.details ?? {}, present(reported.details));

/** Whether the run ended with the removal of the finalizer. */
export const isFinalised = ({ did, failure }: Facts): boolean =>
  did.steps.has('finalise') && failure === undefined;
