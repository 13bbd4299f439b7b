import type { Described } from '../schema.ts';
import type { condition } from './fields.ts';
import { printable, shortened } from './printable.ts';
import { needsPerson } from './ready-reasons.ts';
import { timestamp } from './timestamp.ts';

/**
 * One aspect of an object's observed state, for `kubectl wait --for=condition=…`. Reasons are those of Crossplane's later
 * releases where they have one.
 */
export type Condition = Described<typeof condition>;

/** The limit of metav1.Condition for a message. */
const longestMessage = 32_768;

/** The maximum number of characters in the message of a condition that this product writes. */
const shortMessage = 1_024;

/** A condition without time and generation, which {@link setConditions} adds. */
export type ConditionFacts = Pick<Condition, 'type' | 'status' | 'reason' | 'message' | 'error'>;

/** Makes the message printable and limits its length, because it may contain any text of an external system. */
export const withShortMessage = (facts: ConditionFacts): ConditionFacts =>
  facts.message === undefined
    ? facts
    : { ...facts, message: shortened(printable(facts.message), shortMessage) };

/** A condition of type `Ready`. */
export type ReadyFacts = ConditionFacts & { readonly type: 'Ready' };

/** The external resource can be used. */
export const available = (): ReadyFacts => ({ type: 'Ready', status: 'True', reason: 'Available' });
/** For claims: as far as is known the service works, but the managed resource reports a failure. */
export const availableWithTrouble = (message: string): ReadyFacts => ({
  type: 'Ready',
  status: 'True',
  reason: 'AvailableWithTrouble',
  message,
});
/** The external resource exists, and cannot be used now. The message says why. */
export const unavailable = (message?: string): ReadyFacts => notReady('Unavailable', message);
/** For an external resource in a state that only a person ends: it failed, was stopped, or lacks what it needs. */
export const outOfService = (message: string): ReadyFacts =>
  withError(unavailable(message), { class: 'OutOfService' });
/** The external resource is being created. */
export const creating = (message?: string): ReadyFacts => notReady('Creating', message);
/** The external resource is being deleted. */
export const deleting = (message?: string): ReadyFacts => notReady('Deleting', message);
/** For claims: waiting for a managed resource that can be bound. */
export const binding = (message?: string): ReadyFacts => notReady('Binding', message);

/** `Ready` False with another reason. */
export function notReady(reason: string, message?: string): ReadyFacts {
  return { type: 'Ready', status: 'False', reason, ...(message ? { message } : {}) };
}

/** `Ready` Unknown: the state cannot be observed. */
export const unknown = (reason: string, message: string): ReadyFacts => ({
  type: 'Ready',
  status: 'Unknown',
  reason,
  message,
});

/**
 * Ready of an external resource that has another name now, or a part of it. `message` has the name, and how to name it
 * back. `holder`: what has the former name.
 */
export const renamed = (message: string, holder?: NonNullable<Condition['error']>['holder']): ReadyFacts =>
  withError(unavailable(message), { class: 'ExternalRenamed', ...(holder && { holder }) });

export const reconcileSuccess = (message?: string): ConditionFacts => ({
  type: 'Synced',
  status: 'True',
  reason: 'ReconcileSuccess',
  ...(message ? { message } : {}),
});
/**
 * The reasons of Synced while the external system accepted a call and does not show its effect yet. Synced is True. If that
 * lasts, it becomes False with the error class NoEffect.
 */
export const acceptedReasons = {
  create: 'CreationAccepted',
  update: 'UpdateAccepted',
  delete: 'DeletionAccepted',
} as const;
/** The reason of Synced of {@link templateIncomplete}. */
export const incompleteTemplate = 'TemplateIncomplete';
export const reconcileError = (message: string, error?: Condition['error']): ConditionFacts => ({
  type: 'Synced',
  status: 'False',
  reason: 'ReconcileError',
  message,
  ...(error && { error }),
});
/** For claims: the Secret lacks entries, labels or annotations that the claim or its class wants. */
export const templateIncomplete = (message: string): ConditionFacts => ({
  ...reconcileError(message),
  reason: incompleteTemplate,
});
export const reconcilePaused = (message?: string): ConditionFacts => ({
  type: 'Synced',
  status: 'False',
  reason: 'ReconcilePaused',
  ...(message ? { message } : {}),
});

/**
 * The classes of failures that no external client reports:
 * - `CredentialsUnreadable`: the controllers cannot read the credentials of the provider; no external system was asked.
 * - `OtherSystem`: the provider leads to another system than the one that has the external resource.
 * - `ExternalMissing`: no external resource exists.
 * - `ExternalRenamed`: the external resource, or a part of it, has another name now.
 * - `DataLost`: the external resource was lost and exists again, and no administrator acknowledged the loss yet.
 * - `SecretConflict`: another object owns the Secret of the resource, or it has data of its own.
 * - `NamespaceNotFound`: the namespace of the Secret does not exist, or is being deleted.
 * - `DependencyNotFound`, `DependencyDeleting`: the ProviderConfig, Provider or StoreConfig that a resource names does not
 *   exist, or is being deleted.
 * - `StoreTokenUnreadable`, `StoreFailing`: the controllers cannot read the token of a secret store; or the store refuses a
 *   request, or does not answer.
 * - `RequestRefused`: a quota, a policy (an admission webhook or ValidatingAdmissionPolicy), a definition or RBAC refuses a
 *   write of the controllers to the API server, such as the creation of the managed resource or of a Secret.
 * - `SecretsForbidden`, `SecretsExcluded`: RBAC, or --secret-namespaces, forbids to read the Secrets of `namespace`.
 * - `CredentialCannotChange`: a previous claim knows the credential, and the controllers cannot replace it.
 * - `NoEffect`: the external system accepts a call again and again, and observations do not show its effect.
 * - `ObserveOnly`: the process runs with --observe-only, and would make the change that the message names.
 */
export type ControllerErrorClass =
  | 'CredentialsUnreadable'
  | 'OtherSystem'
  | 'ExternalMissing'
  | 'ExternalRenamed'
  | 'DataLost'
  | 'SecretConflict'
  | 'NamespaceNotFound'
  | 'DependencyNotFound'
  | 'DependencyDeleting'
  | 'StoreTokenUnreadable'
  | 'StoreFailing'
  | 'RequestRefused'
  | 'SecretsForbidden'
  | 'SecretsExcluded'
  | 'CredentialCannotChange'
  | 'NoEffect'
  | 'ObserveOnly'
  | 'StackBug';

/** A failure that no external client reports. Its class is known where it is thrown. */
export class ControllerError extends Error {
  override readonly name = 'ControllerError';
  readonly errorClass: ControllerErrorClass;
  /** The namespace that the failure is about. */
  readonly namespace: string | undefined;

  constructor(errorClass: ControllerErrorClass, message: string, namespace?: string) {
    super(message);
    this.errorClass = errorClass;
    this.namespace = namespace;
  }
}

/** The first ControllerError in a chain of causes. */
export function controllerErrorIn(error: unknown): ControllerError | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof ControllerError) return current;
  }
  return undefined;
}

/** The facts with a failure as data, if there is one. */
export const withError = <F extends ConditionFacts>(facts: F, error: Condition['error'] | undefined): F =>
  error === undefined ? facts : { ...facts, error };

/** The data of a failure without control characters: the owner's kind and name come from tags, which may hold any text. */
function printableError({
  holder,
  ...error
}: NonNullable<Condition['error']>): NonNullable<Condition['error']> {
  if (holder === undefined) return error;
  const texts = Object.entries(holder).map(([key, text]) => [key, shortened(printable(text), 253)]);
  return { ...error, holder: { ...holder, ...Object.fromEntries(texts) } };
}

/** The condition of a type; `Unknown` if it is absent (crossplane-runtime's GetCondition). */
export function getCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
): Pick<Condition, 'type' | 'status'> & Partial<Condition> {
  return conditions?.find((condition) => condition.type === type) ?? { type, status: 'Unknown' };
}

/** Since when a condition has its status and reason. */
export const sinceOf = ({
  lastTransitionTime,
  lastReasonChangeTime,
}: Pick<Condition, 'lastTransitionTime' | 'lastReasonChangeTime'>): string =>
  lastReasonChangeTime ?? lastTransitionTime;

export function isConditionTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return getCondition(conditions, type).status === 'True';
}

/**
 * Puts conditions into a list, at most one per type, in the order in which they were first set. `lastTransitionTime`
 * changes only with `status` (Kubernetes API conventions; the Go original also changed it with the message).
 * `lastReasonChangeTime` is set when only the reason changes: durations count from then ({@link sinceOf}).
 * `observedGeneration` is that of the object, so an unchanged object yields an equal list. Messages are made printable,
 * because they may quote other systems.
 */
export function setConditions(
  conditions: readonly Condition[] | undefined,
  facts: readonly ConditionFacts[],
  at: { readonly now: Date; readonly generation?: number | undefined },
): readonly Condition[] {
  const result = [...(conditions ?? [])];
  for (const fact of facts) {
    const index = result.findIndex(({ type }) => type === fact.type);
    const before = result[index];
    const message = fact.message && shortened(printable(fact.message), longestMessage);
    const same = before !== undefined && before.status === fact.status ? before : undefined;
    const now = timestamp(at.now);
    const reasonChange = same !== undefined && same.reason !== fact.reason ? now : same?.lastReasonChangeTime;
    const after: Condition = {
      type: fact.type,
      status: fact.status,
      lastTransitionTime: same?.lastTransitionTime ?? now,
      reason: fact.reason,
      ...(reasonChange !== undefined && { lastReasonChangeTime: reasonChange }),
      ...(message ? { message } : {}),
      ...(fact.error ? { error: printableError(fact.error) } : {}),
      ...(at.generation === undefined ? {} : { observedGeneration: at.generation }),
    };
    if (index === -1) result.push(after);
    else result[index] = after;
  }
  return result;
}

/** Facts about an object that its conditions do not have, for {@link reportedStatus}. */
export interface Obstacle {
  /** The reason that describes the failure best, if its class is known. */
  readonly cause?: string | undefined;
  /** Whether a person must act, although no reason shows it. */
  readonly isStuck?: boolean;
}

/**
 * The fields of the status of a claim or managed resource that tools for all kinds read. Besides `setConditions`, it sets
 * `Reconciling` or `Stalled` as kstatus defines them: each exists only while it is True, and never both.
 */
export function reportedStatus(
  before: readonly Condition[] | undefined,
  facts: readonly ConditionFacts[],
  at: { readonly now: Date; readonly generation?: number | undefined },
  obstacle: Obstacle = {},
): { readonly observedGeneration?: number; readonly conditions: readonly Condition[] } {
  const set = setConditions(before, facts, at);
  const progress = progressOf(set, obstacle);
  const others = set.filter(({ type }) => type === progress?.type || !isProgress(type));
  return {
    ...(at.generation === undefined ? {} : { observedGeneration: at.generation }),
    conditions: setConditions(others, progress === undefined ? [] : [progress], at),
  };
}

/** Whether a type of condition only repeats others, in the form that kstatus reads. */
export const isProgress = (type: string): boolean => ['Reconciling', 'Stalled'].includes(type);

/** Stalled if a person must act, Reconciling if the object is not yet as its spec wants it, else undefined. */
function progressOf(
  conditions: readonly Condition[],
  { cause, isStuck = false }: Obstacle,
): ConditionFacts | undefined {
  const ready = getCondition(conditions, 'Ready');
  const synced = getCondition(conditions, 'Synced');
  const operation = getCondition(conditions, 'AsyncOperation');
  const isReady = ready.status === 'True';
  const isPaused = synced.reason === 'ReconcilePaused';
  const isSynced = synced.status !== 'False' || isPaused;
  if (isReady && isSynced && operation.status !== 'False') return undefined;
  const byPerson = [cause, isReady ? undefined : ready.reason].find((each) => each && needsPerson(each));
  const { reason, message } = synced.status === 'False' ? synced : isReady ? operation : ready;
  return {
    type: isStuck || isPaused || byPerson !== undefined ? 'Stalled' : 'Reconciling',
    status: 'True',
    reason: byPerson ?? cause ?? reason ?? 'Pending',
    ...(message ? { message } : {}),
  };
}
