import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError } from '../../../runtime/client/errors.ts';
import { oldServer } from '../../../runtime/client/old-server.ts';
import { testClock } from '../../../testing/test-clock.ts';
import { recordedLog } from '../../fakes/recorded-log.ts';

const tenMinutesMs = 600_000;
const warningOf = (minor: number): string =>
  `Kubernetes 1.${minor} is older than 1.28, the oldest supported version, and accepts edits that have no effect: upgrade it`;

/** A process whose API server answers with these minor versions, one after the other; undefined is an error. */
async function world(...minors: readonly (number | undefined)[]) {
  const clock = testClock();
  const log = recordedLog();
  let requests = 0;
  const { run$, notes: reported } = oldServer({
    log,
    clock,
    client: {
      async serverVersion() {
        const minor = minors[requests];
        requests += 1;
        if (minor === undefined) throw new ApiError('away', { code: 503, reason: 'ServiceUnavailable' });
        return { major: 1, minor };
      },
    },
  });
  run$.subscribe({ error: assert.fail });
  await clock.settle();
  return {
    clock,
    reported,
    requests: () => requests,
    warnings: () => log.lines.flatMap(({ level, message }) => (level === 'warn' ? [message] : [])),
  };
}

describe('the version of the API server', () => {
  for (const minor of [20, 24, 27]) {
    test(`1.${minor} is reported as too old: in the log once, and as long as it is so`, async () => {
      const { clock, reported, warnings } = await world(minor, minor, minor);
      assert.deepEqual(reported(), [warningOf(minor)]);
      await clock.advance(2 * tenMinutesMs);
      assert.deepEqual([reported(), warnings()], [[warningOf(minor)], [warningOf(minor)]]);
    });
  }

  for (const minor of [28, 36]) {
    test(`1.${minor} is supported: nothing is reported, and the server is not asked again`, async () => {
      const { clock, reported, warnings, requests } = await world(minor);
      await clock.advance(6 * tenMinutesMs);
      assert.deepEqual([reported(), warnings(), requests()], [[], [], 1]);
    });
  }

  test('the report ends when the server was upgraded', async () => {
    const { clock, reported, requests } = await world(27, 28);
    await clock.advance(tenMinutesMs);
    assert.deepEqual([reported(), requests()], [[], 2]);
  });

  test('an API server that does not answer is asked again', async () => {
    const { clock, reported } = await world(undefined, 20);
    assert.deepEqual(reported(), []);
    await clock.advance(tenMinutesMs);
    assert.deepEqual(reported(), [warningOf(20)]);
  });
});
