import { applied, inSchema, people, shop } from './postgresql-grants.ts';
import type { Cases } from './postgresql-place.ts';
import { mine } from './postgresql-roles.ts';

/** The SQL that tenants write. PostgreSQL in memory has none, and no schemas but its own. */
export const tenantCases: Cases = {
  'a role is not dropped while it is needed': async ({ call, sql }) => {
    await call('roles.create', 'ann', {}, mine);
    await call('databases.create', 'shop', { owner: 'ann' }, mine);
    await call('databases.create', 'stock', { owner: 'ann' }, mine);
    await sql('CREATE DATABASE elsewhere');
    await sql('CREATE SCHEMA hers AUTHORIZATION ann', { database: 'elsewhere' });
    await call('roles.drop', 'ann', mine);
    await call('databases.drop', 'shop', { ...mine, terminateSessions: false });
    await call('roles.drop', 'ann', mine);
    await call('databases.drop', 'stock', { ...mine, terminateSessions: false });
    await call('roles.drop', 'ann', mine);
    await sql('CREATE SCHEMA more AUTHORIZATION ann', { database: 'elsewhere' });
    await call('roles.drop', 'ann', mine);
    await call('roles.observe', 'ann');
    await sql('DROP DATABASE elsewhere');
    await call('roles.drop', 'ann', mine);
    await call('roles.observe', 'ann');
  },

  'privileges that were passed on are revoked with their source': async (script) => {
    const { call, sql } = script;
    await people(script);
    const [bob, cem] = [
      { role: 'bob', on: shop },
      { role: 'cem', on: shop },
    ];
    await call('grants.apply', { ...bob, privileges: ['CONNECT', 'CREATE'], withGrantOption: true });
    await sql('GRANT CONNECT, CREATE ON DATABASE shop TO cem', { user: 'bob', password: 'x' });
    await call('grants.observe', cem);
    await applied(script, cem, [{ privileges: ['CONNECT'] }]);
    await applied(script, bob, [{ privileges: ['CONNECT'] }]);
    await call('grants.observe', cem);
    await call('grants.revoke', cem);
    await sql('REVOKE CONNECT ON DATABASE shop FROM cem', { user: 'cem', password: 'x' });
    await sql('GRANT CONNECT ON DATABASE shop TO cem', { user: 'cem', password: 'x' });
    await call('grants.observe', cem);
  },

  'a membership from several grantors': async (script) => {
    const { call, sql } = script;
    await people(script);
    const bob = { role: 'bob', on: { memberOf: 'ann' } };
    const cem = { role: 'cem', on: { memberOf: 'ann' } };
    await call('grants.apply', { ...bob, withGrantOption: true });
    await sql('GRANT ann TO cem', { user: 'bob', password: 'x' });
    await sql('GRANT bob TO cem', { user: 'bob', password: 'x' });
    await call('grants.observe', cem);
    await applied(script, cem, [{ withGrantOption: true }], [{}]);
    await call('grants.revoke', cem);
    await call('grants.observe', cem);
    await sql('GRANT ann TO cem', { user: 'bob', password: 'x' });
    await call('grants.revoke', bob);
    await call('grants.observe', cem);
  },

  'privileges in a schema of a role': async (script) => {
    await people(script);
    await script.sql('CREATE SCHEMA sales AUTHORIZATION ann', shop);
    await inSchema(script, { database: 'shop', schema: 'sales' });
  },

  'a copy of a template has its schemas and not their privileges': async ({ call, sql }) => {
    await call('roles.create', 'ann', {}, mine);
    await call('databases.create', 'pattern', { owner: 'ann' }, mine);
    await sql('CREATE SCHEMA ours', { database: 'pattern' });
    await call('databases.create', 'shop', { template: 'pattern' }, mine);
    await call('grants.observe', { role: 'ann', on: { database: 'shop', schema: 'ours' } });
  },

  'an extension is installed in the schema that its spec names': async ({ place, call, ask, sql }) => {
    await call('databases.create', 'shop', {}, mine);
    await sql('CREATE SCHEMA extras', shop);
    await call('databases.update', 'shop', { extensions: [{ name: 'citext', schema: 'extras' }] }, mine);
    const where = 'SELECT extnamespace::regnamespace::text AS schema FROM pg_extension';
    await ask('the schema of citext', () => place.sql(`${where} WHERE extname = 'citext'`, shop));
  },
};
