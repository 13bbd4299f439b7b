import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { stopSignals } from '../../../runtime/process/shutdown.ts';

test('every SIGTERM and SIGINT is reported to a subscriber, and no listener stays', () => {
  const source = new EventEmitter();
  const observed: string[] = [];
  const subscription = stopSignals(source).subscribe((signal) => observed.push(signal));
  source.emit('SIGTERM', 'SIGTERM');
  source.emit('SIGHUP', 'SIGHUP');
  source.emit('SIGINT', 'SIGINT');
  subscription.unsubscribe();
  source.emit('SIGTERM', 'SIGTERM');
  assert.deepEqual(observed, ['SIGTERM', 'SIGINT']);
  assert.equal(source.listenerCount('SIGTERM') + source.listenerCount('SIGINT'), 0);
});
