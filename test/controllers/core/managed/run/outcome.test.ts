import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { available, isProgress, setConditions } from '../../../../../apis/core/v1alpha1/condition.ts';
import type { ExternalOperation, Managed } from '../../../../../apis/core/v1alpha1/managed.ts';
import { ChangeRefused } from '../../../../../clients/external-error.ts';
import { changeRefusal } from '../../../../../controllers/core/managed/recording/identity.ts';
import {
  operationFailed,
  operationForgotten,
  operationOngoing,
  operationSucceeded,
} from '../../../../../controllers/core/managed/recording/operation-conditions.ts';
import type { ManagedDecisionName } from '../../../../../controllers/core/managed/run/decide.ts';
import { cannot } from '../../../../../controllers/core/managed/run/failures.ts';
import type { Outcome, Run } from '../../../../../controllers/core/managed/run/outcome.ts';
import {
  failed,
  outcomes,
  recreationEvent,
  reporting,
  statusOf,
  withEvents,
} from '../../../../../controllers/core/managed/run/outcome.ts';
import type { FailureFacts } from '../../../../../controllers/core/step-failure.ts';
import { StepFailure } from '../../../../../controllers/core/step-failure.ts';
import { conflict } from '../../cluster-fake.ts';
import { claimRef, deletionTimestamp, managed, now } from '../../objects.ts';

const named = { annotations: { 'crossplane.io/external-name': 'db' } };
const failedAt = { 'crossplane.io/external-create-failed': '2026-01-02T03:00:00Z' };
const failedCreation = { ...named.annotations, ...failedAt };
const leaving = { ...named, deletionTimestamp };
const identity = { isAssigned: false, marks: { immutable: ['region'], identity: ['region'] } };
const wasInUs = { externalIdentity: '{"fields":{"region":"us"}}' };
const edited = managed({ forProvider: { region: 'eu' } }, { ...named, status: wasInUs });

/** A run that has come to a decision. */
const at = (
  decision: ManagedDecisionName | undefined,
  current: Managed = managed({}, named),
  more: Partial<Run> = {},
): Run => ({ decision, current, reported: {}, happened: [], ...more });

/** A run whose step failed. */
const failing = (run: Run, facts: FailureFacts<Run>, cause = new Error('boom')): Outcome =>
  failed(at('ResourceGone'), new StepFailure('', cause, { ...facts, known: run }));

const seen = { exists: true, isUpToDate: true };
const created = { type: 'Normal', reason: 'CreatedExternalResource', message: 'requested' } as const;
const askedOf = (decision: ManagedDecisionName): Run => withEvents(at(decision), created);

const gone = 'external resource does not exist';
const synced = 'Synced True ReconcileSuccess';
const waiting = 'Ready Unknown Pending';
const ongoing = (type: string, more = '') => `AsyncOperation False Ongoing: ${type} is under way${more}`;
const create: ExternalOperation = { type: 'create', name: 'op-1', startedAt: deletionTimestamp };

/** A run over a resource for which an operation is under way. */
const underWay = (
  decision: ManagedDecisionName | undefined,
  operation: ExternalOperation,
  current?: Managed,
): Run =>
  at(decision, current, {
    underWay: operation,
    operation: operationOngoing(operation.type, { name: operation.name, message: 'half of it' }),
  });

/** An outcome, and its conditions, its Events and the time of the next run. */
type Line = readonly [outcome: Outcome, lines: readonly string[]];
const half = ' (op-1): half of it';
const works = { ...seen, ready: available() };
const atWork = { ...works, operation: 'update' } as const;
const wasReady = managed({}, { ...named, status: { conditions: setConditions([], [available()], { now }) } });
const unsynced = (message: string) => `Synced False ReconcileError: ${message}`;
const unobserved = 'Warning CannotObserveExternalResource: boom';
const requested = 'Normal CreatedExternalResource: requested';
const finished = 'AsyncOperation True Finished';
const success = 'LastAsyncOperation True Success';
const [ready, creating, deleting] = ['Ready True Available', 'Ready False Creating', 'Ready False Deleting'];
const [isDeleting, retried] = ['Reconciling Deleting', 'Reconciling ReconcileError'];
const lost = 'Stalled ExternalResourceNotFound';
const [soon, later] = ['then progress since operation', 'then backOff'];
const observing = [unsynced('boom'), waiting];
const again = [retried, unobserved, later];
const size =
  'cannot change spec.forProvider.size from 2 to 1: the external system does not support this change; undo the edit, or create a new resource';
const region =
  'cannot change spec.forProvider.region from "us" to "eu": the external resource keeps the value of its creation; undo the edit, or create a new resource';
const credentialUnset =
  'the credential of its Secret is not set in the external system, because spec.managementPolicies do not allow Update; add Update';

const credential = { value: 'p', isApplied: false };
const withoutUpdate = managed({ managementPolicies: ['Observe', 'Create', 'Delete'] }, named);
const refused = ['spec.forProvider.size from 2 to 1'];
const forgotten = operationForgotten('create', 'op-1');
const lastForgotten =
  'LastAsyncOperation Unknown Forgotten: the external system does not know the result of create (op-1)';
const boom = operationFailed('update', 'boom');
const recreating = (absent: Managed): Run =>
  withEvents(at('Recreate'), recreationEvent(at('Recreate', absent)));
/** Its deletion is under way. */
const endingBy = (decision: ManagedDecisionName): Run =>
  underWay(decision, { ...create, type: 'delete' }, managed({}, leaving));

/** Outcomes that reconciler.test.ts does not show. A key begins with the decision, if the run came to one. */
const rows = (): Readonly<Record<string, Line>> => ({
  'nor when it is deleted': [
    failing(at(undefined, managed({}, leaving)), cannot.connect),
    [
      unsynced('boom'),
      deleting,
      'Stalled CannotReadCredentials',
      'Warning CannotConnectToProvider: boom',
      later,
    ],
  ],
  'observing what was edited fails: that comes first': [
    failing(at(undefined, edited), cannot.observe),
    [...observing, ...again],
  ],
  'observing fails while an operation is under way': [
    failing(underWay(undefined, create), cannot.observe),
    [...observing, ongoing('create', half), ...again],
  ],
  'observing fails after an operation is done': [
    failing(at(undefined, undefined, { operation: operationSucceeded }), cannot.observe),
    [...observing, finished, success, ...again],
  ],
  'observing fails after an operation was forgotten': [
    failing(at(undefined, undefined, { operation: forgotten }), cannot.observe),
    [...observing, finished, lastForgotten, ...again],
  ],
  'OperationFailed: an update': [
    failing(at('OperationFailed', undefined, { operation: boom }), cannot.update),
    [
      unsynced('boom'),
      waiting,
      finished,
      'LastAsyncOperation False ApplyFailure: update failed: boom',
      retried,
      'Warning CannotUpdateExternalResource: boom',
      later,
    ],
  ],
  'AwaitOperation: a creation': [
    outcomes.waiting(underWay('AwaitOperation', create), 'create'),
    [synced, creating, ongoing('create', half), 'Reconciling Creating', soon],
  ],
  'AwaitOperation: an update of what does not show any more': [
    outcomes.waiting(underWay('AwaitOperation', { ...create, type: 'update' }), 'update'),
    [synced, waiting, ongoing('update', half), 'Reconciling Pending', soon],
  ],
  'AwaitOperation: a deletion': [
    outcomes.waiting(endingBy('AwaitOperation'), 'delete'),
    [synced, deleting, ongoing('delete', half), isDeleting, soon],
  ],
  'ExternalMissing: the absence of a resource that was ready is not proven yet': [
    outcomes.missing(at('ExternalMissing', wasReady, { absentForMs: 3_000 }), 5_000),
    [
      ready,
      unsynced(`${gone} (db)`),
      lost,
      `Warning CannotObserveExternalResource: ${gone} (db)`,
      'then 2000',
    ],
  ],
  'ExternalMissing: without a name': [
    outcomes.missing(at('ExternalMissing', managed()), 5_000),
    [
      unsynced(gone),
      `Ready False Unavailable: ${gone}`,
      lost,
      `Warning CannotObserveExternalResource: ${gone}`,
      'then poll',
    ],
  ],
  'AwaitDeletion: its deletion runs': [
    outcomes.leaving(endingBy('AwaitDeletion')),
    [synced, deleting, ongoing('delete', half), isDeleting, soon],
  ],
  'AwaitDeletion: its deletion has ended, and it shows yet': [
    outcomes.leaving(at('AwaitDeletion', undefined, { operation: operationSucceeded })),
    [synced, deleting, finished, success, isDeleting, 'then progress since deletion'],
  ],
  'IdentityEdited: something is left': [
    outcomes.leftovers(at('IdentityEdited')),
    [synced, waiting, 'Reconciling Pending', 'then poll'],
  ],
  'IdentityEdited: it cannot be recorded': [
    failing(at('IdentityEdited'), cannot.write),
    [unsynced('boom'), waiting, retried, 'Warning CannotUpdateManagedResource: boom', later],
  ],
  'CreateExternal: does not show yet': [
    outcomes.unseen(askedOf('CreateExternal')),
    [synced, creating, 'Reconciling Creating', requested, later],
  ],
  'CreateExternal: or finds a conflict': [
    failing(askedOf('CreateExternal'), cannot.observe, conflict()),
    [requested, 'then event'],
  ],
  'Recreate: after a creation that failed': [
    outcomes.present(recreating(managed({}, { annotations: failedCreation })), works),
    [
      synced,
      ready,
      `Warning LostExternalResource: ${gone} (db), and its creation failed; it is created again`,
      'then poll',
    ],
  ],
  'Recreate: creating fails': [
    failing(recreating(managed()), cannot.create),
    [
      unsynced('boom'),
      creating,
      retried,
      `Warning LostExternalResource: ${gone} any more (its name is not known); it is created again`,
      'Warning CannotCreateExternalResource: boom',
      later,
    ],
  ],
  'NoUpdate: at work': [
    outcomes.present(at('NoUpdate', undefined, { operation: operationOngoing('update') }), atWork),
    [synced, ready, ongoing('update'), 'Reconciling Ongoing', soon],
  ],
  'NoUpdate: with unknown readiness': [
    outcomes.present(at('NoUpdate'), seen),
    [synced, waiting, 'Reconciling Pending', 'then progress since creation'],
  ],
  'NoUpdate: with readiness that is not known any more': [
    outcomes.present(at('NoUpdate', wasReady), seen),
    [ready, synced, 'then poll'],
  ],
  'NoUpdate: a write that is a matter of routine fails': [
    failing(at('NoUpdate'), {}),
    [unsynced('boom'), waiting, retried, later],
  ],
  'NoUpdate: the credential of the Secret may not be set': [
    outcomes.present(at('NoUpdate', withoutUpdate, { credential }), works),
    [
      unsynced(credentialUnset),
      ready,
      'Stalled ReconcileError',
      `Warning CannotUpdateExternalResource: ${credentialUnset}`,
      'then poll',
    ],
  ],
  'Update: an edit that has no effect, of a resource that was observed before another call failed': [
    failing(
      at('Update', edited, { seen: { exists: true, isUpToDate: false, refused } }),
      cannot.update,
      new ChangeRefused([changeRefusal(refused)]),
    ),
    [
      unsynced(`${size}; ${region}`),
      waiting,
      'Stalled InvalidValue',
      `Warning CannotUpdateExternalResource: ${size}`,
      `Warning CannotApplyEdit: ${region}`,
      later,
    ],
  ],
});

const textOf = ({ message, ...rest }: { readonly message?: string }, ...keys: readonly string[]): string =>
  `${keys.map((key) => rest[key as never]).join(' ')}${message === undefined ? '' : `: ${message}`}`;

describe('the outcome of a run over a managed resource', () => {
  for (const title of Object.keys(rows())) {
    test(title, () => {
      const [ending, lines] = rows()[title] ?? assert.fail();
      const { object, events: withStatus } = statusOf(ending, identity, now);
      const { current, decision, happened } = ending.run;
      assert.ok(decision === undefined || title.startsWith(`${decision}: `), decision);
      const written = object === current ? [] : (object.status?.conditions ?? []);
      const [repeating = [], own = []] = [true, false].map((is) =>
        written.filter(({ type }) => isProgress(type) === is),
      );
      assert.deepEqual(
        [
          ...own.map((each) => textOf(each, 'type', 'status', 'reason')),
          ...repeating.map(({ type, reason }) => `${type} ${reason}`),
          ...[...happened, ...withStatus].map((each) => textOf(each, 'type', 'reason')),
          `then ${ending.next}`,
        ],
        lines,
      );
    });
  }

  test('the status of the external resource is in the status write', () => {
    const ending = outcomes.present(reporting(at('NoUpdate'), { size: 1 }), seen);
    const { object } = statusOf(ending, identity, now);
    assert.equal((object.status as { readonly size?: number }).size, 1);
  });

  test('an annotation of an administrator is removed after its request was done', () => {
    const annotations = {
      ...named.annotations,
      'crossplane.io/reoffer': 'with-same-credentials',
      'crossplane.io/adopt-identity': 'true',
    };
    const usedFor = (claim: string, reference = claimRef()) => {
      const kept = { details: {}, note: { key: 'a2V5', for: claim }, isOwned: true };
      const entry = { ...kept, write: () => Promise.reject(), confirm: async () => undefined };
      const run = at('NoUpdate', managed({ claimRef: reference }, { annotations }), { entry });
      return outcomes.present(run, works).used;
    };
    const both = ['crossplane.io/adopt-identity', 'crossplane.io/reoffer'];
    assert.deepEqual(usedFor('FancySQLInstance team/orders'), both);
    assert.deepEqual(usedFor('FancySQLInstance team/former'), ['crossplane.io/adopt-identity']);
    const { uid: _none, ...reserved } = claimRef();
    assert.deepEqual(usedFor('FancySQLInstance team/orders', reserved), ['crossplane.io/adopt-identity']);
  });

  test('a creation that found an existing resource is followed at once by an update that sets the credential', () => {
    const ending = outcomes.present(at('CreateExternal', undefined, { credential }), works);
    assert.equal(ending.next, 0);
    assert.equal(statusOf(ending, identity, now).object.status?.bindingPhase, undefined);
  });

  test('a run throws a conflict at its end, and throws an error that is no failed step at once', () => {
    const cause = conflict();
    const { thrown } = failing(at(undefined), cannot.observe, cause);
    assert.equal(thrown?.cause, cause);
    const bug = new TypeError('undefined is not a function');
    assert.throws(() => failed(at(undefined), bug), bug);
  });
});
