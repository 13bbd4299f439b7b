import assert from 'node:assert/strict';
import { after, afterEach, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { escapeIdentifier } from 'pg';
import { postgresqlCases, recordAnswers, recordedAnswers } from '../../../conformance/postgresql-cases.ts';
import type { Answered, Place } from '../../../conformance/postgresql-place.ts';
import { answersTo } from '../../../conformance/postgresql-place.ts';
import { postgresqlFixture } from './clients/fixture.ts';

/**
 * Records PostgreSQL's answers, for review, with `RECORD=1` in the environment. Otherwise compares them with the recorded
 * ones. The PostgreSQL in memory must give the same answers.
 */
const isRecording = process.env.RECORD === '1';
const before = isRecording ? {} : recordedAnswers();
const recorded: Record<string, readonly Answered[]> = {};

const {
  server: serverOf,
  sql,
  connect,
  credentials,
} = await postgresqlFixture({ settings: { autovacuum: 'off' } });
const clientAs: Place['clientAs'] = (changed) =>
  serverOf({ credentials: { ...credentials, ...changed }, lockTimeoutMs: 1_000 });
const place: Place = {
  client: clientAs({}),
  clientAs,
  sql: async (text, login) => rowsOf(await sql(text, login)),
  async open(login) {
    const client = await connect(login);
    return { sql: async (text) => rowsOf((await client.query<object>(text)).rows), end: () => client.end() };
  },
  async untilBlocked() {
    const waiting = `
      SELECT FROM pg_stat_activity WHERE application_name = 'services-stack' AND wait_event_type = 'Lock'`;
    const session = await connect();
    try {
      for (let polls = 0; (await session.query(waiting)).rows.length === 0; polls += 1) {
        assert.ok(polls < 1_000, 'no statement of our client waits for a lock');
        await delay(10);
      }
    } finally {
      await session.end();
    }
  },
};
const rowsOf = (rows: readonly object[]): readonly object[] => rows.map((row) => ({ ...row }));
const { endpoint, port } = credentials;
const stable = (text: string): string =>
  text.replaceAll(`${endpoint}:${port}`, 'SERVER').replace(/PostgreSQL system \d+/g, 'PostgreSQL system …');

/** As initdb left it. */
afterEach(async () => {
  const databases = await sql<{ name: string }>('SELECT datname AS name FROM pg_database WHERE oid >= 16384');
  for (const { name } of databases) {
    await sql(`ALTER DATABASE ${escapeIdentifier(name)} IS_TEMPLATE false`).catch(() => {});
    await sql(`DROP DATABASE ${escapeIdentifier(name)} WITH (FORCE)`);
  }
  const roles = await sql<{ name: string }>('SELECT rolname AS name FROM pg_roles WHERE oid >= 16384');
  for (const { name } of roles) await sql(`DROP OWNED BY ${escapeIdentifier(name)} CASCADE`);
  for (const { name } of roles) await sql(`DROP ROLE ${escapeIdentifier(name)}`);
  for (const name of ['postgres', 'template1']) await sql(`GRANT CONNECT ON DATABASE ${name} TO PUBLIC`);
});

after(() => {
  if (isRecording) recordAnswers(recorded);
});

for (const [about, cases] of Object.entries(postgresqlCases)) {
  describe(`PostgreSQL answers as it did: ${about}`, () => {
    for (const [name, act] of Object.entries(cases)) {
      test(name, async () => {
        const answers = await answersTo(act, place, stable);
        recorded[`${about}: ${name}`] = answers;
        if (!isRecording) assert.deepEqual(answers, before[`${about}: ${name}`]);
      });
    }
  });
}
