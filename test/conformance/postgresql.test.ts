import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createInProcessPostgresql } from '../fakes/in-process-postgresql.ts';
import { testClock } from '../fakes/test-clock.ts';
import { postgresqlCases, recordedAnswers } from './postgresql-cases.ts';
import type { Answered, Place } from './postgresql-place.ts';
import { answersTo } from './postgresql-place.ts';

const answers = recordedAnswers();

for (const [about, cases] of Object.entries(postgresqlCases)) {
  describe(`PostgreSQL in memory answers as PostgreSQL does: ${about}`, () => {
    for (const [name, act] of Object.entries(cases)) {
      test(name, async () => {
        const clock = testClock();
        const postgresql = createInProcessPostgresql(clock, { endpoint: '127.0.0.1', port: 5432 });
        const { createServer } = postgresql.clientsFor();
        const { credentials } = postgresql;
        const clientAs: Place['clientAs'] = (changed) =>
          createServer({
            credentials: { ...credentials, ...changed },
            clock,
            random: () => 0.5,
            lockTimeoutMs: 300,
          });
        const place: Place = {
          client: clientAs({}),
          clientAs,
          sql: (text, login) => postgresql.sql(text, login),
          async open(login) {
            const session = postgresql.open(login);
            return { sql: (text) => session.sql(text), end: async () => session.end() };
          },
        };
        const stable = (text: string): string =>
          text
            .replaceAll('127.0.0.1:5432', 'SERVER')
            .replace(/PostgreSQL system \d+/g, 'PostgreSQL system …');
        let found: readonly Answered[] | undefined;
        let failure: unknown;
        answersTo(act, place, stable).then(
          (all) => {
            found = all;
          },
          (error: unknown) => {
            failure = error;
          },
        );
        await clock.advanceUntil(() => (found ?? failure) !== undefined);
        if (failure !== undefined) throw failure;
        assert.deepEqual(found, answers[`${about}: ${name}`]);
      });
    }
  });
}
