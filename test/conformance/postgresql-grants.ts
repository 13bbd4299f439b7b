import type { Cases, Script } from './postgresql-place.ts';
import { mine } from './postgresql-roles.ts';

export const people = async ({ call }: Script): Promise<void> => {
  for (const name of ['ann', 'bob', 'cem']) {
    await call('roles.create', name, { login: true }, { ...mine, password: 'x' });
  }
  await call('databases.create', 'shop', { owner: 'ann' }, mine);
};
export const shop = { database: 'shop' };
const inPublic = { database: 'shop', schema: 'public' };

interface Schema {
  readonly database: string;
  readonly schema: string;
}

/** The privileges of bob and ann in a schema. */
export async function inSchema({ call }: Script, on: Schema): Promise<void> {
  const grant = { role: 'bob', on };
  await call('grants.observe', grant);
  await call('grants.apply', { ...grant, privileges: ['USAGE'], withGrantOption: true });
  await call('grants.observe', grant);
  await call('grants.apply', { ...grant, privileges: ['ALL'] });
  await call('grants.observe', grant);
  await call('grants.revoke', grant);
  await call('grants.observe', grant);
  await call('grants.isOwner', { role: 'ann', on });
  await call('grants.observe', { role: 'ann', on });
  await call('grants.apply', { role: 'ann', on, privileges: ['USAGE'] });
  await call('grants.observe', { role: 'ann', on });
}

export const grantCases: Cases = {
  'privileges on a database': async (script) => {
    const { call } = script;
    await people(script);
    const grant = { role: 'bob', on: shop };
    const look = () => call('grants.observe', grant);
    await look();
    for (const privileges of [['CONNECT'], ['connect', 'Temp'], ['ALL'], ['CREATE'], ['ALL PRIVILEGES']]) {
      await call('grants.apply', { ...grant, privileges });
      await look();
    }
    await call('grants.apply', { ...grant, privileges: ['CONNECT'] }, { revokeExtra: false });
    await look();
    await call('grants.apply', { ...grant, privileges: ['CONNECT'], withGrantOption: true });
    await look();
    await call('grants.apply', { ...grant, privileges: ['CONNECT'] }, { revokeExtra: false });
    await look();
    await call('grants.apply', { ...grant, privileges: ['CONNECT'] });
    await look();
    await call('grants.revoke', grant);
    await look();
    await call('grants.revoke', grant);
  },

  'privileges in a schema': async (script) => {
    await people(script);
    await inSchema(script, inPublic);
  },

  'an owner has all privileges, and keeps them': async (script) => {
    const { call } = script;
    await people(script);
    const grant = { role: 'ann', on: shop };
    await call('grants.isOwner', grant);
    await call('grants.isOwner', { role: 'bob', on: shop });
    await call('grants.observe', grant);
    await call('grants.apply', { ...grant, privileges: ['CONNECT'] });
    await call('grants.revoke', grant);
    await call('grants.observe', grant);
  },

  'a role or target that does not exist': async (script) => {
    const { call } = script;
    await people(script);
    for (const on of [shop, inPublic, { memberOf: 'ann' }]) {
      const grant = { role: 'nobody', on };
      await call('grants.observe', grant);
      await call('grants.isOwner', grant);
      await call('grants.apply', { ...grant, privileges: ['ALL'] });
      await call('grants.revoke', grant);
    }
    for (const on of [
      { database: 'nowhere' },
      { database: 'nowhere', schema: 'public' },
      { database: 'shop', schema: 'nowhere' },
      { memberOf: 'nobody' },
    ]) {
      const grant = { role: 'bob', on };
      await call('grants.observe', grant);
      await call('grants.apply', { ...grant, privileges: ['ALL'] });
      await call('grants.revoke', grant);
    }
  },

  'privileges that cannot be granted': async (script) => {
    const { call } = script;
    await people(script);
    for (const privileges of [[], ['SELECT'], ['USAGE'], ['CONNECT ON DATABASE x TO y; --']]) {
      await call('grants.apply', { role: 'bob', on: shop, privileges });
    }
    await call('grants.apply', { role: 'bob', on: inPublic, privileges: ['CONNECT'] });
    await call('grants.apply', { role: 'bob', on: { memberOf: 'bob' } });
    await call('grants.apply', { role: 'bob', on: { memberOf: 'ann' } });
    await call('grants.apply', { role: 'ann', on: { memberOf: 'bob' } });
    for (const name of ['', 'public', 'pg_mine']) {
      await call('grants.apply', { role: name, on: shop, privileges: ['ALL'] });
    }
    await call('grants.observe', { role: 'bob', on: shop });
  },

  'two grants of the same privileges': async (script) => {
    const { call } = script;
    await people(script);
    const grant = { role: 'bob', on: shop };
    await call('grants.apply', { ...grant, privileges: ['CONNECT'] }, { revokeExtra: false });
    await call('grants.apply', { ...grant, privileges: ['CREATE'] }, { revokeExtra: false });
    await call('grants.observe', grant);
    await call('grants.apply', { ...grant, privileges: ['CREATE'] });
    await call('grants.observe', grant);
  },

  'a membership': async (script) => {
    const { call } = script;
    await people(script);
    const grant = { role: 'bob', on: { memberOf: 'ann' } };
    const look = () => call('grants.observe', grant);
    await look();
    await call('grants.isOwner', grant);
    await call('grants.apply', grant);
    await look();
    await call('grants.apply', { ...grant, withGrantOption: true });
    await look();
    await call('grants.apply', grant, { revokeExtra: false });
    await look();
    await call('grants.apply', grant);
    await look();
    await call('grants.revoke', grant);
    await look();
    await call('grants.revoke', grant);
    await call('grants.apply', { role: 'bob', on: { memberOf: 'pg_monitor' } });
    await call('grants.observe', { role: 'bob', on: { memberOf: 'pg_monitor' } });
    await call('grants.apply', { role: 'bob', on: { memberOf: 'pg_database_owner' } });
  },
};
