import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ExternalClient } from '../../../../controllers/managed/connecting/external-client.ts';
import type { ExternalCall } from '../../../../controllers/managed/connecting/observed-connector.ts';
import { observedConnector } from '../../../../controllers/managed/connecting/observed-connector.ts';
import { leaseExpired } from '../../../../runtime/client/errors.ts';
import { testClock } from '../../../../testing/test-clock.ts';
import { managed } from '../../objects.ts';

const { signal } = new AbortController();

/** A client whose calls take 100 ms; `fails`: that one throws. */
function scene(fails?: string, error = new Error('the cloud says no')) {
  const clock = testClock();
  const took = async <T>(operation: string, answer: T): Promise<T> => {
    clock.stall(100);
    if (operation === fails) throw error;
    return answer;
  };
  const client: ExternalClient = {
    observe: () => took('observe', { exists: true, isUpToDate: false }),
    create: () => took('create', {}),
    update: () => took('update', {}),
    delete: () => took('delete', {}),
    poll: () => took('poll', { state: 'running' }),
    system: () => took('system', 'here'),
    disconnect: () => took('disconnect', undefined),
  };
  const reported: Omit<ExternalCall, 'managed'>[] = [];
  const connector = observedConnector(
    { connect: () => took('connect', client) },
    ({ managed: _, ...call }) => reported.push(call),
    clock,
  );
  return { connector, reported };
}

describe('each external call is reported', () => {
  test('with its name, its duration and the result of an observation', async () => {
    const { connector, reported } = scene();
    const client = await connector.connect(managed(), signal);
    await client.observe(managed(), undefined, signal);
    await client.create(managed(), undefined, signal);
    await client.update(managed(), undefined, signal);
    await client.delete(managed(), signal);
    await client.poll?.('operation', signal);
    await client.system?.(signal);
    await client.disconnect?.();
    const well = { durationMs: 100 };
    assert.deepEqual(reported, [
      { operation: 'connect', ...well },
      { operation: 'observe', ...well, isUpToDate: false },
      ...(['create', 'update', 'delete', 'poll', 'system', 'disconnect'] as const).map((operation) => ({
        operation,
        ...well,
      })),
    ]);
  });

  test('a call that was refused because leadership was interrupted is not reported', async () => {
    const interrupted = leaseExpired('the Lease was not renewed in time');
    const { connector, reported } = scene('observe', interrupted);
    const client = await connector.connect(managed(), signal);
    await assert.rejects(client.observe(managed(), undefined, signal), interrupted);
    const operations = reported.map(({ operation }) => operation);
    assert.deepEqual(operations, ['connect']);
  });

  test('as failed if it throws, and the error is thrown on', async () => {
    const { connector, reported } = scene('observe');
    const client = await connector.connect(managed(), signal);
    await assert.rejects(client.observe(managed(), undefined, signal), /the cloud says no/);
    assert.deepEqual(reported.at(-1), { operation: 'observe', durationMs: 100, errorClass: 'Unknown' });
  });

  test('as failed if the external system cannot be reached', async () => {
    const { connector, reported } = scene('connect');
    await assert.rejects(connector.connect(managed(), signal), /the cloud says no/);
    assert.deepEqual(reported, [{ operation: 'connect', durationMs: 100, errorClass: 'Unknown' }]);
  });
});
