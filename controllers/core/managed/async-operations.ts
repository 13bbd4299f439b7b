import type { Observable } from 'rxjs';
import { Subject } from 'rxjs';
import type { Condition, ConditionFacts } from '../../../apis/core/v1alpha1/condition.ts';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { objectKey, objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Request } from '../../../runtime/controller/reconcile.ts';
import type { Created, OperationType } from './external-client.ts';

/** What a settled operation brought. */
export type OperationResult = Created;

/** An operation on one external resource that outlived the run that began it. */
export interface TrackedOperation {
  readonly type: OperationType;
  readonly outcome:
    | { readonly state: 'ongoing' }
    | { readonly state: 'succeeded'; readonly result: OperationResult }
    | { readonly state: 'failed'; readonly error: unknown };
}

/**
 * Operations of this process, at most one per object. They are lost with the process, as is whatever waited for
 * them; what remains is what the creation annotations and the external system say.
 */
export interface OperationTracker {
  get(object: KubernetesObject): TrackedOperation | undefined;
  /** `operation` is what a client handed over: it yields a Creation, an Update or nothing. */
  track(object: KubernetesObject, type: OperationType, operation: Promise<unknown>): void;
  /** Once the outcome of `operation` is on record (another may have begun since), or the object is gone. */
  forget(request: Request, operation?: TrackedOperation): void;
  /** The object of each operation that settles. */
  readonly settled$: Observable<Request>;
}

export function createOperationTracker(): OperationTracker {
  const operations = new Map<
    string,
    { readonly uid: string | undefined; readonly operation: TrackedOperation }
  >();
  const settled$ = new Subject<Request>();

  return {
    settled$,
    get({ metadata }) {
      const tracked = operations.get(objectKeyText(metadata));
      return tracked?.uid === metadata.uid ? tracked?.operation : undefined;
    },
    track({ metadata }, type, operation) {
      const key = objectKeyText(metadata);
      const ongoing = { uid: metadata.uid, operation: { type, outcome: { state: 'ongoing' } } } as const;
      operations.set(key, ongoing);
      const settle = (outcome: TrackedOperation['outcome']): void => {
        if (operations.get(key) !== ongoing) return; // forgotten, or the name is another object's now
        operations.set(key, { uid: metadata.uid, operation: { type, outcome } });
        settled$.next(objectKey(metadata));
      };
      operation.then(
        (result) => settle({ state: 'succeeded', result: (result ?? {}) as OperationResult }),
        (error: unknown) => settle({ state: 'failed', error }),
      );
    },
    forget(request, operation) {
      const key = objectKeyText(request);
      if (operation === undefined || operations.get(key)?.operation === operation) operations.delete(key);
    },
  };
}

/** The reasons that the guide of managed resources prints (docs/decisions/0007). */
const failureReasons = { create: 'ApplyFailure', update: 'ApplyFailure', delete: 'DestroyFailure' } as const;

/** The conditions of an operation under way: what it is called outside, and how far it says it is. */
export function operationOngoing(
  type: OperationType,
  { name, message }: { readonly name?: string; readonly message?: string | undefined } = {},
): readonly ConditionFacts[] {
  const which = name === undefined ? '' : ` (${name})`;
  const howFar = message === undefined ? '' : `: ${message}`;
  const told = `${type} is under way${which}${howFar}`;
  return [{ type: 'AsyncOperation', status: 'False', reason: 'Ongoing', message: told }];
}

const finished: ConditionFacts = { type: 'AsyncOperation', status: 'True', reason: 'Finished' };

/** The conditions where what was asked for is of no interest any more. */
export const operationSuperseded: readonly ConditionFacts[] = [finished];

/** The conditions of an operation of which the external system does not know any more how it went. */
export const operationForgotten = (type: OperationType, name: string): readonly ConditionFacts[] => [
  finished,
  {
    type: 'LastAsyncOperation',
    status: 'Unknown',
    reason: 'Forgotten',
    message: `the external system does not know how ${type} (${name}) went`,
  },
];

/** The conditions of an operation that ended as it should. */
export const operationSucceeded: readonly ConditionFacts[] = [
  finished,
  { type: 'LastAsyncOperation', status: 'True', reason: 'Success' },
];

/** The conditions of an operation that failed; `why` holds no secrets. */
export const operationFailed = (type: OperationType, why: string): readonly ConditionFacts[] => [
  finished,
  {
    type: 'LastAsyncOperation',
    status: 'False',
    reason: failureReasons[type],
    message: `${type} failed: ${why}`,
  },
];

const operationTypes = ['AsyncOperation', 'LastAsyncOperation'];

/**
 * What the conditions say of operations, to be said again: it holds for every generation of the object, and who waits
 * for one of them (`kubectl wait`) waits for the present generation.
 */
export const standingOperations = (conditions: readonly Condition[] = []): readonly ConditionFacts[] =>
  conditions.filter(({ type }) => operationTypes.includes(type));

/** Whether the conditions speak of an operation under way: its end is still to be told. */
export const isOperationOngoing = (conditions: readonly Condition[] | undefined): boolean =>
  getCondition(conditions, 'AsyncOperation').reason === 'Ongoing';
