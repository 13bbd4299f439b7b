import type { Cases, Script } from './postgresql-place.ts';

export const mine = { ownerId: 'PostgreSQLRole/mine' };
export const foreign = { ownerId: 'PostgreSQLRole/theirs' };

const everyAttribute = 'login createDb createRole inherit replication bypassRls superuser'.split(' ');
export const badNames = [
  '',
  'a\0b',
  '\ud800',
  'x'.repeat(64),
  'ä'.repeat(32),
  'pg_mine',
  'public',
  'none',
  'a\nb',
  'a\u202eb',
];

/** Changes a role by these specs, one after the other, and observes each result. */
const updated = async ({ call }: Script, name: string, ...specs: readonly object[]): Promise<void> => {
  for (const spec of specs) {
    await call('roles.update', name, spec, mine);
    await call('roles.observe', name);
  }
};

export const roleCases: Cases = {
  'a new role has the wanted fields': async ({ call }) => {
    await call('roles.observe', 'ann');
    await call('roles.create', 'ann', {}, mine);
    await call('roles.observe', 'ann');
    const configuration = {
      work_mem: '8MB',
      search_path: '"$user", "Mixed Case", PUBLIC',
      'app.tenant': "o'neil\\",
    };
    const all = {
      ...Object.fromEntries(everyAttribute.map((name) => [name, true])),
      connectionLimit: 3,
      configuration,
    };
    await call('roles.create', 'Bob "b" O\'B', all, { ...mine, password: 'a password' });
    await call('roles.observe', 'Bob "b" O\'B');
    await call('roles.create', 'lonely', { inherit: false }, mine);
    await call('roles.observe', 'lonely');
  },

  'each field of a role is changed and changed back': async (script) => {
    await script.call('roles.create', 'ann', {}, mine);
    for (const name of everyAttribute) {
      await updated(script, 'ann', { [name]: name !== 'inherit' }, { [name]: name === 'inherit' });
    }
    await updated(script, 'ann', { connectionLimit: 0 }, { connectionLimit: 7 }, { connectionLimit: -1 });
    for (const configuration of [
      { work_mem: '4MB', 'app.x': '1' },
      { work_mem: '8MB', 'app.x': '1' },
      { 'app.x': '2', search_path: 'a, "B"' },
      { search_path: '' },
      { Search_Path: 'a' },
      {},
    ]) {
      await updated(script, 'ann', { configuration });
    }
    await script.call('roles.update', 'ann', {}, mine);
  },

  'a second creation corrects the fields': async ({ call, sql, login }) => {
    await call('roles.create', 'ann', { login: true }, { ...mine, password: 'one' });
    await sql('ALTER ROLE ann NOLOGIN CONNECTION LIMIT 2');
    await call('roles.create', 'ann', { login: true }, { ...mine, password: 'two' });
    await call('roles.observe', 'ann');
    await login({ user: 'ann', password: 'one' });
    await login({ user: 'ann', password: 'two' });
  },

  'the comment of a role names the managed resource': async ({ call, sql }) => {
    await call('roles.create', 'hers', {}, foreign);
    for (const name of ['plain', 'described', 'old']) await sql(`CREATE ROLE ${name}`);
    await sql("COMMENT ON ROLE described IS 'the night shift''s'");
    await sql("COMMENT ON ROLE old IS 'services-stack: managed by PostgreSQLRole/mine'");
    for (const name of ['hers', 'plain', 'described', 'old']) {
      await call('roles.observe', name);
      await call('roles.create', name, { login: true }, mine);
      await call('roles.update', name, { login: true }, mine);
      await call('roles.setPassword', name, 'a password', mine);
      await call('roles.observe', name);
      await call('roles.drop', name, mine);
    }
    await call('roles.drop', 'hers', foreign);
    await call('roles.observe', 'hers');
  },

  'a mark that was removed is no proof': async ({ call, sql }) => {
    await call('roles.create', 'ann', {}, mine);
    await sql('COMMENT ON ROLE ann IS NULL');
    await call('roles.observe', 'ann');
    await call('roles.update', 'ann', {}, mine);
    await sql('COMMENT ON ROLE nobody IS NULL');
  },

  'a role that does not exist': async ({ call }) => {
    await call('roles.observe', 'nobody');
    await call('roles.update', 'nobody', { login: true }, mine);
    await call('roles.setPassword', 'nobody', 'a password', mine);
    await call('roles.checkPassword', 'nobody', 'a password');
    await call('roles.drop', 'nobody', mine);
  },

  'names and values that no role may have': async ({ call }) => {
    for (const name of badNames) {
      await call('roles.create', name, {}, mine);
    }
    await call('roles.observe', 'a\0b');
    await call('roles.update', 'pg_mine', {}, mine);
    await call('roles.drop', 'pg_mine', mine);
    await call('roles.create', 'ann', { connectionLimit: -2 }, mine);
    await call('roles.create', 'ann', { connectionLimit: 1.5 }, mine);
    await call('roles.create', 'ann', {}, { ...mine, password: '' });
    await call('roles.create', 'ann', {}, { ...mine, password: 'a\0b' });
    await call('roles.create', 'ann', {}, { ownerId: '' });
    for (const configuration of [
      { unheard_of: '1' },
      { work_mem: 'lots' },
      { 'a b': '1' },
      { 'app.x': 'a\nb' },
    ]) {
      await call('roles.create', 'ann', { configuration }, mine);
      await call('roles.observe', 'ann');
    }
  },

  'a role of the server itself can be observed': async ({ call }) => {
    for (const name of ['postgres', 'pg_monitor', 'pg_database_owner']) await call('roles.observe', name);
    await call('roles.create', 'postgres', {}, mine);
    await call('roles.drop', 'postgres', mine);
  },

  'a password is checked': async ({ call, sql }) => {
    await call('roles.create', 'ann', { login: true }, { ...mine, password: 'pässword ﬁ' });
    const check = async (...passwords: readonly string[]) => {
      for (const password of passwords) await call('roles.checkPassword', 'ann', password);
    };
    await check('pässword ﬁ', 'guess');
    await call('roles.setPassword', 'ann', 'next', mine);
    await check('pässword ﬁ', 'next');
    await sql('ALTER ROLE ann NOLOGIN');
    await check('next', 'guess');
    await sql('ALTER ROLE ann LOGIN CONNECTION LIMIT 0');
    await check('next');
    await sql('ALTER ROLE ann CONNECTION LIMIT -1');
    await sql('REVOKE CONNECT ON DATABASE postgres FROM PUBLIC');
    await check('next', 'guess');
    await call('roles.create', 'bob', { login: true }, mine);
    await call('roles.checkPassword', 'bob', 'guess');
  },

  'a role can connect only to its databases': async ({ call, sql, login }) => {
    await call('roles.create', 'ann', { login: true }, { ...mine, password: 'a' });
    await call('roles.create', 'bob', { login: true }, { ...mine, password: 'b' });
    await call('roles.create', 'readers', {}, mine);
    await call('databases.create', 'shop', { owner: 'ann', connectionLimit: 1 }, mine);
    const bob = { user: 'bob', password: 'b', database: 'shop' };
    await login({ user: 'ann', password: 'a', database: 'shop' });
    await login(bob);
    await sql('GRANT CONNECT ON DATABASE shop TO readers');
    for (const statements of [
      ['GRANT readers TO bob'],
      ['ALTER ROLE bob NOINHERIT'],
      ['REVOKE readers FROM bob'],
      ['GRANT CONNECT ON DATABASE shop TO bob', 'ALTER DATABASE shop CONNECTION LIMIT 0'],
      ['ALTER DATABASE shop ALLOW_CONNECTIONS false'],
    ]) {
      for (const statement of statements) await sql(statement);
      await login(bob);
    }
    await login({ database: 'shop' });
    await sql("UPDATE pg_database SET datconnlimit = -2 WHERE datname = 'shop'");
    await login({ database: 'shop' });
    await login({ database: 'nowhere' });
    await login({ user: 'bob', password: 'wrong' });
    await login({ user: 'nobody', password: 'wrong' });
    await login({ user: 'readers', password: 'wrong' });
  },

  'sessions of a role end when it is dropped': async ({ call, place, ask }) => {
    await call('roles.create', 'ann', { login: true }, { ...mine, password: 'x' });
    const session = await place.open({ user: 'ann', password: 'x' });
    await ask('a transaction that holds the role', async () => {
      await session.sql('BEGIN');
      await session.sql("ALTER ROLE ann SET work_mem TO '8MB'");
    });
    await call('roles.setPassword', 'ann', 'y', mine);
    const next = await place.open({ user: 'ann', password: 'y' });
    await call('roles.drop', 'ann', mine);
    await ask('the session goes on', () => next.sql('SELECT 1'));
    await call('roles.observe', 'ann');
  },
};
