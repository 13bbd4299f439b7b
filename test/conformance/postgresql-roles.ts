import type { Cases } from './postgresql-place.ts';

export const mine = { ownerId: 'PostgreSQLRole/mine' };
export const theirs = { ownerId: 'PostgreSQLRole/theirs' };

const everyAttribute = [
  'login',
  'createDb',
  'createRole',
  'inherit',
  'replication',
  'bypassRls',
  'superuser',
];
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

  'each field of a role is changed and changed back': async ({ call }) => {
    await call('roles.create', 'ann', {}, mine);
    for (const name of everyAttribute) {
      for (const value of [name !== 'inherit', name === 'inherit']) {
        await call('roles.update', 'ann', { [name]: value }, mine);
        await call('roles.observe', 'ann');
      }
    }
    for (const connectionLimit of [0, 7, -1]) {
      await call('roles.update', 'ann', { connectionLimit }, mine);
      await call('roles.observe', 'ann');
    }
    for (const configuration of [
      { work_mem: '4MB', 'app.x': '1' },
      { work_mem: '8MB', 'app.x': '1' },
      { 'app.x': '2', search_path: 'a, "B"' },
      { search_path: '' },
      { Search_Path: 'a' },
      {},
    ]) {
      await call('roles.update', 'ann', { configuration }, mine);
      await call('roles.observe', 'ann');
    }
    await call('roles.update', 'ann', {}, mine);
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
    await call('roles.create', 'hers', {}, theirs);
    await sql('CREATE ROLE plain');
    await sql('CREATE ROLE described');
    await sql("COMMENT ON ROLE described IS 'the night shift''s'");
    await sql('CREATE ROLE old');
    await sql("COMMENT ON ROLE old IS 'services-stack: managed by PostgreSQLRole/mine'");
    for (const name of ['hers', 'plain', 'described', 'old']) {
      await call('roles.observe', name);
      await call('roles.create', name, { login: true }, mine);
      await call('roles.update', name, { login: true }, mine);
      await call('roles.setPassword', name, 'a password', mine);
      await call('roles.observe', name);
      await call('roles.drop', name, mine);
    }
    await call('roles.drop', 'hers', theirs);
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
    const right = () => call('roles.checkPassword', 'ann', 'pässword ﬁ');
    await right();
    await call('roles.checkPassword', 'ann', 'guess');
    await call('roles.setPassword', 'ann', 'next', mine);
    await right();
    await call('roles.checkPassword', 'ann', 'next');
    await sql('ALTER ROLE ann NOLOGIN');
    await call('roles.checkPassword', 'ann', 'next');
    await call('roles.checkPassword', 'ann', 'guess');
    await sql('ALTER ROLE ann LOGIN CONNECTION LIMIT 0');
    await call('roles.checkPassword', 'ann', 'next');
    await sql('ALTER ROLE ann CONNECTION LIMIT -1');
    await sql('REVOKE CONNECT ON DATABASE postgres FROM PUBLIC');
    await call('roles.checkPassword', 'ann', 'next');
    await call('roles.checkPassword', 'ann', 'guess');
    await call('roles.create', 'bob', { login: true }, mine);
    await call('roles.checkPassword', 'bob', 'guess');
  },

  'a role can connect only to its databases': async ({ call, sql, login }) => {
    await call('roles.create', 'ann', { login: true }, { ...mine, password: 'a' });
    await call('roles.create', 'bob', { login: true }, { ...mine, password: 'b' });
    await call('roles.create', 'readers', {}, mine);
    await call('databases.create', 'shop', { owner: 'ann', connectionLimit: 1 }, mine);
    const [ann, bob] = [
      { user: 'ann', password: 'a', database: 'shop' },
      { user: 'bob', password: 'b', database: 'shop' },
    ];
    await login(ann);
    await login(bob);
    await sql('GRANT CONNECT ON DATABASE shop TO readers');
    await sql('GRANT readers TO bob');
    await login(bob);
    await sql('ALTER ROLE bob NOINHERIT');
    await login(bob);
    await sql('REVOKE readers FROM bob');
    await login(bob);
    await sql('GRANT CONNECT ON DATABASE shop TO bob');
    await sql('ALTER DATABASE shop CONNECTION LIMIT 0');
    await login(bob);
    await sql('ALTER DATABASE shop ALLOW_CONNECTIONS false');
    await login(bob);
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
