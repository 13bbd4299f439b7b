import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PostgresqlError } from '../../../../stacks/postgresql/client/error.ts';
import { testClock } from '../../../../testing/test-clock.ts';
import { createInProcessPostgresql } from '../../../fakes/in-process-postgresql.ts';
import { atOnce } from '../../../fakes/outside.ts';

test('a process that may not go on sends no further statement, and nothing is done of what it began', async () => {
  let isDone = false;
  const halt = new Error('another process may lead');
  for (let allowed = 0; !isDone; allowed += 1) {
    const clock = testClock();
    const postgresql = createInProcessPostgresql(clock);
    const { credentials } = postgresql;
    const sent: string[] = [];
    let left = allowed;
    const { createServer } = postgresql.clientsFor((call, effect) => {
      if (call.verb !== 'connect') sent.push(call.verb);
      return atOnce(call, effect);
    });
    const mayGoOn = (): void => {
      if (left === 0) throw halt;
      left -= 1;
    };
    const server = createServer({ credentials, clock, random: () => 0.5, mayGoOn });
    isDone = await server.roles.create('ann', { login: true }, { ownerId: 'one', password: 'p' }).then(
      () => true,
      ({ code, message, cause }: PostgresqlError) => {
        assert.deepEqual({ code, message, cause }, { code: 'Halted', message: halt.message, cause: halt });
        return false;
      },
    );
    assert.equal(sent.length, allowed);
    assert.equal(postgresql.roles().length, isDone ? 1 : 0);
  }
});
