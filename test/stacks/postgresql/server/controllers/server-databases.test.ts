import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { leaseExpired } from '../../../../../runtime/client/errors.ts';
import { closing, closingEvent } from '../../../../../stacks/postgresql/server-closing.ts';
import { testClock } from '../../../../../testing/test-clock.ts';
import { database, edited, role } from '../../passes.ts';
import { loginOf, stackFixture } from './fixture.ts';

const stack = await stackFixture({ serverDatabases: 'close', settings: { log_statement: 'all' } });
const { sql, refusal, reported } = stack;
const signal = new AbortController().signal;

const openTo = async (who: string): Promise<readonly string[]> => {
  const rows = await sql<{ name: string }>(
    `SELECT datname AS name FROM pg_database WHERE has_database_privilege('${who}', oid, 'CONNECT') ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
};

describe("the server's own databases", () => {
  test('are closed to tenants before the first is let in, and stay open to who was there before', async () => {
    await sql(`CREATE ROLE exporter LOGIN PASSWORD 'exporter'; CREATE ROLE nobody`);
    assert.deepEqual(await openTo('public'), ['postgres', 'template0', 'template1']);
    const { managed, known } = await stack.pass(database('shop'));
    assert.deepEqual(await openTo('public'), ['template0'], 'which takes no connections');
    for (const own of ['postgres', 'template1']) {
      assert.equal(await refusal({ ...loginOf(known), database: own }), '42501');
      assert.equal(await refusal({ user: 'exporter', password: 'exporter', database: own }), 'allowed');
    }
    assert.equal(await refusal(loginOf(known)), 'allowed');
    const { known: clerk } = await stack.pass(role('clerk'));
    assert.equal(await refusal({ ...loginOf(clerk), database: 'postgres' }), '42501');
    assert.equal(await stack.server.roles.checkPassword('clerk', clerk.password ?? ''), true);
    assert.equal(await stack.server.roles.checkPassword('clerk', 'guess'), false);
    assert.deepEqual(
      reported.map(({ type, reason, message }) => [type, reason, message.replace(/:\d+/, '')]),
      [
        [
          'Normal',
          'ClosedServerDatabases',
          'PUBLIC may no longer connect to databases "postgres", "template1" of server 127.0.0.1; "exporter" keep the right',
        ],
      ],
    );
    await stack.pass(edited(managed, { connectionLimit: 4 }), known);
    assert.equal(reported.length, 1);
  });

  test('that are closed are observed and not written', async () => {
    const before = await sql('SELECT xmin, datname FROM pg_database ORDER BY datname');
    assert.deepEqual(await stack.server.closeServerDatabases(), { closed: [], allowedRoles: [], open: [] });
    assert.deepEqual(await sql('SELECT xmin, datname FROM pg_database ORDER BY datname'), before);
  });

  test('are not changed with serverDatabases leave', async () => {
    await sql('GRANT CONNECT ON DATABASE postgres TO PUBLIC');
    const events: unknown[] = [];
    const credentials = { ...stack.credentials, serverDatabases: 'leave' } as const;
    const report = (event: unknown) => void events.push(event);
    const { prepare, refresh } = closing({ server: stack.server, credentials, report, clock: testClock() });
    await prepare(signal);
    await refresh(signal);
    assert.deepEqual(await openTo('public'), ['postgres', 'template0']);
    assert.deepEqual(events, []);
  });

  describe('are closed once', () => {
    const failing = () => Promise.reject(new Error('unreachable'));
    const closed = () => Promise.resolve({ closed: [], allowedRoles: [], open: [] });
    const open = () =>
      Promise.resolve({ closed: [], allowedRoles: [], open: [{ name: 'postgres', owner: 'root' }] });
    const clock = testClock();
    /** The answers of the attempts, in this order. */
    const attempts = (...answers: readonly (typeof failing | typeof closed | typeof open)[]) => {
      const made = { calls: 0, events: [] as unknown[] };
      const server = { closeServerDatabases: () => answers[made.calls++]!() };
      const report = (event: unknown) => void made.events.push(event);
      return { made, ...closing({ server, credentials: stack.credentials, report, clock }) };
    };

    test('a failed attempt is repeated at the next creation', async () => {
      const { made, prepare } = attempts(failing, closed);
      await Promise.all([prepare(signal), prepare(signal)]);
      assert.equal(made.calls, 1);
      await prepare(signal);
      await prepare(signal);
      assert.equal(made.calls, 2);
      assert.deepEqual(made.events, [
        { type: 'Warning', reason: 'CannotCloseServerDatabases', message: 'unreachable' },
      ]);
    });

    test('a call that the process stopped is repeated at once, without an Event', async () => {
      const interrupted = () => Promise.reject(leaseExpired('the Lease was not renewed in time'));
      const { made, prepare, refresh } = attempts(interrupted, closed);
      await prepare(signal);
      await refresh(signal);
      assert.deepEqual(made, { calls: 2, events: [] });
    });

    test('a failed attempt is repeated in each poll of an existing resource, if no resource is created any more', async () => {
      const { made, prepare, refresh } = attempts(failing, failing, closed);
      await prepare(signal);
      for (const calls of [1, 2, 3, 3]) {
        await refresh(signal);
        assert.equal(made.calls, calls);
        await clock.advance(54_000); // the shortest that the default interval gets
      }
    });

    test('only one of many polled resources repeats the attempt', async () => {
      const { made, prepare, refresh } = attempts(failing, closed);
      await prepare(signal);
      for (const calls of [1, 1, 1, 2, 2]) {
        await refresh(signal);
        assert.equal(made.calls, calls);
        await clock.advance(10_000);
      }
    });

    test('while databases are open, a warning stays, one Event reports it, and each poll checks again', async () => {
      const { made, prepare, refresh, warning } = attempts(open, open, closed);
      await prepare(signal);
      await prepare(signal);
      for (const [calls, isWarned] of [
        [1, true],
        [2, true],
        [3, false],
        [3, false],
      ] as const) {
        await refresh(signal);
        const shown = [made.calls, warning()?.startsWith('every tenant may connect to')];
        assert.deepEqual(shown, [calls, isWarned]);
        await clock.advance(54_000);
      }
      assert.equal(made.events.length, 1);
    });

    test('by an observation, in a process that creates nothing', async () => {
      const { made, refresh } = attempts(closed);
      await refresh(signal);
      await refresh(signal);
      assert.equal(made.calls, 1);
    });
  });
});

describe('the Event about a closing', () => {
  const where = { endpoint: 'db', port: 5432, username: 'steward' };
  const cases = {
    'all was closed': { closing: { closed: [], allowedRoles: [], open: [] }, event: undefined },
    'closed for all': {
      closing: { closed: ['postgres'], allowedRoles: [], open: [] },
      event: {
        type: 'Normal',
        reason: 'ClosedServerDatabases',
        message: 'PUBLIC may no longer connect to database "postgres" of server db:5432',
      },
    },
    'no right to close': {
      closing: {
        closed: [],
        allowedRoles: ['exporter'],
        open: [
          { name: 'postgres', owner: 'root' },
          { name: 'template1', owner: 'root' },
        ],
      },
      event: {
        type: 'Warning',
        reason: 'CannotCloseServerDatabases',
        message:
          'every tenant may connect to databases "postgres", "template1" of server db:5432, and role "steward" has no right ' +
          'to change that; run as "root": GRANT CONNECT ON DATABASE "postgres" TO "steward", "exporter"; ' +
          'REVOKE CONNECT ON DATABASE "postgres" FROM PUBLIC; ' +
          'GRANT CONNECT ON DATABASE "template1" TO "steward", "exporter"; ' +
          'REVOKE CONNECT ON DATABASE "template1" FROM PUBLIC',
      },
    },
  };
  for (const [name, { closing: result, event }] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(closingEvent(result, where), event));
  }
});
