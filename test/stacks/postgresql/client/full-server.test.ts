import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PostgresqlError } from '../../../../stacks/postgresql/client/error.ts';
import { testClock } from '../../../../testing/test-clock.ts';
import { createInProcessPostgresql } from '../../../fakes/in-process-postgresql.ts';
import { atOnce } from '../../../fakes/outside.ts';
import { ServerError } from '../../../fakes/postgresql/server-error.ts';

/** A server that has no free connection until `free` is called. */
function fullServer() {
  const clock = testClock();
  const postgresql = createInProcessPostgresql(clock, { endpoint: 'pg', port: 5432 });
  let isFull = true;
  const { createServer } = postgresql.clientsFor((call, effect) => {
    if (isFull && call.verb === 'connect') throw new ServerError('53300', 'sorry, too many clients already');
    return atOnce(call, effect);
  });
  const server = createServer({ credentials: postgresql.credentials, clock, random: () => 0.5 });
  const setFull = (is: boolean): void => {
    isFull = is;
  };
  return { clock, server, setFull };
}

/** The result of a call, and how long it took. */
async function timed(clock: ReturnType<typeof testClock>, call: () => Promise<unknown>) {
  let result: unknown;
  const begunMs = clock.elapsedMs();
  call().then(
    () => {
      result = 'done';
    },
    (error: PostgresqlError) => {
      result = error.message;
    },
  );
  await clock.advanceUntil(() => result !== undefined);
  return { result, tookMs: clock.elapsedMs() - begunMs };
}

const full =
  'server pg:5432 has no connection left: sorry, too many clients already; end sessions, or raise max_connections';

test('a full server is named within 5 seconds, and then at once', async () => {
  const { clock, server } = fullServer();
  const first = await timed(clock, () => server.serverVersion());
  assert.equal(first.result, full);
  assert.ok(first.tookMs > 1_000 && first.tookMs < 5_000, `${first.tookMs} ms`);
  assert.deepEqual(await timed(clock, () => server.serverVersion()), { result: full, tookMs: 0 });
});

test('a server that is full for a moment only delays the call, also after an earlier failure', async () => {
  const { clock, server, setFull } = fullServer();
  await timed(clock, () => server.serverVersion());
  setFull(false);
  assert.equal((await timed(clock, () => server.serverVersion())).result, 'done');
  await clock.advance(60_000); // the idle connection ends
  setFull(true);
  const begun = timed(clock, () => server.serverVersion());
  void clock.sleep(1_000).then(() => setFull(false));
  assert.equal((await begun).result, 'done');
});
