import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import type { Conditions } from '../../../controllers/core/log-changes.ts';
import {
  aboutClaim,
  aboutManaged,
  aboutSecret,
  logAct,
  logConditions,
  logQuietAct,
} from '../../../controllers/core/log-changes.ts';
import type { EventFacts } from '../../../runtime/events/event-facts.ts';
import type { LogLine } from '../../fakes/recorded-log.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';
import { claim, managed, secretOf } from './objects.ts';

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
  const rows: Record<string, { readonly event: EventFacts; readonly want: readonly unknown[] }> = {
    'an act': {
      event: { type: 'Normal', reason: 'BoundManagedResource', message: 'bound to db' },
      want: [['changed', { change: 'BoundManagedResource', message: 'bound to db' }]],
    },
    'a wait': { event: { type: 'Normal', reason: 'WaitingToBind', message: 'not ready' }, want: [] },
    'a failure, which the line of the run reports': {
      event: { type: 'Warning', reason: 'CannotBindManagedResource', message: 'denied' },
      want: [],
    },
  };
  for (const [name, { event, want }] of Object.entries(rows)) {
    test(name, () =>
      assert.deepEqual(
        linesOf((log) => logAct(log, event)),
        want,
      ),
    );
  }

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
  const rows: Record<string, { readonly given: Conditions; readonly want: readonly unknown[] }> = {
    'the first': { given: { before: undefined, after: [ready, synced] }, want: [line(ready), line(synced)] },
    'the same again, later': {
      given: { before: [ready], after: [{ ...ready, lastTransitionTime: '2026-01-02T04:04:05Z' }] },
      want: [],
    },
    'another status': {
      given: { before: [ready, synced], after: [{ ...ready, status: 'True' }, synced] },
      want: [line({ ...ready, status: 'True' })],
    },
    'another reason': {
      given: { before: [ready], after: [{ ...ready, reason: 'Binding' }] },
      want: [line({ ...ready, reason: 'Binding' })],
    },
    'another message': {
      given: { before: [ready], after: [{ ...ready, message: 'later' }] },
      want: [line({ ...ready, message: 'later' })],
    },
    'a failure is not logged a second time': {
      given: { before: [ready], after: [ready, synced], failure: 'observe failed: x' },
      want: [],
    },
  };
  for (const [name, { given, want }] of Object.entries(rows)) {
    test(name, () =>
      assert.deepEqual(
        linesOf((log) => logConditions(log, given)),
        want,
      ),
    );
  }
});

describe('every line of a claim has its key', () => {
  test('its own, with what it has', () => {
    const { metadata } = claim();
    const resourceRef = { apiVersion: 'v', kind: 'FavouriteDBInstance', name: 'db' };
    assert.deepEqual(aboutClaim(claim({ resourceRef })), {
      claim: `${metadata.namespace}/${metadata.name}`,
      resource: 'FavouriteDBInstance/db',
      externalName: undefined,
    });
  });
  test('those of its managed resource', () => {
    const claimRef = { apiVersion: 'v', kind: 'FancySQLInstance', namespace: 'team', name: 'orders' };
    const annotations = { 'crossplane.io/external-name': 'db-1' };
    assert.deepEqual(aboutManaged(managed({ claimRef }, { annotations })), {
      claim: 'team/orders',
      resource: 'FavouriteDBInstance/db',
      externalName: 'db-1',
    });
  });
  test('those of its secret', () => {
    const owner = { apiVersion: 'v', kind: 'FancySQLInstance', name: 'orders', uid: 'u', controller: true };
    const secret: Secret = secretOf({
      namespace: 'team',
      name: 'orders-connection',
      uid: 's',
      ownerReferences: [owner],
    });
    assert.deepEqual(aboutSecret(secret, { kind: 'FancySQLInstance' }), { claim: 'team/orders' });
    assert.deepEqual(
      aboutSecret(secret, { kind: 'RedisCluster' }),
      {},
      'what something else controls is no claim’s',
    );
  });
  test('and what is gone has none', () => {
    assert.deepEqual(
      [aboutClaim(undefined), aboutManaged(undefined), aboutSecret(undefined, { kind: 'FancySQLInstance' })],
      [{}, {}, {}],
    );
  });
});
