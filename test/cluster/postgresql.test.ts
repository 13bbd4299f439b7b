import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import type { PostgreSQLFixture } from './postgresql-fixture.ts';
import { psql, startPostgreSQLCluster } from './postgresql-fixture.ts';
import type { StackProcess } from './stack-harness.ts';
import { eventually } from './stack-harness.ts';

let fixture: PostgreSQLFixture;
let running: StackProcess;

before(async () => {
  fixture = await startPostgreSQLCluster({ maxConnections: 20 });
  await fixture.databaseClass('small');
  running = fixture.cluster.startProcess([
    '--stacks',
    'postgresql',
    '--poll-interval',
    '3s',
    '--log-level',
    'debug',
  ]);
});

after(async () => {
  await running.end();
  await fixture.stop();
});

const noPsql = 'psql is not on this machine: tried with the driver only';
const passwords = new Set<string>();
/** All claims and managed resources, while there were many. */
let objects = '';

describe('a claim', () => {
  test('is given a database that can be used with what its secret holds', async (context) => {
    await fixture.claim('team-a', 'orders', 'small');
    const details = await fixture.bound('team-a', 'orders');
    const keys = ['database', 'endpoint', 'host', 'password', 'port', 'provider', 'type', 'uri', 'username'];
    assert.deepEqual(Object.keys(details).toSorted(), keys);
    await fixture.sql('CREATE TABLE lines (id int)', details);
    await fixture.sql('INSERT INTO lines VALUES (1), (2)', details);
    assert.deepEqual(await fixture.sql('SELECT count(*)::int AS n FROM lines', details), [{ n: 2 }]);
    const seen = await psql(details.uri ?? '', 'SELECT sum(id) FROM lines');
    if (seen === undefined) context.diagnostic(noPsql);
    else assert.equal(seen, '3');
  });
});

describe('many claims', () => {
  const names = Array.from({ length: 50 }, (_, i) => `many-${i}`);

  test('of which a server of 20 connections is stopped in the middle: all 50 are Bound in the end', async () => {
    await Promise.all(names.map((name) => fixture.claim('team-a', name, 'small')));
    await eventually(
      'some are provisioned',
      async () => (await fixture.ours()).databases.filter((name) => name.includes('many-')).length >= 5,
    );
    await fixture.local.stop();
    await sleep(2_000);
    await fixture.local.start();
    const all = await Promise.all(names.map((name) => fixture.bound('team-a', name, 90_000)));
    assert.equal(new Set(all.map(({ database }) => database)).size, names.length);
    const { databases, roles } = await fixture.ours();
    assert.equal(databases.filter((name) => name.includes('many-')).length, names.length);
    assert.equal(roles.filter((name) => name.includes('many-')).length, names.length);
    for (const details of all) {
      assert.equal(await fixture.refusal(details), 'allowed');
      passwords.add(details.password ?? '');
    }
    objects = await fixture.cluster.kubectl(['get', 'managed,claims', '-A', '-o', 'json']);
  });

  test('take few connections of the server', async () => {
    const rows = await fixture.sql(`SELECT FROM pg_stat_activity WHERE application_name = 'services-stack'`);
    assert.ok(rows.length <= 4, `${rows.length} connections`);
  });

  test('that go leave nothing of theirs behind', async () => {
    await fixture.cluster.kubectl(['delete', 'postgresqlinstance', '-n', 'team-a', '--all', '--wait=false']);
    await fixture.cluster.kubectl(['delete', 'postgresqlinstance', '-n', 'team-b', '--all', '--wait=false']);
    await eventually(
      'all claims are gone',
      async () => (await fixture.cluster.all(PostgreSQLInstanceKind)).length === 0,
      60_000,
    );
    await eventually(
      'no database and no role of ours is on the server',
      async () => {
        const { databases, roles } = await fixture.ours();
        if (databases.length + roles.length > 0) throw new Error([...databases, ...roles].join());
        return true;
      },
      60_000,
    );
    const unfinished = await fixture.sql(`SELECT FROM pg_database WHERE datname LIKE 'services-stack-%'`);
    assert.equal(unfinished.length, 0);
  });

  test('and no password of theirs was ever in the log, an event or a status', async () => {
    const reported = [
      running.log(),
      await fixture.cluster.kubectl(['get', 'events', '-A', '-o', 'json']),
      objects,
    ];
    assert.equal(passwords.size, names.length);
    assert.match(reported[0] ?? '', /"level":"debug"/);
    assert.match(reported[1] ?? '', /CreatedExternalResource/);
    assert.match(reported[2] ?? '', /many-49/);
    for (const text of reported) {
      for (const password of [...passwords, fixture.local.password]) assert.ok(!text.includes(password));
      assert.doesNotMatch(text, /SCRAM-SHA-256|postgresql:\/\/[^ ]*:[^ ]*@/);
    }
  });
});
