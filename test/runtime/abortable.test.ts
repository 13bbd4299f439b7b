import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lastValueFrom, toArray } from 'rxjs';
import { abortable } from '../../runtime/abortable.ts';

describe('a request in a stream', () => {
  test('is asked at each subscription, and answered once', async () => {
    let calls = 0;
    const answer$ = abortable(async () => {
      calls += 1;
      return calls;
    });
    assert.equal(calls, 0);
    assert.deepEqual(await lastValueFrom(answer$.pipe(toArray())), [1]);
    assert.deepEqual(await lastValueFrom(answer$.pipe(toArray())), [2]);
  });

  test('fails with what it throws', async () => {
    const error = new Error('no');
    await assert.rejects(lastValueFrom(abortable(() => Promise.reject(error))), error);
  });

  test('a request is aborted when its subscriber unsubscribes, and a late answer is ignored', async () => {
    const pending = Promise.withResolvers<string>();
    const reported: string[] = [];
    let given: AbortSignal | undefined;
    const subscription = abortable((signal) => {
      given = signal;
      return pending.promise;
    }).subscribe((answer) => reported.push(answer));
    assert.equal(given?.aborted, false);
    subscription.unsubscribe();
    assert.equal(given?.aborted, true);
    pending.resolve('late');
    await pending.promise;
    assert.deepEqual(reported, []);
  });
});
