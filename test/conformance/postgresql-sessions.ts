import type { Cases, PlaceSession, Script } from './postgresql-place.ts';
import { mine } from './postgresql-roles.ts';

/** A session of the superuser that has begun these and not ended them. */
async function holding({ place, ask }: Script, ...statements: readonly string[]): Promise<PlaceSession> {
  const session = await place.open();
  await ask(`begun: ${statements.join('; ')}`, async () => {
    await session.sql('BEGIN');
    for (const statement of statements) await session.sql(statement);
  });
  return session;
}

/** Makes a call that `session` blocks, and ends that session during the call. */
async function during(
  { place, call }: Script,
  session: PlaceSession,
  end: 'COMMIT' | 'ROLLBACK',
  ...given: Parameters<Script['call']>
): Promise<void> {
  const called = call(...given);
  try {
    await place.untilBlocked();
    await session.sql(end);
  } finally {
    await session.end();
    await called;
  }
}

export const sessionCases: Cases = {
  'a change of a role blocks other changes for a short time only': async (script) => {
    const { call, ask } = script;
    await call('roles.create', 'ann', {}, mine);
    const session = await holding(script, 'ALTER ROLE ann CONNECTION LIMIT 3');
    await call('roles.update', 'ann', { login: true }, mine);
    await call('roles.observe', 'ann');
    await call('roles.drop', 'ann', mine);
    await ask('it ends', () => session.sql('COMMIT'));
    await call('roles.observe', 'ann');
    await ask('it leaves', () => session.end());
  },

  'a concurrent change is not overlooked': async (script) => {
    const { call } = script;
    for (const end of ['COMMIT', 'ROLLBACK'] as const) {
      await call('roles.create', 'ann', {}, mine);
      const role = await holding(script, 'ALTER ROLE ann CONNECTION LIMIT 3 CREATEDB');
      await during(script, role, end, 'roles.update', 'ann', { login: true }, mine);
      await call('roles.observe', 'ann');
      await call('databases.create', 'shop', {}, mine);
      const database = await holding(script, 'ALTER DATABASE shop CONNECTION LIMIT 3');
      await during(script, database, end, 'databases.update', 'shop', { connectionLimit: 5 }, mine);
      await call('databases.observe', 'shop');
      const grant = { role: 'ann', on: { database: 'shop' } };
      const given = await holding(script, 'GRANT CREATE ON DATABASE shop TO ann');
      // With both privileges the end is the same, whether the call waits for the lock or is repeated after 100 ms.
      await during(script, given, end, 'grants.apply', { ...grant, privileges: ['CONNECT', 'CREATE'] });
      await call('grants.observe', grant);
      await call('databases.drop', 'shop', { ...mine, terminateSessions: true });
    }
  },

  'a concurrent creation keeps the name': async (script) => {
    const { call } = script;
    const never = await holding(script, 'CREATE ROLE ann');
    await during(script, never, 'ROLLBACK', 'roles.create', 'ann', {}, mine);
    await call('roles.observe', 'ann');
    const first = await holding(script, 'CREATE ROLE bob');
    await during(script, first, 'COMMIT', 'roles.create', 'bob', {}, mine);
    await call('roles.observe', 'bob');
  },

  'a concurrent deletion is respected': async (script) => {
    const { call } = script;
    await call('roles.create', 'ann', {}, mine);
    const gone = await holding(script, 'DROP ROLE ann');
    await during(script, gone, 'COMMIT', 'roles.update', 'ann', { login: true }, mine);
    await call('roles.observe', 'ann');
  },

  'two processes wait for each other': async ({ place, call, ask }) => {
    const other = place.clientAs({});
    await Promise.all([
      call('databases.create', 'shop', { extensions: [{ name: 'citext' }] }, mine),
      other.databases.create('shop', { extensions: [{ name: 'citext' }] }, mine),
    ]);
    await call('databases.observe', 'shop', { withExtensions: true });
    await Promise.all([
      call('databases.drop', 'shop', { ...mine, terminateSessions: true }),
      other.databases.drop('shop', { ...mine, terminateSessions: true }),
    ]);
    await call('databases.observe', 'shop');
    await ask('it closes', () => other.close());
  },
};
