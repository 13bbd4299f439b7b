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

/** Both at once: the client's call, and meanwhile the end of what stands in its way. */
async function meanwhile(
  { place, call }: Script,
  session: PlaceSession,
  end: 'COMMIT' | 'ROLLBACK',
  ...given: Parameters<Script['call']>
): Promise<void> {
  const called = call(...given);
  await place.pause(100);
  await session.sql(end);
  await session.end();
  await called;
}

export const sessionCases: Cases = {
  'whoever changes a role keeps others from it for a while, and no longer': async (script) => {
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

  'what somebody changed meanwhile is not overlooked': async (script) => {
    const { call } = script;
    for (const end of ['COMMIT', 'ROLLBACK'] as const) {
      await call('roles.create', 'ann', {}, mine);
      const role = await holding(script, 'ALTER ROLE ann CONNECTION LIMIT 3 CREATEDB');
      await meanwhile(script, role, end, 'roles.update', 'ann', { login: true }, mine);
      await call('roles.observe', 'ann');
      await call('databases.create', 'shop', {}, mine);
      const database = await holding(script, 'ALTER DATABASE shop CONNECTION LIMIT 3');
      await meanwhile(script, database, end, 'databases.update', 'shop', { connectionLimit: 5 }, mine);
      await call('databases.observe', 'shop');
      const grant = { role: 'ann', on: { database: 'shop' } };
      const given = await holding(script, 'GRANT CREATE ON DATABASE shop TO ann');
      await meanwhile(script, given, end, 'grants.apply', { ...grant, privileges: ['CONNECT'] });
      await call('grants.observe', grant);
      await call('databases.drop', 'shop', { ...mine, terminateSessions: true });
    }
  },

  'what somebody makes meanwhile has its name': async (script) => {
    const { call } = script;
    const never = await holding(script, 'CREATE ROLE ann');
    await meanwhile(script, never, 'ROLLBACK', 'roles.create', 'ann', {}, mine);
    await call('roles.observe', 'ann');
    const first = await holding(script, 'CREATE ROLE bob');
    await meanwhile(script, first, 'COMMIT', 'roles.create', 'bob', {}, mine);
    await call('roles.observe', 'bob');
  },

  'what somebody drops meanwhile is gone': async (script) => {
    const { call } = script;
    await call('roles.create', 'ann', {}, mine);
    const gone = await holding(script, 'DROP ROLE ann');
    await meanwhile(script, gone, 'COMMIT', 'roles.update', 'ann', { login: true }, mine);
    await call('roles.observe', 'ann');
  },

  'one of us waits for the other': async ({ place, call, ask }) => {
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
