import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestClock } from '../../testing/test-clock.ts';
import { testClock } from '../../testing/test-clock.ts';
import { createInProcessPostgresql } from '../fakes/in-process-postgresql.ts';
import { postgresqlCases, recordedAnswers } from './postgresql-cases.ts';
import type { Answered, Cases, Place } from './postgresql-place.ts';
import { answersTo } from './postgresql-place.ts';

const answers = recordedAnswers();

function memory() {
  const clock = testClock();
  const postgresql = createInProcessPostgresql(clock, { endpoint: '127.0.0.1', port: 5432 });
  const { createServer } = postgresql.clientsFor();
  const { credentials } = postgresql;
  const clientAs: Place['clientAs'] = (changed) =>
    createServer({
      credentials: { ...credentials, ...changed },
      clock,
      random: () => 0.5,
      lockTimeoutMs: 1_000,
    });
  const place: Place = {
    client: clientAs({}),
    clientAs,
    sql: (text, login) => postgresql.sql(text, login),
    async open(login) {
      const session = postgresql.open(login);
      return { sql: (text) => session.sql(text), end: async () => session.end() };
    },
    // A call gets as far as it can within one moment of the clock.
    untilBlocked: () => clock.sleep(100),
  };
  return { clock, place };
}

const stable = (text: string): string =>
  text.replaceAll('127.0.0.1:5432', 'SERVER').replace(/PostgreSQL system \d+/g, 'PostgreSQL system …');

async function played(
  clock: TestClock,
  act: Cases[string],
  place: Place,
): Promise<readonly Answered[] | undefined> {
  let outcome: { readonly found?: readonly Answered[]; readonly failure?: unknown } | undefined;
  answersTo(act, place, stable).then(
    (found) => {
      outcome = { found };
    },
    (failure: unknown) => {
      outcome = { failure };
    },
  );
  await clock.advanceUntil(() => outcome !== undefined);
  if (outcome?.failure !== undefined) throw outcome.failure;
  return outcome?.found;
}

const { tenants: _ofPostgresqlAlone, ...bothCases } = postgresqlCases;
for (const [about, cases] of Object.entries(bothCases)) {
  describe(`PostgreSQL in memory answers as PostgreSQL does: ${about}`, () => {
    for (const [name, act] of Object.entries(cases)) {
      test(name, async () => {
        const { clock, place } = memory();
        assert.deepEqual(await played(clock, act, place), answers[`${about}: ${name}`]);
      });
    }
  });
}
