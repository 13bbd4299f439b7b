import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MysqlError } from '../../../../../stacks/mysql/client/error.ts';
import { mariadbFixture, owned, password, skip } from './fixture.ts';

const at = mariadbFixture();

describe('a server that restarts', { skip, timeout: 300_000 }, () => {
  test('is unreachable in between, and then as before, with its marks', async () => {
    const server = at.server({ connectionWaitMs: 0 });
    await server.databases.create('kept', { user: {} }, { ...owned, password });
    const identity = await server.identity();
    const local = at.here();
    const errors: Promise<MysqlError | undefined>[] = [];
    const ask = () =>
      server.facts().then(
        () => undefined,
        (error: unknown) => error as MysqlError,
      );
    const asking = setInterval(() => errors.push(ask()), 20);
    try {
      await local.restart(local.port);
    } finally {
      clearInterval(asking);
    }
    const classes = new Set((await Promise.all(errors)).map((error) => error?.errorClass));
    assert.deepEqual(
      [...classes].filter((each) => each !== undefined),
      ['Unreachable'],
    );
    assert.equal(await server.identity(), identity);
    assert.ok((await server.databases.observe('kept')).user?.mark);
    assert.equal(await server.users.checkPassword('kept', password), true);
  });
});
