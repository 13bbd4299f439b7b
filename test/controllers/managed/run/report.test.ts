import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { available, isProgress, setConditions } from '../../../../apis/core/v1alpha1/condition.ts';
import type { ExternalOperation, Managed } from '../../../../apis/core/v1alpha1/managed.ts';
import { ChangeRefused } from '../../../../clients/external-error.ts';
import { generatedPassword } from '../../../../controllers/credential.ts';
import type { Observation } from '../../../../controllers/managed/connecting/external-client.ts';
import { refusedChanges } from '../../../../controllers/managed/recording/identity.ts';
import {
  operationEnded,
  operationFailed,
  operationOngoing,
  operationSucceeded,
} from '../../../../controllers/managed/recording/operation-conditions.ts';
import type { Decision, ManagedDecisionName } from '../../../../controllers/managed/run/decision.ts';
import { recreationEvent } from '../../../../controllers/managed/run/events.ts';
import type { Facts } from '../../../../controllers/managed/run/facts.ts';
import { withEvents, withReport } from '../../../../controllers/managed/run/facts.ts';
import { cannot } from '../../../../controllers/managed/run/failures.ts';
import type { Report } from '../../../../controllers/managed/run/report.ts';
import { reportOf } from '../../../../controllers/managed/run/report.ts';
import type { FailureFacts } from '../../../../controllers/step-failure.ts';
import { StepFailure } from '../../../../controllers/step-failure.ts';
import { conflict } from '../../cluster-fake.ts';
import { entryOf, factsAbout, kindFacts, observedFacts } from '../../managed-facts.ts';
import { secretKey } from '../../managed-scene.ts';
import { claimRef, deletionTimestamp, managed, now } from '../../objects.ts';

const named = { annotations: { 'crossplane.io/external-name': 'db' } };
const failedAt = { 'crossplane.io/external-create-failed': '2026-01-02T03:00:00Z' };
const failedCreation = { ...named.annotations, ...failedAt };
const leaving = { ...named, deletionTimestamp };
const wasInUs = { externalIdentity: '{"fields":{"region":"us"}}' };
const edited = managed({ forProvider: { region: 'eu' } }, { ...named, status: wasInUs });

const object = managed({}, named);
const absent = { exists: false, isUpToDate: false };
const observation = { exists: true, isUpToDate: true };

/** The facts of a run that has observed nothing yet. */
const at = (current: Managed = object, more: Parameters<typeof factsAbout>[1] = {}): Facts =>
  factsAbout(current, more);

/** The facts of a run that has observed the external resource. */
const after = (observation: Observation, current: Managed = object, more: Partial<Facts> = {}): Facts =>
  observedFacts(current, observation, { absentForMs: 5_000, ...more });

const reports = (facts: Facts, name: ManagedDecisionName | undefined, more: Decision = {}): Line => [
  reportOf(facts, { name, ...more }, now),
  facts.managed,
];

/** A run whose step failed. */
const fails = (
  facts: Facts,
  name: ManagedDecisionName | undefined,
  failure: FailureFacts,
  cause = new Error('boom'),
): Line => reports(facts, name, { failure: new StepFailure('', cause, failure) });

const created = { type: 'Normal', reason: 'CreatedExternalResource', message: 'requested' } as const;
const requestedCreation = (facts: Facts): Facts => withEvents(facts, created);
/** The facts of a run after a call of the external system. */
const called = (step: 'create' | 'update' | 'delete', facts: Facts): Facts => ({
  ...facts,
  did: { ...facts.did, steps: facts.did.steps.union(new Set([step])) },
});

const gone = 'external resource does not exist';
const synced = 'Synced True ReconcileSuccess';
const waiting = 'Ready Unknown Pending';
const ongoing = (type: string, more = '') => `AsyncOperation False Ongoing: ${type} is under way${more}`;
const create: ExternalOperation = { type: 'create', name: 'op-1', startedAt: deletionTimestamp };

/** An operation that is under way. */
const running = (operation: ExternalOperation): Pick<Facts, 'operation'> => ({
  operation: {
    underWay: operation,
    conditions: operationOngoing(operation.type, { name: operation.name, message: 'half of it' }),
  },
});

/** A report, and the object before it. */
type Line = readonly [report: Report, current: Managed];
type Row = readonly [...line: Line, lines: readonly string[]];
const half = ' (op-1): half of it';
const works = { ...observation, ready: available() };
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
const [soon, later] = ['then progress', 'then backOff'];
const observing = [unsynced('boom'), waiting];
const again = [retried, unobserved, later];
const size =
  'cannot change spec.forProvider.size from 2 to 1: the external system does not support this change; undo the edit, or create a new resource';
const region =
  'cannot change spec.forProvider.region from "us" to "eu": the external resource keeps the value of its creation; undo the edit, or create a new resource';
const credentialUnset =
  'the credential of its Secret is not set in the external system, because spec.managementPolicies do not allow Update; add Update';

const place = { entry: entryOf({ details: { password: 'secret' }, note: { key: 'a2V5' } }) };
const published = { writeConnectionSecretToRef: secretKey };
const kind = { ...kindFacts, secretDetails: { credential: generatedPassword } };
const withoutUpdate = managed({ ...published, managementPolicies: ['Observe', 'Create', 'Delete'] }, named);
const refused = ['spec.forProvider.size from 2 to 1'];
const boom = operationFailed('update', 'boom');
const recreating = (facts: Facts): Facts => withEvents(called('create', facts), recreationEvent(facts));
const deletion = running({ ...create, type: 'delete' });
const leavingObject = managed({}, leaving);

/** Reports that reconciler.test.ts does not show. A key begins with the decision, if the run came to one. */
const rows = (): Readonly<Record<string, Row>> => ({
  'nor when it is deleted': [
    ...fails(at(leavingObject), undefined, cannot.connect),
    [
      unsynced('boom'),
      deleting,
      'Stalled CannotReadCredentials',
      'Warning CannotConnectToProvider: boom',
      later,
    ],
  ],
  'observing what was edited fails: that comes first': [
    ...fails(at(edited), undefined, cannot.observe),
    [...observing, ...again],
  ],
  'observing fails while an operation is under way': [
    ...fails(at(object, running(create)), undefined, cannot.observe),
    [...observing, ongoing('create', half), ...again],
  ],
  'observing fails after an operation is done': [
    ...fails(at(object, { operation: { conditions: operationSucceeded } }), undefined, cannot.observe),
    [...observing, finished, success, ...again],
  ],
  'observing fails after an operation was forgotten': [
    ...fails(at(object, { operation: { conditions: operationEnded } }), undefined, cannot.observe),
    [...observing, finished, ...again],
  ],
  'OperationFailed: an update': [
    ...fails(at(object, { operation: { conditions: boom } }), 'OperationFailed', cannot.update),
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
    ...reports(after(absent, object, running(create)), 'AwaitOperation'),
    [synced, creating, ongoing('create', half), 'Reconciling Creating', soon],
  ],
  'AwaitOperation: an update of what does not show any more': [
    ...reports(after(absent, object, running({ ...create, type: 'update' })), 'AwaitOperation'),
    [synced, waiting, ongoing('update', half), 'Reconciling Pending', soon],
  ],
  'AwaitOperation: a deletion': [
    ...reports(after(absent, leavingObject, deletion), 'AwaitOperation'),
    [synced, deleting, ongoing('delete', half), isDeleting, soon],
  ],
  'ConfirmAbsence: the absence of a resource that was ready is not proven yet': [
    ...reports(observedFacts(wasReady, absent, { absentForMs: 3_000 }), 'ConfirmAbsence'),
    ['then 2000'],
  ],
  'ExternalMissing: without a name': [
    ...reports(observedFacts(managed(), absent), 'ExternalMissing'),
    [
      unsynced(gone),
      `Ready False Unavailable: ${gone}`,
      lost,
      `Warning CannotObserveExternalResource: ${gone}`,
      'then poll',
    ],
  ],
  'AwaitDeletion: its deletion runs': [
    ...reports(after(observation, leavingObject, deletion), 'AwaitDeletion'),
    [synced, deleting, ongoing('delete', half), isDeleting, soon],
  ],
  'AwaitDeletion: its deletion has ended, and it shows yet': [
    ...reports(
      after(observation, object, { operation: { conditions: operationSucceeded } }),
      'AwaitDeletion',
    ),
    [synced, deleting, finished, success, isDeleting, soon],
  ],
  'IdentityEdited: it cannot be recorded': [
    ...fails(after(absent), 'IdentityEdited', cannot.write),
    [unsynced('boom'), waiting, retried, 'Warning CannotUpdateManagedResource: boom', later],
  ],
  'CreateExternal: does not show yet': [
    ...reports(requestedCreation(called('create', after(absent))), 'CreateExternal'),
    [
      'Synced True CreationAccepted: the external system accepted the creation, and does not show the external resource',
      creating,
      'Reconciling Creating',
      requested,
      later,
    ],
  ],
  'CreateExternal: or finds a conflict': [
    ...fails(
      requestedCreation(called('create', after(absent))),
      'CreateExternal',
      cannot.observe,
      conflict(),
    ),
    [requested, 'then event'],
  ],
  'Recreate: after a creation that failed': [
    ...reports(recreating(after(works, managed({}, { annotations: failedCreation }))), 'Recreate'),
    [
      synced,
      ready,
      `Warning LostExternalResource: ${gone} (db), and its creation failed; it is created again`,
      'then poll',
    ],
  ],
  'Recreate: creating fails': [
    ...fails(recreating(after(absent, managed())), 'Recreate', cannot.create),
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
    ...reports(after(atWork), 'NoUpdate'),
    [synced, ready, ongoing('update'), 'Reconciling Ongoing', soon],
  ],
  'NoUpdate: with unknown readiness': [
    ...reports(after(observation), 'NoUpdate'),
    [synced, waiting, 'Reconciling Pending', soon],
  ],
  'NoUpdate: with readiness that is not known any more': [
    ...reports(after(observation, wasReady), 'NoUpdate'),
    [ready, synced, 'then poll'],
  ],
  'NoUpdate: a write that is a matter of routine fails': [
    ...fails(after(observation), 'NoUpdate', {}),
    [unsynced('boom'), waiting, retried, later],
  ],
  'NoUpdate: the credential of the Secret may not be set': [
    ...reports(after(works, withoutUpdate, { kind, place }), 'NoUpdate'),
    [
      unsynced(credentialUnset),
      ready,
      'Stalled ReconcileError',
      `Warning CannotUpdateExternalResource: ${credentialUnset}`,
      'then poll',
    ],
  ],
  'Update: an edit that has no effect, of a resource that was observed before another call failed': [
    ...fails(
      after({ exists: true, isUpToDate: false, refused }, edited),
      'Update',
      cannot.update,
      new ChangeRefused(refusedChanges({ refused })),
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

describe('the report of a run over a managed resource', () => {
  for (const title of Object.keys(rows())) {
    test(title, () => {
      const [{ desired, completed, events, next }, current, lines] = rows()[title] ?? assert.fail();
      const written = desired === current ? [] : (desired.status?.conditions ?? []);
      const [repeating = [], own = []] = [true, false].map((is) =>
        written.filter(({ type }) => isProgress(type) === is),
      );
      assert.deepEqual(
        [
          ...own.map((each) => textOf(each, 'type', 'status', 'reason')),
          ...repeating.map(({ type, reason }) => `${type} ${reason}`),
          ...[...completed, ...events].map((each) => textOf(each, 'type', 'reason')),
          `then ${next}`,
        ],
        lines,
      );
    });
  }

  test('the status of the external resource is in the status write', () => {
    const [{ desired }] = reports(withReport(after(observation), { status: { size: 1 } }), 'NoUpdate');
    assert.equal((desired.status as { readonly size?: number }).size, 1);
  });

  test('an annotation of an administrator is removed after its request was done', () => {
    const annotations = {
      ...named.annotations,
      'crossplane.io/reoffer': 'with-same-credentials',
      'crossplane.io/adopt-identity': 'true',
    };
    const usedFor = (claim: string, reference = claimRef()) => {
      const entry = entryOf({ details: {}, note: { key: 'a2V5', for: claim } });
      const facts = after(works, managed({ claimRef: reference }, { annotations }), { place: { entry } });
      return reports(facts, 'NoUpdate')[0].used;
    };
    const both = ['crossplane.io/adopt-identity', 'crossplane.io/reoffer'];
    assert.deepEqual(usedFor('FancySQLInstance team/orders'), both);
    assert.deepEqual(usedFor('FancySQLInstance team/former'), ['crossplane.io/adopt-identity']);
    const { uid: _none, ...reserved } = claimRef();
    assert.deepEqual(usedFor('FancySQLInstance team/orders', reserved), ['crossplane.io/adopt-identity']);
  });

  test('a creation that found an existing resource is followed at once by an update that sets the credential', () => {
    const facts = called('create', after(works, managed(published, named), { kind, place }));
    const [{ next, desired }] = reports(facts, 'CreateExternal');
    assert.equal(next, 0);
    assert.equal(desired.status?.bindingPhase, undefined);
  });

  test('a conflict is thrown at the end of the run, and not reported', () => {
    const [{ failure, events }] = fails(at(), undefined, cannot.observe, conflict());
    assert.deepEqual([failure?.isSilent, events], [true, []]);
  });
});
