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

/** Applies these wishes for a grant, one after the other, and observes each result. */
export async function applied({ call }: Script, grant: Grant, ...wishes: readonly Wish[]): Promise<void> {
  for (const [wish, ...options] of wishes) {
    await call('grants.apply', { ...grant, ...wish }, ...options);
    await call('grants.observe', grant);
  }
}
type Grant = { readonly role: string; readonly on: object };
type Wish = readonly [wish: object, options?: { readonly revokeExtra: false }];
const keepExtra = { revokeExtra: false } as const;

/** The privileges of bob and ann in a schema. */
export async function inSchema(script: Script, on: Schema): Promise<void> {
  const { call } = script;
  const grant = { role: 'bob', on };
  await call('grants.observe', grant);
  await applied(script, grant, [{ privileges: ['USAGE'], withGrantOption: true }], [{ privileges: ['ALL'] }]);
  await call('grants.revoke', grant);
  await call('grants.observe', grant);
  await call('grants.isOwner', { role: 'ann', on });
  await call('grants.observe', { role: 'ann', on });
  await applied(script, { role: 'ann', on }, [{ privileges: ['USAGE'] }]);
}

export const grantCases: Cases = {
  'privileges on a database': async (script) => {
    const { call } = script;
    await people(script);
    const grant = { role: 'bob', on: shop };
    await call('grants.observe', grant);
    for (const privileges of [['CONNECT'], ['connect', 'Temp'], ['ALL'], ['CREATE'], ['ALL PRIVILEGES']]) {
      await applied(script, grant, [{ privileges }]);
    }
    const privileges = ['CONNECT'];
    await applied(
      script,
      grant,
      [{ privileges }, keepExtra],
      [{ privileges, withGrantOption: true }],
      [{ privileges }, keepExtra],
      [{ privileges }],
    );
    await call('grants.revoke', grant);
    await call('grants.observe', grant);
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
    const privileges = ['CREATE'];
    await call('grants.apply', { ...grant, privileges: ['CONNECT'] }, keepExtra);
    await applied(script, grant, [{ privileges }, keepExtra], [{ privileges }]);
  },

  'a membership': async (script) => {
    const { call } = script;
    await people(script);
    const grant = { role: 'bob', on: { memberOf: 'ann' } };
    await call('grants.observe', grant);
    await call('grants.isOwner', grant);
    await applied(script, grant, [{}], [{ withGrantOption: true }], [{}, keepExtra], [{}]);
    await call('grants.revoke', grant);
    await call('grants.observe', grant);
    await call('grants.revoke', grant);
    await applied(script, { role: 'bob', on: { memberOf: 'pg_monitor' } }, [{}]);
    await call('grants.apply', { role: 'bob', on: { memberOf: 'pg_database_owner' } });
  },
};
