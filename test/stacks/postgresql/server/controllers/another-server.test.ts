import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { realClock } from '../../../../../runtime/time/clock.ts';
import type { Credentials } from '../../../../../stacks/postgresql/client/credentials.ts';
import { createPostgresqlServer } from '../../../../../stacks/postgresql/client/server.ts';
import { postgresqlFixture } from '../clients/fixture.ts';

const home = await postgresqlFixture();
const empty = await postgresqlFixture();
const identifierFor = async (credentials: Credentials): Promise<string> => {
  const server = createPostgresqlServer({ credentials, clock: realClock(), random: Math.random });
  after(() => server.close());
  return server.systemIdentifier();
};

test('a server has the same identifier for every user and at every address', async () => {
  const id = await identifierFor(home.credentials);
  assert.match(id, /^PostgreSQL system \d{15,}$/);
  await home.sql("CREATE ROLE plain LOGIN CREATEDB CREATEROLE PASSWORD 'plain'");
  const plain = { ...home.credentials, username: 'plain', password: 'plain' };
  assert.equal(await identifierFor({ ...plain, endpoint: 'localhost' }), id);
  assert.notEqual(await identifierFor(empty.credentials), id);
});

test('a server that does not tell is known by its address', async () => {
  await empty.sql('REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC');
  await empty.sql("CREATE ROLE plain LOGIN PASSWORD 'plain'");
  const { endpoint, port } = empty.credentials;
  const identifier = await identifierFor({ endpoint, port, username: 'plain', password: 'plain' });
  assert.equal(identifier, `PostgreSQL server ${endpoint}:${port}`);
});
