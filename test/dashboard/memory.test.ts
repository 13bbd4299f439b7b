import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { createMemory } from '../../dashboard/memory.ts';
import { healthOf } from '../../dashboard/nodes.ts';
import type { Health } from '../../dashboard/page/wire.ts';
import type { Outcome } from '../../runtime/controller/controller.ts';
import { fcpStack } from '../../stacks/demo-clouds/fcp/stack.ts';
import { testClock } from '../../testing/test-clock.ts';
import { catalogueOf } from '../../trace/catalogue.ts';

const object = (uid: string): KubernetesObject => ({
  apiVersion: 'database.fcp.crossplane.io/v1alpha3',
  kind: 'FavouriteDBInstance',
  metadata: { name: uid, uid },
});
const warning = { type: 'Warning' as const, reason: 'CannotObserveExternalResource', message: 'no answer' };

const controller = 'favouritedbinstance.database.fcp.crossplane.io';
const outcome: Outcome = {
  controller,
  request: { name: 'a' },
  because: [],
  durationMs: 1,
  isTimedOut: false,
  result: 'requeue_after',
};

describe('the memory of the page in the process', () => {
  const remembering = () => createMemory(catalogueOf([fcpStack]), testClock('2026-01-01T00:00:00Z'));

  test('the same Warning again is one Event with a count, and no news', () => {
    const memory = remembering();
    const news: string[] = [];
    memory.event$.subscribe(({ object: about, reason }) => news.push(`${about} ${reason}`));
    for (let times = 0; times < 3; times += 1) memory.recordEvent(object('a'), warning, 'managed/a');
    const [{ reason, count, source } = assert.fail(), ...others] = memory.eventsOf(object('a'));
    assert.deepEqual([reason, count, source.component], [warning.reason, 3, 'managed/a']);
    assert.deepEqual(others, []);
    assert.deepEqual(news, ['FavouriteDBInstance a CannotObserveExternalResource']);
  });

  test('of each object the last twenty, of all the last hundred', () => {
    const memory = remembering();
    const facts = { type: 'Normal', reason: 'UpdatedExternalResource' } as const;
    for (let times = 0; times < 150; times += 1) {
      memory.recordEvent(object('a'), { ...facts, message: String(times) }, undefined);
    }
    assert.equal(memory.eventsOf(object('a')).length, 20);
    assert.equal(memory.recent().length, 100);
    assert.equal(memory.recent().at(-1)?.message, '149');
  });

  test('how often the runs of a managed resource have failed in a row', () => {
    const memory = remembering();
    const run = (result: Outcome['result'], decision?: string): void =>
      memory.recordOutcome({ ...outcome, result, ...(decision && { decision }) });
    const last = () => memory.lastRun(object('a'));
    assert.equal(last(), undefined);
    run('requeue', 'CreateExternal');
    run('error');
    run('conflict');
    assert.deepEqual(last(), { at: new Date('2026-01-01T00:00:00Z'), failures: 2 });
    run('requeue_after', 'NoUpdate');
    assert.deepEqual(last(), { at: new Date('2026-01-01T00:00:00Z'), failures: 0, decision: 'NoUpdate' });
  });

  test('the memory has the time of the next run of a managed resource that runs again by itself', () => {
    const memory = remembering();
    memory.recordOutcome({ ...outcome, againInMs: 60_000 });
    assert.deepEqual(memory.lastRun(object('a'))?.nextAt, new Date('2026-01-01T00:01:00Z'));
    memory.recordOutcome(outcome);
    assert.equal(memory.lastRun(object('a'))?.nextAt, undefined);
  });
});

describe('how an object fares', () => {
  const fares: readonly (readonly [ready: string, synced: string, health: Health])[] = [
    ['True Available', 'True', 'ok'],
    ['True Available', 'False', 'troubled'],
    ['False Creating', 'True', 'waits'],
    ['False Binding', 'True', 'waits'],
    ['Unknown Pending', 'True', 'waits'],
    ['Unknown Pending', 'False', 'broken'],
    ['False Creating', 'False', 'broken'],
    ['False NoMatchingClass', 'True', 'broken'],
    ['False Unavailable', 'True', 'broken'],
  ];
  for (const [given, synced, health] of fares) {
    test(`Ready ${given}, Synced ${synced}: ${health}`, () => {
      const [status = '', reason = ''] = given.split(' ');
      const condition = { lastTransitionTime: '2026-01-01T00:00:00Z' };
      const conditions = [
        { ...condition, type: 'Ready', status: status as 'True', reason },
        { ...condition, type: 'Synced', status: synced as 'True', reason: 'x' },
      ];
      assert.equal(healthOf({ ...object('a'), status: { conditions } }, 'managed'), health);
    });
  }
  test('an object with a deletion timestamp is shown as going', () => {
    const metadata = { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z' };
    assert.equal(healthOf({ ...object('a'), metadata }, 'claim'), 'going');
  });
  test('an object that no controller has observed waits', () =>
    assert.equal(healthOf(object('a'), 'claim'), 'waits'));
});
