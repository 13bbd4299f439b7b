import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  available,
  creating,
  setConditions,
  unavailable,
} from '../../../../../apis/core/v1alpha1/condition.ts';
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
import { decideAccess, decideFirst } from '../../../../../controllers/core/managed/run/decide.ts';
import type { CredentialDecisionName } from '../../../../../controllers/core/managed/run/decide-credential.ts';
import { cannot } from '../../../../../controllers/core/managed/run/failures.ts';
import type { Next } from '../../../../../controllers/core/managed/run/next.ts';
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
import { claimRef, deletionTimestamp, undetermined as looked, managed, now } from '../../objects.ts';

const named = { annotations: { 'crossplane.io/external-name': 'db' } };
const failedCreation = {
  ...named.annotations,
  'crossplane.io/external-create-failed': '2026-01-02T03:00:00Z',
};
const leaving = { ...named, deletionTimestamp };
const identity = { isAssigned: false, marks: { immutable: ['region'], identity: ['region'] } };
const edited = managed(
  { forProvider: { region: 'eu' } },
  { ...named, status: { externalIdentity: '{"fields":{"region":"us"}}' } },
);

/** A run that has come to a decision. */
const at = (
  decision: ManagedDecisionName | undefined,
  current: Managed = managed({}, named),
  more: Partial<Run> = {},
): Run => ({
  decision,
  current,
  reported: {},
  happened: [],
  ...more,
});

/** A run whose step failed. */
const failing = (run: Run, what: string, facts: FailureFacts<Run>, cause = new Error('boom')): Outcome =>
  failed(at('ResourceGone'), new StepFailure(what, cause, { ...facts, known: run }));

const seen = { exists: true, isUpToDate: true };
const created = {
  type: 'Normal',
  reason: 'CreatedExternalResource',
  message: 'requested',
} as const;
const askedOf = (decision: ManagedDecisionName): Run => withEvents(at(decision), created);
const paused = decideFirst({ managed: managed({ managementPolicies: [] }) });
const invalid = decideFirst({ managed: managed({ managementPolicies: ['Create'] }) });
const pending = { 'crossplane.io/external-create-pending': '2026-01-02T03:00:00Z' };
const undetermined = decideFirst({ managed: managed({}, { annotations: pending }) });
const elsewhere = decideAccess({ name: 'db', system: 'a', fields: {} }, 'b');
const messageOf = (decision: object = {}): string => ('message' in decision ? String(decision.message) : '');

const gone = 'external resource does not exist';
const synced = 'Synced True ReconcileSuccess';
const waiting = 'Ready Unknown Pending';
const invalidSets =
  'spec.managementPolicies has an unsupported value: [Create]; use ["*"] alone, or a supported set that includes Observe';
const led =
  'the provider connects to b, but external resource "db" is in a; correct the provider. If both are the same system, set the annotation crossplane.io/adopt-identity to true';
const lost = `${gone} any more (db); to have another created, remove the annotation crossplane.io/external-name`;
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

/** An outcome, its conditions and Events, and the time of the next run. */
type Line = readonly [outcome: Outcome, conditions: readonly string[], events: readonly string[], next: Next];

/** `none`: a run that goes on. */
type Told = Exclude<ManagedDecisionName, CredentialDecisionName | 'ResourceGone'> | 'none';

/**
 * The outcomes of each decision. Those about a resource that was deleted, or about one that loses its
 * finalizer, end before a decision.
 */
const rows = (): Readonly<Record<Told, Readonly<Record<string, Line>>>> => ({
  Paused: {
    paused: [
      outcomes.paused(at('Paused'), messageOf(paused)),
      ['Synced False ReconcilePaused: reconciliation is paused by empty spec.managementPolicies', waiting],
      ['Normal ReconciliationPaused: reconciliation is paused by empty spec.managementPolicies'],
      'event',
    ],
  },
  UnsupportedPolicies: {
    invalid: [
      outcomes.invalid(at('UnsupportedPolicies'), messageOf(invalid)),
      [`Synced False ReconcileError: ${invalidSets}`, waiting],
      [`Warning CannotUseInvalidManagementPolicy: ${invalidSets}`],
      'event',
    ],
  },
  OrphanExternal: {
    'let go': [outcomes.gone(at('OrphanExternal')), [], [], 'event'],
    'unpublishing fails': [
      failing(at('OrphanExternal'), '', cannot.unpublish),
      ['Synced False ReconcileError: boom', 'Ready False Deleting'],
      ['Warning CannotUnpublishConnectionDetails: boom'],
      'backOff',
    ],
  },
  CreationIncomplete: {
    undetermined: [
      outcomes.undetermined(at('CreationIncomplete'), messageOf(undetermined)),
      [`Synced False ReconcileError: ${looked}`, 'Ready False Creating'],
      [`Warning CannotInitializeManagedResource: ${looked}`],
      'poll',
    ],
  },
  none: {
    'references do not resolve': [
      failing(at(undefined), 'cannot resolve references', cannot.resolve),
      ['Synced False ReconcileError: cannot resolve references: boom', waiting],
      ['Warning CannotResolveResourceReferences: cannot resolve references: boom'],
      'backOff',
    ],
    'the secret is not ours': [
      failing(at(undefined), '', cannot.publish),
      ['Synced False ReconcileError: boom', waiting],
      ['Warning CannotPublishConnectionDetails: boom'],
      'backOff',
    ],
    'the provider is not reached': [
      failing(at(undefined), 'connect failed', cannot.connect),
      ['Synced False ReconcileError: connect failed: boom', waiting],
      ['Warning CannotConnectToProvider: boom'],
      'backOff',
    ],
    'nor when it is deleted': [
      failing(at(undefined, managed({}, leaving)), 'connect failed', cannot.connect),
      ['Synced False ReconcileError: connect failed: boom', 'Ready False Deleting'],
      ['Warning CannotConnectToProvider: boom'],
      'backOff',
    ],
    'an update that an earlier run began failed': [
      failing(
        at(undefined, undefined, { operation: operationFailed('update', 'boom') }),
        'update failed',
        cannot.update,
      ),
      [
        'Synced False ReconcileError: update failed: boom',
        waiting,
        'AsyncOperation True Finished',
        'LastAsyncOperation False ApplyFailure: update failed: boom',
      ],
      ['Warning CannotUpdateExternalResource: boom'],
      'backOff',
    ],
    'observing fails': [
      failing(at(undefined), 'observe failed', cannot.observe),
      ['Synced False ReconcileError: observe failed: boom', waiting],
      ['Warning CannotObserveExternalResource: boom'],
      'backOff',
    ],
    'observing what was edited fails: that comes first': [
      failing(at(undefined, edited), 'observe failed', cannot.observe),
      ['Synced False ReconcileError: observe failed: boom', waiting],
      ['Warning CannotObserveExternalResource: boom'],
      'backOff',
    ],
    'a conflict is silent': [
      failing(at(undefined), 'observe failed', cannot.observe, conflict()),
      [],
      [],
      'event',
    ],
    'it cannot be asked about': [
      failing(at(undefined, undefined, { underWay: create }), 'poll failed', cannot.observe),
      ['Synced False ReconcileError: poll failed: boom', waiting],
      ['Warning CannotObserveExternalResource: boom'],
      'backOff',
    ],
    'observing fails while an operation is under way': [
      failing(underWay(undefined, create), 'observe failed', cannot.observe),
      [
        'Synced False ReconcileError: observe failed: boom',
        waiting,
        ongoing('create', ' (op-1): half of it'),
      ],
      ['Warning CannotObserveExternalResource: boom'],
      'backOff',
    ],
    'observing fails after an operation is done': [
      failing(at(undefined, undefined, { operation: operationSucceeded }), 'observe failed', cannot.observe),
      [
        'Synced False ReconcileError: observe failed: boom',
        waiting,
        'AsyncOperation True Finished',
        'LastAsyncOperation True Success',
      ],
      ['Warning CannotObserveExternalResource: boom'],
      'backOff',
    ],
    'observing fails after an operation was forgotten': [
      failing(
        at(undefined, undefined, { operation: operationForgotten('create', 'op-1') }),
        'observe failed',
        cannot.observe,
      ),
      [
        'Synced False ReconcileError: observe failed: boom',
        waiting,
        'AsyncOperation True Finished',
        'LastAsyncOperation Unknown Forgotten: the external system does not know the result of create (op-1)',
      ],
      ['Warning CannotObserveExternalResource: boom'],
      'backOff',
    ],
  },
  OtherSystem: {
    told: [
      outcomes.elsewhere(at('OtherSystem'), messageOf(elsewhere)),
      [`Synced False ReconcileError: ${led}`, waiting],
      [`Warning CannotConnectToProvider: ${led}`],
      'poll',
    ],
    deleted: [
      outcomes.elsewhere(at('OtherSystem', managed({}, leaving)), messageOf(elsewhere)),
      [`Synced False ReconcileError: ${led}`, 'Ready False Deleting'],
      [`Warning CannotConnectToProvider: ${led}`],
      'poll',
    ],
  },
  OperationFailed: {
    'an update': [
      failing(
        at('OperationFailed', undefined, { operation: operationFailed('update', 'boom') }),
        'update failed',
        cannot.update,
      ),
      [
        'Synced False ReconcileError: update failed: boom',
        waiting,
        'AsyncOperation True Finished',
        'LastAsyncOperation False ApplyFailure: update failed: boom',
      ],
      ['Warning CannotUpdateExternalResource: boom'],
      'backOff',
    ],
  },
  AwaitOperation: {
    'a creation': [
      outcomes.waiting(underWay('AwaitOperation', create), 'create'),
      [synced, 'Ready False Creating', ongoing('create', ' (op-1): half of it')],
      [],
      'progress since operation',
    ],
    'an update of what does not show any more': [
      outcomes.waiting(underWay('AwaitOperation', { ...create, type: 'update' }), 'update'),
      [synced, waiting, ongoing('update', ' (op-1): half of it')],
      [],
      'progress since operation',
    ],
    'a creation of a resource that is being deleted': [
      outcomes.waiting(underWay('AwaitOperation', create, managed({}, leaving)), 'create'),
      [
        synced,
        'Ready False Deleting: waiting for its create to end',
        ongoing('create', ' (op-1): half of it'),
      ],
      [],
      'progress since operation',
    ],
    'a deletion': [
      outcomes.waiting(
        underWay('AwaitOperation', { ...create, type: 'delete' }, managed({}, leaving)),
        'delete',
      ),
      [synced, 'Ready False Deleting', ongoing('delete', ' (op-1): half of it')],
      [],
      'progress since operation',
    ],
  },
  ExternalMissing: {
    missing: [
      outcomes.missing(at('ExternalMissing'), 5_000),
      [`Synced False ReconcileError: observe failed: ${gone}`, `Ready False Unavailable: ${gone} (db)`],
      [`Warning CannotObserveExternalResource: ${gone} (db)`],
      'poll',
    ],
    'without a name': [
      outcomes.missing(at('ExternalMissing', managed()), 5_000),
      [`Synced False ReconcileError: observe failed: ${gone}`, `Ready False Unavailable: ${gone}`],
      [`Warning CannotObserveExternalResource: ${gone}`],
      'poll',
    ],
  },
  AwaitExternal: {
    hidden: [
      outcomes.hidden(at('AwaitExternal')),
      [],
      ['Normal PendingExternalResource: Waiting for external resource existence to be confirmed'],
      'backOff',
    ],
  },
  DeleteExternal: {
    'on its way out': [
      outcomes.leaving(at('DeleteExternal')),
      [synced, 'Ready False Deleting'],
      [],
      'progress since deletion',
    ],
    'gone at once': [
      outcomes.gone(withEvents(at('DeleteExternal'), created)),
      [],
      ['Normal CreatedExternalResource: requested'],
      'event',
    ],
    'deleting fails': [
      failing(at('DeleteExternal'), 'delete failed', cannot.delete),
      ['Synced False ReconcileError: delete failed: boom', 'Ready False Deleting'],
      ['Warning CannotDeleteExternalResource: boom'],
      'backOff',
    ],
    'so does a conflict': [
      failing(at('DeleteExternal'), 'delete failed', cannot.delete, conflict()),
      [`Synced False ReconcileError: delete failed: ${conflict().message}`, 'Ready False Deleting'],
      [`Warning CannotDeleteExternalResource: ${conflict().message}`],
      'backOff',
    ],
  },
  AwaitDeletion: {
    'on its way out': [
      outcomes.leaving(at('AwaitDeletion', undefined, { operation: operationOngoing('delete') })),
      [synced, 'Ready False Deleting', ongoing('delete')],
      [],
      'progress since deletion',
    ],
    'its deletion has ended, and it shows yet': [
      outcomes.leaving(at('AwaitDeletion', undefined, { operation: operationSucceeded })),
      [synced, 'Ready False Deleting', 'AsyncOperation True Finished', 'LastAsyncOperation True Success'],
      [],
      'progress since deletion',
    ],
  },
  RemoveFinalizer: {
    'let go': [outcomes.gone(at('RemoveFinalizer')), [], [], 'event'],
    'unpublishing fails': [
      failing(at('RemoveFinalizer'), '', cannot.unpublish),
      ['Synced False ReconcileError: boom', 'Ready False Deleting'],
      ['Warning CannotUnpublishConnectionDetails: boom'],
      'backOff',
    ],
    'the finalizer stays': [
      failing(at('RemoveFinalizer'), 'cannot update managed resource', cannot.finalise),
      ['Synced False ReconcileError: cannot update managed resource: boom', 'Ready False Deleting'],
      [],
      'backOff',
    ],
  },
  CreationRefused: {
    'reported as failed': [
      failing(at('CreationRefused'), 'create failed', cannot.create, new Error('there is no "db"')),
      ['Synced False ReconcileError: create failed: there is no "db"', 'Ready False Creating'],
      ['Warning CannotCreateExternalResource: there is no "db"'],
      'backOff',
    ],
  },
  ConfirmAbsence: {
    'observed again': [outcomes.notConfirmed(at('ConfirmAbsence'), 5_000), [], [], 5_000],
    'observed again once it was absent for long enough': [
      outcomes.notConfirmed(at('ConfirmAbsence', undefined, { absentForMs: 3_000 }), 5_000),
      [],
      [],
      2_000,
    ],
  },
  IdentityEdited: {
    'taken up': [outcomes.edited(at('IdentityEdited')), [], [], 0],
    'something is left': [outcomes.leftovers(at('IdentityEdited')), [synced, waiting], [], 'poll'],
    'it cannot be recorded': [
      failing(at('IdentityEdited'), 'cannot update managed resource', cannot.write),
      ['Synced False ReconcileError: cannot update managed resource: boom', waiting],
      ['Warning CannotUpdateManagedResource: cannot update managed resource: boom'],
      'backOff',
    ],
  },
  CreateNotAllowed: {
    told: [
      outcomes.uncreated(at('CreateNotAllowed')),
      [
        synced,
        `Ready False Unavailable: ${gone}, and spec.managementPolicies do not allow Create; add Create, or create it`,
      ],
      [],
      'poll',
    ],
  },
  CreateExternal: {
    'there at once': [
      outcomes.present(askedOf('CreateExternal'), { ...seen, ready: available() }),
      [synced, 'Ready True Available'],
      ['Normal CreatedExternalResource: requested'],
      'poll',
    ],
    'does not show yet': [
      outcomes.unseen(askedOf('CreateExternal')),
      [synced, 'Ready False Creating'],
      ['Normal CreatedExternalResource: requested'],
      'backOff',
    ],
    'the mark is not written': [
      failing(at('CreateExternal'), 'cannot update managed resource', {
        ...cannot.write,
        ready: () => creating(),
      }),
      ['Synced False ReconcileError: cannot update managed resource: boom', 'Ready False Creating'],
      ['Warning CannotUpdateManagedResource: cannot update managed resource: boom'],
      'backOff',
    ],
    'creating fails': [
      failing(at('CreateExternal'), 'create failed', cannot.create),
      ['Synced False ReconcileError: create failed: boom', 'Ready False Creating'],
      ['Warning CannotCreateExternalResource: boom'],
      'backOff',
    ],
    'its details are not published': [
      failing(at('CreateExternal'), '', { ...cannot.publish, ready: () => creating() }),
      ['Synced False ReconcileError: boom', 'Ready False Creating'],
      ['Warning CannotPublishConnectionDetails: boom'],
      'backOff',
    ],
    'its details are published, and then the look at it fails': [
      failing(askedOf('CreateExternal'), 'observe failed', { ...cannot.observe, ready: () => creating() }),
      ['Synced False ReconcileError: observe failed: boom', 'Ready False Creating'],
      ['Normal CreatedExternalResource: requested', 'Warning CannotObserveExternalResource: boom'],
      'backOff',
    ],
    'or finds a conflict': [
      failing(askedOf('CreateExternal'), 'observe failed', cannot.observe, conflict()),
      [],
      ['Normal CreatedExternalResource: requested'],
      'event',
    ],
  },
  Recreate: {
    'there at once': [
      outcomes.present(withEvents(at('Recreate'), recreationEvent(at('Recreate')), created), {
        ...seen,
        ready: available(),
      }),
      [synced, 'Ready True Available'],
      [
        `Warning LostExternalResource: ${gone} any more (db); it is created again`,
        'Normal CreatedExternalResource: requested',
      ],
      'poll',
    ],
    'after a creation that failed': [
      outcomes.present(
        withEvents(
          at('Recreate'),
          recreationEvent(at('Recreate', managed({}, { annotations: failedCreation }))),
        ),
        { ...seen, ready: available() },
      ),
      [synced, 'Ready True Available'],
      [`Warning LostExternalResource: ${gone} (db), and its creation failed; it is created again`],
      'poll',
    ],
    'creating fails': [
      failing(
        withEvents(at('Recreate'), recreationEvent(at('Recreate', managed()))),
        'create failed',
        cannot.create,
      ),
      ['Synced False ReconcileError: create failed: boom', 'Ready False Creating'],
      [
        `Warning LostExternalResource: ${gone} any more (its name is not known); it is created again`,
        'Warning CannotCreateExternalResource: boom',
      ],
      'backOff',
    ],
  },
  ExternalLost: {
    told: [
      outcomes.lost(at('ExternalLost')),
      [`Synced False ReconcileError: ${lost}`, `Ready False Unavailable: ${lost}`],
      [`Warning LostExternalResource: ${lost}`],
      'poll',
    ],
  },
  LateInitialize: {
    'filled in': [
      outcomes.present(at('LateInitialize'), { ...seen, ready: available() }),
      [synced, 'Ready True Available'],
      [],
      'poll',
    ],
    'it cannot be filled in': [
      failing(at('LateInitialize'), 'cannot update managed resource', cannot.write),
      ['Synced False ReconcileError: cannot update managed resource: boom', waiting],
      ['Warning CannotUpdateManagedResource: cannot update managed resource: boom'],
      'backOff',
    ],
  },
  NoUpdate: {
    'at work': [
      outcomes.present(at('NoUpdate', undefined, { operation: operationOngoing('update') }), {
        ...seen,
        ready: available(),
        operation: 'update',
      }),
      [synced, 'Ready True Available', ongoing('update')],
      [],
      'progress since operation',
    ],
    ready: [
      outcomes.present(at('NoUpdate'), { ...seen, ready: available() }),
      [synced, 'Ready True Available'],
      [],
      'poll',
    ],
    'not ready': [
      outcomes.present(at('NoUpdate'), { ...seen, ready: unavailable('restarting') }),
      [synced, 'Ready False Unavailable: restarting'],
      [],
      'progress since creation',
    ],
    'with unknown readiness': [
      outcomes.present(at('NoUpdate'), seen),
      [synced, waiting],
      [],
      'progress since creation',
    ],
    'with readiness that is not known any more': [
      outcomes.present(
        at(
          'NoUpdate',
          managed({}, { ...named, status: { conditions: setConditions([], [available()], { now }) } }),
        ),
        seen,
      ),
      ['Ready True Available', synced],
      [],
      'poll',
    ],
    'an edit that has no effect': [
      outcomes.present(
        at(
          'NoUpdate',
          managed(
            { forProvider: { region: 'eu' } },
            { ...named, status: { externalIdentity: '{"name":"db","fields":{"region":"us"}}' } },
          ),
        ),
        { ...seen, ready: available() },
      ),
      [
        'Synced False ReconcileError: cannot change spec.forProvider.region from "us" to "eu": the external resource keeps the value of its creation; undo the edit, or create a new resource',
        'Ready True Available',
      ],
      [
        'Warning CannotApplyEdit: cannot change spec.forProvider.region from "us" to "eu": the external resource keeps the value of its creation; undo the edit, or create a new resource',
      ],
      'poll',
    ],
    'a write that is a matter of routine fails': [
      failing(at('NoUpdate'), 'cannot update managed resource', {}),
      ['Synced False ReconcileError: cannot update managed resource: boom', waiting],
      [],
      'backOff',
    ],
    'a secret in a message': [
      failing(
        at('NoUpdate', undefined, { reported: { password: 'hush-hush' } }),
        '',
        cannot.publish,
        new Error('no hush-hush'),
      ),
      ['Synced False ReconcileError: no ***', waiting],
      ['Warning CannotPublishConnectionDetails: no ***'],
      'backOff',
    ],
    'the credential of the Secret may not be set': [
      outcomes.present(
        at('NoUpdate', managed({ managementPolicies: ['Observe', 'Create', 'Delete'] }, named), {
          credential: { value: 'p', isApplied: false },
        }),
        { ...seen, ready: available() },
      ),
      [
        'Synced False ReconcileError: the credential of its Secret is not set in the external system, because spec.managementPolicies do not allow Update; add Update',
        'Ready True Available',
      ],
      [
        'Warning CannotUpdateExternalResource: the credential of its Secret is not set in the external system, because spec.managementPolicies do not allow Update; add Update',
      ],
      'poll',
    ],
    'left as it is': [
      outcomes.present(at('NoUpdate'), { ...seen, isUpToDate: false, ready: available() }),
      [synced, 'Ready True Available'],
      [],
      'poll',
    ],
    'the next claim cannot get another credential: that is reported, and the run goes on': [
      outcomes.present(at('NoUpdate', undefined, { credentialProblem: 'add Update' }), {
        ...seen,
        ready: available(),
      }),
      ['Synced False ReconcileError: add Update', 'Ready True Available'],
      ['Warning CannotReplaceCredential: add Update'],
      'poll',
    ],
  },
  Update: {
    'an edit that has no effect, of a resource that was observed before another call failed': [
      failing(
        at(
          'Update',
          managed(
            { forProvider: { region: 'eu' } },
            { ...named, status: { externalIdentity: '{"name":"db","fields":{"region":"us"}}' } },
          ),
          { seen: { exists: true, isUpToDate: false, refused: ['spec.forProvider.size from 2 to 1'] } },
        ),
        'update failed',
        cannot.update,
        new ChangeRefused([changeRefusal(['spec.forProvider.size from 2 to 1'])]),
      ),
      [
        'Synced False ReconcileError: update failed: cannot change spec.forProvider.size from 2 to 1: the external system does not support this change; undo the edit, or create a new resource; cannot change spec.forProvider.region from "us" to "eu": the external resource keeps the value of its creation; undo the edit, or create a new resource',
        waiting,
      ],
      [
        'Warning CannotUpdateExternalResource: cannot change spec.forProvider.size from 2 to 1: the external system does not support this change; undo the edit, or create a new resource',
        'Warning CannotApplyEdit: cannot change spec.forProvider.region from "us" to "eu": the external resource keeps the value of its creation; undo the edit, or create a new resource',
      ],
      'backOff',
    ],
    'as it should be again': [
      outcomes.present(withEvents(at('Update'), { ...created, reason: 'UpdatedExternalResource' }), {
        ...seen,
        ready: available(),
      }),
      [synced, 'Ready True Available'],
      ['Normal UpdatedExternalResource: requested'],
      'poll',
    ],
    'updating fails': [
      failing(at('Update'), 'update failed', cannot.update),
      ['Synced False ReconcileError: update failed: boom', waiting],
      ['Warning CannotUpdateExternalResource: boom'],
      'backOff',
    ],
  },
  AwaitEffect: {
    'its update has ended, and does not show yet': [
      outcomes.awaited(at('AwaitEffect'), { ...seen, isUpToDate: false, ready: available() }),
      [synced, 'Ready True Available'],
      [],
      'backOff',
    ],
  },
});

const textOf = ({ message, ...rest }: { readonly message?: string }, ...keys: readonly string[]): string =>
  `${keys.map((key) => rest[key as never]).join(' ')}${message === undefined ? '' : `: ${message}`}`;

describe('the outcome of a run over a managed resource', () => {
  for (const [decision, lines] of Object.entries(rows())) {
    for (const what of Object.keys(lines)) {
      test(`${decision}: ${what}`, () => {
        const [ending, conditions, events, next] = rows()[decision as Told][what] ?? assert.fail();
        const { object, events: withStatus } = statusOf(ending, identity, now);
        const isTold = object !== ending.run.current;
        assert.deepEqual(
          {
            decision: ending.run.decision,
            conditions: isTold
              ? object.status?.conditions?.map((each) => textOf(each, 'type', 'status', 'reason'))
              : [],
            events: [...ending.run.happened, ...withStatus].map((each) => textOf(each, 'type', 'reason')),
            next: ending.next,
          },
          { decision: decision === 'none' ? undefined : decision, conditions, events, next },
        );
      });
    }
  }

  test('the status of the external resource is in the status write', () => {
    const { object } = statusOf(
      outcomes.present(reporting(at('NoUpdate'), { size: 1 }), seen),
      identity,
      now,
    );
    assert.equal((object.status as { readonly size?: number }).size, 1);
  });

  test('an annotation of an administrator is removed after its request was done', () => {
    const annotations = {
      ...named.annotations,
      'crossplane.io/reoffer': 'with-same-credentials',
      'crossplane.io/adopt-identity': 'true',
    };
    const usedFor = (claim: string) => {
      const kept = { details: {}, note: { key: 'a2V5', for: claim }, isOwned: true };
      const entry = { ...kept, write: () => Promise.reject(), confirm: async () => undefined };
      const run = at('NoUpdate', managed({ claimRef: claimRef() }, { annotations }), { entry });
      return outcomes.present(run, { ...seen, ready: available() }).used;
    };
    assert.deepEqual(usedFor('FancySQLInstance team/orders'), [
      'crossplane.io/adopt-identity',
      'crossplane.io/reoffer',
    ]);
    assert.deepEqual(usedFor('FancySQLInstance team/former'), ['crossplane.io/adopt-identity']);
  });

  test('a creation that found an existing resource is followed at once by an update that sets the credential', () => {
    const run = at('CreateExternal', undefined, { credential: { value: 'p', isApplied: false } });
    const ending = outcomes.present(run, { ...seen, ready: available() });
    assert.equal(ending.next, 0);
    assert.equal(statusOf(ending, identity, now).object.status?.bindingPhase, undefined);
  });

  test('a run throws a conflict at its end, and throws an error that is no failed step at once', () => {
    const cause = conflict();
    const { thrown } = failing(at(undefined), 'observe failed', cannot.observe, cause);
    assert.equal(thrown?.cause, cause);
    const bug = new TypeError('undefined is not a function');
    assert.throws(() => failed(at(undefined), bug), bug);
  });
});
