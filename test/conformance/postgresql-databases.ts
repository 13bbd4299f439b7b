import { unfinishedName } from '../../stacks/postgresql/client/database-read.ts';
import type { Cases } from './postgresql-place.ts';
import { badNames, foreign, mine } from './postgresql-roles.ts';

const whole = { withExtensions: true };
const politely = { ...mine, terminateSessions: false };
const bluntly = { ...mine, terminateSessions: true };

export const databaseCases: Cases = {
  'a new database has the wanted fields': async ({ call }) => {
    await call('databases.observe', 'shop', whole);
    await call('databases.create', 'shop', {}, mine);
    await call('databases.observe', 'shop', whole);
    await call('roles.create', 'ann', {}, mine);
    const spec = {
      owner: 'ann',
      encoding: 'latin-1',
      lcCollate: 'POSIX',
      lcCType: 'C',
      connectionLimit: 5,
      extensions: [{ name: 'citext' }, { name: 'earthdistance' }, { name: 'hstore', version: '1.5' }],
    };
    await call('databases.create', 'Shop "2" O\'B', spec, mine);
    await call('databases.observe', 'Shop "2" O\'B', whole);
    await call(
      'databases.create',
      'closed',
      { allowConnections: false, extensions: [{ name: 'citext' }] },
      mine,
    );
    await call('databases.observe', 'closed', whole);
  },

  'each field of a database is changed and changed back': async ({ call }) => {
    await call('roles.create', 'ann', {}, mine);
    await call('roles.create', 'bob', {}, mine);
    await call('databases.create', 'shop', { owner: 'ann' }, mine);
    await call('grants.apply', { role: 'bob', on: { database: 'shop' }, privileges: ['CONNECT'] });
    for (const spec of [
      { owner: 'bob' },
      { owner: 'ann' },
      { connectionLimit: 0 },
      { connectionLimit: 9 },
      { connectionLimit: -1 },
      { allowConnections: false },
      { allowConnections: false, extensions: [{ name: 'citext' }] },
      { allowConnections: true },
      { extensions: [{ name: 'citext', version: '1.6' }] },
      { extensions: [{ name: 'citext' }] },
      { extensions: [{ name: 'citext', version: '1.8' }] },
      { extensions: [{ name: 'citext', version: '1.6' }] },
      {},
    ]) {
      await call('databases.update', 'shop', spec, mine);
      await call('databases.observe', 'shop', whole);
      if (!('owner' in spec)) continue;
      await call('grants.observe', { role: 'bob', on: { database: 'shop' } });
      await call('grants.observe', { role: 'ann', on: { database: 'shop' } });
    }
  },

  'a second creation changes nothing': async ({ call, sql }) => {
    await call('databases.create', 'shop', {}, mine);
    await sql('GRANT CONNECT ON DATABASE shop TO PUBLIC');
    await sql('ALTER DATABASE shop CONNECTION LIMIT 3');
    await call('databases.create', 'shop', { connectionLimit: 5, extensions: [{ name: 'citext' }] }, mine);
    await call('databases.observe', 'shop', whole);
    await call('databases.update', 'shop', { connectionLimit: 5 }, mine);
    await call('databases.observe', 'shop', whole);
  },

  'the comment of a database, or that of its owner, names the managed resource': async ({ call, sql }) => {
    await call('roles.create', 'ann', {}, mine);
    await call('databases.create', 'hers', {}, foreign);
    await call('databases.create', 'unmarked', { owner: 'ann' }, mine);
    await sql('COMMENT ON DATABASE unmarked IS NULL');
    await sql('CREATE DATABASE plain');
    await sql('CREATE DATABASE old');
    await sql("COMMENT ON DATABASE old IS 'services-stack: managed by PostgreSQLRole/mine'");
    for (const name of ['hers', 'plain', 'unmarked', 'old']) {
      await call('databases.observe', name);
      await call('databases.create', name, {}, mine);
      await call('databases.update', name, {}, mine);
      await call('databases.observe', name);
      await call('databases.drop', name, politely);
      await call('databases.observe', name);
    }
  },

  'a database that does not exist': async ({ call }) => {
    await call('databases.observe', 'nowhere');
    await call('databases.update', 'nowhere', {}, mine);
    await call('databases.drop', 'nowhere', politely);
    await call('databases.create', 'shop', { owner: 'nobody' }, mine);
    await call('databases.create', 'shop', { template: 'nowhere' }, mine);
    await call('databases.observe', 'shop');
    await call('databases.create', 'shop', {}, mine);
    await call('databases.update', 'shop', { owner: 'nobody' }, mine);
  },

  'names and values that no database may have': async ({ call }) => {
    for (const name of [...badNames, 'postgres', 'template0', 'services-stack-unfinished-1']) {
      await call('databases.create', name, {}, mine);
    }
    await call('databases.observe', 'a\0b');
    await call('databases.update', 'template0', {}, mine);
    await call('databases.drop', 'template0', politely);
    for (const spec of [
      { encoding: 'klingon' },
      { encoding: 'a\nb' },
      { lcCollate: 'tlh_QO' },
      { lcCType: 'tlh_QO' },
      { template: 'template1', encoding: 'LATIN1' },
      { owner: 'a\nb' },
      { connectionLimit: -2 },
      { extensions: [{ name: '' }] },
    ]) {
      await call('databases.create', 'shop', spec, mine);
    }
    await call('databases.observe', 'shop');
    await call('databases.observe', unfinishedName(mine.ownerId, 'shop'));
    await call('databases.create', 'shop', { template: 'template1', lcCollate: 'POSIX' }, mine);
    await call('databases.observe', 'shop');
  },

  'extensions that are not available': async ({ call }) => {
    await call('databases.create', 'shop', {}, mine);
    for (const extension of [
      { name: 'unheard_of' },
      { name: 'citext', version: '99' },
      { name: 'citext', schema: 'nowhere' },
      { name: 'plpgsql' },
      { name: 'plpgsql', schema: 'nowhere' },
      { name: 'pg_stat_statements' },
    ]) {
      await call('databases.update', 'shop', { extensions: [extension] }, mine);
      await call('databases.observe', 'shop', whole);
    }
  },

  'a copy of a template has its extensions': async ({ call, sql, place, ask }) => {
    await call('roles.create', 'ann', {}, mine);
    await call('databases.create', 'pattern', { owner: 'ann', extensions: [{ name: 'citext' }] }, mine);
    await call('databases.create', 'shop', { template: 'pattern' }, mine);
    await call('databases.observe', 'shop', whole);
    const session = await place.open({ database: 'pattern' });
    await call('databases.create', 'stock', { template: 'pattern' }, mine);
    await ask('the session ends', () => session.end());
    await sql("UPDATE pg_database SET datconnlimit = -2 WHERE datname = 'pattern'");
    await call('databases.create', 'stock', { template: 'pattern' }, mine);
    await call('databases.observe', 'stock');
  },

  'a creation that a crash interrupted': async ({ call, sql }) => {
    const unfinished = unfinishedName(mine.ownerId, 'shop');
    await sql(`CREATE DATABASE "${unfinished}" WITH ALLOW_CONNECTIONS false TEMPLATE template0`);
    await call('databases.observe', unfinished);
    await call('databases.create', 'shop', {}, mine);
    await call('databases.observe', unfinished);
    await call('databases.observe', 'shop');
    await sql(`CREATE DATABASE "${unfinished}"`);
    await call('databases.drop', 'shop', politely);
    await call('databases.observe', unfinished);
    await call('databases.observe', 'shop');
  },

  'a creation that a crash interrupted, before another owner took the name': async ({ call, sql }) => {
    const unfinished = unfinishedName(mine.ownerId, 'shop');
    await sql(`CREATE DATABASE "${unfinished}"`);
    await sql('CREATE DATABASE shop');
    await call('databases.dropUnfinished', 'shop', mine);
    await call('databases.dropUnfinished', 'shop', mine);
    await call('databases.observe', unfinished);
    await call('databases.observe', 'shop');
  },

  'a deletion that a crash interrupted': async ({ call, sql }) => {
    await call('databases.create', 'shop', {}, mine);
    await sql("UPDATE pg_database SET datconnlimit = -2 WHERE datname = 'shop'");
    await call('databases.observe', 'shop', whole);
    await call('databases.create', 'shop', {}, mine);
    await call('databases.observe', 'shop', whole);
    await sql("UPDATE pg_database SET datconnlimit = -2 WHERE datname = 'shop'");
    await call('databases.drop', 'shop', politely);
    await call('databases.observe', 'shop');
  },

  'a database with sessions, or a template, is dropped': async ({ call, sql, place, ask, login }) => {
    await call('databases.create', 'shop', {}, mine);
    const first = await place.open({ database: 'shop' });
    await call('databases.drop', 'shop', politely);
    const second = await place.open({ database: 'shop' });
    await call('databases.drop', 'shop', politely);
    await ask('one leaves', () => first.end());
    await call('databases.drop', 'shop', bluntly);
    await ask('the other goes on', () => second.sql('SELECT 1'));
    await call('databases.observe', 'shop');
    await call('databases.create', 'pattern', {}, mine);
    await sql('ALTER DATABASE pattern IS_TEMPLATE true');
    await call('databases.drop', 'pattern', politely);
    await call('databases.create', 'pattern', {}, mine);
    await sql('ALTER DATABASE pattern ALLOW_CONNECTIONS false');
    await call('databases.drop', 'pattern', bluntly);
    await login({ database: 'pattern' });
  },
};
