import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { closedOutputs, stopSignals } from '../../../runtime/process/shutdown.ts';

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

test('an output without a reader is reported to a subscriber, any other error of it is thrown, and no listener stays', () => {
  const outputs = [new EventEmitter(), new EventEmitter()];
  const observed: string[] = [];
  const subscription = closedOutputs(outputs).subscribe((signal) => observed.push(signal));
  const closed = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
  for (const output of outputs) output.emit('error', closed);
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  for (const output of outputs) assert.throws(() => output.emit('error', full), full);
  subscription.unsubscribe();
  assert.deepEqual(observed, ['SIGPIPE', 'SIGPIPE']);
  assert.deepEqual(
    outputs.map((output) => output.listenerCount('error')),
    [0, 0],
  );
});
