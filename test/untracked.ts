/**
 * Import this before `node:test`: the test runner then stops tracking asynchronous work when the first test runs. It needs
 * the tracking to attach tests to their suite while it reads the files. Later the tracking only finds the test that an
 * uncaught error belongs to, and takes a third of the CPU time: V8 calls a hook for each promise.
 *
 * An uncaught error still fails the run. Its stack goes to standard error, where it names the file. `node --test FILE`
 * names the test.
 */
import type { AsyncHook } from 'node:async_hooks';
import asyncHooks from 'node:async_hooks';
import { inspect } from 'node:util';

const { createHook } = asyncHooks;
const created: AsyncHook[] = [];
asyncHooks.createHook = (callbacks) => {
  const hook = createHook(callbacks);
  created.push(hook);
  return hook;
};
const { beforeEach } = await import('node:test');

let isTracking = true;
beforeEach(() => {
  if (!isTracking) return;
  isTracking = false;
  for (const hook of created) hook.disable();
  const print = (error: unknown): void => void process.stderr.write(`${inspect(error)}\n`);
  process.on('uncaughtException', print).on('unhandledRejection', print);
});
// The line above creates the hook.
if (created.length === 0) throw new Error('the test runner of this Node.js has no hook to disable');
asyncHooks.createHook = createHook;
