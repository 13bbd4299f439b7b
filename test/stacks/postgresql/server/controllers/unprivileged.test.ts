import assert from 'node:assert/strict';
import { test } from 'node:test';
import { database, role } from '../../passes.ts';
import { loginOf, stackFixture } from './fixture.ts';

const stack = await stackFixture({
  admin: { username: 'steward', password: 'steward', attributes: 'CREATEDB CREATEROLE' },
  serverDatabases: 'close',
});
const { sql, refusal } = stack;

test('a user without the right to close the databases of the server reports it, and works', async () => {
  const { known } = await stack.pass(database('shop'));
  assert.equal(await refusal(loginOf(known), 'CREATE TABLE carts ()'), 'allowed');
  assert.deepEqual(
    stack.reported.map(({ reason, message }) => [reason, message.replace(/:\d+/, '')]),
    [
      [
        'CannotCloseServerDatabases',
        'every tenant may connect to databases "postgres", "template1" of server 127.0.0.1, and role "steward" has no ' +
          'right to change that; run as "postgres": GRANT CONNECT ON DATABASE "postgres" TO "steward"; ' +
          'REVOKE CONNECT ON DATABASE "postgres" FROM PUBLIC; GRANT CONNECT ON DATABASE "template1" TO "steward"; ' +
          'REVOKE CONNECT ON DATABASE "template1" FROM PUBLIC',
      ],
    ],
  );
});

test('the statements that it reports close them to tenants, and leave the right to the user', async () => {
  const [, statements = ''] = /run as \S+: (.*)$/.exec(stack.reported[0]?.message ?? '') ?? [];
  await sql(statements);
  const { known } = await stack.pass(database('till'));
  for (const own of ['postgres', 'template1']) {
    assert.equal(await refusal({ ...loginOf(known), database: own }), '42501');
    assert.equal(await refusal({ user: 'steward', password: 'steward', database: own }), 'allowed');
  }
  await sql('GRANT CONNECT ON DATABASE postgres TO PUBLIC; GRANT CONNECT ON DATABASE template1 TO PUBLIC');
});

test('an administrator who is a member of the owner closes the databases, and keeps its own access', async () => {
  await sql('CREATE ROLE cloud; GRANT cloud TO steward');
  await sql('ALTER DATABASE postgres OWNER TO cloud; ALTER DATABASE template1 OWNER TO cloud');
  assert.deepEqual(await stack.server.closeServerDatabases(), {
    closed: ['postgres', 'template1'],
    allowedRoles: [],
    open: [],
  });
  await sql('REVOKE cloud FROM steward');
  assert.equal(await refusal({ user: 'steward', password: 'steward' }), 'allowed');
  await sql('GRANT CONNECT ON DATABASE postgres TO PUBLIC');
  const { open } = await stack.server.closeServerDatabases();
  assert.deepEqual(open, [{ name: 'postgres', owner: 'cloud' }]);
  const { known } = await stack.pass(database('served'));
  assert.equal(await refusal(loginOf(known)), 'allowed');
});

test('a user who lacks rights learns of all that a creation needs, in one message', async () => {
  const lacks = (rights: string, statement: string) => ({
    message: new RegExp(`^user "steward" of server \\S+ lacks ${rights}; run as a superuser: ${statement}$`),
    errorClass: 'Forbidden',
  });
  await sql('ALTER ROLE steward NOCREATEDB NOCREATEROLE');
  const both = lacks('CREATEDB and CREATEROLE', 'ALTER ROLE "steward" CREATEDB CREATEROLE');
  await assert.rejects(stack.pass(database('refused')), both);
  await assert.rejects(stack.pass(role('refused')), lacks('CREATEROLE', 'ALTER ROLE "steward" CREATEROLE'));
  await sql('ALTER ROLE steward CREATEROLE');
  await assert.rejects(stack.pass(database('refused')), lacks('CREATEDB', 'ALTER ROLE "steward" CREATEDB'));
  await sql('ALTER ROLE steward CREATEDB');
  const { known } = await stack.pass(database('refused'));
  assert.equal(await refusal(loginOf(known)), 'allowed');
});
