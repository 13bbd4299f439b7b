import assert from 'node:assert/strict';
import { test } from 'node:test';
import { database, edited, grant, loginOf, role, stackFixture } from './fixture.ts';

const stack = await stackFixture({
  admin: { username: 'steward', password: 'steward', attributes: 'CREATEDB CREATEROLE' },
});
const { sql, refusal } = stack;

test('an administrator who is no superuser serves databases, roles and grants, and leaves nothing behind', async () => {
  const first = await stack.pass(database('shop', { connectionLimit: 5, extensions: [{ name: 'pg_trgm' }] }));
  assert.equal(first.observed.ready?.status, 'True');
  assert.equal(await refusal(loginOf(first.known), 'CREATE TABLE carts ()'), 'allowed');

  await sql('GRANT CONNECT ON DATABASE shop TO PUBLIC');
  const second = await stack.pass(
    edited(first.managed, { connectionLimit: 6, passwordRotation: 'now' }),
    first.known,
  );
  assert.equal(second.acted, 'update');
  assert.equal(second.observed.isUpToDate, true);
  assert.equal(await refusal(loginOf(second.known)), 'allowed');
  assert.equal((await stack.pass(second.managed, second.known)).acted, undefined);

  const guest = await stack.pass(role('guest'));
  const entry = await stack.pass(
    grant('entry', { role: 'guest', database: 'shop', privileges: ['CONNECT'] }),
  );
  assert.equal(await refusal({ ...loginOf(guest.known), database: 'shop' }), 'allowed');

  for (const { managed } of [entry, guest, second]) assert.equal(await stack.remove(managed), false);
  for (const name of ['shop', 'guest']) assert.deepEqual(await stack.namesake(name), []);
  const kept = await sql(`SELECT FROM pg_auth_members WHERE member = 'steward'::regrole`);
  assert.equal(kept.length, 0);
});
