import omit from 'lodash/omit.js';
import { setBindable } from '../../../apis/core/v1alpha1/binding.ts';
import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { setConditions } from '../../../apis/core/v1alpha1/condition.ts';
import type { ExternalOperation, Managed, ManagedStatus } from '../../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { withoutSecrets } from '../../../clients/without-secrets.ts';
import { isReoffered } from '../claim-marks.ts';
import { secretsAmong } from '../connection/published-details.ts';
import { withShortMessage } from '../message.ts';
import { standingOperations } from './async-operations.ts';

/** What a run found out about a managed resource. */
export interface ManagedFacts {
  readonly synced: ConditionFacts;
  /** Absent: Ready stays as it is. */
  readonly ready?: ConditionFacts | undefined;
  /** What is to be said of an operation that outlives a run. */
  readonly operation?: readonly ConditionFacts[];
  /** What is on record of the external resource's identity; absent: as before. */
  readonly externalIdentity?: string | undefined;
  /** Of the connection details; absent or 0: as before. */
  readonly publishedRevision?: number | undefined;
  /** The same one, where nothing was named that it could be published to; absent: as before. */
  readonly unpublishedRevision?: number | undefined;
  /** What is on record of the credentials that claims are told; absent: as before. */
  readonly toldCredentials?: string | undefined;
  /** It is offered again, and stays so: Ready does not end the offer. */
  readonly isStillOffered?: boolean;
  /** The credentials that were about to be set are published. */
  readonly isRenewalOver?: boolean | undefined;
  /** The operation that the external system sees through; absent: none is under way. */
  readonly underWay?: ExternalOperation | undefined;
  /** Output-only fields of the external resource. */
  readonly status?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The managed resource with the status these facts give it: the one place that computes a managed resource's
 * status. Ready makes it bindable; deletion of a bound one shows it Released; the reoffer annotation makes a
 * released one bindable again.
 */
export function withManagedStatus<M extends Managed>(managed: M, facts: ManagedFacts, now: Date): M {
  const generation = managed.metadata.generation;
  const conditions = [
    facts.synced,
    ...(facts.ready === undefined ? pending(managed) : [facts.ready]),
    ...standingOperations(managed.status?.conditions),
    ...(facts.operation ?? []),
  ].map(withShortMessage);
  const bindingPhase = facts.isStillOffered
    ? managed.status?.bindingPhase
    : nextPhase(managed, facts.ready?.status === 'True');
  return {
    ...managed,
    status: {
      ...omit(managed.status, 'operation', facts.isRenewalOver ? 'renewingSince' : ''),
      ...facts.status,
      ...(facts.underWay === undefined ? {} : { operation: facts.underWay }),
      ...(bindingPhase === undefined ? {} : { bindingPhase }),
      ...(facts.externalIdentity === undefined ? {} : { externalIdentity: facts.externalIdentity }),
      ...(facts.publishedRevision ? { publishedRevision: facts.publishedRevision } : {}),
      ...(facts.unpublishedRevision ? { unpublishedRevision: facts.unpublishedRevision } : {}),
      ...(facts.toldCredentials === undefined ? {} : { toldCredentials: facts.toldCredentials }),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      conditions: setConditions(managed.status?.conditions, conditions, { now, generation }),
    },
  };
}

/** The status before the end of a run: what has to be on record before a call outside is made. */
export const withStatusMark = (
  managed: Managed,
  mark: Pick<
    ManagedStatus,
    'renewingSince' | 'publishedRevision' | 'unpublishedRevision' | 'toldCredentials'
  >,
  now: Date,
): Managed => ({
  ...managed,
  status: {
    ...managed.status,
    ...mark,
    conditions: setConditions(managed.status?.conditions, pending(managed), {
      now,
      generation: managed.metadata.generation,
    }),
  },
});

/** Tools take an object whose status has no Ready for one that is ready (kstatus), so none goes without. */
const pending = ({ status }: Managed): readonly ConditionFacts[] =>
  status?.conditions?.some(({ type }) => type === 'Ready')
    ? []
    : [{ type: 'Ready', status: 'Unknown', reason: 'Pending' }];

function nextPhase(managed: Managed, isReady: boolean) {
  const phase = managed.status?.bindingPhase;
  if (wasDeleted(managed)) return phase === 'Bound' ? 'Released' : phase;
  if (isReady && isReoffered(managed)) return 'Unbound';
  return isReady ? setBindable(phase) : phase;
}

const shortestSecret = 4;

/**
 * A message without any secret among the details, as it is or as part of a URL: a last defence behind clients that
 * scrub their own.
 */
export function scrub(message: string, ...details: readonly ConnectionDetails[]): string {
  const secrets = details
    .flatMap((each) => Object.values(secretsAmong(each)))
    .filter((value) => value.length >= shortestSecret)
    .flatMap((value) => [value, encodeURIComponent(value)])
    .toSorted((a, b) => b.length - a.length);
  return withoutSecrets(message, secrets);
}
