import { readFileSync, writeFileSync } from 'node:fs';
import { databaseCases } from './postgresql-databases.ts';
import { grantCases } from './postgresql-grants.ts';
import type { Answered, Cases } from './postgresql-place.ts';
import { roleCases } from './postgresql-roles.ts';
import { serverCases } from './postgresql-servers.ts';
import { sessionCases } from './postgresql-sessions.ts';
import { tenantCases } from './postgresql-tenants.ts';

/** The calls of the client, by their subject. */
export const postgresqlCases: Readonly<Record<string, Cases>> = {
  roles: roleCases,
  databases: databaseCases,
  grants: grantCases,
  sessions: sessionCases,
  servers: serverCases,
  tenants: tenantCases,
};

const file = new URL('./postgresql-answers.jsonl', import.meta.url);
type Recorded = Readonly<Record<string, readonly Answered[]>>;

/** PostgreSQL's answers, by case. test/stacks/postgresql/server/conformance.test.ts records them. */
export function recordedAnswers(): Recorded {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const rows = lines.map((line) => JSON.parse(line) as Answered & { readonly case: string });
  const byCase = Map.groupBy(rows, (row) => row.case);
  return Object.fromEntries(
    [...byCase].map(([name, found]) => [name, found.map(({ question, answer }) => ({ question, answer }))]),
  );
}

export function recordAnswers(recorded: Recorded): void {
  const lines = Object.entries(recorded).flatMap(([name, answers]) =>
    answers.map((each) => `${JSON.stringify({ case: name, ...each })}\n`),
  );
  writeFileSync(file, lines.join(''));
}
