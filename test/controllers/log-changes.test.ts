import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Condition } from '../../apis/core/v1alpha1/condition.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import type { Conditions } from '../../controllers/log-changes.ts';
import {
  aboutClaim,
  aboutManaged,
  aboutSecret,
  logAct,
  logConditions,
  logQuietAct,
} from '../../controllers/log-changes.ts';
import type { EventFacts } from '../../runtime/events/event-facts.ts';
import type { LogLine } from '../fakes/recorded-log.ts';
import { recordedLog } from '../fakes/recorded-log.ts';
import { claim, claimKind, managed, managedKind, secretOf } from './objects.ts';

/** The lines, which are all at level info. */
function linesOf(write: (log: ReturnType<typeof recordedLog>) => void): readonly (readonly unknown[])[] {
  const log = recordedLog();
  write(log);
  return log.lines.map(({ level, message, fields }: LogLine) => {
    assert.equal(level, 'info');
    return [message, fields];
  });
}

describe('an Event that reports an act is a line, and no other Event is', () => {
  const logs = (event: EventFacts, want: readonly unknown[]): void => {
    const lines = linesOf((log) => logAct(log, event));
    assert.deepEqual(lines, want);
  };
  test('an Event about an act is a line', () =>
    logs({ type: 'Normal', reason: 'BoundManagedResource', message: 'bound to db' }, [
      ['changed', { change: 'BoundManagedResource', message: 'bound to db' }],
    ]));
  test('an Event about a wait is no line', () =>
    logs({ type: 'Normal', reason: 'WaitingToBind', message: 'not ready' }, []));
  test('an Event about a failure is no line: the line of the run reports it', () =>
    logs({ type: 'Warning', reason: 'CannotBindManagedResource', message: 'denied' }, []));

  test('a change without an Event has a line, too', () => {
    const lines = linesOf((log) => logQuietAct(log, 'SetCredentials', { decision: 'Update' }));
    assert.deepEqual(lines, [['changed', { change: 'SetCredentials', decision: 'Update' }]]);
  });
});

describe('a condition with a new reason is a line', () => {
  const ready: Condition = {
    type: 'Ready',
    status: 'False',
    reason: 'Creating',
    lastTransitionTime: '2026-01-02T03:04:05Z',
  };
  const synced: Condition = {
    ...ready,
    type: 'Synced',
    reason: 'ReconcileError',
    message: 'observe failed: x',
  };
  const line = ({ type: condition, status, reason, message }: Condition) => [
    'condition changed',
    { condition, status, reason, message },
  ];
  const logs = (given: Conditions, ...want: readonly unknown[]): void => {
    const lines = linesOf((log) => logConditions(log, given));
    assert.deepEqual(lines, want);
  };
  test('each first condition is a line', () =>
    logs({ before: undefined, after: [ready, synced] }, line(ready), line(synced)));
  test('the same condition at a later time is no line', () =>
    logs({ before: [ready], after: [{ ...ready, lastTransitionTime: '2026-01-02T04:04:05Z' }] }));
  test('a condition with another status is a line', () =>
    logs(
      { before: [ready, synced], after: [{ ...ready, status: 'True' }, synced] },
      line({ ...ready, status: 'True' }),
    ));
  test('a condition with another reason is a line', () =>
    logs(
      { before: [ready], after: [{ ...ready, reason: 'Binding' }] },
      line({ ...ready, reason: 'Binding' }),
    ));
  test('a condition with another message is a line', () =>
    logs({ before: [ready], after: [{ ...ready, message: 'later' }] }, line({ ...ready, message: 'later' })));
  test('a failure is not logged a second time', () =>
    logs({ before: [ready], after: [ready, synced], failure: 'observe failed: x' }));
});

describe('every line of a claim has its key', () => {
  test('a line of the claim has all keys of the claim', () => {
    const { metadata } = claim();
    const resourceRef = { apiVersion: 'v', kind: 'FavouriteDBInstance', name: 'db' };
    assert.deepEqual(aboutClaim(claim({ resourceRef })), {
      claim: `${metadata.namespace}/${metadata.name}`,
      resource: 'FavouriteDBInstance/db',
      externalName: undefined,
    });
  });
  test('a line of the managed resource has the keys of the claim', () => {
    const claimRef = { apiVersion: 'v', kind: 'FancySQLInstance', namespace: 'team', name: 'orders' };
    const annotations = { 'crossplane.io/external-name': 'db-1' };
    assert.deepEqual(aboutManaged(managed({ claimRef }, { annotations })), {
      claim: 'team/orders',
      resource: 'FavouriteDBInstance/db',
      externalName: 'db-1',
    });
  });
  test('a line of the Secret has the keys of the claim', () => {
    const owner = {
      apiVersion: 'database.crossplane.io/v1alpha1',
      kind: 'FancySQLInstance',
      name: 'orders',
      uid: 'u',
      controller: true,
    };
    const secret: Secret = secretOf({
      namespace: 'team',
      name: 'orders-connection',
      uid: 's',
      ownerReferences: [owner],
    });
    assert.deepEqual(aboutSecret(secret, [claimKind]), { claim: 'team/orders' });
    assert.deepEqual(aboutSecret(secret, [managedKind]), {}, 'what something else controls is no claim’s');
  });
  test('a line about a deleted resource has no claim', () => {
    assert.deepEqual(
      [aboutClaim(undefined), aboutManaged(undefined), aboutSecret(undefined, [claimKind])],
      [{}, {}, {}],
    );
  });
});
