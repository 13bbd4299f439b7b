import omit from 'lodash/omit.js';
import { setBindable } from '../../../apis/core/v1alpha1/binding.ts';
import type { ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { reportedStatus, withShortMessage } from '../../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed, ManagedStatus } from '../../../apis/core/v1alpha1/managed.ts';
import { nameOf, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import type { ConnectionDetails } from '../../../apis/core/v1alpha1/secret.ts';
import { secretsAmong } from '../../../apis/core/v1alpha1/secret.ts';
import { withoutSecrets } from '../../../clients/without-secrets.ts';
import { unknownClaim } from '../../credential.ts';
import { reasonOfError } from '../../error-class.ts';
import { shortestSecret } from '../../provider/secret-texts.ts';
import { standingOperations } from './operation-conditions.ts';

/** The result of a run, for the status of the managed resource. */
export interface ManagedStatusFacts {
  readonly synced: ConditionFacts;
  /** Whether the resource is Stalled: a user or an administrator must act, even if no error class shows that. */
  readonly isStuck?: boolean;
  /** Absent: Ready stays as it is. */
  readonly ready?: ConditionFacts | undefined;
  /** The new conditions AsyncOperation and LastAsyncOperation. */
  readonly operation?: readonly ConditionFacts[];
  /** Whether the external resource is proven absent. Its identity is then removed, and users may edit its fields. */
  readonly isGone?: boolean;
  /** Whether the external system uses the credential. Also true if the resource has no credential. */
  readonly isCredentialInForce: boolean;
  /** The fields of the status that change. Without `operation` and `deletionAccepted`, these are removed. */
  readonly status?: ManagedStatus & Readonly<Record<string, unknown>>;
}

/**
 * Returns the managed resource with its new status. A claim can bind once the resource is Ready and the external system
 * uses its credential. A Bound resource that is being deleted becomes Released.
 */
export function withManagedStatus<M extends Managed>(managed: M, facts: ManagedStatusFacts, now: Date): M {
  const { generation } = managed.metadata;
  const cause = reasonOfError(facts.synced.error) ?? reasonOfError(facts.ready?.error);
  const conditions = [
    facts.synced,
    ...(facts.ready === undefined ? pending(managed) : [facts.ready]),
    ...standingOperations(managed.status?.conditions),
    ...(facts.operation ?? []),
  ].map(withShortMessage);
  const removed = ['operation', 'deletionAccepted', ...(facts.isGone === true ? ['externalIdentity'] : [])];
  const isUsable = facts.ready?.status === 'True' && facts.isCredentialInForce;
  return {
    ...managed,
    status: {
      ...omit(managed.status, removed),
      ...facts.status,
      ...nextBinding(managed, isUsable),
      ...reportedStatus(managed.status?.conditions, conditions, { now, generation }, { ...facts, cause }),
    },
  };
}

/** Ready=Unknown for an object without a Ready condition, because tools that use kstatus would treat it as ready. */
const pending = ({ status }: Managed): readonly ConditionFacts[] =>
  status?.conditions?.some(({ type }) => type === 'Ready')
    ? []
    : [{ type: 'Ready', status: 'Unknown', reason: 'Pending' }];

/** The new binding phase. If the UID in `claimRef` is `unknown`, a resource without a phase was released before. */
function nextBinding(managed: Managed, isUsable: boolean): Pick<ManagedStatus, 'bindingPhase' | 'boundUID'> {
  const phase = managed.status?.bindingPhase;
  const { uid: boundUID = '' } = managed.metadata;
  if (wasDeleted(managed)) return phase === 'Bound' ? { bindingPhase: 'Released' } : {};
  if (!isUsable) return {};
  const isReleased = phase === undefined || (phase === 'Released' && managed.status?.boundUID === undefined);
  if (isReleased && managed.spec.claimRef?.uid === unknownClaim) {
    return { bindingPhase: 'Released', boundUID };
  }
  return { bindingPhase: setBindable(phase) };
}

/** The resource without the record of its credential, and without these other fields of the status. */
export const withoutRecord = (managed: Managed, ...others: readonly (keyof ManagedStatus)[]): Managed =>
  managed.status === undefined
    ? managed
    : { ...managed, status: omit(managed.status, 'credential', ...others) };

/**
 * Removes secrets from a message about a resource. The names of the resource stay, even if a detail has them. External
 * clients must remove secrets that only they know.
 */
export function scrub(
  managed: KubernetesObject,
  message: string,
  ...details: readonly ConnectionDetails[]
): string {
  const names = [managed.metadata.name, nameOf(managed)];
  const secrets = details.flatMap((each) => Object.values(secretsAmong(each)));
  return withoutSecrets(
    message,
    secrets.filter((secret) => secret.length >= shortestSecret && !names.includes(secret)),
  );
}
