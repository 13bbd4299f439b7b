import omit from 'lodash/omit.js';
import { setBindable } from '../../../../apis/core/v1alpha1/binding.ts';
import type { ConditionFacts } from '../../../../apis/core/v1alpha1/condition.ts';
import { setConditions } from '../../../../apis/core/v1alpha1/condition.ts';
import type { ExternalOperation, Managed, ManagedStatus } from '../../../../apis/core/v1alpha1/managed.ts';
import { wasDeleted } from '../../../../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails } from '../../../../apis/core/v1alpha1/secret.ts';
import { secretsAmong } from '../../../../apis/core/v1alpha1/secret.ts';
import { withoutSecrets } from '../../../../clients/without-secrets.ts';
import { unknownClaim } from '../../credential.ts';
import { withShortMessage } from '../../message.ts';
import { standingOperations } from './operation-conditions.ts';

/** What a run found out about a managed resource. */
export interface ManagedFacts {
  readonly synced: ConditionFacts;
  /** Absent: Ready stays as it is. */
  readonly ready?: ConditionFacts | undefined;
  /** What is to be said of an operation that outlives a run. */
  readonly operation?: readonly ConditionFacts[];
  /** The identity of the external resource; absent: as before. */
  readonly externalIdentity?: string | undefined;
  /** The external resource is gone: its identity is removed, so that fields that identify it can be edited. */
  readonly isGone?: boolean;
  /** The credential that the external system received last; absent: as before. */
  readonly credential?: ManagedStatus['credential'];
  /** The external system uses the credential of the Secret, or the resource has none. */
  readonly isCredentialInForce: boolean;
  /** The operation that the external system sees through; absent: none is under way. */
  readonly underWay?: ExternalOperation | undefined;
  /** Output-only fields of the external resource. */
  readonly status?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The managed resource with the status these facts give it: the one place that computes a managed resource's status. Ready
 * with a credential in force makes it bindable; deletion of a bound one shows it Released.
 */
export function withManagedStatus<M extends Managed>(managed: M, facts: ManagedFacts, now: Date): M {
  const generation = managed.metadata.generation;
  const conditions = [
    facts.synced,
    ...(facts.ready === undefined ? pending(managed) : [facts.ready]),
    ...standingOperations(managed.status?.conditions),
    ...(facts.operation ?? []),
  ].map(withShortMessage);
  const former = facts.isGone === true ? ['operation', 'externalIdentity'] : ['operation'];
  const isUsable = facts.ready?.status === 'True' && facts.isCredentialInForce;
  return {
    ...managed,
    status: {
      ...omit(managed.status, former),
      ...facts.status,
      ...(facts.underWay === undefined ? {} : { operation: facts.underWay }),
      ...nextBinding(managed, isUsable),
      ...(facts.externalIdentity === undefined ? {} : { externalIdentity: facts.externalIdentity }),
      ...(facts.credential === undefined ? {} : { credential: facts.credential }),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      conditions: setConditions(managed.status?.conditions, conditions, { now, generation }),
    },
  };
}

/** Tools take an object whose status has no Ready for one that is ready (kstatus), so none goes without. */
const pending = ({ status }: Managed): readonly ConditionFacts[] =>
  status?.conditions?.some(({ type }) => type === 'Ready')
    ? []
    : [{ type: 'Ready', status: 'Unknown', reason: 'Pending' }];

/** The binding phase in the status. A resource that another version released is Released, also without a status. */
function nextBinding(managed: Managed, isUsable: boolean): Pick<ManagedStatus, 'bindingPhase' | 'boundUID'> {
  const phase = managed.status?.bindingPhase;
  const { uid: boundUID = '' } = managed.metadata;
  if (wasDeleted(managed)) return phase === 'Bound' ? { bindingPhase: 'Released' } : {};
  if (!isUsable) return {};
  if (phase === undefined && managed.spec.claimRef?.uid === unknownClaim) {
    return { bindingPhase: 'Released', boundUID };
  }
  return { bindingPhase: setBindable(phase) };
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
