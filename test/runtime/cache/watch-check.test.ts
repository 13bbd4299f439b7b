import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defer, firstValueFrom, of } from 'rxjs';
import { isSameHistory, watchCheck } from '../../../runtime/cache/watch-check.ts';
import { ApiError } from '../../../runtime/client/errors.ts';
import type { ListOptions } from '../../../runtime/client/kubernetes-client.ts';
import { testClock } from '../../../testing/test-clock.ts';
import type { Widget } from '../widgets.ts';
import { stored, WidgetKind } from '../widgets.ts';

const silenceMs = 70_000;

describe('watch check', () => {
  for (const fraction of [0, 0.5, 0.9999999]) {
    test(`a watch that was believed ${fraction} ms past the full one is asked about once it was silent`, async () => {
      const clock = testClock();
      await clock.advance(35_339 + fraction);
      let confirmedAtMs = clock.elapsedMs();
      let requests = 0;
      const subscription = watchCheck({
        silenceMs,
        latest$: defer(() => {
          requests += 1;
          return of('7');
        }),
        position: () => '7',
        newest: () => '7',
        confirmedAtMs: () => confirmedAtMs,
        confirm: () => {
          confirmedAtMs = clock.elapsedMs();
        },
        clock,
      }).subscribe();
      await clock.advance(silenceMs - 1);
      assert.equal(requests, 0);
      await clock.advance(2);
      assert.equal(requests, 1);
      await clock.advance(10 * (silenceMs + 1));
      assert.equal(requests, 11);
      subscription.unsubscribe();
    });
  }
});

describe('after a failure a watch is resumed', () => {
  const rows: Record<
    string,
    { found?: Widget | ApiError | undefined; latest?: string; deleted?: true; is: boolean | 'an error' }
  > = {
    'where the newest object is unchanged, and nothing is ahead of the API server': { is: true },
    'where it is ahead of us': { latest: '12', is: true },
    'not where that object has another version': { found: stored('a', 9), is: false },
    'nor where it has changed since: the others may have changed, too': { found: stored('a', 12), is: false },
    'nor where it is gone': { found: undefined, is: false },
    'nor where it may not be asked for': { found: refusal(403), is: false },
    'nor where it was gone before': { deleted: true, is: false },
    'nor where the delivered version is newer than that of the API server': { latest: '10', is: false },
    'nor before there is an answer': { found: refusal(503), is: 'an error' },
  };
  for (const [name, { latest = '11', deleted, is, ...row }] of Object.entries(rows)) {
    test(name, async () => {
      const found = 'found' in row ? row.found : stored('a', 8);
      const client = {
        async list(_kind: object, { fieldSelector, namespace }: ListOptions) {
          if (fieldSelector === 'metadata.name=-') return { items: [], resourceVersion: latest };
          assert.deepEqual([fieldSelector, namespace], ['metadata.name=a', 'ns']);
          if (found instanceof ApiError) throw found;
          return { items: found === undefined ? [] : [found as never], resourceVersion: '20' };
        },
      };
      const newestKey = deleted ? undefined : { namespace: 'ns', name: 'a' };
      const asking = firstValueFrom(
        isSameHistory(client, WidgetKind, {}, { position: '11', newest: '8', newestKey }),
      );
      if (is === 'an error') await assert.rejects(asking, found as ApiError);
      else assert.equal(await asking, is);
    });
  }

  test('where there was nothing, if nothing is ahead of the API server', async () => {
    const latest = { '11': true, '10': false };
    for (const [resourceVersion, is] of Object.entries(latest)) {
      const client = { list: async () => ({ items: [], resourceVersion }) };
      const reported = { position: '11', newest: '', newestKey: undefined };
      assert.equal(await firstValueFrom(isSameHistory(client, WidgetKind, {}, reported)), is);
    }
  });
});

function refusal(code: number): ApiError {
  return new ApiError('no', { code, reason: 'Refused' });
}
