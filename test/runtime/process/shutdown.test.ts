import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { readerEnded, stopSignals } from '../../../runtime/process/shutdown.ts';

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

test('a stream without a reader is reported to a subscriber, any other error of it is thrown, and no listener stays', () => {
  const stream = new EventEmitter();
  const observed: string[] = [];
  const subscription = readerEnded(stream).subscribe((signal) => observed.push(signal));
  stream.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  assert.throws(() => stream.emit('error', full), full);
  subscription.unsubscribe();
  assert.deepEqual(observed, ['SIGPIPE']);
  assert.equal(stream.listenerCount('error'), 0);
});
